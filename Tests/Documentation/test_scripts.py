"""Scripts for maintainers: what is known of the project, what Scripts/setup leaves on a machine, and which tests run again."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
VALUES = {"url": "https://example.com", "bug-tracker": "https://example.com/issues", "security": "security@example.com",
          "releases": "https://example.com/releases", "repository": "https://example.com/download",
          "maintainer": "Ada <ada@example.com>"}


class ProjectTests(unittest.TestCase):
    def run_project(self, values, argument):
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write("# comment\n\n" + "".join(f"{name} = {value}\n" for name, value in values.items()))
            file.flush()
            return subprocess.run([ROOT / "Scripts/project", argument], env={**os.environ, "PROJECT": file.name},
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_a_value_is_printed(self):
        for name, value in VALUES.items():
            self.assertEqual(self.run_project(VALUES, name).stdout, value + "\n")

    def test_each_placeholder_is_refused_for_a_release(self):
        self.assertEqual(self.run_project(VALUES, "--check").returncode, 0)
        for name in VALUES:
            for value in ("https://nfcd.invalid/x", "x@nfcd.invalid", ""):
                done = self.run_project({**VALUES, name: value}, "--check")
                self.assertEqual(done.returncode, 78, (name, value))
                self.assertIn(f"{name} is a placeholder", done.stderr)
            missing = {other: value for other, value in VALUES.items() if other != name}
            self.assertEqual(self.run_project(missing, "--check").returncode, 78)

    def test_an_unknown_name_is_an_error(self):
        self.assertEqual(self.run_project({**VALUES, "homepage": "x"}, "--check").returncode, 65)
        self.assertEqual(self.run_project(VALUES, "homepage").returncode, 64)

    def test_the_readme_has_the_address_of_releases(self):
        address = subprocess.run([ROOT / "Scripts/project", "releases"], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
        self.assertIn(f"[release]({address})", (ROOT / "README.md").read_text())

    def test_a_release_checks_first(self):
        text = (ROOT / "Scripts/products/release-packages").read_text()
        self.assertLess(text.index("Scripts/project --check"), text.index("Scripts/products/release "))

    def test_a_release_has_a_command_without_tests(self):
        """Scripts/release/verify-release builds the files again with it."""
        done = subprocess.run([ROOT / "Scripts/products/release-packages", "--files"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 64)
        self.assertIn("[--files-only]", done.stderr)


class FolderTests(unittest.TestCase):
    def test_the_readme_names_every_script(self):
        text = (ROOT / "Scripts/README.md").read_text()
        for path in [*(ROOT / "Scripts").iterdir(), *(ROOT / "Scripts").glob("*/*")]:
            if path.is_file() and path.parent.name not in ("lib", "__pycache__") and path.name != "README.md":
                self.assertIn(f"| `{path.name}` |", text)

    def test_a_folder_has_at_most_fifteen_scripts(self):
        for folder in ("checks", "clients", "systems", "products", "release", "benchmarks"):
            self.assertLessEqual(len(list((ROOT / "Scripts" / folder).iterdir())), 15, folder)


class VersionTests(unittest.TestCase):
    def version(self, folder, *arguments):
        return subprocess.run([folder / "Scripts/version", *arguments], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()

    def test_the_commit_is_that_of_the_sources(self):
        known = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], stdout=subprocess.PIPE, text=True).stdout.strip()
        self.assertRegex(self.version(ROOT, "--commit"), f"^{known[:12]}(_changed)?$")

    def test_an_archive_has_the_commit_in_a_file(self):
        for content, commit in ("0123456789abcdef0123\n", "0123456789ab"), ("$Format:%H$\n", ""):
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                for part in ("Scripts", "packaging"):
                    (folder / part).mkdir()
                (folder / "Scripts/version").write_text((ROOT / "Scripts/version").read_text())
                (folder / "Scripts/version").chmod(0o755)
                (folder / "packaging/commit").write_text(content)
                self.assertEqual(self.version(folder, "--commit"), commit)

    def test_a_release_names_it(self):
        text = (ROOT / "Scripts/products/release").read_text()
        self.assertLess(text.index("export NFCD_COMMIT"), text.index("Scripts/products/cross-release \"$1\""))
        self.assertLess(text.index("export NFCD_COMMIT"), text.index("\"$SWIFT\" build"))
        done = subprocess.run(
            ["cc", "-x", "c", "-D_Nonnull=", '-DNFCD_COMMIT="0a1b2c3d4e5f_changed"', "-I", ROOT / "Sources/CLinux/include", "-E",
             ROOT / "Sources/CLinux/cbuild.c"], stdout=subprocess.PIPE, text=True)
        self.assertIn('return "0a1b2c3d4e5f_changed";', done.stdout)


class SetupTests(unittest.TestCase):
    """Scripts/setup with an apt-get, a systemctl and an id that only note how they are called."""

    def run_setup(self, *arguments, present=(), root=True, environment=()):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            calls = folder / "calls"
            policy = folder / "policy-rc.d"
            programs = {
                "apt-get": f'echo "apt-get $* policy=$([ -x {policy} ] && {policy}; echo $?)" >> {calls}',
                "systemctl": f'echo "systemctl $*" >> {calls}', "id": f"echo {0 if root else 1000}",
                "swift": "echo Swift version 6.3", "pkg-config": "exit 0", **{name: "exit 0" for name in present},
            }
            for program, body in programs.items():
                (folder / program).write_text(f"#!/bin/bash\n{body}\n")
                (folder / program).chmod(0o755)
            for program in ("bash", "env", "sed", "sort", "head", "dirname", "cat", "rm", "chmod"):
                (folder / program).symlink_to(f"/usr/bin/{program}")
            done = subprocess.run(
                [ROOT / "Scripts/setup", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True,
                env={"PATH": str(folder), "SETUP_PATH": str(folder), "POLICY": str(policy), **dict(environment)})
            return done, calls.read_text() if calls.exists() else "", policy.exists()

    def test_unattended_it_installs_everything_and_starts_and_enables_nothing(self):
        done, calls, is_left = self.run_setup("--tests")
        self.assertEqual(done.returncode, 0, done.stderr)
        installed = next(line for line in calls.splitlines() if " install " in line)
        for package in ("mosquitto", "nats-server", "chromium", "pcscd", "jq"):
            self.assertIn(f" {package} ", installed)
        self.assertTrue(installed.endswith("policy=101"), installed)
        self.assertIn("systemctl disable mosquitto.service", calls)
        self.assertIn("systemctl disable nats-server.service", calls)
        self.assertFalse(is_left)

    def test_a_server_that_was_there_stays_as_it_was(self):
        done, calls, _ = self.run_setup("--tests", present=("mosquitto", "nats-server"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("systemctl", calls)

    def test_without_servers_and_browsers_the_core_can_be_tested(self):
        done, calls, _ = self.run_setup("--tests", environment=[("NFCD_TESTS", "core")])
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertNotIn(" mosquitto ", calls)
        self.assertNotIn("chromium", calls)
        self.assertIn(" jq ", calls)

    def test_what_makes_packages_of_all_systems_is_installed_without_swift(self):
        done, calls, _ = self.run_setup("--packages")
        self.assertEqual(done.returncode, 0, done.stderr)
        for package in ("rpm", "createrepo-c", "makepkg", "pacman-package-manager", "gnupg", "mmdebstrap"):
            self.assertIn(f" {package} ", f"{calls} ".replace("\n", " "))
        self.assertNotIn("libpcsclite-dev", calls)

    def test_who_cannot_install_sees_what_to_run(self):
        done, calls, _ = self.run_setup("--tests", root=False)
        self.assertEqual((done.returncode, calls), (69, ""))
        self.assertIn("sudo apt-get install", done.stderr)


class UnsteadyTests(unittest.TestCase):
    """Scripts/test with a swift that only prints results, one run after another, and scripts that do nothing."""

    CLEAN = "✔ Test run with 9 tests in 2 suites passed after 1 second."

    @staticmethod
    def failure(*names):
        lines = [f"✘ Test {name} failed after 0.1 seconds with 1 issue." for name in names]
        return "\n".join([*lines, "✘ Test run with 9 tests in 2 suites failed after 1 second with 1 issue."])

    def run_tests(self, *runs, known=(), script=None):
        """The status, the output and the calls of swift. `script` is the status of Scripts/checks/soak each time."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for group in ("checks", "clients", "systems"):
                (folder / "Scripts" / group).mkdir(parents=True)
            (folder / ".build").mkdir()
            (folder / "Scripts/test").write_text((ROOT / "Scripts/test").read_text())
            comment = (ROOT / "Scripts/checks/unsteady-tests").read_text()
            (folder / "Scripts/checks/unsteady-tests").write_text(comment + "".join(f"{line}\n" for line in known))
            for number, text in enumerate(runs):
                (folder / f"run{number}").write_text(text + "\n")
            programs = {
                "setup": "", "protocol-tables": "", "checks/soak": "exit $(head -1 statuses; sed -i 1d statuses)",
                **{f"checks/{name}": "" for name in (
                    "attack", "check-fido", "check-web", "test-python", "test-javascript", "test-client", "check-protocol")},
                "clients/test-examples": "", "systems/usb-test": "",
                "swift": 'if [ "$1" = build ]; then echo .; exit; fi\necho "$*" >> calls\nnumber=$(($(wc -l < calls) - 1))\n'
                         '[ -e "run$number" ] || { echo "' + self.CLEAN + '"; exit 0; }\ncat "run$number"\n'
                         'grep -q "^✔ Test run" "run$number"',
            }
            for program, body in programs.items():
                (folder / "Scripts" / program).write_text(f"#!/bin/bash\n{body}\n")
            for program in ["test", *programs]:
                (folder / "Scripts" / program).chmod(0o755)
            (folder / "statuses").write_text("".join(f"{status}\n" for status in script or (0,)))
            done = subprocess.run(
                [folder / "Scripts/test"], env={**os.environ, "SWIFT": str(folder / "Scripts/swift")},
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            return done.returncode, done.stdout, (folder / "calls").read_text().splitlines()

    def test_without_failures_nothing_runs_again(self):
        status, output, calls = self.run_tests(known=["a # b"])
        self.assertEqual((status, len(calls)), (0, 3), output)
        self.assertNotIn("unsteady", output)

    def test_a_failure_fails_the_run_with_its_name_and_is_not_repeated(self):
        cases = [
            (['"a tag is read"'], ["a tag is read"], []),
            (['"a tag is read" with 3 test cases'], ["a tag is read"], ["another # reason"]),
            (["works()", '"other"'], ["works", "other"], []),
            # Neither a part of a name nor a name without a reason counts.
            (['"a tag"'], ["a tag"], ["a tag is read # reason", "read a tag # reason", "a tag #", "a tag", "# a tag # reason"]),
            (['"a.tag*"'], ["a.tag*"], ["a tag* # reason", "a.tagg # reason"]),
            # Beside one that is known, none is repeated.
            (['"known"', '"new"'], ["new"], ["known # reason"]),
        ]
        for failing, named, known in cases:
            with self.subTest(failing):
                status, output, calls = self.run_tests(self.failure(*failing), known=known)
                self.assertEqual((status, len(calls)), (1, 1), output)
                self.assertEqual(output.splitlines()[-len(named):], [f"test: failed: {name}" for name in sorted(named)])

    def test_a_known_one_runs_again_alone_and_the_end_names_it(self):
        for printed, name, pattern in [
            ('"a tag is read"', "a tag is read", "a tag is read"), ("works()", "works", "works"),
            ('"a/b: (c) # d"', "a/b: (c) # d", "a.b. .c. . d"), ('"ends (so)"', "ends (so)", "ends .so."), ('"5 % of \\n"', "5 % of \\n", "5 . of .n"),
        ]:
            with self.subTest(name):
                status, output, calls = self.run_tests(self.failure(printed), known=["# comment", f"{name} # the clock of this machine"])
                self.assertEqual(status, 0, output)
                self.assertEqual(calls[1], f"test --disable-xctest --skip-build --no-parallel --filter {pattern}")
                self.assertEqual(output.splitlines()[-1],
                                 f"test: unsteady, passed only when run again: {name}: the clock of this machine")

    def test_a_known_one_that_fails_twice_fails_the_run(self):
        status, output, calls = self.run_tests(self.failure('"x"'), self.failure('"x"'), known=["x # y"])
        self.assertEqual((status, len(calls)), (1, 2), output)
        self.assertIn("failed beside the others and alone: x", output)

    def test_a_repetition_without_a_test_fails_the_run(self):
        nothing = "✔ Test run with 0 tests in 0 suites passed after 0.1 seconds."
        status, output, _ = self.run_tests(self.failure('"x"'), nothing, known=["x # y"])
        self.assertEqual(status, 1, output)
        self.assertIn("could not be repeated by name: x", output)

    def test_tests_that_crash_fail_the_run_also_after_a_known_failure(self):
        for text in ("Segmentation fault", '✘ Test "x" failed after 0.1 seconds with 1 issue.\nSegmentation fault'):
            status, output, calls = self.run_tests(text, known=["x # y"])
            self.assertEqual((status, len(calls)), (1, 1), output)
            self.assertIn("ended without a result", output)

    def test_a_script_runs_again_only_if_it_is_known(self):
        self.assertEqual(self.run_tests(script=(1, 0))[0], 1)
        status, output, _ = self.run_tests(script=(1, 0), known=["Scripts/checks/soak # slow disks"])
        self.assertEqual((status, output.splitlines()[-1]),
                         (0, "test: unsteady, passed only when run again: Scripts/checks/soak: slow disks"))
        self.assertEqual(self.run_tests(script=(1, 1), known=["Scripts/checks/soak # slow disks"])[0], 1)


class GenerateTests(unittest.TestCase):
    def test_what_follows_from_the_declarations_alone_is_current(self):
        """The rest needs a built nfcd; `make lint` compares it."""
        done = subprocess.run(
            [ROOT / "Scripts/generate", "--swift", "--check"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
