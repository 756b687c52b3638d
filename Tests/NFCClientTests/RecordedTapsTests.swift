import NFCTypes
import Testing

@testable import NFCClient

@Suite(.timeLimit(.minutes(20)))
struct RecordedTapsTests {
    private static func tap(_ sequence: Int, of subscription: String = "taps-1", padding: Int = 0) -> String {
        let tap =
            #"{"sequence":\#(sequence),"id":"0191","time":"2026-01-01T00:00:00.000Z","reader":"r","readerName":"R","#
            + #""readerSequence":\#(sequence),"tag":{"type":"miFare","identifier":"04"},"message":null,"epoch":"e","#
            + #""bootID":"\#(String(repeating: "b", count: padding))","bootTime":1.5,"clock":"synchronised"}"#
        return #"{"subscription":"\#(subscription)","tap":\#(tap)}"#
    }

    private static func answer(_ id: Int64?) -> String {
        #"{"jsonrpc":"2.0","id":\#(id ?? 0),"result":{"subscription":"taps-1","epoch":"e","after":6,"newest":9}}"#
    }

    /// The sequence numbers until the observation ends, and why it ended.
    private static func all(_ taps: RecordedTaps) async -> [String] {
        var words: [String] = []
        do {
            for try await tap in taps { words.append("\(tap.sequence)") }
        } catch {
            words.append("\(error)")
        }
        return words
    }

    @Test func `taps come in order, also those before the subscription's name, and those of others are left out`()
        async throws
    {
        try await FakeDaemon.run { peer in
            let id = try peer.request()?.id
            peer.notify("taps.didRecord", Self.tap(7))
            peer.send(Self.answer(id))
            peer.notify("taps.didRecord", Self.tap(1, of: "taps-2"))
            peer.notify("taps.didRecord", Self.tap(8))
        } _: { client in
            let taps = try await client.observeRecordedTaps(consumer: "clock")
            #expect(taps.subscription.after == 6 && taps.subscription.newest == 9)
            #expect(await Self.all(taps) == ["7", "8", "the connection to nfcd ended"])
        }
    }

    @Test func `an acknowledgement names the subscription and the tap`() async throws {
        let (requests, request) = AsyncStream<String>.makeStream()
        try await FakeDaemon.run { peer in
            peer.send(Self.answer(try peer.request()?.id))
            peer.notify("taps.didRecord", Self.tap(7))
            let acknowledgement = try peer.answer(#"{"epoch":"e","acknowledged":7}"#)
            request.yield(
                "\(acknowledgement?.method ?? "") \(acknowledgement?.params.subscription ?? "") "
                    + "\(acknowledgement?.params.sequence ?? 0)")
            let end = try peer.request()
            request.yield("\(end?.method ?? "") \(end?.params.subscription ?? "")")
            request.finish()
            try peer.answerAll()
        } _: { client in
            let taps = try await client.observeRecordedTaps(after: .sequence(6))
            for try await tap in taps {
                try await taps.acknowledge(tap)
                taps.stop()
            }
            #expect(await requests.all == ["taps.acknowledge taps-1 7", "taps.unsubscribe taps-1"])
        }
    }

    @Test func `a program that does not read 4 MiB of taps falls behind, and the subscription is ended`() async throws {
        let (requests, request) = AsyncStream<String>.makeStream()
        try await FakeDaemon.run { peer in
            peer.send(Self.answer(try peer.request()?.id))
            for number in 1...5 { peer.notify("taps.didRecord", Self.tap(number, padding: 1_000_000)) }
            request.yield(try peer.request()?.method ?? "")
            request.finish()
            try peer.answerAll()
        } _: { client in
            let taps = try await client.observeRecordedTaps()
            #expect(await requests.all == ["taps.unsubscribe"])
            #expect(await Self.all(taps) == ["1", "2", "3", "4", "the program did not read its events"])
        }
    }
}
