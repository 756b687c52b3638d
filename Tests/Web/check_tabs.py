"""Several pages (Web NFC, "Handling visibility change")."""

from world import TEXT, check, expect, until


def wait_for_session(w):
    until(lambda: any(session["state"] == "active" for session in w.nfcd.sessions()), "a session")


@check()
def a_hidden_page_pauses(w):
    """a hidden page reads nothing and has no session; shown again it continues, without the tag that came meanwhile"""
    page = w.fresh()
    page.evaluate("scan()")
    wait_for_session(w)
    other = w.open()
    until(lambda: not w.nfcd.sessions(), "the session ends")
    w.nfcd.tap()
    other.close()
    page.show()
    wait_for_session(w)
    w.nfcd.lift_all()
    w.tap(TEXT)
    expect([event["records"][0]["data"] for event in w.seen(page)], ["cafe!!!"])


@check()
def a_hidden_write_ends(w):
    """write() and makeReadOnly() that wait end with AbortError when the page is hidden, and while it is hidden"""
    page = w.fresh()
    page.evaluate("void (window.done = outcome(new NDEFReader().write('x')))")
    wait_for_session(w)
    other = w.open()
    expect(page.evaluate("done"), "AbortError")
    expect(page.evaluate("document.visibilityState"), "hidden")
    expect(page.evaluate("outcome(new NDEFReader().write('y'))"), "AbortError")
    other.close()
    page.show()
    w.nfcd.tap(ndef="")
    expect(page.evaluate("outcome(new NDEFReader().write('z'))"), "ok")


@check()
def two_tabs(w):
    """of two tabs that scan, the one in front gets the tag"""
    first = w.fresh()
    first.evaluate("scan()")
    second = w.open()
    second.evaluate("scan()")
    wait_for_session(w)
    w.tap()
    expect(len(w.seen(second)), 1)
    first.show()
    until(lambda: first.evaluate("document.visibilityState") == "visible", "the first tab is shown")
    wait_for_session(w)
    until(lambda: tapped(w, first), "the first tab gets a tap")
    expect(len(second.evaluate("seen")), 1)


def tapped(w, page):
    """Taps again until the page, which has just come to the front, got one."""
    w.tap(TEXT)
    try:
        until(lambda: page.evaluate("seen.length"), "a tap", 2)
        return True
    except AssertionError:
        return False


@check()
def a_closed_page_frees_the_reader(w):
    """a page that is closed or left frees the reader at once"""
    page = w.fresh()
    page.evaluate("scan()")
    wait_for_session(w)
    page.go(w.address("empty.html"))
    until(lambda: not w.nfcd.sessions(), "the session ends")
    again = w.open()
    again.evaluate("scan()")
    wait_for_session(w)
    again.close()
    until(lambda: not w.nfcd.sessions(), "the session ends")


@check(long=True)
def a_page_that_comes_back(w):
    """a page from the history scans again or has to be loaded again; either way a new scan works"""
    page = w.fresh()
    page.evaluate("scan()")
    page.go(w.address("empty.html"))
    page.evaluate("void history.back()")
    until(lambda: page.evaluate("typeof scan === 'function'"), "the page is back")
    expect(page.evaluate("scan('b')"), "ok")
    w.tap()
    until(lambda: [event for event in page.evaluate("seen") if event["name"] == "b"], "the tap")
