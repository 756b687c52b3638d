"""Records and messages (Web NFC, "Data Representation"): what needs no reader."""

import json

from world import ROOT, check, expect

VECTORS = ROOT.parent / "shared/vectors/web-nfc.jsonl"


@check()
def constructors_and_records(w):
    """records are built, checked and encoded as the draft says: the table of the page records.html"""
    page = w.open("records.html")
    expect(page.evaluate("results()"), [])


@check()
def vectors(w):
    """all rows of web-nfc.jsonl agree, with the bytes for the tag"""
    if not VECTORS.exists():
        print(f"skipped: {VECTORS.name} is missing")
        return
    rows = [json.loads(line) for line in VECTORS.read_text().splitlines() if line]
    page = w.fresh()
    page.go(w.address("records.html"))
    failures = page.evaluate(f"vectors({json.dumps(rows)})", 120)
    expect(failures, [])
    # What write() puts on a tag is compared on the tag.
    page.go(w.address())
    written = [row for row in rows if row["construct"] == "write" and row["expect"] == "ok" and row.get("derived_ndef_hex")]
    for row in written:
        tag = w.nfcd.tap(ndef="", model="ntag216")
        page.show()
        expect(page.evaluate(f"writeVector({json.dumps(row['init'])})"), "ok", row["name"])
        expect(w.nfcd.encoded(), row["derived_ndef_hex"], row["name"])
        w.nfcd.lift(tag)


@check()
def names_and_shapes(w):
    """the four names are there before the page's scripts, in the shape of the draft, and nothing else is"""
    page = w.open("first.html")
    expect(page.evaluate("first"), ["function"] * 4)
    expect(page.evaluate("[NDEFReader.length, NDEFMessage.length, NDEFRecord.length, NDEFReadingEvent.length]"), [0, 1, 1, 2])
    expect(page.evaluate("['scan', 'makeReadOnly', 'write'].map((name) => NDEFReader.prototype[name].length)"), [0, 0, 1])
    expect(page.evaluate("Object.keys(NDEFReader.prototype).sort()"), ["makeReadOnly", "onreading", "onreadingerror", "scan", "write"])
    expect(page.evaluate("String(new NDEFReader()) + String(new NDEFMessage({ records: [{ recordType: 'empty' }] }))"),
           "[object NDEFReader][object NDEFMessage]")
    expect(page.evaluate("Object.getOwnPropertyNames(window).filter((name) => /nfc|^ndef|checks/i.test(name)).sort()"),
           ["NDEFMessage", "NDEFReader", "NDEFReadingEvent", "NDEFRecord"])
    expect(page.evaluate("Object.prototype.propertyIsEnumerable.call(window, 'NDEFReader')"), False)
    expect(page.evaluate("NDEFReader.prototype.scan.call({}).catch((error) => error.name)"), "TypeError")
    expect(page.evaluate("(() => { try { NDEFReader(); } catch (error) { return error.name; } })()"), "TypeError")
