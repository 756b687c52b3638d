"""Writing and locking (Web NFC, "The write() method", "The makeReadOnly() method")."""

from world import FOREIGN, TEXT, URL, check, expect, until


def texts(message):
    return [record["decoded"].get("text") or record["decoded"].get("uri") for record in message["records"]]


@check()
def write_takes_the_next_tag(w):
    """write() waits for a tag, writes it, and does not report the new content to a scan"""
    page = w.fresh()
    page.evaluate("void (window.done = outcome(new NDEFReader().write('hello')))")
    w.nfcd.tap(ndef="")
    expect(page.evaluate("done"), "ok")
    w.clear()
    expect(texts(w.nfcd.message()["message"]), ["hello"])


@check()
def write_to_the_tag_that_lies_there(w):
    """write() from a reading handler writes the tag that was read, which is not read again"""
    page = w.fresh()
    page.evaluate("scan()")
    page.evaluate("""void readers.a.addEventListener('reading', () => { window.done = outcome(readers.a.write({ records: [
        { recordType: 'url', data: 'https://example.com/new' }] })); }, { once: true })""")
    w.nfcd.tap(TEXT)
    until(lambda: page.evaluate("'done' in window"), "the write begins")
    expect(page.evaluate("done"), "ok")
    expect([event["records"][0]["data"] for event in page.evaluate("seen")], ["cafe!!!"])
    w.clear()
    expect(texts(w.nfcd.message()["message"]), ["https://example.com/new"])


@check()
def lock_after_write(w):
    """makeReadOnly() after write() locks the same tag, after the user agreed; writing it fails then"""
    page = w.fresh()
    w.nfcd.tap(ndef="")
    page.evaluate("""void (window.done = outcome((async () => {
        const reader = new NDEFReader();
        await reader.write('final');
        await reader.makeReadOnly();
    })()))""")
    answer(w, "once")
    expect(page.evaluate("done"), "ok")
    page.show()
    expect(page.evaluate("outcome(new NDEFReader().write('more'))"), "NetworkError")
    page.evaluate("void (window.again = outcome(new NDEFReader().makeReadOnly()))")
    answer(w, "once")
    expect(page.evaluate("again"), "NotSupportedError")


def answer(w, button):
    """Clicks a button of the extension's question."""
    question = w.browser.question()
    until(lambda: question.evaluate(f"document.getElementById('{button}')?.disabled === false"), "the button is enabled")
    question.click(f"#{button}", closes=True)
    until(lambda: not w.browser.has_question(), "the question is closed")


@check()
def refused_lock(w):
    """a lock that the user refuses ends with NotAllowedError, and the tag can still be written"""
    page = w.fresh()
    w.nfcd.tap(TEXT)
    page.evaluate("void (window.done = outcome(new NDEFReader().makeReadOnly()))")
    answer(w, "block")
    expect(page.evaluate("done"), "NotAllowedError")
    page.show()
    expect(page.evaluate("outcome(new NDEFReader().write('still'))"), "ok")


@check()
def overwrite_is_respected(w):
    """overwrite: false is refused on a tag with a message, and written on an empty and on a blank one"""
    page = w.fresh()
    for tag, result in [({"ndef": URL}, "NotAllowedError"), ({"ndef": ""}, "ok"), ({"ndef": None, "model": "mifare-classic-1k"}, "ok")]:
        lying = w.nfcd.tap(**tag)
        expect(page.evaluate("outcome(new NDEFReader().write('x', { overwrite: false }))"), result, str(tag))
        w.nfcd.lift(lying)


@check()
def tags_that_cannot_be_written(w):
    """no NDEF is NotSupportedError; too small and torn away are NetworkError"""
    page = w.fresh()
    for tag, result in [
            ({"ndef": None, "dump": FOREIGN}, "NotSupportedError"), ({"ndef": "", "model": "ntag213"}, "NetworkError"),
            ({"ndef": "", "removedAtCommand": 5}, "NetworkError")]:
        lying = w.nfcd.tap(**tag)
        expect(page.evaluate("outcome(new NDEFReader().write('x'.repeat(300)))"), result, str(tag))
        if "removedAtCommand" not in tag:
            w.nfcd.lift(lying)


@check()
def a_new_call_replaces_the_old(w):
    """a new write() ends the one that waits with AbortError, whichever reader it came from; makeReadOnly() has its own place"""
    page = w.fresh()
    page.evaluate("""void (window.results = Promise.all([outcome(new NDEFReader().write('1')), outcome(new NDEFReader().write('2'))]))""")
    page.evaluate("void (window.third = outcome(new NDEFReader().write('3')))")
    w.nfcd.tap(ndef="")
    expect(page.evaluate("results"), ["AbortError", "AbortError"])
    expect(page.evaluate("third"), "ok")
    w.clear()
    expect(texts(w.nfcd.message()["message"]), ["3"])


@check()
def abort_of_a_write(w):
    """an aborted write rejects with the signal's reason and writes nothing; signals of other calls do not matter"""
    page = w.fresh()
    page.evaluate("""void (window.first = outcome(new NDEFReader().write('1', { signal: signal('a') })))""")
    page.evaluate("abort('a', 'enough')")
    expect(page.evaluate("first"), "enough")
    page.evaluate("void (window.second = outcome(new NDEFReader().write('2', { signal: signal('b') })))")
    page.evaluate("abort('a')")
    w.nfcd.tap(ndef="")
    expect(page.evaluate("second"), "ok")
    expect(page.evaluate("(() => { const p = outcome(new NDEFReader().write('3', { signal: signal('c') })); abort('c'); return p; })()"),
           "AbortError")
    expect(page.evaluate("outcome(new NDEFReader().write('4', { signal: AbortSignal.abort('no') }))"), "no")


@check()
def bad_messages(w):
    """bad messages and options fail with the draft's error, without a question"""
    page = w.fresh(state=None)
    for message, error in [
            ("", "TypeError"), ("undefined", "TypeError"), ("null", "TypeError"), ("{}", "TypeError"), ("{ records: [] }", "TypeError"),
            ("{ records: [{ recordType: 'url', data: 'no url' }] }", "SyntaxError"),
            ("'x', { signal: 'none' }", "TypeError"), ("'x', 42", "TypeError")]:
        expect(page.evaluate(f"outcome(new NDEFReader().write({message}))"), error, message)
    expect(page.evaluate("outcome(new NDEFReader().makeReadOnly({ signal: 1 }))"), "TypeError")
    expect(w.browser.has_question(), False)
