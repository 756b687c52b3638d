"""The forms of a release: each has every file of every package, and no list of packages lacks one."""

import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENT = ROOT / "Clients/python/src/nfcd"


def compiled(folder):
    """A program of this machine's architecture."""
    (folder / "main.c").write_text("int main() { return 0; }")
    subprocess.run(["cc", folder / "main.c", "-o", folder / "program"], check=True)
    return folder / "program"


def stage(folder):
    """A folder like that of `make release`: every file that a list names, and the same small program for each."""
    program = compiled(folder)
    for name in packages():
        for kind, source, _ in lines(name):
            if source.startswith("stage/"):
                path = folder / source.replace("*", "scan")
                path = path / "manifest.json" if kind == "folder" else path
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(program, path)
                path.chmod(0o755)
    return folder / "stage"


def packages():
    """The packages that the sources describe. That of the keys has no list: it is made of the keys."""
    return sorted(path.parent.name for path in (ROOT / "packaging").glob("*/files"))


def lines(package):
    """The list of files of a package: kind, source and place of each."""
    text = (ROOT / "packaging" / package / "files").read_text(encoding="utf-8")
    return [line.split() for line in text.splitlines() if line and not line.startswith("#")]


def places(package, zsh):
    """Where the files of a package are on a system, without those that a pattern or a folder stands for."""
    for kind, source, place in lines(package):
        place = place.replace("@zsh@", zsh)
        place = place if place.startswith("/") else f"/usr/{place}"
        if kind == "folder":
            place += "/manifest.json"
        yield f"{place}{source.rpartition('/')[2].replace('*', 'scan')}" if place.endswith("/") else place


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def script(name, *words, **options):
    """The words that a script prints. Its messages are shown if it fails."""
    done = subprocess.run([ROOT / "Scripts" / name, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"Scripts/{name} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout.split()


MISSING = [name for name in ("cc", "dpkg-shlibdeps", "rpmbuild", "createrepo_c", "makepkg", "bsdtar", "fakeroot", "xz") if not shutil.which(name)]


@unittest.skipIf(MISSING, f"not installed: {', '.join(MISSING)}; Scripts/setup --packages installs it")
class FormTests(unittest.TestCase):
    """A release of small programs in every form: each form has each file of each list, and the folder has each form of each package."""

    SUFFIX = f"+forms{os.getpid()}"

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="nfcd-forms-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.stage = stage(cls.folder)
        environment = {**os.environ, "STAGE": str(cls.stage)}
        cls.made = {}
        for form, command in (("deb", ["products/deb", "--compress", "gzip"]), ("rpm", ["release/rpm", "--fast"]),
                              ("tarball", ["release/tarball", "--fast"]), ("arch", ["release/arch", "--fast"])):
            cls.made[form] = cls.make(environment, *command)
        cls.dist = cls.folder / "dist"
        script("products/release-files", "--output", cls.dist, *(path for paths in cls.made.values() for path in paths), env=environment)

    @classmethod
    def make(cls, environment, *command):
        """The packages that a script makes; they are removed after the tests."""
        made = [pathlib.Path(path) for path in script(*command, "--suffix", cls.SUFFIX, env=environment)]
        for path in made:
            cls.addClassCleanup(path.unlink, missing_ok=True)
            if path.parent.name == cls.SUFFIX:
                cls.addClassCleanup(shutil.rmtree, path.parent, ignore_errors=True)
        return made

    def package(self, form, name):
        """The package of a form: the names of all begin with that of the package, and a digit of the version ends it."""
        ending = re.compile(rf"{re.escape(name)}(-bin)?[-_]\d")
        [found] = [path for path in self.made[form] if ending.match(path.name)]
        return found

    def content(self, form, name):
        path = self.package(form, name)
        if form == "rpm":
            return run("rpm", "--query", "--package", "--list", path, stderr=subprocess.DEVNULL).splitlines()
        if form == "deb":
            archive = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], check=True, stdout=subprocess.PIPE).stdout
            listed = subprocess.run(["tar", "--list"], input=archive, check=True, stdout=subprocess.PIPE).stdout.decode().splitlines()
        else:
            listed = run("bsdtar", "--list", "--file", path).splitlines()
        return [f"/{line.removeprefix('./')}" for line in listed]

    def test_every_package_has_every_file_of_its_list(self):
        for form in ("deb", "rpm", "arch"):
            self.assertEqual(len(self.made[form]), len(packages()), form)
            zsh = "share/zsh/vendor-completions" if form == "deb" else "share/zsh/site-functions"
            for name in packages():
                content = set(self.content(form, name))
                for place in places(name, zsh):
                    self.assertIn(place, content, f"{form}: {name}")

    def test_the_tarball_has_what_the_lists_name(self):
        [archive] = self.made["tarball"]
        content = {line.partition("/")[2] for line in run("tar", "--list", "--file", archive).splitlines()}
        for name in packages():
            self.assertIn(f"packaging/{name}/files", content)
            for kind, source, _ in lines(name):
                source = source.replace("*", "scan") + ("/manifest.json" if kind == "folder" else "")
                if kind != "link":
                    self.assertIn(source, content, name)

    def test_the_tarball_has_the_python_client_for_its_demo(self):
        [archive] = self.made["tarball"]
        folder = self.folder / "unpacked"
        folder.mkdir()
        run("tar", "--extract", "--strip-components=1", "--directory", folder, "--file", archive)
        self.assertEqual(sorted(path.relative_to(folder / "python/nfcd") for path in (folder / "python/nfcd").rglob("*.py")),
                         sorted(path.relative_to(CLIENT) for path in CLIENT.rglob("*.py")))
        # nfcctl, which is another program here, is given "demo", and finds the client.
        (folder / "stage/bin/nfcctl").write_text('#!/bin/sh\necho "$*"\nexec python3 -c "import nfcd; print(nfcd.__version__, nfcd.__file__)"\n')
        version, place = run(ROOT / "Scripts/version").strip(), folder / "python/nfcd/__init__.py"
        self.assertEqual(run("./demo", cwd=folder), f"demo\n{version} {place}\n")
        self.assertEqual([path for path in folder.rglob("*") if "__pycache__" in path.name], [])

    def test_configuration_is_marked_in_every_form(self):
        for name in packages():
            wanted = sorted(place for kind, _, place in lines(name) if kind in ("config", "host") and place.startswith("/etc/"))
            self.assertTrue(wanted, name)
            marked = {
                "deb": run("dpkg-deb", "--info", self.package("deb", name), "conffiles").split(),
                "rpm": run("rpm", "--query", "--package", "--configfiles", self.package("rpm", name), stderr=subprocess.DEVNULL).split(),
                "arch": [f"/{line.removeprefix('backup = ')}" for line in self.facts(name) if line.startswith("backup = ")],
            }
            for form, found in marked.items():
                self.assertEqual(sorted(found), wanted, f"{form}: {name}")

    def facts(self, name):
        return run("bsdtar", "--extract", "--to-stdout", "--file", self.package("arch", name), ".PKGINFO").splitlines()

    def test_the_other_architecture_is_a_parameter(self):
        """Not of the .deb, whose dependencies come from the libraries of the other architecture."""
        native = run("dpkg", "--print-architecture").strip()
        other, number, machine = ("arm64", 183, "aarch64") if native == "amd64" else ("amd64", 62, "x86_64")
        with self.assertRaisesRegex(AssertionError, f"is not a program for {other}"):
            script("release/rpm", "--architecture", other, "nfcd", env={**os.environ, "STAGE": str(self.stage)})
        foreign = self.folder / "foreign"
        shutil.copytree(self.stage, foreign)
        for program in (foreign / "bin").iterdir():
            content = bytearray(program.read_bytes())
            content[18:20] = number.to_bytes(2, "little")
            program.write_bytes(content)
        environment = {**os.environ, "STAGE": str(foreign)}
        options = ("--fast", "--architecture", other)
        [package] = self.make(environment, "release/rpm", *options, "nfcd-desktop")
        self.assertEqual(run("rpm", "--query", "--package", "--queryformat", "%{ARCH}", package, stderr=subprocess.DEVNULL), machine)
        [archive] = self.make(environment, "release/tarball", *options)
        self.assertTrue(archive.name.endswith(f"-linux-{machine}.tar.xz"), archive)
        folder = archive.name.removesuffix(".tar.xz")
        self.assertEqual(run("tar", "--extract", "--to-stdout", "--file", archive, f"{folder}/machine"), f"{machine}\n")
        for package in self.make(environment, "release/arch", *options):
            facts = run("bsdtar", "--extract", "--to-stdout", "--file", package, ".PKGINFO").splitlines()
            self.assertIn(f"arch = {machine}", facts)
        both = (package.parent / "PKGBUILD").read_text()
        for name in (machine, "x86_64" if machine == "aarch64" else "aarch64"):
            self.assertRegex(both, rf"source_{name}=.*\nsha256sums_{name}=")

    def test_the_recipe_of_arch_is_that_of_the_packages_whatever_was_built_since(self):
        """As Scripts/systems/install-test does with its releases, before the files of the release are put together."""
        environment = {**os.environ, "STAGE": str(self.stage)}
        for command in ("release/tarball", "release/arch"):
            for path in script(command, "--fast", "--suffix", f"{self.SUFFIX}.later", env=environment):
                self.addClassCleanup(pathlib.Path(path).unlink, missing_ok=True)
                last = pathlib.Path(path)
        self.addClassCleanup(shutil.rmtree, last.parent)
        later = self.folder / "later"
        script("products/release-files", "--output", later, *self.made["arch"], env=environment)
        for folder in (self.dist, later):
            self.assertRegex((folder / "arch/PKGBUILD").read_text(), rf"(?m)^pkgver=\S*{re.escape(self.SUFFIX)}$")

    def test_an_arch_package_with_a_service_says_how_it_is_started(self):
        for name in packages():
            services = [place for kind, _, place in lines(name) if kind == "unit" and place.endswith(".service")]
            text = ""
            if "/.INSTALL" in self.content("arch", name):
                text = run("bsdtar", "--extract", "--to-stdout", "--file", self.package("arch", name), ".INSTALL")
                self.assertTrue((self.dist / f"arch/{name}-bin.install").exists(), name)
            self.assertEqual("post_install" in text and "post_upgrade" in text, bool(services), f"{name}: {text}")
            if services and not any("/system/" in place for place in services):
                self.assertIn("systemctl --user try-restart", text)

    def test_the_folder_lists_every_package(self):
        architecture = run("dpkg", "--print-architecture").strip()
        index = (self.dist / f"apt/dists/stable/main/binary-{architecture}/Packages").read_text()
        self.assertEqual(sorted(re.findall(r"(?m)^Package: (.*)$", index)), packages())
        [primary] = self.dist.glob("rpm/*/repodata/*primary.xml.gz")
        listed = re.findall(r"<name>(.*?)</name>", gzip.decompress(primary.read_bytes()).decode())
        self.assertEqual(sorted(listed), packages())
        recipe_of_arch = (self.dist / "arch/PKGBUILD").read_text()
        for name in packages():
            self.assertIn(f"package_{name}-bin()", recipe_of_arch)
        [bill] = self.dist.glob("*.spdx.json")
        named = {entry["SPDXID"] for entry in json.loads(bill.read_text())["packages"]}
        self.assertLessEqual({f"SPDXRef-Package-{name}-{architecture}" for name in packages()}, named)
        sums = {line.split("  ")[1] for line in (self.dist / "SHA256SUMS").read_text().splitlines()}
        for paths in self.made.values():
            self.assertLessEqual({path.name for path in paths}, sums)


def named(text):
    """The packages that a text names."""
    return set(re.findall(r"(?<![\w./])(?<!\w-)nfcd(?:-[a-z]+)?(?![\w./-])", text))


class ListTests(unittest.TestCase):
    """Scripts that name the packages name all of them."""

    def test_no_list_lacks_a_package(self):
        known, found = set(packages()), 0
        folders = ("packaging", "Scripts/products", "Scripts/release", "Scripts/systems", "Scripts/lib")
        files = [path for folder in folders for path in (ROOT / folder).rglob("*")]
        for path in files:
            # A package does not name itself among those that it suggests.
            if not path.is_file() or path.suffix == ".pyc" or path.name == "control":
                continue
            text = path.read_text(encoding="utf-8").splitlines()
            for number, line in enumerate(text):
                if len(named(line) & known) >= len(known) - 1:
                    found += 1
                    # A list may continue in the next line.
                    around = named(" ".join(text[max(number - 1, 0):number + 2]))
                    self.assertLessEqual(known, around, f"{path.relative_to(ROOT)}:{number + 1}: {line}")
        self.assertGreater(found, 10)


if __name__ == "__main__":
    unittest.main()
