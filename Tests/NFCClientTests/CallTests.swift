import NFCTypes
import Testing

@testable import NFCClient

@Suite(.timeLimit(.minutes(20)))
struct CallTests {
    /// Whether a call fails because the connection has ended.
    private static func isLost(_ client: NFCClient) async -> Bool {
        do {
            _ = try await client.call(ServerInfo.self)
            return false
        } catch NFCClientError.connectionLost {
            return true
        } catch {
            return false
        }
    }

    @Test func `calls in flight end with the connection, later ones at once`() async throws {
        try await FakeDaemon.run { peer in
            for _ in 0..<3 { _ = try peer.request() }
        } _: { client in
            await withTaskGroup { group in
                for _ in 0..<3 { group.addTask { #expect(await Self.isLost(client)) } }
            }
            #expect(await Self.isLost(client))
        }
    }

    @Test func `the end of the connection can be waited for`() async throws {
        try await FakeDaemon.run {
            try $0.answer()
        } _: { client in
            let waiting = Task { try await client.waitForEnd() }
            let cancelled = Task { try await client.waitForEnd() }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            _ = try await client.call(SessionInvalidate.self, .init(session: "s"))
            for reason in [try await waiting.value, try await client.waitForEnd()] {
                guard case .connectionLost = reason else {
                    Issue.record("\(reason)")
                    continue
                }
            }
        }
    }

    @Test func `answers are matched by their ids, in any order`() async throws {
        let sessions = try await FakeDaemon.run { peer in
            var ids: [Int64] = []
            while ids.count < 3, let id = try peer.request()?.id { ids.append(id) }
            for id in ids.reversed() {
                peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"session":"session-\#(id)"}}"#)
            }
            try peer.answerAll()
        } _: { client in
            async let one = client.call(SessionBegin.self, .init(kind: .ndef)).session
            async let two = client.call(SessionBegin.self, .init(kind: .ndef)).session
            async let three = client.call(SessionBegin.self, .init(kind: .ndef)).session
            return try await [one, two, three]
        }
        #expect(sessions.sorted() == ["session-1", "session-2", "session-3"])
    }

    @Test func `additions of a later daemon are ignored`() async throws {
        try await FakeDaemon.run { peer in
            let id = try peer.request()?.id ?? 0
            for line in [
                "", "nonsense", "[]", "{}", #"{"jsonrpc":"2.0","method":"tea.isReady","params":{"cups":2}}"#,
                #"{"jsonrpc":"2.0","method":"session.didBecomeActive","params":{"session":7}}"#,
                #"{"jsonrpc":"2.0","id":99,"result":{}}"#, #"{"jsonrpc":"2.0","id":"a","result":{}}"#,
                #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#,
                #"{"jsonrpc":"2.0","method":"session.didBecomeActive","params":{"session":"s","later":1}}"#,
                #"{"jsonrpc":"2.0","id":\#(id),"result":{"session":"s","later":1},"later":[]}"#,
            ] { peer.send(line) }
        } _: { client in
            let session = try await client.beginSession(.init(kind: .ndef))
            #expect(session.id == "s")
            var events: [ReaderSession.Event] = []
            for await event in session.events { events.append(event) }
            // Active, and the end of the connection.
            #expect(events.count == 2)
        }
    }

    @Test(arguments: [#""result":{"session":7}"#, #""result":null"#, #""later":1"#, #""error":7"#])
    func `an invalid answer is reported with the method`(body: String) async throws {
        try await FakeDaemon.run { peer in
            let id = try peer.request()?.id ?? 0
            peer.send(#"{"jsonrpc":"2.0","id":\#(id),\#(body)}"#)
            try peer.answerAll()
        } _: { client in
            let error = try await #require(throws: NFCClientError.self) {
                try await client.call(SessionBegin.self, .init(kind: .ndef))
            }
            guard case .protocolViolation(let what) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(what.hasPrefix("session.begin: "))
        }
    }
}
