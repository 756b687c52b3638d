"""The folder of a release: what its packages need is known, its signatures are as SECURITY.md says, and a key that would end is refused."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts/lib"))
import firsttag  # noqa: E402
from release import recipe  # noqa: E402


def blocks(page, section):
    """The blocks of commands in a section of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)[1]
    return re.findall(r"^```sh\n(.*?)^```", found, re.DOTALL | re.MULTILINE)


class RecipeTests(unittest.TestCase):
    def test_every_dependency_has_a_name_on_other_systems(self):
        for name in recipe.PACKAGES:
            package = recipe.Recipe(name)
            for relation in recipe.RELATIONS:
                for system in recipe.SYSTEMS:
                    package.relations(relation, system)
            self.assertTrue(package.summary and package.description, name)

    def test_a_dependency_without_a_name_is_an_error(self):
        package = recipe.Recipe("nfcd")
        package.control["Depends"] += ", unheard-of"
        with self.assertRaises(SystemExit) as raised:
            package.relations("Depends", "Arch")
        self.assertEqual(raised.exception.code, 65)

    def test_names_are_translated(self):
        package = recipe.Recipe("nfcd")
        package.control["Depends"] = "@libraries@, pcscd, systemd | systemd-standalone-sysusers, nfcd-web (>= @release@), chromium | firefox-esr"
        self.assertEqual(package.relations("Depends", "Fedora", "openSUSE"), [
            ["pcsc-lite"], ["systemd"], [f"nfcd-web >= {recipe.version()}"], ["chromium", "firefox", "MozillaFirefox"]])

    def test_every_file_of_a_list_exists(self):
        for name in recipe.PACKAGES:
            for file in recipe.Recipe(name).files():
                if file.kind != "link" and not file.source.startswith("stage/"):
                    self.assertTrue((ROOT / file.source).exists(), f"{name}: {file.source}")

    def test_configuration_and_units_come_from_the_list(self):
        self.assertEqual(recipe.Recipe("nfcd").configuration(), ["/etc/nfcd/nfcd.toml"])
        self.assertEqual(recipe.Recipe("nfcd").units(), ["nfcd.service", "nfcd.socket", "nfcd@.socket"])
        self.assertEqual(recipe.Recipe("nfcd").instances(), ["nfcd.service", "nfcd.socket", "nfcd@*.socket"])
        self.assertEqual(recipe.Recipe("nfcd-web").units(), [])

    def test_the_page_has_the_address_of_the_release(self):
        address = (ROOT / "packaging/project.conf").read_text(encoding="utf-8").split("repository = ")[1].split("\n")[0]
        for page in ("Docs/install.md",):
            for found in re.findall(r"https?://\S+/(?:apt|rpm)/nfcd\.\w+", (ROOT / page).read_text(encoding="utf-8")):
                self.assertTrue(found.startswith(f"{address}/"), f"{page}: {found}; packaging/project.conf has {address}")
            self.assertIn(f"ADDRESS={address}\n", (ROOT / page).read_text(encoding="utf-8"))


