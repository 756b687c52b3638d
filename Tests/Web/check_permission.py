"""Who may use NFC (Web NFC, "Obtaining permission"; Permissions)."""

from check_write import answer
from world import check, expect, until

QUERY = "navigator.permissions.query({ name: 'nfc' }).then(({ state }) => state)"


@check()
def no_permission_without_a_click(w):
    """without permission and without a click, each method is refused with NotAllowedError, without a question"""
    page = w.fresh(state=None)
    expect(page.evaluate("Promise.all([scan(), outcome(new NDEFReader().write('x')), outcome(new NDEFReader().makeReadOnly())])"),
           ["NotAllowedError"] * 3)
    expect(page.evaluate(QUERY), "prompt")
    expect(w.browser.has_question(), False)


@check()
def the_question(w):
    """a click asks the user, with the origin in full; Always allow is kept and shows in every page of the origin"""
    page = w.fresh(state=None)
    page.evaluate(f"void navigator.permissions.query({{ name: 'nfc' }}).then((s) => {{ window.status_ = s; s.onchange = () => "
                  "{ window.changed = s.state; }; })")
    page.evaluate("void onClick(() => scan())")
    page.click("#go")
    question = w.browser.question()
    until(lambda: question.evaluate("document.getElementById('origin')?.textContent"), "the question is shown")
    expect(question.evaluate("document.getElementById('origin').textContent"), w.address("").rstrip("/"))
    answer(w, "always")
    expect(page.evaluate("clicked"), "ok")
    expect(until(lambda: page.evaluate("window.changed"), "the change event"), "granted")
    expect(page.evaluate("status_ instanceof PermissionStatus && status_.name"), "nfc")
    other = w.open()
    expect(other.evaluate(QUERY), "granted")
    w.tap()


@check()
def block_and_dismiss(w):
    """Block is kept; a question that is closed means not now, and the third one blocks for the session"""
    page = w.fresh(state=None)
    page.evaluate("void onClick(() => scan(crypto.randomUUID()))")
    page.click("#go")
    answer(w, "block")
    expect(page.evaluate("clicked"), "NotAllowedError")
    expect(page.evaluate(QUERY), "denied")
    page.show()
    page.click("#go")
    expect(page.evaluate("clicked"), "NotAllowedError")
    expect(w.browser.has_question(), False)


@check(long=True)
def three_dismissals(w):
    """a question that is closed means not now; the third one blocks until the browser ends"""
    w.fresh(state=None)
    page = w.open(host="localhost")
    w.grant(None, host="localhost")
    page.evaluate("void onClick(() => scan(crypto.randomUUID()))")
    for state in ("prompt", "prompt", "denied"):
        page.show()
        page.click("#go")
        w.browser.question().close()
        expect(page.evaluate("clicked"), "NotAllowedError")
        expect(page.evaluate(QUERY), state)


@check()
def allowed_for_the_tab(w):
    """Allow while this tab is open is not kept for other tabs"""
    page = w.fresh(state=None)
    page.evaluate("void onClick(() => scan())")
    page.click("#go")
    answer(w, "tab")
    expect(page.evaluate("clicked"), "ok")
    expect(w.open().evaluate(QUERY), "prompt")


@check()
def revoked_permission(w):
    """a permission that is revoked ends scans and what waits for a tag, and the page's status changes"""
    page = w.fresh()
    page.evaluate("scan()")
    page.evaluate("void (window.done = outcome(new NDEFReader().write('x')))")
    # Calls reach nfcd-web in their order: the write waits there as soon as a later scan has begun.
    expect(page.evaluate("scan('b')"), "ok")
    w.grant(None)
    page.show()
    expect(page.evaluate("done"), "NotSupportedError")
    expect(until(lambda: page.evaluate(QUERY), "the state"), "prompt")
    until(lambda: not w.nfcd.sessions(), "the session ends")
    w.tap()
    expect(page.evaluate("seen"), [])
    expect(page.evaluate("scan()"), "NotAllowedError")


@check()
def revoked_on_the_options_page(w):
    """the options page lists the origins and forgets one"""
    page = w.fresh()
    options = w.browser.open(w.browser.own("ui/options.html"))
    try:
        until(lambda: options.evaluate("document.querySelectorAll('tbody button').length"), "the list")
        rows = options.evaluate("[...document.querySelectorAll('tbody tr')].map((row) => row.cells[0].textContent)")
        index = rows.index(w.address("").rstrip("/"))
        options.evaluate(f"document.querySelectorAll('tbody button')[{index}].click()")
        until(lambda: page.evaluate(QUERY) == "prompt", "the permission is gone")
    finally:
        options.close()


@check()
def other_permissions(w):
    """every other permission is the browser's own"""
    page = w.fresh()
    expect(page.evaluate("navigator.permissions.query({ name: 'geolocation' }).then((s) => s instanceof PermissionStatus)"), True)
    expect(page.evaluate("outcome(navigator.permissions.query({ name: 'nonsense' }))"), "TypeError")
    expect(page.evaluate("Permissions.prototype.query.name + Permissions.prototype.query.length"), "query1")
