import NDEF
import Testing
import WebNFC

@Suite struct `The desk that decides which page gets a tag` {
    @Test func `a session is held only while the document in front scans`() {
        var desk = Desk()
        #expect(desk.scan(1, "a").withoutStates == [.report(.done(1))])
        #expect(desk.request(.front("a")).withoutStates == [.beginSession("https://a.example")])
        #expect(desk.becomesActive() == [.report(.state(.active))])
        #expect(desk.request(.front(nil)).withoutStates == [.endSession])
        #expect(desk.ends(.expected).withoutStates == [])
        #expect(desk.request(.front("a")).withoutStates == [.beginSession("https://a.example")])
        #expect(desk.request(.stop(1, "a")).withoutStates == [.endSession])
    }

    @Test func `nothing begins without a connection to nfcd`() {
        var desk = Desk()
        _ = desk.desk.linkChanged(isLinked: false, at: .zero)
        desk.request(.front("a"))
        #expect(desk.scan(1, "a").withoutStates == [.report(.done(1))])
        #expect(desk.desk.linkChanged(isLinked: true, at: .zero).withoutStates == [.beginSession("https://a.example")])
    }

    @Test func `a call that nfcd refuses fails with its error`() {
        var desk = Desk()
        let refusal = WebError(.notReadable, "no grant")
        #expect(desk.request(.lock(1, "a", origin: "o")) == [.check(1, .lock)])
        #expect(desk.desk.checked(1, refusal, at: .zero) == [.report(.failed(1, refusal))])
        #expect(desk.desk.checked(1, nil, at: .zero) == [])
    }

    @Test func `every scan of the document in front gets a tap once`() {
        var desk = Desk.scanning()
        desk.scan(2, "a")
        desk.scan(3, "b")
        #expect(desk.tap() == [Desk.tapReport(1, 2)])
        #expect(desk.wait(.seconds(1)) == [])
        #expect(desk.desk.tagLeft("t1", at: desk.time) == [])
        #expect(desk.tap(id: "t2") == [Desk.tapReport(1, 2)])
    }

    @Test func `a scan that begins while a tag lies there gets it, the others do not again`() {
        var desk = Desk.scanning()
        desk.tap()
        #expect(desk.scan(2, "a").withoutStates == [.report(.done(2)), Desk.tapReport(2)])
    }

    @Test(arguments: [
        (WebTag.Content.empty(isReadOnly: false), true), (.blank, true), (.unsupported("none"), false),
        (.failed(WebError(.network, "torn")), false),
    ])
    func `a tag without a message is read as empty or as an error`(content: WebTag.Content, isRead: Bool) {
        var desk = Desk.scanning()
        let actions = desk.tap(content)
        if isRead { return #expect(actions == [Desk.tapReport(1, message: .init())]) }
        guard case .report(.tapError("a", scans: [1], reason: _))? = actions.first else {
            Issue.record("\(actions)")
            return
        }
    }

    @Test func `several tags on one reader are left alone, one each on two readers are two taps`() {
        var desk = Desk.scanning()
        #expect(desk.desk.tagsFound([Desk.tag("t1"), Desk.tag("t2")], at: .zero) == [])
        var other = Desk.scanning()
        let found = other.desk.tagsFound([Desk.tag("t1"), Desk.tag("t2", reader: "r2")], at: .zero)
        #expect(found == [.examine("t1")])
        #expect(
            other.desk.examined("t1", .empty(isReadOnly: false), at: .zero)
                == [Desk.tapReport(1, message: .init()), .examine("t2")])
    }