class FirstTagTests(unittest.TestCase):
    """The table of Docs/install.md: from nothing to the first tag."""

    def rows(self):
        text = (ROOT / firsttag.PAGE).read_text(encoding="utf-8").partition("\n## From nothing to the first tag\n")[2]
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")][1:]

    def test_it_has_each_form_with_the_commands_of_the_page(self):
        self.assertEqual({row[0] for row in self.rows()}, set(firsttag.FORMS))
        for form, _, commands, *seconds in self.rows():
            self.assertEqual(int(commands), len(firsttag.FORMS[form].commands()), form)
            for number in seconds:
                self.assertRegex(number, r"^[0-9.]+ s$", form)

    def test_a_form_is_measured_with_what_it_starts(self):
        busy = "import time; began = time.process_time()\nwhile time.process_time() - began < 0.3: pass"
        before = firsttag.used(None)
        # As a grandchild, as commands of a package manager are.
        subprocess.run(["sh", "-c", '"$@"; true', "sh", sys.executable, "-c", busy], check=True)
        self.assertGreaterEqual(firsttag.used(None) - before, 0.3)
        # One that has not ended counts if it descends from the first process of a system.
        waiting = [sys.executable, "-c", f"{busy}\nprint(flush=True)\nimport sys\nsys.stdin.read()"]
        first = subprocess.Popen(["sh", "-c", 'exec 3<&0; "$@" <&3 & echo; wait', "sh", *waiting],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self.assertEqual([first.stdout.readline(), first.stdout.readline()], [b"\n", b"\n"])
            # Its clock ticks a hundred times a second.
            self.assertGreaterEqual(firsttag.inside(first.pid), 0.25)
        finally:
            first.kill()
            first.communicate()


class TargetTests(unittest.TestCase):
    def test_the_targets_of_the_page_exist(self):
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        targets = set(re.findall(r"(?m)^([a-z0-9-]+):", makefile))
        named = set(re.findall(r"(?m)(?:`|^ *)make ([a-z][a-z0-9-]+)", (ROOT / "Docs/releasing.md").read_text(encoding="utf-8")))
        self.assertGreater(len(named), 10)
        self.assertLessEqual(named, targets)


@unittest.skipUnless(shutil.which("gpg") and shutil.which("dpkg-deb"), "gpg and dpkg-deb are needed")
class SignatureTests(unittest.TestCase):
    def setUp(self):
        # The path of a socket of gpg's agent is short.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="nfcd-release-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.dist = self.folder / "dist"
        self.dist.mkdir()
        (self.dist / "nfcd-1.2.3.tar.gz").write_bytes(b"sources")

    def key(self, name, expires="never"):
        home = self.folder / f"home-{name}"
        home.mkdir(mode=0o700)
        environment = {**os.environ, "GNUPGHOME": str(home)}
        self.addCleanup(subprocess.run, ["gpgconf", "--homedir", home, "--kill", "all"])
        subprocess.run(["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", f"{name} <{name}@example.com>", "ed25519",
                        "sign", expires], env=environment, check=True, stderr=subprocess.DEVNULL)
        file = self.folder / f"{name}.key"
        with open(file, "wb") as out:
            subprocess.run(["gpg", "--batch", "--armor", "--export-secret-keys"], env=environment, check=True, stdout=out)
        return file

    def complete(self, *keys):
        words = [word for key in keys for word in ("--sign-key", key)]
        return subprocess.run([ROOT / "Scripts/release/repositories", *words, self.dist], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def verify(self, *names, before=":"):
        """What the commands of SECURITY.md print for a download of these files, after another command: the exit code and the text."""
        download = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for name in ("SHA256SUMS", "SHA256SUMS.asc", "nfcd-keys.asc", *names):
            shutil.copyfile(self.dist / name, download / pathlib.Path(name).name)
        done = subprocess.run(["bash", "-e", "-c", "".join([before + "\n", *blocks("SECURITY.md", "Verify a download")])], cwd=download,
                              env={**os.environ, "TMPDIR": str(self.folder), "LC_ALL": "C"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def test_the_commands_of_the_page_accept_a_download(self):
        done = self.complete(self.key("a"))
        self.assertEqual(done.returncode, 0, done.stderr)
        code, text = self.verify("nfcd-1.2.3.tar.gz")
        self.assertEqual(code, 0, text)
        self.assertIn("Good signature", text)
        self.assertIn("nfcd-1.2.3.tar.gz: OK", text)
        self.assertRegex(text, r"(?m)^ +([0-9A-F]{4} +){9}[0-9A-F]{4}$")

    def test_they_accept_a_wheel_in_the_folder_that_the_page_names(self):
        (self.dist / "python").mkdir(exist_ok=True)
        (self.dist / "python/nfcd-1.2.3-py3-none-any.whl").write_bytes(b"wheel")
        self.complete(self.key("a"))
        before = re.search(r"`(mkdir python [^`]+)`", (ROOT / "SECURITY.md").read_text())[1]
        code, text = self.verify("python/nfcd-1.2.3-py3-none-any.whl", before=before)
        self.assertEqual(code, 0, text)
        self.assertIn("python/nfcd-1.2.3-py3-none-any.whl: OK", text)

    def test_they_refuse_a_changed_file_and_a_changed_list(self):
        self.complete(self.key("a"))
        (self.dist / "nfcd-1.2.3.tar.gz").write_bytes(b"changed")
        code, text = self.verify("nfcd-1.2.3.tar.gz")
        self.assertNotEqual(code, 0, text)
        self.assertIn("FAILED", text)
        (self.dist / "SHA256SUMS").write_text("")
        code, text = self.verify("nfcd-1.2.3.tar.gz")
        self.assertNotEqual(code, 0, text)
        self.assertIn("BAD signature", text)

    def test_during_a_rotation_both_keys_sign_everything(self):
        self.complete(self.key("a"), self.key("b"))
        code, text = self.verify("nfcd-1.2.3.tar.gz")
        self.assertEqual((code, text.count("Good signature")), (0, 2), text)
        sources = (self.dist / "apt/nfcd.sources").read_text()
        self.assertEqual(sources.count("BEGIN PGP"), 1)
        self.assertNotIn("Valid-Until", (self.dist / "apt/dists/stable/InRelease").read_text())

    def test_without_a_key_the_folder_says_so(self):
        done = self.complete()
        self.assertEqual(done.returncode, 0)
        self.assertIn("NOT SIGNED", done.stderr)
        self.assertIn("NOT SIGNED", (self.dist / "UNSIGNED").read_text())
        self.assertFalse((self.dist / "apt/dists/stable/InRelease").exists())
        # A signed folder has no such file.
        self.complete(self.key("a"))
        self.assertFalse((self.dist / "UNSIGNED").exists())

    def test_a_key_that_expires_is_refused(self):
        done = self.complete(self.key("a", "2y"))
        self.assertEqual(done.returncode, 65)
        self.assertIn("--quick-set-expire", done.stderr)

    def test_a_file_without_a_key_is_refused(self):
        (self.folder / "no.key").write_text("nothing")
        self.assertEqual(self.complete(self.folder / "no.key").returncode, 65)
        self.assertEqual(self.complete("missing.key").returncode, 66)

    def test_secret_keys_are_not_left_in_the_folder(self):
        self.complete(self.key("a"))
        for path in self.dist.rglob("*"):
            self.assertNotIn(b"PRIVATE KEY", path.read_bytes() if path.is_file() else b"")


if __name__ == "__main__":
    unittest.main()
