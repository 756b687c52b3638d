"""The blocks of the README and the kiosk run, each as its own program."""

import contextlib
import os
import pathlib
import re
import subprocess
import sys
import threading
import unittest

from support import PATIENCE, ROOT, Daemon, nfcd

EXAMPLE = nfcd.Message(nfcd.uri("https://example.com"))


class Person:
    """Holds tags to the reader, while a program runs. No tag is taken away before it was dealt with, however long that takes.

    Without a way to see that, one tag rests on the reader until `change` is called. With `taps`, a subscription of the client
    that holds the tags, each tag is taken away when its tap has come, and the next one follows.
    """

    def __init__(self, path, model, content, taps=None):
        self.path, self.model, self.content, self.taps = path, model, content, taps
        self.finished = threading.Event()
        self.changing = threading.Event()
        self.thread = threading.Thread(target=self.hold)
        self.thread.start()

    def hold(self):
        number = 0
        with nfcd.Client(self.path, timeout=PATIENCE) as client, contextlib.ExitStack() as stack:
            taps = stack.enter_context(self.taps(client)) if self.taps else None
            while not self.finished.is_set():
                number = number % 200 + 1
                with client.virtual_tag(self.model, self.content, identifier=f"04AABBCCDD{number:02X}80"):
                    if taps is None:
                        self.changing.wait()
                        self.changing.clear()
                    else:
                        self.await_tap(taps)

    def await_tap(self, taps):
        while not self.finished.is_set():
            try:
                taps.next(timeout=0.5)
                return
            except nfcd.NoTag:
                pass

    def change(self):
        self.changing.set()

    def leave(self):
        self.finished.set()
        self.changing.set()
        self.thread.join()


class ProgramCase(unittest.TestCase):
    journal = False
    model = "generic"

    def setUp(self):
        self.daemon = Daemon(1, self.journal, self.model)
        self.addCleanup(self.daemon.close)

    @contextlib.contextmanager
    def running(self, *arguments):
        environment = dict(os.environ, NFCD_SOCKET=self.daemon.path, PYTHONUNBUFFERED="1")
        if not os.environ.get("NFCD_PYTHON_INSTALLED"):
            environment["PYTHONPATH"] = str(ROOT / "src")
        process = subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=self.daemon.folder,
        )
        watchdog = threading.Timer(PATIENCE, process.kill)
        watchdog.start()
        try:
            yield process
        finally:
            watchdog.cancel()
            process.kill()
            process.communicate()

    def tap(self, model="ntag215", content=EXAMPLE, taps=None):
        person = Person(self.daemon.path, model, content, taps)
        self.addCleanup(person.leave)
        return person

    def blocks(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)

    def block(self, words):
        found = [block for block in self.blocks() if words in block]
        self.assertEqual(len(found), 1, words)
        return found[0]

    def run_block(self, words, change=lambda source: source):
        """Returns what a block prints."""
        with self.running("-c", change(self.block(words))) as process:
            output, errors = process.communicate()
            self.assertEqual((process.returncode, errors), (0, ""))
            return output

    def first_line(self, source):
        """Returns the first line that an endless program prints."""
        with self.running("-c", source) as process:
            line = process.stdout.readline()
            self.assertTrue(line, "the program ended")
            return line


class ReadmeTests(ProgramCase):
    def test_every_block_is_tested(self):
        tested = ("print(tap.identifier, tap.uri or", "tag.describe()", "range(1, 3)", "uri_prefix", "time-clock", "nfcd.aio", "TagNotWritable", "send_apdu", "virtual_tag",
                  "load_keys")
        for block in self.blocks():
            self.assertEqual(len([words for words in tested if words in block]), 1, block)
        self.assertEqual(len(self.blocks()), len(tested))

    def test_the_first_block(self):
        self.tap()
        self.assertRegex(self.first_line(self.block("print(tap.identifier, tap.uri or")), r"^04AABBCCDD\w\w80 https://example.com\n$")

    def test_writing(self):
        self.tap(content=None)
        output = self.run_block("tag.describe()")
        self.assertEqual(output, "NTAG215 with 492 bytes\nread back: https://example.com\n")

    def test_writing_in_a_row(self):
        person = self.tap(content=None)
        with self.running("-c", self.block("range(1, 3)")) as process:
            self.assertEqual(process.stdout.readline(), "04AABBCCDD0180 1\n")
            person.change()
            self.assertEqual(process.stdout.readline(), "04AABBCCDD0280 2\n")
            person.change()
            _, errors = process.communicate()
            self.assertEqual((process.returncode, errors), (0, ""))

    def test_background(self):
        self.tap(taps=nfcd.Client.background)
        self.assertEqual(self.first_line(self.block("uri_prefix")), "Simulated Reader 0 https://example.com\n")

    def test_asyncio(self):
        self.tap()
        self.assertEqual(self.run_block("nfcd.aio"), "https://example.com\n")

    def test_errors(self):
        self.tap(content=None)
        self.assertEqual(self.run_block("TagNotWritable"), "")
        self.daemon.stop()
        self.assertIn("cannot connect to nfcd", self.run_block("TagNotWritable"))

    def test_raw_commands(self):
        self.tap("type4")
        self.assertEqual(self.run_block("send_apdu"), "9000\n")

    def test_virtual_tags(self):
        self.assertEqual(self.run_block("virtual_tag"), "")

    def test_links_lead_somewhere(self):
        repository = ROOT.parent.parent
        if not (repository / "Docs").is_dir():
            self.skipTest("not in a clone of nfcd")
        for target in re.findall(r"\]\(([^)#]+)", (ROOT / "README.md").read_text(encoding="utf-8")):
            self.assertTrue((ROOT / target).exists(), target)


class JournalProgramTests(ProgramCase):
    journal = True

    def test_the_journal(self):
        # The place of a new consumer is behind the newest tap.
        with nfcd.Client(self.daemon.path) as client, client.journal("time-clock"):
            self.tap(taps=nfcd.Client.journal)
            self.assertRegex(self.first_line(self.block("time-clock")), r"^\d{4}-\d\d-\d\dT\S+Z 04AABBCCDD\w\w80\n$")

    def test_the_kiosk_with_a_journal(self):
        with self.running(ROOT / "examples" / "kiosk.py", "--count", "2") as process:
            self.assertEqual(process.stdout.readline(), "Taps of the journal, as kiosk:\n")
            self.tap(taps=nfcd.Client.journal)
            output, errors = process.communicate()
        self.assertEqual((process.returncode, errors), (0, ""))
        lines = output.splitlines()
        self.assertEqual(len(set(lines)), 2, lines)
        for line in lines:
            self.assertRegex(line, r"^Simulated Reader 0: 04AABBCCDD\w\w80: https://example.com$")


class KioskTests(ProgramCase):
    def test_the_kiosk_goes_on_after_a_restart(self):
        self.daemon.stop()
        with self.running(ROOT / "examples" / "kiosk.py", "--socket", self.daemon.path) as process:
            self.assertIn("next attempt in", process.stderr.readline())
            for word in ("before", "after"):
                self.daemon.start()
                person = Person(self.daemon.path, "ntag215", nfcd.text(word), nfcd.Client.background)
                # A tag that is taken away at the end of a round may be shown with an error.
                while not (line := process.stdout.readline()).endswith(f": {word}\n"):
                    self.assertTrue(line, "the kiosk ended")
                self.assertRegex(line, r"^Simulated Reader 0: 04AABBCCDD\w\w80: ")
                person.leave()
                self.daemon.stop()


if __name__ == "__main__":
    unittest.main()
