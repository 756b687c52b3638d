"""Makes the pictures of Docs/web-nfc.md in Chromium. See Scripts/products/web-screenshots."""

import argparse
import base64
import pathlib
import tempfile

from check_write import answer
from world import ROOT, TEXT, until, world


def keep(page, name, width, height):
    page.resize(width, height)
    (ROOT / "Docs/images" / f"web-{name}.png").write_bytes(base64.b64decode(page.picture()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    (ROOT / "Docs/images").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as extensions, world("chromium", arguments.programs, pathlib.Path(extensions)) as w:
        page = w.open("demo/index.html", host="localhost")
        page.click("#scan")
        question = w.browser.question()
        until(lambda: question.evaluate("document.getElementById('always')?.disabled === false"), "the question is shown")
        keep(question, "question", 460, 420)
        answer(w, "always")
        page.show()
        until(lambda: "scanning" in page.evaluate("document.getElementById('log').textContent"), "the page scans")
        w.tap(TEXT)
        until(lambda: "cafe" in page.evaluate("document.getElementById('log').textContent"), "the tag is shown")
        keep(page, "demo", 680, 640)
        options = w.browser.open(w.browser.own("ui/options.html"))
        until(lambda: options.evaluate("document.querySelectorAll('tbody tr').length"), "the list is shown")
        keep(options, "options", 680, 240)


main()
