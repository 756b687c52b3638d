import NDEF
import Testing
import WebNFC

@Suite struct `Writes and locks at the desk` {
    private let write = TagDesk.Action.write("t1", Desk.newMessage, formats: false)

    @Test func `on one tap the scans come first, then the write, then the lock`() {
        var desk = Desk.scanning()
        desk.lock(3, "a")
        desk.write(2, "a")
        #expect(desk.tap() == [Desk.tapReport(1), write])
        #expect(desk.desk.finished("t1", nil, at: .zero) == [.report(.done(2)), .examine("t1")])
        #expect(desk.desk.examined("t1", .message(Desk.newMessage, isReadOnly: false), at: .zero) == [.lock("t1")])
        #expect(desk.desk.finished("t1", nil, at: .zero) == [.report(.done(3))])
    }

    @Test func `a tag that lies there is written at once, also one that was read before`() {
        var desk = Desk.scanning()
        desk.tap()
        #expect(desk.write(2, "a") == [write])
    }

    @Test func `a tag that lay there when the page came to the front is written`() {
        var desk = Desk()
        desk.request(.front("a"))
        desk.write(2, "a")
        desk.becomesActive()
        #expect(desk.tap(wasPresent: true) == [write])
    }

    @Test(arguments: [
        (WebTag.Content.message(Desk.message, isReadOnly: false), false, WebError.Name.notAllowed),
        (.unsupported("none"), true, .notSupported), (.failed(WebError(.network, "torn")), false, .network),
    ])
    func `a write is refused`(content: WebTag.Content, overwrite: Bool, name: WebError.Name) {
        var desk = Desk.scanning()
        desk.write(2, "a", overwrite: overwrite)
        #expect(desk.tap(content).failures == [2: name])
    }

    @Test(arguments: [
        (WebTag.Content.empty(isReadOnly: false), false, false), (.blank, false, true), (.blank, true, true),
        (.failed(WebError(.network, "no message")), true, false),
        (.message(Desk.message, isReadOnly: true), true, false),
    ])
    func `a write is tried`(content: WebTag.Content, overwrite: Bool, formats: Bool) {
        var desk = Desk.scanning()
        desk.write(2, "a", overwrite: overwrite)
        #expect(desk.tap(content).last == .write("t1", Desk.newMessage, formats: formats))
    }

    @Test(arguments: [
        WebTag.Content.blank, .unsupported("none"), .empty(isReadOnly: true), .message(Desk.message, isReadOnly: true),
    ])
    func `a lock is refused if there is nothing to lock`(content: WebTag.Content) {
        var desk = Desk.scanning()
        desk.lock(2, "a")
        #expect(desk.tap(content).failures == [2: .notSupported])
    }

    @Test func `a newer write replaces the one that waits, and not the lock`() {
        var desk = Desk.scanning()
        desk.write(2, "a")
        desk.lock(3, "a")
        #expect(desk.write(4, "a").failures == [2: .abort])
    }

    @Test func `an operation that has begun is neither replaced nor taken back`() {
        var desk = Desk.scanning()
        desk.write(2, "a")
        desk.tap()
        #expect(desk.request(.cancel(2)) == [])
        #expect(desk.write(3, "a") == [])
        #expect(desk.desk.finished("t1", nil, at: .zero) == [.report(.done(2)), .examine("t1")])
    }

    @Test func `a call that is taken back ends with AbortError, also before nfcd was asked`() {
        var desk = Desk.scanning()
        desk.write(2, "a")
        #expect(desk.request(.cancel(2)).failures == [2: .abort])
        desk.request(.write(3, "a", origin: "o", Desk.newMessage, overwrite: true))
        #expect(desk.request(.cancel(3)).failures == [3: .abort])
        #expect(desk.desk.checked(3, nil, at: .zero) == [])
        #expect(desk.tap() == [Desk.tapReport(1)])
    }

    @Test func `only the document in front writes`() {
        var desk = Desk.scanning()
        desk.write(2, "b")
        #expect(desk.tap() == [Desk.tapReport(1)])
    }

    @Test func `the session is held for a moment after an operation`() {
        var desk = Desk()
        desk.request(.front("a"))
        desk.write(2, "a")
        desk.becomesActive()
        desk.tap()
        #expect(desk.desk.finished("t1", nil, at: desk.time).withoutStates == [.report(.done(2))])
        #expect(desk.lock(3, "a").withoutStates == [.examine("t1")])
        _ = desk.desk.examined("t1", .empty(isReadOnly: false), at: desk.time)
        _ = desk.desk.finished("t1", nil, at: desk.time)
        #expect(desk.desk.nextDeadline == desk.time + TagDesk.hold)
        #expect(desk.wait(TagDesk.hold) == [.endSession])
    }

    @Test func `a document that is left ends its session once its tag is written`() {
        var desk = Desk()
        desk.request(.front("a"))
        desk.write(2, "a")
        desk.becomesActive()
        desk.tap()
        #expect(desk.request(.forget("a")).withoutStates == [])
        #expect(desk.desk.finished("t1", nil, at: .zero).withoutStates == [.report(.done(2)), .endSession])
    }

    @Test func `a session that ends during a write fails it`() {
        var desk = Desk.scanning()
        desk.write(2, "a")
        desk.tap()
        #expect(desk.ends(.unexpected).failures == [2: .network])
        #expect(desk.desk.finished("t1", nil, at: .zero) == [])
    }

    @Test func `an operation that has begun continues when another tag could not be connected to`() {
        var desk = Desk.scanning()
        desk.write(2, "a")
        desk.lock(3, "a")
        desk.tap()
        #expect(desk.desk.tagFailed("no answer", at: .zero).failures == [3: .network])
        #expect(desk.desk.finished("t1", nil, at: .zero).withoutStates.contains(.report(.done(2))))
    }

    @Test(arguments: ["a", "b"])
    func `a call with the number of an open one is ignored`(document: String) {
        var desk = Desk.scanning()
        desk.write(2, "a")
        #expect(desk.request(.lock(2, document, origin: "o")) == [])
        #expect(desk.tap() == [Desk.tapReport(1), write])
        #expect(desk.desk.finished("t1", nil, at: .zero).withoutStates == [.report(.done(2))])
    }

    @Test func `a call with the number of an operation that outlives its document is ignored`() {
        var desk = Desk.scanning()
        desk.write(2, "a")
        desk.tap()
        desk.request(.forget("a"))
        #expect(desk.request(.lock(2, "b", origin: "o")) == [])
        #expect(desk.desk.finished("t1", nil, at: .zero).withoutStates.contains(.report(.done(2))))
    }
}
