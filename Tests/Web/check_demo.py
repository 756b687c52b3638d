"""The demo page, as a person uses it."""

from check_write import answer
from world import TEXT, check, expect, until


def log(page):
    return page.evaluate("document.getElementById('log').textContent")


def click(page, button):
    page.show()
    page.click(f"#{button}")


@check()
def the_demo_page(w):
    """the demo page asks, scans, writes, and reports what a tag holds"""
    page = w.fresh(state=None)
    page.go(w.address("demo/index.html"))
    click(page, "scan")
    answer(w, "always")
    until(lambda: "scanning" in log(page), "the page scans")
    page.show()
    w.tap(TEXT)
    until(lambda: "text (en): cafe!!!" in log(page), "the tag is shown")
    w.nfcd.lift_all()
    click(page, "write")
    w.nfcd.tap(ndef="")
    until(lambda: "written" in log(page), "the tag is written")
    w.nfcd.lift_all()
    click(page, "stop")
    until(lambda: "stopped" in log(page), "the scan ends")
    expect("Error" in log(page), False, log(page))
