"""The key file and the file of counters of nfcd.sun, by themselves and together with nfcctl."""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest

from sun_tag import Tag, file_key, secret
from support import ROOT
from test_sun import FORMS, keys, needs_aes, tag

from nfcd import sun

needs_toml = unittest.skipUnless(
    importlib.util.find_spec("tomllib") or importlib.util.find_spec("tomli"), "before Python 3.11, the Python package tomli is needed"
)

KEY = secret("file").hex().upper()
START = f"""
[[key]]
name = "door-meta"
value = "{secret("meta").hex()}"

[[key]]
name = "door"
value = "{KEY}"
"""
PROFILE = """
[[profile]]
name = "door"
tag = "ntag424"
method = "sun"
meta-key = "door-meta"
file-key = "door"
"""
URL = 'url = "https://ex.am/?p={picc}&c={mac}"\n'


class FolderCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="nfcd."))
        self.addCleanup(shutil.rmtree, self.folder)

    def file(self, content, name="keys.toml", mode=0o600):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(mode)
        return path

    def assertRefused(self, path, *words):
        with self.assertRaises(sun.KeyFileError) as raised:
            sun.load_keys(path)
        error = raised.exception
        for word in words:
            self.assertIn(word, str(error))
        while error is not None:
            self.assertNotIn(KEY, repr(error) + repr(vars(error)))
            error = error.__context__


