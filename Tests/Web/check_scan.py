"""Scanning (Web NFC, "The scan() method" and "NFC reading algorithm")."""

from world import FOREIGN, TEXT, check, expect, until

GOOGLE = {"recordType": "url", "mediaType": None, "id": None, "encoding": None, "lang": None, "data": "https://www.goo.gle"}


@check()
def a_tap_gives_one_event(w):
    """a tap gives one reading event with serial number and records, and the next tap another"""
    page = w.fresh()
    expect(page.evaluate("scan()"), "ok")
    tag = w.nfcd.tap(identifier="04A15C11223380")
    events = w.seen(page)
    expect(events, [{"name": "a", "type": "reading", "serialNumber": "04:a1:5c:11:22:33:80", "records": [GOOGLE]}])
    w.nfcd.lift(tag)
    w.tap(TEXT)
    expect(w.seen(page, 2)[1]["records"][0]["data"], "cafe!!!")


@check()
def every_reader_gets_the_tap(w):
    """every scanning reader of a page gets the tap; a second scan of one reader is refused"""
    page = w.fresh()
    expect(page.evaluate("Promise.all([scan('a'), scan('b')])"), ["ok", "ok"])
    expect(page.evaluate("outcome(readers.a.scan())"), "InvalidStateError")
    w.tap()
    expect(sorted(event["name"] for event in w.seen(page, 2)), ["a", "b"])


@check()
def a_tag_that_lies_there(w):
    """a scan that starts while a tag lies there gets it; a scan of before does not get it again"""
    page = w.fresh()
    w.nfcd.tap()
    expect(page.evaluate("scan('a')"), "ok")
    w.seen(page)
    expect(page.evaluate("scan('b')"), "ok")
    expect([event["name"] for event in w.seen(page, 2)], ["a", "b"])


@check()
def tags_without_message(w):
    """an empty tag and a blank one give reading without records; one without NDEF and a torn one give readingerror"""
    page = w.fresh()
    expect(page.evaluate("scan()"), "ok")
    for count, tag in enumerate([
            {"ndef": ""}, {"ndef": None, "model": "felica-lite"}, {"ndef": None, "dump": FOREIGN},
            {"removedAtCommand": 3}], 1):
        lying = w.nfcd.tap(**tag)
        w.seen(page, count)
        if "removedAtCommand" not in tag:
            w.nfcd.lift(lying)
        else:
            until(lambda: not w.nfcd.call("simulator.list"), "the torn tag is gone")
    events = w.seen(page, 4)
    expect([event["type"] for event in events], ["reading", "reading", "readingerror", "readingerror"])
    expect([event.get("records") for event in events], [[], [], None, None])


@check()
def abort_ends_a_scan(w):
    """an aborted scan gets nothing more and may begin again; other scans continue"""
    page = w.fresh()
    expect(page.evaluate("Promise.all([scan('a', { signal: signal('s') }), scan('b')])"), ["ok", "ok"])
    page.evaluate("abort('s')")
    w.tap()
    expect([event["name"] for event in w.seen(page)], ["b"])
    w.nfcd.lift_all()
    expect(page.evaluate("scan('a')"), "ok")
    w.tap()
    expect(sorted(event["name"] for event in w.seen(page, 3)[1:]), ["a", "b"])


@check()
def abort_before_a_scan_begins(w):
    """a scan rejects with the signal's reason, whatever its type: aborted before, and right after the call"""
    page = w.fresh()
    expect(page.evaluate("outcome(new NDEFReader().scan({ signal: AbortSignal.abort('mine') }))"), "mine")
    expect(page.evaluate("outcome(new NDEFReader().scan({ signal: AbortSignal.abort() }))"), "AbortError")
    expect(page.evaluate(
        "(() => { const p = outcome(new NDEFReader().scan({ signal: signal('x') })); abort('x', 'late'); return p; })()"), "late")
    for value in ("null", "'string'", "{}", "42"):
        expect(page.evaluate(f"outcome(new NDEFReader().scan({{ signal: {value} }}))"), "TypeError", value)


@check()
def listeners_may_end_scans(w):
    """a handler may end its own scan and another one while the event is dispatched; events are objects of the draft"""
    page = w.fresh()
    expect(page.evaluate("""(async () => {
        window.order = [];
        const [a, b] = [new NDEFReader(), new NDEFReader()];
        await a.scan({ signal: signal('a') });
        await b.scan({ signal: signal('b') });
        a.addEventListener('reading', (event) => { order.push(['a', event instanceof NDEFReadingEvent, event.message === event.message,
            Object.isFrozen(event.message.records)]); abort('a'); abort('b'); });
        b.addEventListener('reading', () => order.push(['b']));
        return 'ok';
    })()"""), "ok")
    w.tap()
    expect(until(lambda: page.evaluate("order"), "an event"), [["a", True, True, True]])


@check(long=True)
def nested_records(w):
    """a smart poster and a nested external record are read as records"""
    page = w.fresh()
    page.evaluate("scan()")
    page.evaluate("""void readers.a.addEventListener('reading', ({ message }) => { window.nested = message.records.map((record) =>
        record.toRecords().map(({ recordType, data }) => [recordType, new TextDecoder().decode(data)])); })""")
    w.tap(SMART_POSTER)
    expect(until(lambda: page.evaluate("window.nested"), "the poster"), [[["url", "https://www.goo.gle"], ["text", "A"]]])


def record(head, kind, payload):
    return bytes([head, len(kind), len(payload)]) + kind + payload


SMART_POSTER = record(0xD1, b"Sp", record(0x91, b"U", b"\x02goo.gle") + record(0x51, b"T", b"\x02enA")).hex()


@check(long=True)
def scanning_goes_on(w):
    """scanning continues past nfcd's time limit: the session begins again, and the tag that lies there is not read again"""
    page = w.fresh()
    page.evaluate("scan()")
    w.nfcd.tap()
    w.seen(page)
    first = w.nfcd.sessions()[0]["session"]
    # An operator's way to end a session would pause the page; the limit of nfcd.toml is what ends it here.
    until(lambda: (w.nfcd.sessions() or [{}])[0].get("session", first) != first, "another session", 90)
    expect(len(page.evaluate("seen")), 1)
    w.nfcd.lift_all()
    w.tap(TEXT)
    expect(w.seen(page, 2)[1]["records"][0]["data"], "cafe!!!")


@check()
def two_readers(w):
    """tags on two readers are two taps"""
    page = w.fresh()
    page.evaluate("scan()")
    w.nfcd.tap(identifier="04000000000001")
    w.nfcd.tap(identifier="04000000000002")
    expect(sorted(event["serialNumber"][-2:] for event in w.seen(page, 2)), ["01", "02"])
