import NFCTypes
import Testing

@testable import NFCClient

@Suite(.timeLimit(.minutes(20)))
struct ReaderSessionTests {
    /// The events in words.
    private static func words(_ event: ReaderSession.Event) -> String {
        switch event {
        case .didBecomeActive: "active"
        case .didDetectNDEFs(let detection): "messages \(detection.messages.count)"
        case .didDetectTags(let tags): "tags \(tags.map(\.id).joined(separator: ","))"
        case .tagRemoved(let tag): "removed \(tag)"
        case .tagFailed(let failure): "failed \(failure.code)"
        case .tagIgnored(let event): "ignored on \(event.reader)"
        case .didInvalidate(let end): "over \(end.code.rawValue) \(end.detail)"
        }
    }

    private static func all(_ session: ReaderSession) async -> [String] {
        var words: [String] = []
        for await event in session.events { words.append(Self.words(event)) }
        return words
    }

    @Test func `every kind of event is delivered in order, and nothing after the end`() async throws {
        try await FakeDaemon.run { peer in
            try peer.answer(#"{"session":"s"}"#)
            peer.notify("session.didBecomeActive", #"{"session":"s"}"#)
            peer.notify(
                "session.tagFailed",
                #"{"session":"s","reader":"r","code":102,"name":"TagResponseError","detail":"mute"}"#)
            peer.notify(
                "session.didDetectNDEFs",
                #"{"session":"s","reader":"r","readerName":"R","tag":"t0","type":"miFare","identifier":"","messages":[]}"#
            )
            peer.notify("session.tagIgnored", #"{"session":"s","reader":"r"}"#)
            peer.detect("t1", in: "s")
            peer.notify("session.tagRemoved", #"{"session":"s","tag":"t1"}"#)
            peer.invalidate("s", 201)
            peer.detect("t2", in: "s")
            try peer.answerAll()
        } _: { client in
            let session = try await client.beginSession(.init(kind: .tag))
            #expect(session.id == "s")
            let expected = [
                "active", "failed 102", "messages 0", "ignored on r", "tags t1", "removed t1", "over 201 detail",
            ]
            #expect(await Self.all(session) == expected)
            #expect(await Self.all(session).isEmpty)
        }
    }

    @Test func `two sessions of a connection get their own events`() async throws {
        try await FakeDaemon.run { peer in
            try peer.answer(#"{"session":"one"}"#)
            try peer.answer(#"{"session":"two"}"#)
            for (tag, session) in [("a", "two"), ("b", "one"), ("c", "unknown"), ("d", "two")] {
                peer.detect(tag, in: session)
            }
            peer.invalidate("one")
            peer.detect("e", in: "two")
            peer.invalidate("two", 204)
            try peer.answerAll()
        } _: { client in
            let one = try await client.beginSession(.init(kind: .tag))
            let two = try await client.beginSession(.init(kind: .tag))
            #expect(await Self.all(two) == ["tags a", "tags d", "tags e", "over 204 detail"])
            #expect(await Self.all(one) == ["tags b", "over 200 detail"])
        }
    }

    @Test func `events that arrive before the session's name are kept`() async throws {
        try await FakeDaemon.run { peer in
            let id = try peer.request()?.id ?? 0
            peer.notify("session.didBecomeActive", #"{"session":"s"}"#)
            peer.invalidate("s", 203)
            peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"session":"s"}}"#)
            try peer.answerAll()
        } _: { client in
            let session = try await client.beginSession(.init(kind: .tag))
            #expect(await Self.all(session) == ["active", "over 203 detail"])
        }
    }

    @Test func `a session ends with 202 where the connection is lost`() async throws {
        try await FakeDaemon.run { peer in
            try peer.answer(#"{"session":"s"}"#)
            peer.notify("session.didBecomeActive", #"{"session":"s"}"#)
        } _: { client in
            let session = try await client.beginSession(.init(kind: .tag))
            #expect(await Self.all(session) == ["active", "over 202 the connection to nfcd ended"])
        }
    }

    @Test func `the reason of the end has CoreNFC's code, name and text`() async throws {
        try await FakeDaemon.run {
            try $0.answer(#"{"session":"s"}"#)
        } _: { client in
            let session = try await client.beginSession(.init(kind: .tag))
            let error = try await #require(throws: NFCClientError.self) { try await session.nextTags() }
            guard case .sessionEnded(let end) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(end.code == .sessionTerminatedUnexpectedly && end.name == "SessionTerminatedUnexpectedly")
            #expect(end.message == NFCErrorCode.sessionTerminatedUnexpectedly.text)
            #expect(error.nfcCode == end.code && error.detail == "the connection to nfcd ended")
        }
    }

    @Test func `a session is invalidated where its closure ends, also by an error`() async throws {
        struct Failure: Error {}
        let (methods, note) = AsyncStream<String>.makeStream()
        try await FakeDaemon.run { peer in
            while let request = try peer.answer(#"{"session":"s"}"#) {
                note.yield("\(request.method) \(request.params.session ?? "")")
            }
            note.finish()
        } _: { client in
            let session = try await client.withSession(.init(kind: .tag)) { $0.id }
            #expect(session == "s")
            await #expect(throws: Failure.self) {
                try await client.withSession(.init(kind: .tag)) { _ in throw Failure() }
            }
        }
        let expected = ["session.begin ", "session.invalidate s", "session.begin ", "session.invalidate s"]
        #expect(await methods.all == expected)
    }

    @Test func `cancellation ends the iteration and then the session`() async throws {
        let (methods, note) = AsyncStream<String>.makeStream()
        try await FakeDaemon.run { peer in
            while let request = try peer.answer(#"{"session":"s"}"#) { note.yield(request.method) }
            note.finish()
        } _: { client in
            let (started, start) = AsyncStream<Void>.makeStream()
            let task = Task {
                try await client.withSession(.init(kind: .tag)) { session in
                    start.finish()
                    return await Self.all(session)
                }
            }
            for await _ in started {}
            task.cancel()
            let words = try await task.value
            #expect(words.isEmpty)
        }
        #expect(await methods.all == ["session.begin", "session.invalidate"])
    }

    @Test func `another task continues with the events of a cancelled one`() async throws {
        try await FakeDaemon.run { peer in
            try peer.answer(#"{"session":"s"}"#)
            // The text is the signal of the test to continue.
            try peer.answer()
            peer.detect("t", in: "s")
            try peer.answerAll()
        } _: { client in
            let session = try await client.beginSession(.init(kind: .tag))
            let task = Task { try await session.nextTags() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await session.setAlertMessage("continue")
            #expect(try await session.nextTags().map(\.id) == ["t"])
        }
    }

    @Test func `a session that begins after its task was cancelled is invalidated`() async throws {
        let (methods, note) = AsyncStream<String>.makeStream()
        let (asked, ask) = AsyncStream<Void>.makeStream()
        try await FakeDaemon.run { peer in
            let id = try peer.request()?.id ?? 0
            ask.finish()
            // Taken back, and begun all the same.
            let cancellation = try peer.request()
            note.yield("\(cancellation?.method ?? "") \(cancellation?.params.id == id)")
            peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"session":"late"}}"#)
            let end = try peer.request()
            note.yield("\(end?.method ?? "") \(end?.params.session ?? "")")
            note.finish()
        } _: { client in
            let task = Task { try await client.beginSession(.init(kind: .tag)) }
            for await _ in asked {}
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(
                await methods.all
                    == ["$/cancelRequest true", "session.invalidate late"])
        }
    }

    @Test func `invalidating a session that is over is not an error`() async throws {
        try await FakeDaemon.run { peer in
            try peer.answer(#"{"session":"s"}"#)
            let id = try peer.request()?.id ?? 0
            peer.send(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":103,"message":"Session invalidated"}}"#)
            try peer.answerAll()
        } _: { client in
            try await client.beginSession(.init(kind: .tag)).invalidate()
        }
    }

    @Test func `a session whose events are not read ends with 202, and the daemon is notified`() async throws {
        let (ended, end) = AsyncStream<String>.makeStream()
        let line = String(repeating: "x", count: 900_000)
        try await FakeDaemon.run { peer in
            try peer.answer(#"{"session":"s"}"#)
            for _ in 0..<6 {
                peer.notify(
                    "session.tagFailed",
                    #"{"session":"s","reader":"\#(line)","code":102,"name":"N","detail":"d"}"#)
            }
            let request = try peer.request()
            end.yield("\(request?.method ?? "") \(request?.params.session ?? "")")
            end.finish()
            try peer.answerAll()
        } _: { client in
            let session = try await client.beginSession(.init(kind: .tag))
            #expect(await ended.all == ["session.invalidate s"])
            let words = await Self.all(session)
            #expect(words.count < 6 && words.last == "over 202 the program did not read its events")
            // The connection continues.
            try await session.setAlertMessage("still here")
        }
    }
}