@needs_toml
class KeyFileTests(FolderCase):
    def test_a_file_with_everything(self):
        (self.folder / "single").write_bytes(secret("single"))
        (self.folder / "digits").write_bytes(secret("digits").hex().encode() + b"\n")
        for name in ("single", "digits"):
            (self.folder / name).chmod(0o600)
        path = self.file(
            START
            + f'[[key]]\nname = "door"\nversion = 2\nstate = "next"\nfile = "{self.folder}/single"\n'
            + f'[[key]]\nname = "door"\nversion = 3\nstate = "previous"\nfile = "{self.folder}/digits"\n'
            + '[[key]]\nname = "gate"\ncredential = "digits"\n'
            + PROFILE + URL + 'system-id = "0102"\nderivation = "cmac"\nlrp = true\ntamper = true\nuri-host = "ex.am"\n'
            + '[[profile]]\nname = "gate"\ntag = "desfire"\ntag-key = "gate"\napplication = "3042F5"\nfile-number = 2\nmessaging = "ev1"\n'
        )  # fmt: skip
        os.environ["CREDENTIALS_DIRECTORY"] = str(self.folder)
        self.addCleanup(os.environ.pop, "CREDENTIALS_DIRECTORY")
        site = sun.load_keys(path)
        self.assertEqual([(key.version, key.state) for key in site.versions("door")], [(1, "current"), (3, "previous"), (2, "next")])
        self.assertEqual([key._secret for key in site.versions("door")], [secret("file"), secret("digits"), secret("single")])
        self.assertEqual([key._secret for key in site.versions("gate")], [secret("digits")])
        door, gate = site.profiles
        self.assertEqual((door.url, door.system_id, door.derivation), ("https://ex.am/?p={picc}&c={mac}", b"\1\2", "cmac"))
        self.assertEqual((door.lrp, door.tamper, door.method, gate.method), (True, True, "sun", "mutual"))
        self.assertNotIn(KEY, repr(site).upper())

    def test_errors_name_the_place_and_no_key(self):
        for text, words in [
            (START.replace('"' + KEY, KEY) + PROFILE + URL, ["is not TOML: at line 8"]),
            (START.replace(KEY, KEY[1:]), ["key[1].value", "32 hexadecimal digits"]),
            (START.replace(f'"{KEY}"', f'["{KEY}"]'), ["key[1].value"]),
            (START.replace('name = "door"\nvalue', f'name = "{KEY * 3}"\nvalue'), ["key[1].name"]),
            (START + f'"{KEY}" = 1\n', ["unknown key"]),
            (START + 'verison = 1\n', ["key[1].verison: unknown key"]),
            (START + 'version = 0\n', ["key[1].version", "1 to 255"]),
            (START + 'version = true\n', ["key[1].version"]),
            (START + 'state = "old"\n', ["key[1].state", '"previous"']),
            (START + f'file = "/{KEY}"\n', ["expected one of value, file and credential"]),
            (START + '[[key]]\nname = "x"\n', ["expected one of value, file and credential"]),
            (START + '[[key]]\nname = "x"\nfile = "x"\n', ["from /"]),
            (START + '[[key]]\nname = "x"\ncredential = "x"\n', ["LoadCredential=x"]),
            (START + f'[[key]]\nname = "door"\nvalue = "{KEY}"\n', ["version 1 twice"]),
            (START + f'[[key]]\nname = "door"\nversion = 2\nvalue = "{KEY}"\n', ["two current versions"]),
            ('[key]\nname = "x"\n', ["expected [[key]]"]),
            (START + "[other]\n", ["other: unknown key"]),
            (START + PROFILE, ["url is missing"]),
            (START + PROFILE + 'url = "https://ex.am/"\n', ["profile[0].url", "no {mac}"]),
            (START + PROFILE + URL + PROFILE + URL, ["two profiles door"]),
            (START + PROFILE.replace('file-key = "door"', ""), ["profile[0]"]),
            (START + (PROFILE + URL).replace('meta-key = "door-meta"', ""), ["meta-key is missing"]),
            (START + (PROFILE + URL).replace('"door-meta"', '"door"'), ["must not be used for anything else"]),
            (START + (PROFILE + URL).replace('file-key = "door"', 'file-key = "dor"'), ['there is no key "dor"']),
            (START + (PROFILE + URL).replace('file-key = "door"', f'file-key = "{KEY}"'), ["there is no key"]),
            (START + (PROFILE + URL).replace("ntag424", "ntag213"), ["profile[0].tag"]),
            (START + PROFILE + URL + 'write-key = "door"\n', ["no such key"]),
            (START + PROFILE + URL + 'derivation = "md5"\n', ["profile[0].derivation"]),
            (START + PROFILE + URL + 'system-id = "' + "00" * 17 + '"\n', ["2 to 32 hexadecimal digits"]),
            (START + '[[profile]]\nname = "x"\ntag = "desfire"\ntag-key = "door"\n', ["application is missing"]),
            (START + '[[profile]]\nname = "x"\ntag = "desfire"\nmethod = "sun"\ntag-key = "door"\napplication = "000001"\n', ["method"]),
            ("\udc80".encode("utf-8", "surrogatepass"), ["not UTF-8"]),
        ]:  # fmt: skip
            with self.subTest(words):
                self.assertRefused(self.file(text), str(self.folder), *words)

    def test_a_file_that_others_can_read_or_replace_is_refused(self):
        for mode in (0o640, 0o604, 0o660, 0o610):
            self.assertRefused(self.file(START, mode=mode), "chmod 600")
        path = self.file(START)
        self.assertEqual(len(sun.load_keys(path).versions("door")), 1)
        self.folder.chmod(0o777)
        self.assertRefused(path, "chmod go-w")
        self.folder.chmod(0o1777)
        sun.load_keys(path)
        self.folder.chmod(0o700)
        link = self.folder / "link"
        link.symlink_to(path)
        self.assertRefused(link, "symbolic link")
        inner = self.folder / "inner"
        inner.symlink_to(self.folder)
        sun.load_keys(inner / "keys.toml")
        self.assertRefused(self.folder, "is not a file")
        self.assertRefused(self.folder / "missing", "cannot be read")
        self.assertRefused(self.file(b"#" * (1 << 20) + b"\n"), "longer than 1 MiB")
        if os.geteuid() == 0:
            path = self.file(START)
            os.chown(path, 12345, -1)
            self.assertRefused(path, "belongs to user 12345")

    def test_a_file_with_a_wrong_key_is_refused(self):
        other = self.file(KEY[:20], "other")
        self.assertRefused(self.file(f'[[key]]\nname = "x"\nfile = "{other}"\n'), "key[0].file", "has 20 bytes")
        other.chmod(0o644)
        self.assertRefused(self.file(f'[[key]]\nname = "x"\nfile = "{other}"\n'), "chmod 600")


