import NDEF
import NFCClient
import NFCProtocol
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct ClientTests {
    private static let uri = HexBytes([0xD1, 1, 5, 0x55, 4] + Array("a.bc".utf8))

    private func unexpected(_ what: String, sourceLocation: SourceLocation = #_sourceLocation) {
        Issue.record(Comment(rawValue: what), sourceLocation: sourceLocation)
    }

    /// Whether a call ends because the connection does.
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

    /// What went wrong.
    private func failure(_ body: () async throws -> Void) async throws -> NFCClientError {
        try await #require(throws: NFCClientError.self) { try await body() }
    }

    @Test func `a call gives the result`() async throws {
        try await withServer { server in
            let (info, readers) = try await NFCClient.withConnection(to: server.path) { client in
                (try await client.call(ServerInfo.self), try await client.call(ReadersList.self))
            }
            #expect(info.name == "nfcd" && info.version == NFCDVersion.release)
            #expect(readers.map(\.reader) == ["simulated-0", "simulated-1"])
        }
    }

    @Test func `calls made together each get their own answer`() async throws {
        try await withServer { server in
            try await NFCClient.withConnection(to: server.path) { client in
                try await withThrowingTaskGroup { group in
                    for number in 0..<50 {
                        group.addTask {
                            let error = try await #require(throws: NFCClientError.self) {
                                try await client.call(SessionInvalidate.self, .init(session: "none-\(number)"))
                            }
                            #expect("\(error)".contains("session none-\(number) is over"))
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test func `what the daemon refuses is thrown as it was said`() async throws {
        try await withServer { server in
            let error = try await failure {
                _ = try await NFCClient.withConnection(to: server.path) { client in
                    try await client.call(SessionBegin.self, .init(kind: .ndef, timeout: -1))
                }
            }
            guard case .refused(let refusal) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(refusal.code == -32602 && refusal.data?.path == "params.timeout")
        }
    }

    @Test func `events come in their order`() async throws {
        try await withServer { server in
            try await NFCClient.withConnection(to: server.path) { client in
                var events = client.events.makeAsyncIterator()
                let session = try await client.call(SessionBegin.self, .init(kind: .ndef)).session
                guard case .didBecomeActive(let active)? = await events.next() else { return unexpected("not active") }
                #expect(active.session == session)

                let tag = try await client.call(SimulatorPresent.self, .init(model: "ntag215", ndef: Self.uri))
                guard case .didDetectNDEFs(let found)? = await events.next() else { return unexpected("no tag") }
                #expect(found.session == session && found.identifier == tag.identifier && found.reader == tag.reader)
                #expect(found.messages == [NDEFMessage(records: [try .uri("https://a.bc")])])

                _ = try await client.call(SimulatorRemove.self, .init(presentation: tag.presentation))
                guard case .tagRemoved(let left)? = await events.next() else { return unexpected("not removed") }
                #expect(left == SessionTagRemoved(session: session, tag: found.tag))

                _ = try await client.call(SessionInvalidate.self, .init(session: session, errorMessage: "enough"))
                guard case .didInvalidate(let end)? = await events.next() else { return unexpected("not over") }
                #expect(end.session == session && end.code == 200 && end.detail == "enough")
            }
        }
    }

    @Test func `the connection ends with the closure`() async throws {
        try await withServer { server in
            let client = try await NFCClient.withConnection(to: server.path) { client in
                _ = try await client.call(SessionBegin.self, .init(kind: .ndef))
                return client
            }
            let error = try await failure { _ = try await client.call(ServerInfo.self) }
            guard case .connectionLost = error else { return unexpected("\(error)") }
            let next = try server.client()
            _ = try await next.call("session.begin", #"{"kind":"ndef","whenBusy":"queue"}"#)
            #expect(try await next.json()["method"] == "session.didBecomeActive")
        }
    }

    @Test func `without a daemon there is no connection`() async throws {
        let directory = try TemporaryDirectory()
        let stale = directory.file("stale.sock")
        withExtendedLifetime(OpenSocket(try UnixSocket.bound(to: stale, listening: false))) {}
        for path in [directory.file("missing.sock"), directory.file("missing/nfcd.sock"), stale] {
            let error = try await failure { try await NFCClient.withConnection(to: path) { _ in } }
            guard case .noDaemon(path) = error else {
                Issue.record("\(path): \(error)")
                continue
            }
            #expect("\(error)" == "no nfcd listens on \(path)")
        }
    }

    @Test func `another reason is told in words`() async throws {
        let long = String(repeating: "s", count: 500)
        let error = try await failure { try await NFCClient.withConnection(to: long) { _ in } }
        guard case .connectionFailed(long, _) = error else { return unexpected("\(error)") }
    }

    @Test func `calls in flight end with the connection, and so do the events`() async throws {
        let daemon = try FakeDaemon()
        daemon.serve { peer in for _ in 0..<3 { _ = try peer.request() } }
        try await NFCClient.withConnection(to: daemon.path) { client in
            await withTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask {
                        #expect(await Self.isLost(client))
                    }
                }
            }
            for await event in client.events { Issue.record("\(event)") }
            #expect(await Self.isLost(client))
        }
    }

    @Test func `when the server ends, its clients are told`() async throws {
        try await withThrowingTaskGroup { group in
            let (connected, connects) = AsyncStream<String>.makeStream()
            group.addTask {
                try await withServer { server in
                    let (gone, goes) = AsyncStream<Void>.makeStream()
                    let client = Task {
                        try await NFCClient.withConnection(to: server.path) { client in
                            _ = try await client.call(ServerInfo.self)
                            goes.finish()
                            for await _ in client.events {}
                            connects.yield("ended")
                        }
                    }
                    for await _ in gone {}
                    _ = client
                }
            }
            for await word in connected {
                #expect(word == "ended")
                break
            }
            try await group.waitForAll()
        }
    }

    @Test func `answers are told apart by their ids, whatever their order`() async throws {
        let daemon = try FakeDaemon()
        daemon.serve { peer in
            var ids: [Int] = []
            while ids.count < 3, let id = try peer.request() { ids.append(id) }
            for id in ids.reversed() {
                peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"session":"session-\#(id)"}}"#)
            }
            _ = try peer.request()
        }
        let sessions = try await NFCClient.withConnection(to: daemon.path) { client in
            async let one = client.call(SessionBegin.self, .init(kind: .ndef)).session
            async let two = client.call(SessionBegin.self, .init(kind: .ndef)).session
            async let three = client.call(SessionBegin.self, .init(kind: .ndef)).session
            return try await [one, two, three]
        }
        #expect(sessions.sorted() == ["session-1", "session-2", "session-3"])
    }

    @Test func `what a later daemon adds is passed over`() async throws {
        let daemon = try FakeDaemon()
        daemon.serve { peer in
            let id = try peer.request() ?? 0
            for line in [
                "", "nonsense", "[]", "{}", #"{"jsonrpc":"2.0","method":"tea.isReady","params":{"cups":2}}"#,
                #"{"jsonrpc":"2.0","method":"session.didBecomeActive","params":{"session":7}}"#,
                #"{"jsonrpc":"2.0","id":99,"result":{}}"#, #"{"jsonrpc":"2.0","id":"a","result":{}}"#,
                #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#,
                #"{"jsonrpc":"2.0","method":"session.didBecomeActive","params":{"session":"s","later":1}}"#,
                #"{"jsonrpc":"2.0","id":\#(id),"result":{"session":"s","later":1},"later":[]}"#,
            ] { peer.send(line) }
        }
        try await NFCClient.withConnection(to: daemon.path) { client in
            let session = try await client.call(SessionBegin.self, .init(kind: .ndef)).session
            #expect(session == "s")
            var events: [ServerEvent] = []
            for await event in client.events { events.append(event) }
            #expect(events.count == 1)
        }
    }

    @Test(arguments: [#""result":{"session":7}"#, #""result":null"#, #""later":1"#, #""error":7"#])
    func `an answer that is none is reported with the method`(body: String) async throws {
        let daemon = try FakeDaemon()
        daemon.serve { peer in
            let id = try peer.request() ?? 0
            peer.send(#"{"jsonrpc":"2.0","id":\#(id),\#(body)}"#)
            _ = try peer.request()
        }
        let error = try await failure {
            _ = try await NFCClient.withConnection(to: daemon.path) {
                try await $0.call(SessionBegin.self, .init(kind: .ndef))
            }
        }
        guard case .protocolViolation(let what) = error else { return unexpected("\(error)") }
        #expect(what.hasPrefix("session.begin: "))
    }
}
