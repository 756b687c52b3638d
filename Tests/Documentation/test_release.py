"""A release: that each file follows from the sources alone, what a program must not have, and that what is installed is found."""

import gzip
import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts/lib"))
import comparison  # noqa: E402
import releasedprograms  # noqa: E402
import repack  # noqa: E402

PACKAGES = ("nfcd", "nfcd-relay", "nfcd-fido", "nfcd-web", "nfcd-desktop")


def run(*words, **options):
    return subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def compiled(folder, source, *options):
    """A program made of a C source."""
    (folder / "main.c").write_text(source)
    done = run("cc", folder / "main.c", "-o", folder / "program", "-Wl,--build-id=sha1", *options)
    assert done.returncode == 0, done.stderr
    return folder / "program"


class ProgramTests(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def test_a_path_of_the_builder_is_found(self):
        for source, options, faulty in (
            ("#include <stdio.h>\nint main() { puts(__FILE__); }", [], True),
            ("#include <stdio.h>\nint main() { puts(__FILE__); }", [f"-ffile-prefix-map={self.folder}=."], False),
            (f'#include <stdio.h>\nint main() {{ puts("/usr{self.folder}/x"); }}', [], False),
            ("int main() { return 0; }", ["-Wl,-rpath,$ORIGIN"], True),
            ("int main() { return 0; }", [], False),
        ):
            program = compiled(self.folder, source, *options)
            # Some builders have no other home folder than the root.
            self.assertEqual(bool(releasedprograms.faults(program, [self.folder, "/", ""])), faulty, source + str(options))
            done = run(ROOT / "Scripts/lib/releasedprograms.py", "check", program, "--", self.folder)
            self.assertEqual(done.returncode, 1 if faulty else 0, done.stderr)

    def test_the_build_id_follows_from_the_content_alone(self):
        sealed = []
        for number, text in ((1, "one"), (2, "one"), (3, "two")):
            folder = self.folder / f"{'x' * number}"
            folder.mkdir()
            program = compiled(folder, f'const char *const text = "{text}";\nint main() {{ return *text; }}', "-g")
            before = program.read_bytes()
            run("strip", program)
            releasedprograms.seal(program)
            self.assertNotEqual(program.read_bytes(), before)
            self.assertIn(run(program).returncode, (ord("o"), ord("t")))
            sealed.append((program.read_bytes(), run("readelf", "--notes", program).stdout.split("Build ID: ")[1].split()[0]))
        self.assertEqual(sealed[0], sealed[1])
        self.assertNotEqual(sealed[0][1], sealed[2][1])

    def test_a_program_without_a_build_id_is_refused(self):
        program = compiled(self.folder, "int main() { return 0; }", "-Wl,--build-id=none")
        with self.assertRaisesRegex(releasedprograms.ProgramError, "no build ID"):
            releasedprograms.seal(program)

    def test_the_versions_are_those_of_the_symbols(self):
        program = compiled(self.folder, "#include <math.h>\nint main(int n, char **a) { return hypotf(n, n); }", "-O0", "-fno-builtin", "-lm")
        newest = releasedprograms.needed_versions(program)["GLIBC"]
        self.assertGreaterEqual(newest, (2, 2, 5))
        self.assertEqual(releasedprograms.symbols_newer(program, {"GLIBC": newest}), [])
        newer = releasedprograms.symbols_newer(program, {"GLIBC": (2, 0)})
        self.assertTrue(any(line.startswith("hypotf (GLIBC_") for line in newer), newer)
        self.assertIn("libm.so.6", releasedprograms.needed_libraries(program))


class FlagTests(unittest.TestCase):
    """What is built with other options is built again, so that all builds of release programs take them from one place."""

    def test_no_other_script_has_its_own(self):
        for path in (ROOT / "Scripts").rglob("*"):
            if path.is_file() and path != ROOT / "Scripts/products/release" and "__pycache__" not in path.parts:
                self.assertNotIn("static-swift-stdlib", path.read_text(), path)

    def test_the_folder_of_the_sources_is_replaced(self):
        for folder in (str(ROOT), "/elsewhere"):
            shown = run(ROOT / "Scripts/products/release", "--flags", env={**os.environ, "SOURCES": folder}).stdout.splitlines()
            self.assertEqual(shown.count(f"-ffile-prefix-map={folder}=."), 2)
            self.assertIn("--disable-local-rpath", shown)

    def test_the_pins_are_those_of_the_manifest(self):
        manifest = (ROOT / "Package.swift").read_text()
        pins = (ROOT / "packaging/Package.resolved").read_text()
        for name in re.findall(r'\.package\(url: "[^"]*/([^/"]+)"', manifest):
            self.assertIn(f'"identity" : "{name}"', pins)


class HypotfTests(unittest.TestCase):
    """Sources/CLinux/cmath.c, which takes the place of libm's function in programs of a release."""

    PROGRAM = r"""
    #include <errno.h>
    #include <math.h>
    #include <stdint.h>
    #include <stdio.h>
    #include <string.h>
    float __wrap_hypotf(float x, float y);
    static float of(uint32_t bits) { float f; memcpy(&f, &bits, 4); return f; }
    static int32_t order(float f) { int32_t i; memcpy(&i, &f, 4); return i; }
    static int differs(float x, float y) {
        float ours = __wrap_hypotf(x, y), theirs = hypotf(x, y);
        if (isnan(ours) || isnan(theirs)) return isnan(ours) != isnan(theirs);
        int32_t distance = order(ours) - order(theirs);
        return distance > 1 || distance < -1;
    }
    int main(void) {
        static const uint32_t special[] = {0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0x7f7fffff, 0xff7fffff,
            0x7f800000, 0xff800000, 0x7fc00000, 0x40400000, 0x40800000};
        unsigned wrong = 0, n = sizeof special / sizeof *special;
        for (unsigned i = 0; i < n; i++) for (unsigned j = 0; j < n; j++) wrong += differs(of(special[i]), of(special[j]));
        uint64_t state = 1;
        for (int i = 0; i < 2000000; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            uint32_t x = state >> 32;
            state = state * 6364136223846793005u + 1442695040888963407u;
            wrong += differs(of(x), of(state >> 32));
        }
        errno = 0;
        if (!isinf(__wrap_hypotf(of(0x7f7fffff), of(0x7f7fffff))) || errno != ERANGE) wrong++;
        if (__wrap_hypotf(3, 4) != 5) wrong++;
        printf("%u\n", wrong);
        return wrong != 0;
    }
    """

    def test_it_is_libms_within_the_last_bit(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            program = compiled(folder, self.PROGRAM, ROOT / "Sources/CLinux/cmath.c", "-O2", "-fno-builtin", "-lm")
            done = run(program)
            self.assertEqual((done.returncode, done.stdout), (0, "0\n"))

    def test_programs_of_a_release_use_it(self):
        shown = run(ROOT / "Scripts/products/release", "--linker-flags").stdout.splitlines()
        self.assertIn("--wrap=hypotf", shown)


class RepackTests(unittest.TestCase):
    def archive(self, owner, time, names):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for name in names:
                member = tarfile.TarInfo(name)
                member.size, member.mtime, member.uid, member.uname, member.mode = 3, time, owner, f"u{owner}", 0o600
                archive.addfile(member, io.BytesIO(b"abc"))
        return packed.getvalue()

    def test_it_depends_on_the_content_alone(self):
        one = repack.repacked(self.archive(1000, 17, ["a", "b"]), 5)
        self.assertEqual(one, repack.repacked(self.archive(0, 18, ["b", "a"]), 5))
        self.assertNotEqual(one, repack.repacked(self.archive(0, 18, ["b", "c"]), 5))
        with tarfile.open(fileobj=io.BytesIO(one)) as archive:
            self.assertEqual([(m.name, m.mtime, m.uid, m.uname, m.mode) for m in archive], [("a", 5, 0, "", 0o644), ("b", 5, 0, "", 0o644)])


def tar(members, **facts):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            for key, value in facts.items():
                setattr(member, key, value)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def deb(members):
    return b"!<arch>\n" + b"".join(
        f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2)
        for name, content in members.items())


def zipped(members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return packed.getvalue()


def cpio(members):
    found = b""
    for name, content in [*members.items(), ("TRAILER!!!", b"")]:
        fields = [1, 0o100644, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070701" + "".join(f"{field:08x}" for field in fields).encode() + name.encode() + b"\0"
        found += head + b"\0" * (-len(head) % 4) + content + b"\0" * (-len(content) % 4)
    return found


def rpm(signature, rest):
    """An RPM package as far as its signature: lead, header of the signature with one entry, the rest."""
    head = b"\xed\xab\xee\xdb" + bytes(92) + b"\x8e\xad\xe8\x01" + bytes(4) + (1).to_bytes(4, "big") + len(signature).to_bytes(4, "big")
    head += bytes(16) + signature
    return head + bytes(-len(head) % 8) + rest


class ComparisonTests(unittest.TestCase):
    def lines(self, one, other):
        """What is printed for two contents of one file."""
        with tempfile.TemporaryDirectory() as name:
            folders = [pathlib.Path(name) / part for part in ("given", "built")]
            for folder, content in zip(folders, (one, other)):
                folder.mkdir()
                if content is not None:
                    (folder / "file").write_bytes(content)
            return comparison.shown(comparison.differences(*folders))

    def test_equal_files_have_no_differences(self):
        for content in (b"", b"text", deb({"a": b"1"}), gzip.compress(b"x")):
            self.assertEqual(self.lines(content, content), [])

    def test_a_file_on_one_side_is_named(self):
        self.assertEqual(self.lines(b"x", None), ["file: it is not among the files that were built"])
        self.assertEqual(self.lines(None, b"x"), ["file: it was built, but is missing in the folder"])

    def test_the_place_of_a_difference_is_named(self):
        inner = [gzip.compress(tar({"usr/bin/a": b"same", "usr/bin/b": text}), mtime=0) for text in (b"one\n", b"two\n")]
        for form, place in (
            (lambda content: deb({"debian-binary": b"2.0\n", "data.tar.gz": content}), "file: data.tar.gz: content: usr/bin/b: line 1 is"),
            (lambda content: zipped({"x": b"1", "deep": content}), "file: deep: content: usr/bin/b: line 1 is"),
            (lambda content: cpio({"x": b"1", "deep": content}), "file: deep: content: usr/bin/b: line 1 is"),
            (lambda content: content, "file: content: usr/bin/b: line 1 is 'one' in the folder, 'two' built"),
        ):
            found = self.lines(*map(form, inner))
            self.assertEqual(len(found), 1, found)
            self.assertTrue(found[0].startswith(place), found)

    def test_a_member_on_one_side_is_named(self):
        found = self.lines(tar({"a": b"", "b": b""}), tar({"a": b""}))
        self.assertEqual(found, ["file: b: only the folder has it"])

    def test_times_and_owners_count(self):
        found = self.lines(tar({"a": b"x"}, mtime=1, uid=0), tar({"a": b"x"}, mtime=2, uid=1000))
        self.assertEqual(found, ["file: a: time 1, mode 0644, owner 0:0 in the folder, time 2, mode 0644, owner 1000:0 built"])

    def test_a_compressor_is_named(self):
        found = self.lines(gzip.compress(b"x" * 9999, 1, mtime=0), gzip.compress(b"x" * 9999, 9, mtime=0))
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith("file: the same content, compressed differently"), found)

    def test_a_section_of_a_program_is_named(self):
        with tempfile.TemporaryDirectory() as name:
            made = []
            for text in ("one", "two"):
                program = compiled(pathlib.Path(name), f'const char text[] = "{text}";\nint main(int n, char **a) {{ return text[n]; }}', "-Wl,--build-id=none")
                made.append(program.read_bytes())
            self.assertRegex(self.lines(*made)[0], r"^file: section \.rodata: \d of \d+ bytes differ, the first at \d+$")

    def test_what_cannot_be_read_is_compared_as_bytes(self):
        for magic in (b"\x1f\x8b", b"\xfd7zXZ", b"\x7fELF", b"!<arch>\n" + b" " * 60):
            found = self.lines(magic + b"\0one", magic + b"\0two")
            self.assertEqual(len(found), 1, found)
            self.assertIn("bytes differ", found[0])

    def test_the_signature_of_an_rpm_package_does_not_count(self):
        self.assertEqual(self.lines(rpm(b"signed", b"rest"), rpm(b"", b"rest")), [])
        self.assertEqual(len(self.lines(rpm(b"signed", b"rest"), rpm(b"", b"another"))), 1)

    def test_signatures_are_left_out(self):
        for name, is_left_out in (("SHA256SUMS.asc", True), ("deb/InRelease", True), ("x.minisig", True), ("SHA256SUMS", False)):
            self.assertEqual(comparison.is_signature(name), is_left_out)


class VerifyTests(unittest.TestCase):
    """Scripts/release/verify-release with folders that are there already."""

    INFO = "Source: nfcd\nCommit: " + "0" * 40 + "\nSystem: {}\n"

    def verify(self, given, built):
        with tempfile.TemporaryDirectory() as name:
            folders = [pathlib.Path(name) / part for part in ("given", "built")]
            for folder, files in zip(folders, (given, built)):
                folder.mkdir()
                for file, content in files.items():
                    (folder / file).write_text(content)
            return run(ROOT / "Scripts/release/verify-release", folders[0], "--built", folders[1])

    def test_equal_folders_are_listed_with_their_sums(self):
        files = {"a": "", "nfcd-0.1.0.buildinfo": self.INFO.format("x")}
        done = self.verify(files, files)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("same: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n", done.stdout)

    def test_other_bytes_are_an_error_with_what_differs_of_the_machines(self):
        one, other = ({"a": text, "nfcd-0.1.0.buildinfo": self.INFO.format(text)} for text in ("Debian 12", "Debian 13"))
        done = self.verify(one, other)
        self.assertEqual(done.returncode, 1)
        self.assertIn("differs: a: line 1 is 'Debian 12' in the folder, 'Debian 13' built\n", done.stdout)
        self.assertIn("built with: System: Debian 12\nhere:       System: Debian 13\n", done.stdout)

    def test_a_file_that_does_not_fit_the_sums_is_named(self):
        info = self.INFO.format("x")
        for content, code in (("", 0), ("other", 1)):
            files = {"a": content, "nfcd-0.1.0.buildinfo": info,
                     "SHA256SUMS": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n"}
            done = self.verify(files, files)
            self.assertEqual(done.returncode, code, done.stdout)
            self.assertEqual("does not fit SHA256SUMS: a: FAILED" in done.stdout, code == 1)

    def test_what_follows_from_the_key_of_the_maintainer_is_not_compared(self):
        info = {"nfcd-0.1.0.buildinfo": self.INFO.format("x")}
        lists = {"Release": "one", "nfcd.sources": "one", "nfcd-archive-keyring_1_all.deb": "one"}
        signed, unsigned = {**info, **lists, "Release.gpg": "x"}, {**info, **{name: "two" for name in lists}}
        done = self.verify(signed, unsigned)
        self.assertEqual(done.returncode, 0, done.stdout)
        for name in lists:
            self.assertIn(f"not compared: {name}: ", done.stdout)
        self.assertEqual(self.verify({**info, **lists}, unsigned).returncode, 1)
        self.assertEqual(self.verify({**signed, "a.deb": "one"}, {**unsigned, "a.deb": "two"}).returncode, 1)

    def test_a_folder_without_a_commit_is_refused(self):
        with tempfile.TemporaryDirectory() as name:
            for text, code in ((None, 65), ("Source: nfcd\n", 65), (self.INFO.format("x"), 66)):
                if text:
                    (pathlib.Path(name) / "nfcd-0.1.0.buildinfo").write_text(text)
                done = run(ROOT / "Scripts/release/verify-release", name)
                self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(run(ROOT / "Scripts/release/verify-release", f"{name}/missing").returncode, 66)
            self.assertEqual(run(ROOT / "Scripts/release/verify-release").returncode, 2)


class InstallTests(unittest.TestCase):
    """Scripts/products/install: each file is where the program that uses it looks (the manual page named)."""

    # By the name of the file: the folders that are searched on every system, and those that are searched too if the file is there.
    SYSTEM = ["/etc/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system"]  # systemd.unit(5)
    USER = ["/etc/systemd/user", "/usr/local/lib/systemd/user", "/usr/lib/systemd/user"]
    MECHANISMS = [
        (r"systemd/system-generators/", ["/etc/systemd/system-generators", "/usr/local/lib/systemd/system-generators",
                                         "/usr/lib/systemd/system-generators"]),  # systemd.generator(7)
        (r"systemd/system/.*\.(service|socket)$", SYSTEM),
        (r"systemd/user/.*\.(service|socket)$", USER),
        (r"system-preset/", ["/etc/systemd/system-preset", "/usr/local/lib/systemd/system-preset",
                             "/usr/lib/systemd/system-preset"]),  # systemd.preset(5)
        (r"sysusers\.d/", ["/etc/sysusers.d", "/usr/local/lib/sysusers.d", "/usr/lib/sysusers.d"]),  # sysusers.d(5)
        (r"modprobe\.d/", ["/etc/modprobe.d", "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d"]),  # modprobe.d(5)
        (r"modules-load\.d/", ["/etc/modules-load.d", "/usr/local/lib/modules-load.d", "/usr/lib/modules-load.d"]),
        (r"udev/.*\.rules$", ["/etc/udev/rules.d", "/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d"]),  # udev(7)
        (r"polkit.*\.rules$", ["/etc/polkit-1/rules.d", "/usr/share/polkit-1/rules.d"]),  # polkit(8), version 122
        (r"completions/.*\.fish$|\.fish$", ["/etc/fish/completions", "/usr/share/fish/vendor_completions.d"]),
        (r"zsh/.*/_nfc", ["/usr/local/share/zsh/site-functions", "/usr/share/zsh/vendor-completions"]),
        (r"bash", ["/etc/bash_completion.d", "/usr/local/share/bash-completion/completions", "/usr/share/bash-completion/completions"]),
        (r"/etc/opt/chrome/", ["/etc/opt/chrome/native-messaging-hosts"]),
        (r"/etc/chromium/", ["/etc/chromium/native-messaging-hosts"]),
        (r"mozilla/native-messaging", ["/usr/lib/mozilla/native-messaging-hosts"]),
        (r"chromium/extensions/", ["/usr/share/chromium/extensions/nfcd"]),
        (r"mozilla/extensions/", ["/usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/web-nfc@nfcd"]),
        (r"\.desktop$", ["/usr/local/share/applications", "/usr/share/applications"]),  # XDG_DATA_DIRS
        (r"metainfo\.xml$", ["/usr/share/metainfo"]),  # AppStream
        (r"/etc/nfcd/", ["/etc/nfcd"]),
    ]
    # What belongs to the prefix: programs by PATH, manuals beside them (man looks for ../share/man), and what links lead to.
    OWN = ("bin", "share/man/man1", "share/man/man5", "share/man/man8", "share/doc/nfcd/examples", "share/webext")

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        self.stage = self.folder / "stage"
        for package in PACKAGES:
            for line in (ROOT / f"packaging/{package}/files").read_text().splitlines():
                words = line.split()
                if not line.startswith("#") and words[1].startswith("stage/"):
                    path = self.stage / words[1].removeprefix("stage/").replace("*", "scan")
                    if words[0] == "folder":
                        path = path / "manifest.json"
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text("x")

    def tearDown(self):
        self.scratch.cleanup()

    def install(self, prefix, *arguments, **environment):
        done = run(ROOT / "Scripts/products/install", *arguments, env={
            **os.environ, "DESTDIR": str(self.folder / "root"), "PREFIX": prefix, "STAGE": str(self.stage), **environment})
        self.assertEqual(done.returncode, 0, done.stderr)
        root = self.folder / "root"
        return [f"/{path.relative_to(root)}" for path in sorted(root.rglob("*")) if path.is_symlink() or path.is_file()]

    def is_found(self, prefix, path):
        """Whether what uses the file looks there."""
        for pattern, folders in self.MECHANISMS:
            if re.search(pattern, path):
                return any(path == folder or path.startswith(f"{folder}/") for folder in folders)
        return any(path.startswith(f"{prefix}/{folder}/") for folder in self.OWN)

    def test_each_file_is_where_it_is_looked_for(self):
        for prefix in ("/usr", "/usr/local", "/opt/nfc", "/opt/usr/local"):
            files = self.install(prefix)
            self.assertGreater(len(files), 50)
            for path in files:
                self.assertTrue(self.is_found(prefix, path), f"{prefix}: {path}")
            self.assertEqual(self.install(prefix, "--uninstall"), [], prefix)

    def test_the_rule_of_polkit_is_read_by_old_versions(self):
        for prefix, folder in (("/usr", "/usr/share"), ("/usr/local", "/etc"), ("/opt/nfc", "/etc")):
            self.assertIn(f"{folder}/polkit-1/rules.d/nfcd.rules", self.install(prefix))
            self.install(prefix, "--uninstall")

    def test_a_system_may_have_another_folder_for_zsh(self):
        files = self.install("/usr", ZSH_FOLDER="share/zsh/site-functions")
        self.assertIn("/usr/share/zsh/site-functions/_nfcctl", files)

    def test_the_table_finds_a_file_that_is_lost(self):
        for path in ("/usr/local/share/polkit-1/rules.d/nfcd.rules", "/opt/nfc/lib/systemd/system/nfcd.service",
                     "/usr/local/share/fish/vendor_completions.d/nfcd.fish", "/opt/nfc/share/zsh/site-functions/_nfcd"):
            self.assertFalse(self.is_found("/opt/nfc", path), path)


class MaintainerScriptTests(unittest.TestCase):
    """packaging/*/postrm: accounts stay, as Debian's packages leave them; a group may have members, and files may have its number."""

    def test_no_script_removes_accounts(self):
        for path in (ROOT / "packaging").glob("*/*"):
            if path.name in ("postinst", "prerm", "postrm"):
                for command in ("userdel", "groupdel", "deluser", "delgroup", "gpasswd"):
                    self.assertNotRegex(path.read_text(), rf"(?m)^[^#]*\b{command}\b", path)


if __name__ == "__main__":
    unittest.main()
