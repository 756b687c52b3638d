"""What the browser extension does for `NDEFReader.scan()`, in Chromium: the files in which a function was called."""

import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/Web")]

from browsers import ChromiumPage  # noqa: E402
from world import expect, until, world  # noqa: E402

# The functions of a scan are over when none has been called for so many seconds.
QUIET = 3


def called(sessions):
    """The files of the extension in which functions were called since the last time; not those that were only loaded."""
    for session in sessions:
        for script in session.command("Profiler.takePreciseCoverage")["result"]:
            functions = (function["ranges"][0] for function in script["functions"])
            if script["url"].startswith("chrome-extension://") and any(f["startOffset"] and f["count"] for f in functions):
                yield script["url"].split("/", 3)[3]


def extension_files(programs, folder):
    """Scans a tag in two pages one after another; the files of the second time. They are in the order of the way to nfcd-web."""
    found = set()
    with world("chromium", programs, folder) as here:
        def scan(page):
            expect(page.evaluate("scan()"), "ok")
            here.tap()
            here.seen(page)

        scan(here.fresh())
        page = here.fresh()
        sessions = [page, ChromiumPage(here.browser, until(here.browser.worker, "the extension's background runs"))]
        for session in sessions:
            session.command("Profiler.enable")
            session.command("Profiler.startPreciseCoverage", callCount=True, detailed=False)
        scan(page)
        last = time.monotonic()
        while time.monotonic() - last < QUIET:
            new = set(called(sessions)) - found
            if new:
                found |= new
                last = time.monotonic()
            time.sleep(0.1)
    order = ["page", "relay", "background"]
    return sorted(found, key=lambda file: (order.index(file.split("/")[0]), file))
