import NFCTypes
import Testing

@testable import NFCClient

@Suite(.timeLimit(.minutes(20)))
struct HostileDaemonTests {
    @Test(arguments: [false, true]) func `a line over the limit ends the connection with a clear error`(
        isComplete: Bool
    )
        async throws
    {
        try await FakeDaemon.run { peer in
            try peer.answer(#"{"session":"s"}"#)
            _ = try peer.request()
            let line = String(repeating: "x", count: JSONLine.maximumLength + 1)
            peer.send(isComplete ? line : line + line)
            _ = try peer.request()
        } _: { client in
            let session = try await client.beginSession(.init(kind: .tag))
            for _ in 0..<2 {
                let error = try await #require(throws: NFCClientError.self) { try await client.call(ServerInfo.self) }
                guard case .protocolViolation(let what) = error else {
                    Issue.record("\(error)")
                    return
                }
                #expect(what == "a line of more than 1048576 bytes")
            }
            let error = try await #require(throws: NFCClientError.self) { try await session.nextTags() }
            #expect(error.nfcCode == .sessionTerminatedUnexpectedly && error.detail?.contains("1048576") == true)
        }
    }

    @Test func `a line of the longest length is taken`() async throws {
        try await FakeDaemon.run { peer in
            let id = try peer.request()?.id ?? 0
            let answer = #"{"jsonrpc":"2.0","id":\#(id),"result":{"session":"s"}}"#
            peer.send(answer + String(repeating: " ", count: JSONLine.maximumLength - answer.utf8.count))
            try peer.answerAll()
        } _: { client in
            let session = try await client.beginSession(.init(kind: .tag))
            #expect(session.id == "s")
        }
    }

    @Test func `the reason for which the daemon ends the connection is the error of the requests`() async throws {
        try await FakeDaemon.run { peer in
            _ = try peer.request()
            let data = #"{"domain":"NFCError","name":"SystemIsBusy","detail":"server.connections-per-user"}"#
            peer.send(#"{"jsonrpc":"2.0","id":null,"error":{"code":203,"message":"busy","data":\#(data)}}"#)
        } _: { client in
            let error = try await #require(throws: NFCClientError.self) { try await client.call(ServerInfo.self) }
            #expect(error.nfcCode == .systemIsBusy && error.detail == "server.connections-per-user")
        }
    }

    @Test func `nonsense, and the events of unknown sessions, are ignored`() async throws {
        try await FakeDaemon.run { peer in
            try peer.answer(#"{"session":"s"}"#)
            for line in [
                "", "nonsense", "[]", "{}", "7", "\u{1}", #"{"method":7}"#, #"{"id":{}}"#, #"{"id":99,"result":{}}"#,
            ] {
                peer.send(line)
            }
            peer.detect("x", in: "another")
            peer.notify("session.didDetectTags", #"{"session":"s","tags":7}"#)
            peer.notify("session.didDance", #"{"session":"s"}"#)
            peer.detect("t", in: "s")
            try peer.answerAll()
        } _: { client in
            let session = try await client.beginSession(.init(kind: .tag))
            #expect(try await session.nextTags().map(\.id) == ["t"])
        }
    }

    @Test func `events of many unknown sessions while one begins do not fill the memory`() async throws {
        try await FakeDaemon.run { peer in
            let id = try peer.request()?.id ?? 0
            for number in 0..<1_000 { peer.detect("t", in: "unknown-\(number)") }
            peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"session":"s"}}"#)
            try peer.answer()
            peer.detect("t", in: "s")
            try peer.answerAll()
        } _: { client in
            let session = try await client.beginSession(.init(kind: .tag))
            try await session.setAlertMessage("continue")
            #expect(try await session.nextTags().map(\.id) == ["t"])
        }
    }

    @Test func `a daemon that does not answer does not keep a cancelled program`() async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        try await FakeDaemon.run { peer in
            try peer.answer(#"{"session":"s"}"#)
            while let request = try peer.request() { if request.method == "server.info" { ask.finish() } }
        } _: { client in
            let task = Task {
                try await client.withSession(.init(kind: .tag)) { _ in try await client.call(ServerInfo.self).name }
            }
            for await _ in asked {}
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
