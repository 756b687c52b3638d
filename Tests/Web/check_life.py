"""Things that end: readers, nfcd, nfcd-web, the extension, the browser."""

import os
import pathlib
import signal

from check_tabs import wait_for_session
from world import TEXT, check, expect, until


def host_processes(w):
    """The processes of nfcd-web that this check's browser started."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and (folder / "comm").read_text().strip() == "nfcd-web" and (
                    f"NFCD_SOCKET={w.nfcd.socket}".encode() in (folder / "environ").read_bytes().split(b"\0")):
                found.append(int(folder.name))
        except OSError:
            pass
    return found


def taps_until_seen(w, page, count, patience=60):
    """Taps until the page has so many events: after an interruption nothing reports when its scans continue."""
    def tapped():
        w.tap(TEXT)
        try:
            return until(lambda: len(page.evaluate("seen")) >= count, "a tap", 1)
        except AssertionError:
            return False
    until(tapped, "a tap reaches the page", patience)


@check()
def no_reader(w):
    """without a reader scan() and write() reject with NotSupportedError"""
    page = w.fresh()
    for number in (0, 1):
        w.nfcd.call("simulator.plug", reader=f"simulated-{number}", connected=False)
    try:
        expect(page.evaluate("scan()"), "NotSupportedError")
        expect(page.evaluate("outcome(new NDEFReader().write('x'))"), "NotSupportedError")
    finally:
        for number in (0, 1):
            w.nfcd.call("simulator.plug", reader=f"simulated-{number}", connected=True)
    expect(page.evaluate("scan()"), "ok")


@check()
def an_unplugged_reader(w):
    """a scan waits for a reader that was unplugged"""
    page = w.fresh()
    page.evaluate("scan()")
    wait_for_session(w)
    for connected in (False, True):
        for number in (0, 1):
            w.nfcd.call("simulator.plug", reader=f"simulated-{number}", connected=connected)
    taps_until_seen(w, page, 1)


@check()
def a_restarted_nfcd(w):
    """scans continue after nfcd was started again; what waits for a tag ends, and calls fail while there is no nfcd"""
    page = w.fresh()
    page.evaluate("scan()")
    page.evaluate("void (window.done = outcome(new NDEFReader().write('x')))")
    wait_for_session(w)
    w.nfcd.stop()
    expect(page.evaluate("done"), "NotSupportedError")
    expect(page.evaluate("scan('b')"), "NotSupportedError")
    w.nfcd.start()
    taps_until_seen(w, page, 1)


@check()
def a_killed_host(w):
    """scans continue after nfcd-web was killed; what waits for a tag ends"""
    page = w.fresh()
    page.evaluate("scan()")
    page.evaluate("void (window.done = outcome(new NDEFReader().write('x')))")
    # Calls reach nfcd-web in their order: the write waits there as soon as a later scan has begun.
    expect(page.evaluate("scan('b')"), "ok")
    for process in host_processes(w):
        os.kill(process, signal.SIGKILL)
    expect(page.evaluate("done"), "NotSupportedError")
    taps_until_seen(w, page, 1)


@check(own=True)
def a_reloaded_extension(w):
    """after the extension is reloaded a page that is loaded again scans; the one of before gets errors or continues"""
    page = w.fresh()
    expect(page.evaluate("scan()"), "ok")
    wait_for_session(w)
    w.browser.reload_extension()
    until(lambda: page.evaluate("outcome(new NDEFReader().scan())") in ("ok", "NotSupportedError"), "an answer")
    until(lambda: scans_after_loading(w, page), "the page scans once it is loaded again")
    taps_until_seen(w, page, 1)


def scans_after_loading(w, page):
    """Whether a scan begins in the page after it was loaded again: not while the browser still reloads the extension."""
    page.go(w.address())
    page.show()
    return page.evaluate("'NDEFReader' in window && scan()") == "ok"


@check(own=True)
def a_killed_browser(w):
    """a browser that is killed leaves no process of nfcd-web and no session"""
    page = w.fresh()
    expect(page.evaluate("scan()"), "ok")
    wait_for_session(w)
    expect(len(host_processes(w)), 1)
    w.browser.kill()
    until(lambda: not w.nfcd.sessions(), "the session ends")
    until(lambda: not host_processes(w), "nfcd-web ends")


@check(own=True, long=True)
def an_idle_host(w):
    """nfcd-web ends half a minute after the last page that used it, and starts again with the next call"""
    page = w.fresh()
    expect(page.evaluate("scan()"), "ok")
    wait_for_session(w)
    page.go(w.address("empty.html"))
    until(lambda: not host_processes(w), "nfcd-web ends", 60)
    page.go(w.address())
    expect(page.evaluate("scan()"), "ok")
    taps_until_seen(w, page, 1)


@check(own=True, long=True)
def a_stopped_background(w):
    """a page that has not called for a while works when the browser has ended the extension's background"""
    page = w.fresh()
    expect(page.evaluate("navigator.permissions.query({ name: 'nfc' }).then(({ state }) => state)"), "granted")
    if w.kind == "chromium":
        w.browser.stop_background()
    expect(page.evaluate("scan()"), "ok")
    taps_until_seen(w, page, 1)
