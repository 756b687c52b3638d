"""Scripts for maintainers: what is known of the project, and what Scripts/setup leaves on a machine."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
VALUES = {"url": "https://example.com", "bug-tracker": "https://example.com/issues", "security": "security@example.com",
          "releases": "https://example.com/releases", "maintainer": "Ada <ada@example.com>"}


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

    def test_a_release_checks_first(self):
        text = (ROOT / "Scripts/release-packages").read_text()
        self.assertLess(text.index("Scripts/project --check"), text.index("Scripts/release "))


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
        text = (ROOT / "Scripts/release").read_text()
        self.assertLess(text.index("export NFCD_COMMIT"), text.index("Scripts/cross-release \"$1\""))
        self.assertLess(text.index("export NFCD_COMMIT"), text.index("\"$SWIFT\" build"))
        done = subprocess.run(
            ["cc", "-x", "c", "-D_Nonnull=", "-DNFCD_COMMIT=0a1b2c3d4e5f_changed", "-I", ROOT / "Sources/CLinux/include", "-E",
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

    def test_who_cannot_install_is_told_what_to_run(self):
        done, calls, _ = self.run_setup("--tests", root=False)
        self.assertEqual((done.returncode, calls), (69, ""))
        self.assertIn("sudo apt-get install", done.stderr)


if __name__ == "__main__":
    unittest.main()