    @Test(arguments: ["8073C021C057597562694B6579", "597562696B65794E454F7233"])
    func `no page reaches a security key of the blocklist`(historicalBytes: String) {
        var desk = Desk.scanning()
        let bytes = stride(from: 0, to: historicalBytes.count, by: 2).compactMap {
            UInt8(historicalBytes.dropFirst($0).prefix(2), radix: 16)
        }
        let key = WebTag(id: "t1", reader: "r1", identifier: [], historicalBytes: bytes)
        #expect(
            desk.desk.tagsFound([key], at: .zero)
                == [.report(.tapError("a", scans: [1], reason: "Pages must not reach security keys."))])
        #expect(desk.write(2, "a").failures == [2: .notSupported])
    }

    @Test func `a tag that leaves while it is read is a tap that failed`() {
        var desk = Desk.scanning()
        #expect(desk.desk.tagsFound([Desk.tag("t1")], at: .zero) == [.examine("t1")])
        desk.write(2, "a")
        #expect(desk.desk.tagLeft("t1", at: .zero) == [])
        let actions = desk.desk.examined("t1", .failed(WebError(.network, "torn")), at: .zero)
        #expect(actions.contains(.report(.tapError("a", scans: [1], reason: "torn"))))
        #expect(actions.failures == [2: .network])
    }

    @Test func `a tag that could not be connected to is an error for scans and operations`() {
        var desk = Desk.scanning()
        desk.write(2, "a")
        let actions = desk.desk.tagFailed("no answer", at: .zero)
        #expect(actions.contains(.report(.tapError("a", scans: [1], reason: "no answer"))))
        #expect(actions.failures == [2: .network])
    }

    // MARK: Sessions that end

    @Test func `at its time limit a session begins again, and the tag that lies there is not read again`() {
        var desk = Desk.scanning()
        desk.tap()
        #expect(desk.ends(.expected).withoutStates == [.beginSession("https://a.example")])
        desk.becomesActive()
        #expect(desk.tap(id: "t2", wasPresent: true) == [])
        #expect(desk.desk.tagLeft("t2", at: .zero) == [])
        #expect(desk.tap(id: "t3") == [Desk.tapReport(1)])
    }

    @Test func `a tag that came between two sessions of a page in front is read`() {
        var desk = Desk.scanning()
        desk.ends(.expected)
        desk.becomesActive()
        #expect(desk.tap(id: "t2", wasPresent: true) == [Desk.tapReport(1)])
    }

    @Test func `a random UID that changed is the same tag`() {
        var desk = Desk.scanning()
        let random = { (id: String, last: UInt8, lay: Bool) in
            Desk.tag(id, identifier: [0x08, 0, 0, last], wasPresent: lay)
        }
        #expect(desk.desk.tagsFound([random("t1", 1, false)], at: .zero) == [.examine("t1")])
        _ = desk.desk.examined("t1", .empty(isReadOnly: false), at: .zero)
        desk.ends(.expected)
        desk.becomesActive()
        #expect(desk.desk.tagsFound([random("t2", 2, true)], at: .zero) == [])
    }

    @Test func `a page that is shown again does not get the tag that came meanwhile`() {
        var desk = Desk.scanning()
        desk.request(.front(nil))
        desk.ends(.expected)
        desk.request(.front("a"))
        desk.becomesActive()
        #expect(desk.tap(wasPresent: true) == [])
        #expect(desk.scan(2, "a").contains(.examine("t1")))
        #expect(desk.desk.examined("t1", .empty(isReadOnly: false), at: .zero) == [Desk.tapReport(2, message: .init())])
    }

    @Test func `an operator's end pauses the page until it calls again`() {
        var desk = Desk.scanning()
        desk.write(2, "a")
        let actions = desk.ends(.byOperator)
        #expect(actions.failures == [2: .abort])
        #expect(!actions.contains(.beginSession("https://a.example")))
        #expect(desk.wait(.seconds(60)).withoutStates == [])
        #expect(desk.scan(3, "a").contains(.beginSession("https://a.example")))
    }

    @Test func `an unexpected end is followed by another session after a moment`() {
        var desk = Desk.scanning()
        #expect(desk.ends(.unexpected).withoutStates == [])
        #expect(desk.desk.nextDeadline == TagDesk.retryDelay)
        #expect(desk.wait(TagDesk.retryDelay).withoutStates == [.beginSession("https://a.example")])
    }

    @Test func `a session that nfcd refuses ends what waits`() {
        var desk = Desk.scanning()
        desk.write(2, "a")
        #expect(desk.ends(.refused(WebError(.notReadable, "no grant"))).failures == [2: .notReadable])
        #expect(desk.wait(.seconds(60)).withoutStates == [])
    }

    @Test func `without nfcd what waits fails and scans continue later`() {
        var desk = Desk.scanning()
        desk.write(2, "a")
        #expect(desk.desk.linkChanged(isLinked: false, at: .zero).failures == [2: .notSupported])
        #expect(desk.desk.linkChanged(isLinked: true, at: .zero).withoutStates == [.beginSession("https://a.example")])
    }

    @Test func `another document that comes to the front shows its origin and gets no tag of before`() {
        var desk = Desk.scanning()
        desk.request(.front("b"))
        desk.scan(2, "b")
        desk.request(.front("a"))
        desk.ends(.expected)
        desk.becomesActive()
        desk.tap()
        #expect(desk.request(.front("b")).withoutStates == [.showOrigin("https://b.example")])
        #expect(desk.wait(.seconds(1)) == [])
    }

    @Test func `there are so many documents and calls, and no more`() {
        var desk = Desk()
        for number in 1...TagDesk.mostDocuments { desk.scan(number, "d\(number)") }
        #expect(desk.request(.scan(1_000, "one more", origin: "o")).failures == [1_000: .notSupported])
        for number in 0..<TagDesk.mostScans - 1 { desk.scan(2_000 + number, "d1") }
        #expect(desk.request(.scan(3_000, "d1", origin: "o")).failures == [3_000: .notSupported])
        desk.request(.forget("d1"))
        #expect(desk.request(.scan(4_000, "one more", origin: "o")) == [.check(4_000, .scan)])
    }
}
