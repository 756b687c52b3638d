import NFCTypes
import Testing

@testable import NFCClient

@Suite(.timeLimit(.minutes(20)))
struct ObservationTests {
    private static func tap(_ subscription: String, _ reader: String) -> String {
        let tag = #"{"type":"miFare","identifier":"04"}"#
        return
            #"{"subscription":"\#(subscription)","reader":"\#(reader)","readerName":"R","tag":\#(tag),"messages":[]}"#
    }

    /// The events until the observation ends, and why it ended.
    private static func all(_ observation: Observation) async -> [String] {
        var words: [String] = []
        do {
            for try await event in observation {
                switch event {
                case .didReadTag(let tap): words.append("tap \(tap.reader)")
                case .tagRemoved(let removal): words.append("removed \(removal.reader)")
                default: words.append(type(of: event.notification).name)
                }
            }
        } catch {
            words.append("\(error)")
        }
        return words
    }

    @Test func `events and taps are in one order, those of others are left out`() async throws {
        try await FakeDaemon.run { peer in
            try peer.answer()
            try peer.answer(#"{"subscription":"one"}"#)
            try peer.answer(#"{"subscription":"two"}"#)
            peer.notify("reader.tagArrived", #"{"reader":"r"}"#)
            peer.notify("background.didReadTag", Self.tap("one", "a"))
            peer.notify("background.didReadTag", Self.tap("two", "b"))
            peer.notify("background.didReadTag", Self.tap("three", "c"))
            peer.notify("session.ended", #"{"session":"s","code":200,"name":"UserCanceled"}"#)
        } _: { client in
            let all = try await client.observeEvents()
            try await all.includeTaps()
            let taps = try await client.observeTaps(matching: .init(uriHost: "example.com"))
            #expect(
                await Self.all(all) == [
                    "reader.tagArrived", "tap a", "session.ended", "the connection to nfcd ended",
                ])
            #expect(await Self.all(taps) == ["tap b", "the connection to nfcd ended"])
        }
    }

    @Test func `a tap that arrives before the subscription's name is kept`() async throws {
        try await FakeDaemon.run { peer in
            let id = try peer.request()?.id ?? 0
            peer.notify("background.didReadTag", Self.tap("one", "a"))
            peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"subscription":"one"}}"#)
        } _: { client in
            let taps = try await client.observeTaps()
            #expect(await Self.all(taps) == ["tap a", "the connection to nfcd ended"])
        }
    }

    @Test func `removals are asked for, and follow the taps of their subscription`() async throws {
        let (asked, ask) = AsyncStream<Bool?>.makeStream()
        try await FakeDaemon.run { peer in
            for _ in 0..<2 {
                let request = try peer.request()
                ask.yield(request?.params.removals)
                let name = request?.params.removals == true ? "one" : "two"
                // What comes before the name of the subscription waits for it, in its order.
                if name == "one" {
                    peer.notify("background.didReadTag", Self.tap("one", "a"))
                    peer.notify("background.tagRemoved", Self.tap("one", "a"))
                }
                peer.send(#"{"jsonrpc":"2.0","id":\#(request?.id ?? 0),"result":{"subscription":"\#(name)"}}"#)
            }
            ask.finish()
            peer.notify("background.didReadTag", Self.tap("one", "b"))
            peer.notify("background.tagRemoved", Self.tap("three", "c"))
            peer.notify("background.tagRemoved", Self.tap("one", "b"))
        } _: { client in
            let removals = try await client.observeTaps(removals: true)
            let taps = try await client.observeTaps()
            #expect(
                await Self.all(removals) == [
                    "tap a", "removed a", "tap b", "removed b", "the connection to nfcd ended",
                ])
            #expect(await Self.all(taps) == ["the connection to nfcd ended"])
            // A daemon that does not know the parameter is not sent it for nothing.
            #expect(await asked.all == [true, nil])
        }
    }

    @Test func `an observation that is stopped ends without an error`() async throws {
        let (ended, end) = AsyncStream<String>.makeStream()
        try await FakeDaemon.run { peer in
            try peer.answer(#"{"subscription":"one"}"#)
            peer.notify("background.didReadTag", Self.tap("one", "a"))
            let request = try peer.request()
            end.yield("\(request?.method ?? "") \(request?.params.subscription ?? "")")
            end.finish()
            try peer.answerAll()
        } _: { client in
            let taps = try await client.observeTaps()
            let iterator = taps.makeAsyncIterator()
            guard case .didReadTag? = try await iterator.next() else {
                Issue.record("no tap")
                return
            }
            taps.stop()
            #expect(await Self.all(taps).isEmpty)
            #expect(await ended.all == ["background.unsubscribe one"])
        }
    }

    @Test func `what the daemon refuses is not an observation`() async throws {
        try await FakeDaemon.run { peer in
            let id = try peer.request()?.id ?? 0
            peer.send(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":2,"message":"Missing required entitlement"}}"#)
            try peer.answerAll()
        } _: { client in
            let error = try await #require(throws: NFCClientError.self) { _ = try await client.observeEvents() }
            #expect(error.nfcCode == .securityViolation)
        }
    }
}
