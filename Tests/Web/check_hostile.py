"""Hostile pages: what they get is the draft's error, and no other page notices."""

import subprocess

from world import TEXT, check, expect, until


@check()
def frames(w):
    """in a frame the names exist, and the methods reject with InvalidStateError; nothing reaches nfcd"""
    page = w.fresh()
    page.go(w.address("frame.html"))
    until(lambda: page.evaluate("answers.length === 8"), "the frames' answers")
    expect(page.evaluate("answers"), ["InvalidStateError", "InvalidStateError", "InvalidStateError", "denied"] * 2)
    expect(w.nfcd.sessions(), [])


@check()
def insecure_pages(w):
    """a page over plain http has none of the names"""
    page = w.open(host="pages.nfcd.test")
    expect(page.evaluate("isSecureContext"), False)
    expect(page.evaluate("['NDEFReader', 'NDEFMessage', 'NDEFRecord', 'NDEFReadingEvent'].filter((name) => name in window)"), [])


@check()
def forged_messages(w):
    """forged messages of a page have no effect: window messages, the relay's event, its own ports"""
    page = w.fresh(state=None)
    page.evaluate("""(() => {
        const channel = new MessageChannel();
        window.heard = [];
        channel.port1.onmessage = ({ data }) => heard.push(data);
        document.dispatchEvent(new MessageEvent('nfcd-port', { ports: [channel.port2] }));
        document.dispatchEvent(new MessageEvent('nfcd-testing-port', { ports: [channel.port2] }));
        for (const verb of ['scan', 'write', 'lock', 'query', 'session.begin', '__proto__'])
            window.postMessage({ id: 1, verb, isActive: true, isResumed: true, origin: 'https://kiosk.example' }, '*');
        channel.port1.postMessage({ id: 1, verb: 'scan' });
        return typeof chrome === 'undefined' || typeof chrome.runtime === 'undefined' || typeof chrome.runtime.connect;
    })()""")
    expect(page.evaluate("scan()"), "NotAllowedError")
    expect(page.evaluate("heard"), [])
    expect(w.nfcd.sessions(), [])


@check()
def a_page_that_changes_the_platform(w):
    """a page that replaces the platform's functions does not get the port, and other pages work"""
    page = w.fresh()
    other_result = page.evaluate("""(async () => {
        window.stolen = [];
        MessagePort.prototype.postMessage = function (message) { stolen.push(message); };
        Promise.prototype.then = new Proxy(Promise.prototype.then, {});
        EventTarget.prototype.addEventListener = function () { stolen.push('listener'); };
        Object.defineProperty(MessagePort.prototype, 'onmessage', { set() { stolen.push('set'); } });
        return outcome(new NDEFReader().scan());
    })()""")
    expect(other_result, "ok")
    expect(page.evaluate("stolen.filter((entry) => typeof entry === 'object')"), [])
    other = w.open()
    expect(other.evaluate("scan()"), "ok")
    w.tap()
    w.seen(other)


@check()
def ten_megabytes(w):
    """a message of 10 MB ends with NetworkError; another page gets its tap meanwhile"""
    flooding = w.fresh()
    flooding.evaluate("void (window.done = outcome(new NDEFReader().write(new ArrayBuffer(10_000_000))))")
    page = w.open()
    expect(page.evaluate("scan()"), "ok")
    w.tap()
    w.seen(page)
    expect(flooding.evaluate("done"), "NetworkError")
    expect(flooding.evaluate("outcome(new NDEFReader().write('x'.repeat(33_000)))"), "NetworkError")


@check()
def a_flood_of_calls(w):
    """a page that calls without end is refused; another page scans and writes meanwhile"""
    flooding = w.fresh()
    flooding.evaluate("""(() => {
        window.results = {};
        const count = (name) => { results[name] = (results[name] ?? 0) + 1; };
        const flood = () => {
            if (window.stopFlood) return;
            for (let i = 0; i < 50; i++) {
                outcome(new NDEFReader().scan()).then(count);
                navigator.permissions.query({ name: 'nfc' }).then(() => count('query'), () => count('refused query'));
            }
            setTimeout(flood);
        };
        flood();
    })()""")
    try:
        page = w.open()
        expect(page.evaluate("scan()"), "ok")
        w.tap()
        w.seen(page)
        w.nfcd.tap(ndef="")
        expect(page.evaluate("outcome(new NDEFReader().write('x'))"), "ok")
        until(lambda: flooding.evaluate("results.NotSupportedError"), "the flood is refused")
    finally:
        flooding.evaluate("void (window.stopFlood = true)")


@check()
def an_unknown_extension(w):
    """nfcd-web refuses an extension that it does not know"""
    other = "chrome-extension://abcdefghijklmnopabcdefghijklmnop/" if w.kind == "chromium" else "other@example.com"
    arguments = [other] if w.kind == "chromium" else ["/usr/lib/mozilla/native-messaging-hosts/org.nfcd.web.json", other]
    result = subprocess.run(
        [w.programs / "nfcd-web", "--socket", w.nfcd.socket, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=60)
    expect(result.returncode, 77)
    expect(result.stdout, "")
    expect("is not allowed" in result.stderr, True, result.stderr)


@check()
def replaced_functions(w):
    """NDEFReader reads a tag while any function of JavaScript is replaced, or all of them, or those of any interface"""
    page = w.fresh()
    page.go(w.address("tampered.html"))
    w.nfcd.tap(TEXT)
    page.show()
    expect(page.evaluate("targetCount > 5000"), True)
    expect(page.evaluate("tryEach()", 300), [])
    expect(page.evaluate("tryInterfaces()", 300), [])
