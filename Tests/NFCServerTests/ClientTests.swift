import NDEF
import NFCClient
import NFCProtocol
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(20)))
struct ClientTests {
    private static let uri = HexBytes([0xD1, 1, 5, 0x55, 4] + Array("a.bc".utf8))

    private func unexpected(_ what: String, sourceLocation: SourceLocation = #_sourceLocation) {
        Issue.record(Comment(rawValue: what), sourceLocation: sourceLocation)
    }

    /// The error of a call that has to fail.
    private func failure(_ body: () async throws -> Void) async throws -> NFCClientError {
        try await #require(throws: NFCClientError.self) { try await body() }
    }

    @Test func `a call returns the result`() async throws {
        try await withServer { server in
            let (info, readers) = try await NFCClient.withConnection(to: server.path) { client in
                (try await client.call(ServerInfo.self), try await client.call(ReadersList.self))
            }
            #expect(info.name == "nfcd" && info.version == NFCDVersion.release)
            #expect(readers.map(\.reader) == ["simulated-0", "simulated-1"])
        }
    }

    @Test func `concurrent calls each receive their own answer`() async throws {
        try await withServer { server in
            try await NFCClient.withConnection(to: server.path) { client in
                try await withThrowingTaskGroup { group in
                    for number in 0..<50 {
                        group.addTask {
                            let error = try await #require(throws: NFCClientError.self) {
                                try await client.call(SessionInvalidate.self, .init(session: "none-\(number)"))
                            }
                            #expect("\(error)".contains("session none-\(number) does not exist"))
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test func `an error of the daemon is thrown unchanged`() async throws {
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

    @Test func `events arrive in order`() async throws {
        try await withServer { server in
            try await NFCClient.withConnection(to: server.path) { client in
                let session = try await client.beginSession(.init(kind: .ndef))
                let events = session.events.makeAsyncIterator()
                guard case .didBecomeActive? = await events.next() else { return unexpected("not active") }

                let tag = try await client.call(SimulatorPresent.self, .init(model: "ntag215", ndef: Self.uri))
                guard case .didDetectNDEFs(let found)? = await events.next() else { return unexpected("no tag") }
                #expect(found.session == session.id && found.identifier == tag.identifier && found.reader == tag.reader)
                #expect(found.messages == [NDEFMessage(records: [try .uri("https://a.bc")])])

                _ = try await client.call(SimulatorRemove.self, .init(presentation: tag.presentation))
                guard case .tagRemoved(found.tag)? = await events.next() else { return unexpected("not removed") }

                try await session.invalidate(errorMessage: "enough")
                guard case .didInvalidate(let end)? = await events.next() else { return unexpected("not over") }
                #expect(end.code.rawValue == 200 && end.detail == "enough")
                guard case nil = await events.next() else { return unexpected("more after the end") }
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

    @Test func `another connection failure is described in words`() async throws {
        let long = String(repeating: "s", count: 500)
        let error = try await failure { try await NFCClient.withConnection(to: long) { _ in } }
        guard case .connectionFailed(long, _) = error else { return unexpected("\(error)") }
    }

    @Test func `when the server ends, calls of its clients fail`() async throws {
        try await withThrowingTaskGroup { group in
            let (connected, connects) = AsyncStream<String>.makeStream()
            group.addTask {
                try await withServer { server in
                    let (gone, goes) = AsyncStream<Void>.makeStream()
                    let client = Task {
                        try await NFCClient.withConnection(to: server.path) { client in
                            let session = try await client.beginSession(.init(kind: .ndef))
                            goes.finish()
                            for await _ in session.events {}
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

}