LINE = sun.CounterLine("04A1B2C3D4E5F6", "door", 1)
OTHER = sun.CounterLine("04A1B2C3D4E5F6", "door", 2)
TEXT = '{"counter":7,"identifier":"04A1B2C3D4E5F6","keyVersion":1,"profile":"door"}\n'


class CounterTests(FolderCase):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "counters"

    def test_a_book_refuses_replays_and_takes_gaps(self):
        book = sun.CounterBook()
        for counter, is_new in ((5, True), (5, False), (4, False), (6, True), (900, True), (0, False)):
            self.assertEqual(book.record(LINE, counter), is_new)
        self.assertTrue(book.record(OTHER, 1))
        self.assertEqual(book.lines, {LINE: 900, OTHER: 1})

    def test_books_merge_to_the_highest_in_any_order(self):
        one, two = sun.CounterBook({LINE: 5, OTHER: 9}), sun.CounterBook({LINE: 8})
        for first, second in ((one, two), (two, one)):
            book = sun.CounterBook()
            book.merge(first)
            book.merge(second)
            book.merge(second)
            self.assertEqual(book.lines, {LINE: 8, OTHER: 9})

    def test_a_file_has_one_line_for_each_new_counter(self):
        file = sun.CounterFile(self.path)
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o600)
        self.assertEqual((file.record(LINE, 7), file.record(LINE, 7), file.record(LINE, 6)), (True, False, False))
        self.assertEqual(self.path.read_text(), TEXT)
        file.merge(sun.CounterBook({LINE: 9, OTHER: 3}))
        file.merge(sun.CounterBook({LINE: 8, OTHER: 3}))
        self.assertEqual(len(self.path.read_text().splitlines()), 3)
        self.assertEqual(sun.CounterFile(self.path).book.lines, {LINE: 9, OTHER: 3})

    def test_a_counter_is_on_the_disk_before_the_answer(self):
        file, synced = sun.CounterFile(self.path), []
        original = os.fsync

        def fsync(descriptor):
            synced.append(os.fstat(descriptor).st_size)
            original(descriptor)

        os.fsync = fsync
        self.addCleanup(setattr, os, "fsync", original)
        file.record(LINE, 7)
        self.assertEqual(synced, [len(TEXT)])

    def test_what_cannot_be_stored_raises_and_is_not_proven_later(self):
        file = sun.CounterFile(self.path)
        original = os.fsync

        def fsync(descriptor):
            raise OSError(5, "Input/output error")

        os.fsync = fsync
        self.addCleanup(setattr, os, "fsync", original)
        with self.assertRaisesRegex(sun.CounterFileError, "Input/output error"):
            file.record(LINE, 7)
        os.fsync = original
        self.assertEqual(self.path.read_text(), "")
        self.assertTrue(file.record(LINE, 7))

    def test_several_files_threads_and_processes_share_one(self):
        files = [sun.CounterFile(self.path), sun.CounterFile(self.path)]
        accepted = []

        def use(file):
            accepted.extend(counter for counter in range(1, 41) if file.record(LINE, counter))

        threads = [threading.Thread(target=use, args=[file]) for file in files * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(accepted), len(set(accepted)))
        self.assertEqual(max(accepted), 40)
        self.assertEqual(len(self.path.read_text().splitlines()), len(accepted))
        child = os.fork()
        if child == 0:
            os._exit(0 if files[0].record(LINE, 41) else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertFalse(files[0].record(LINE, 41))

    def test_a_line_that_a_crash_cut_off_is_dropped(self):
        for count in range(1, len(TEXT) - 1):
            self.path.write_text(TEXT + TEXT.replace("7", "8")[:count])
            file = sun.CounterFile(self.path)
            self.assertEqual(file.highest(LINE), 7)
            self.assertTrue(file.record(LINE, 8))
            self.assertEqual(sun.CounterFile(self.path).highest(LINE), 8)
            self.assertEqual(self.path.read_text(), TEXT + TEXT.replace("7", "8"))

    def test_a_line_without_its_end_counts(self):
        self.path.write_text(TEXT + TEXT.replace("7", "8")[:-1])
        file = sun.CounterFile(self.path)
        self.assertEqual((file.record(LINE, 8), file.record(LINE, 9)), (False, True))
        self.assertEqual(sun.CounterFile(self.path).highest(LINE), 9)

    def test_another_file_is_refused(self):
        for text in ["a letter", "a letter\n", TEXT + "x\n" + TEXT, '{"counter":-1}\n', TEXT.replace('"04', '"4'), "[]\n", '"x"\n',
                     TEXT.replace("7", "true"), TEXT.replace("7", "4294967296"), TEXT.replace("1,", "256,"), "\udc80\n"]:  # fmt: skip
            self.path.write_bytes(text.encode("utf-8", "surrogatepass"))
            with self.assertRaisesRegex(sun.CounterFileError, "is not a counter", msg=text):
                sun.CounterFile(self.path)
            self.assertEqual(self.path.read_bytes(), text.encode("utf-8", "surrogatepass"))
        for path in (self.folder, self.folder / "missing" / "counters"):
            self.assertRaises(sun.CounterFileError, sun.CounterFile, path)

    def test_a_file_that_was_replaced_is_read_again_and_nothing_is_forgotten(self):
        file = sun.CounterFile(self.path)
        file.record(LINE, 9)
        backup = self.folder / "backup"
        backup.write_text(TEXT + TEXT.replace('"keyVersion":1', '"keyVersion":2'))
        os.replace(backup, self.path)
        self.assertEqual((file.highest(LINE), file.highest(OTHER)), (9, 7))
        self.path.unlink()
        self.assertFalse(file.record(LINE, 9))


def nfcctl():
    """The nfcctl to compare with; `None` if there is none."""
    places = [os.environ["NFCD"]] if "NFCD" in os.environ else [str(ROOT.parent.parent / ".build" / "debug" / "nfcd")]
    found = [str(pathlib.Path(place).with_name("nfcctl")) for place in places]
    path = next((path for path in found if os.access(path, os.X_OK)), None) or shutil.which("nfcctl")
    if path is None:
        return None
    help_text = subprocess.run([path, "help"], capture_output=True, text=True).stdout
    return path if "secure" in help_text else None


NFCCTL = nfcctl()


@needs_aes
@needs_toml
@unittest.skipUnless(NFCCTL, "an nfcctl with the command secure is missing: build it, or set NFCD to the path of nfcd beside it")
class ComparisonTests(FolderCase):
    def check(self, path, counters, urls):
        command = [NFCCTL, "secure", "check", "--keys", path, "--json", *(["--counters", counters] if counters else []), "-"]
        result = subprocess.run(command, input="\n".join(urls) + "\n", capture_output=True, text=True)
        self.assertIn(result.returncode, (0, 65), result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def site(self, template, lrp, more=""):
        return self.file(
            START.replace('name = "door"\n', 'name = "door"\nstate = "previous"\n')
            + f'[[key]]\nname = "door"\nversion = 2\nvalue = "{secret("file 2").hex()}"\n'
            + PROFILE + f'url = "{template}"\nlrp = {str(lrp).lower()}\n{more}'
        )  # fmt: skip

    @staticmethod
    def urls(form, lrp):
        """True and false messages."""
        card, new = tag(form, lrp=lrp), tag(form, lrp=lrp, file=file_key(secret("file 2")))
        foreign = tag(form, lrp=lrp, uid=bytes.fromhex("04FFEEDDCCBBAA"), file=secret("another"))
        unknown = tag(form, lrp=lrp, meta=secret("another"))
        open_loop = tag(form, lrp=lrp, tamper="OC", data=b"OO".ljust(len(card.data), b"."))
        url, path = card.url(12), card.url(13)
        changed = [url[:at] + "7" + url[at + 1 :] for at in range(0, len(url), 3)]
        return [
            card.url(1), card.url(2), card.url(2), card.url(1), card.url(9), new.url(1), new.url(1), card.url(10), foreign.url(3),
            unknown.url(11), open_loop.url(11), open_loop.url(11), card.url(11), card.prefix + card.static, url.lower(),
            path[path.index("ex.am") + 5 :], card.url(14) + "0", card.url(14)[:-1], card.url(15).replace("ex.am", "EX.AM"),
            card.url(0xFFFFFF), card.url(16).replace("?", "%3F"), "x", "/", *changed, new.url(700),
        ]  # fmt: skip

    def test_every_result_and_every_counter_is_that_of_nfcctl(self):
        statuses = set()
        for form in FORMS:
            for lrp in (False, True):
                with self.subTest(form[0], lrp=lrp):
                    path, urls = self.site(form[0], lrp), self.urls(form, lrp)
                    theirs, ours = self.folder / "theirs", self.folder / "ours"
                    expected = self.check(path, theirs, urls)
                    checker, counters = sun.Verifier(sun.load_keys(path)), sun.CounterFile(ours)
                    found = [checker.verify(url, counters).to_json() for url in urls]
                    self.assertEqual(len(expected), len(urls))
                    for url, one, other in zip(urls, found, expected):
                        self.assertEqual(one, other, url)
                    self.assertEqual(ours.read_bytes(), theirs.read_bytes())
                    statuses |= {one["status"] for one in found}
                    ours.unlink()
                    theirs.unlink()
        self.assertEqual(statuses, {"proven", "replayed", "failed", "unknownKey", "tamperOpen", "notProven"})

    def test_without_counters(self):
        path, urls = self.site(FORMS[0][0], False), self.urls(FORMS[0], False)
        checker = sun.Verifier(sun.load_keys(path))
        self.assertEqual([checker.verify(url).to_json() for url in urls], self.check(path, None, urls))

    def test_derivations(self):
        layout = FORMS[0][1]
        for more in ('derivation = "none"\n', 'derivation = "cmac"\n', 'derivation = "cmac"\nsystem-id = "01"\n', 'system-id = "636173746C65"\n',
                     f'system-id = "{"AB" * 16}"\n'):  # fmt: skip
            path = self.site(FORMS[0][0], False, more)
            system = bytes.fromhex(more.split('system-id = "')[1].split('"')[0]) if "system-id" in more else b""
            masters = [secret("file"), file_key(secret("file")), file_key(secret("file"), system=system)]
            urls = [Tag(layout, meta=secret("meta"), file=file).url(5) for file in masters]
            checker = sun.Verifier(sun.load_keys(path))
            self.assertEqual([checker.verify(url).to_json() for url in urls], self.check(path, None, urls))

    def test_one_file_of_counters_is_shared(self):
        path, counters = self.site(FORMS[0][0], False), self.folder / "shared"
        checker, file, card = sun.Verifier(sun.load_keys(path)), sun.CounterFile(counters), tag(FORMS[0])
        self.assertEqual(checker.verify(card.url(5), file).status, "proven")
        self.assertEqual([proof["status"] for proof in self.check(path, counters, [card.url(5), card.url(6)])], ["replayed", "proven"])
        self.assertEqual([checker.verify(card.url(counter), file).status for counter in (6, 7)], ["replayed", "proven"])
        self.assertEqual([proof["status"] for proof in self.check(path, counters, [card.url(7)])], ["replayed"])

    def test_the_same_files_are_refused(self):
        for text in (START, START + PROFILE + URL + "x = 1\n", START.replace(KEY, "0" * 31), START + PROFILE + 'url = "https://ex.am/{picc}"\n'):
            path = self.file(text)
            command = [NFCCTL, "secure", "check", "--keys", path, "https://ex.am/"]
            self.assertEqual(subprocess.run(command, capture_output=True).returncode, 78)
            if text != START:
                self.assertRaises(sun.KeyFileError, sun.load_keys, path)


class MemoryTests(unittest.TestCase):
    def test_keys_of_a_program_need_no_file(self):
        self.assertEqual([key.version for key in keys(FORMS[0][0], file=[secret("a"), secret("b")]).versions("door")], [2, 1])


if __name__ == "__main__":
    unittest.main()
