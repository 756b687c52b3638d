"""The hooks of the test build, by which the W3C suite drives nfcd's simulated readers: what its helper expects of them."""

from world import check, expect


def conformance(w, name):
    page = w.open("conformance.html")
    expect(page.evaluate("typeof WebNFCTest"), "function")
    expect(page.evaluate(f"run({name!r})", 120), "ok")
    w.clear()


TESTS = [
    "a message that is set is read by a scan that begins later", "a message that is set is read by a scan that has begun",
    "a push resolves, and pushedMessage has its records", "a push that does not complete waits, and a newer one replaces it",
    "makeReadOnly resolves; one that does not complete is replaced", "a call that replaces one in the same task completes",
    "the adapter is off", "there is no adapter",
    "the pipe is closed", "a tag without NDEF", "overwrite is false and the tag is formatted", "the transfer fails",
    "operations are suspended and resumed", "the permission is denied, and query follows",
]


def add(name):
    def run(w):
        conformance(w, name)
    run.__doc__ = f"WebNFCTest: {name}"
    check(testing=True, long=True)(run)


for test in TESTS:
    add(test)


@check()
def not_in_production(w):
    """the production build has no WebNFCTest, and no file of the test build"""
    page = w.open()
    expect(page.evaluate("typeof WebNFCTest"), "undefined")
    expect((w.extension / "testing").exists(), False)
    expect("testing" in (w.extension / "manifest.json").read_text(), False)
