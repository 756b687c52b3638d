"""Examples/verify.py and the block of the README about nfcd.sun, each as its own program."""

import contextlib
import http.client
import os
import re
import subprocess
import sys
import threading
import unittest

from sun_tag import secret
from support import PATIENCE, ROOT
from test_sun import FORMS, needs_aes, tag
from test_sun_files import PROFILE, START, URL, FolderCase, needs_toml

EXAMPLE = ROOT.parent.parent / "Examples" / "verify.py"
REFUSAL = (403, "This link does not prove that a tag is genuine.\n")


class ProgramCase(FolderCase):
    def setUp(self):
        super().setUp()
        self.keys = self.file(START + PROFILE + URL)

    @contextlib.contextmanager
    def running(self, *arguments):
        environment = dict(os.environ, PYTHONUNBUFFERED="1")
        if not os.environ.get("NFCD_PYTHON_INSTALLED"):
            environment["PYTHONPATH"] = str(ROOT / "src")
        process = subprocess.Popen(
            [sys.executable, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=self.folder
        )
        watchdog = threading.Timer(PATIENCE, process.kill)
        watchdog.start()
        try:
            yield process
        finally:
            watchdog.cancel()
            process.kill()
            process.communicate()


@needs_aes
@needs_toml
@unittest.skipUnless(EXAMPLE.exists(), "not in a clone of nfcd")
class ExampleTests(ProgramCase):
    @contextlib.contextmanager
    def server(self):
        with self.running(EXAMPLE, "--keys", self.keys, "--counters", "door.counters", "--port", "0") as process:
            self.port = int(re.fullmatch(r"listening on port (\d+)\n", process.stderr.readline())[1])
            yield process

    def request(self, target, method="GET"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, target)
            answer = connection.getresponse()
            self.headers = sorted((name, value) for name, value in answer.getheaders() if name != "Date")
            return answer.status, answer.read().decode()

    @staticmethod
    def target(card, counter):
        url = card.url(counter)
        return url[url.index("ex.am") + 5 :]

    def test_a_url_is_genuine_once_also_after_a_restart(self):
        card = tag(FORMS[0])
        used = (403, "This link was used before. Hold your phone to the tag again.\n")
        with self.server() as process:
            genuine = (200, "This tag is genuine. Its number is 04A1B2C3D4E5F6, and it was read 7 times.\n")
            self.assertEqual(self.request(self.target(card, 7)), genuine)
            self.assertIn(("Cache-Control", "no-store"), self.headers)
            self.assertEqual(self.request(self.target(card, 7)), used)
            self.assertEqual(process.stdout.readline(), "proven 04A1B2C3D4E5F6 7\n")
        with self.server():
            self.assertEqual(self.request(self.target(card, 7)), used)
            self.assertEqual(self.request(self.target(card, 8))[0], 200)

    def test_many_requests_with_one_url_succeed_once(self):
        target, found = self.target(tag(FORMS[0]), 3), []
        with self.server():
            threads = [threading.Thread(target=lambda: found.append(self.request(target)[0])) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(sorted(found), [200] + 7 * [403])

    def test_an_unknown_tag_and_a_wrong_code_have_the_same_answer(self):
        good = self.target(tag(FORMS[0]), 3)
        strangers = [
            self.target(tag(FORMS[0], meta=secret("another")), 3), self.target(tag(FORMS[0], file=secret("another")), 3),
            good[:-1] + ("0" if good[-1] != "0" else "1"), good + "&x=1", good.replace("?", "?x=1&"), "/", "/favicon.ico", "/" + "A" * 5000,
            "/?p=" + "0" * 32 + "&c=" + "0" * 16, "/%00?p=%zz",
        ]  # fmt: skip
        with self.server():
            answers = []
            for target in strangers:
                self.assertEqual(self.request(target), REFUSAL, target)
                answers.append(self.headers)
            self.assertEqual(answers, answers[:1] * len(answers))
            # What asks for headers alone, such as a preview, does not use the URL up.
            self.assertEqual(self.request(good, "HEAD")[0], 501)
            self.assertEqual(self.request(good)[0], 200)

    def test_an_opened_seal_is_refused(self):
        self.keys = self.file(START + PROFILE + 'url = "https://ex.am/?p={picc}&t={tt}&c={mac}"\n')
        with self.server():
            answer = self.request(self.target(tag(FORMS[7], tamper="OC"), 3))
            self.assertEqual(answer, (403, "The tag is genuine, but its seal was opened.\n"))

    def test_a_counter_that_cannot_be_stored_is_no_success(self):
        target = self.target(tag(FORMS[0]), 3)
        with self.server() as process:
            (self.folder / "door.counters").write_text("something else\n")
            self.assertEqual(self.request(target), (503, "Try again later.\n"))
            self.assertIn("is not a counter", process.stderr.readline())

    def test_it_does_not_start_with_keys_that_others_can_read(self):
        self.keys.chmod(0o644)
        with self.running(EXAMPLE, "--keys", self.keys, "--counters", "door.counters") as process:
            output, errors = process.communicate()
        self.assertEqual((process.returncode, output), (1, ""))
        self.assertIn("chmod 600", errors)


@needs_aes
@needs_toml
class ReadmeTests(ProgramCase):
    def test_the_block_about_urls(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        block = next(block for block in re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S) if "load_keys" in block)
        url = tag(FORMS[0]).url(7)
        for expected in ("True proven 04A1B2C3D4E5F6 7\n", "False replayed 04A1B2C3D4E5F6 7\n"):
            with self.running("-c", re.sub(r"https://ex\.am/[^\"]*", url, block)) as process:
                output, errors = process.communicate()
            self.assertEqual((output, errors), (expected, ""))
        with self.running("-c", block) as process:
            output, errors = process.communicate()
        self.assertTrue(output.startswith("False unknownKey") or output.startswith("False failed"), output + errors)


if __name__ == "__main__":
    unittest.main()
