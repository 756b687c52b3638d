import LocalSocket
import NFCTypes
import Testing

@testable import NFCServer
@testable import NFCSocketServer

/// What a client may use of the daemon, over the socket.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct BackpressureTests {
    private func request(_ id: Int, _ method: String = "simulator.list") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"}"#
    }
    private func answer(_ id: Int) -> String { #"{"id":\#(id),"jsonrpc":"2.0","result":[]}"# }

    /// The bytes that are queued for the client with the most.
    private func queued(_ client: RawClient) async throws -> Int {
        let text = try #require(try await client.call("server.metrics")["result"]["text"].text)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("nfcd_outbound_bytes_largest ") })
        return try #require(Int(line.drop { $0 != " " }.dropFirst()))
    }

    @Test func `all requests that were sent before any answer was read are answered in order`() async throws {
        var limits = ServerLimits()
        limits.lineTime = .seconds(600)
        try await withServer(limits: limits) { server in
            let (client, other) = (try server.client(reads: false), try server.client())
            let count = 5_000
            let requests = (0..<count).map { request($0, "server.info") }.joined(separator: "\n") + "\n"
            client.post(bytes: Array(requests.utf8))
            while try await queued(other) < Budgets.mark {}
            #expect(try await queued(other) < 2 * Budgets.mark)
            client.startReading()
            for id in 0..<count { try #require(try await client.line().hasPrefix(#"{"id":\#(id),"#)) }
        }
    }

    @Test func `a client that does not read its notifications is disconnected, and others continue`() async throws {
        var limits = ServerLimits()
        limits.outboundBytes = 65_536
        try await withServer(limits: limits) { server in
            let (client, other) = (try server.client(reads: false), try server.client())
            await client.send(request(1, "events.subscribe"))
            let begin = #"{"kind":"ndef","whenBusy":"queue"}"#
            var isConnected = true
            while isConnected {
                let session = try await other.call("session.begin", begin)["result"]["session"].text ?? ""
                #expect(try await other.json()["method"] == "session.didBecomeActive")
                await other.send(
                    #"{"jsonrpc":"2.0","method":"session.invalidate","params":{"session":"\#(session)"}}"#)
                #expect(try await other.json()["method"] == "session.didInvalidate")
                let text = try #require(try await other.call("server.metrics")["result"]["text"].text)
                isConnected = text.contains("\nnfcd_clients 2\n")
            }
            #expect(try await other.ask(request(2)) == answer(2))
        }
    }

    @Test func `a long line that is not completed in time is answered with an error and ends the connection`()
        async throws
    {
        var limits = ServerLimits()
        limits.lineTime = .milliseconds(50)
        try await withServer(limits: limits) { server in
            let (slow, other) = (try server.client(), try server.client())
            await other.send(bytes: Array("{".utf8))
            await slow.send(bytes: Array(String(repeating: " ", count: 20_000).utf8))
            let error = try await slow.json()
            #expect(error["id"] == nil && error["error"]["code"] == -32600)
            #expect(error["error"]["message"].text?.contains("16384 bytes") == true)
            #expect(await slow.next() == nil)
            // A line within the share of a connection may take its time.
            #expect(try await other.ask(String(request(3).dropFirst())) == answer(3))
        }
    }

    @Test func `unfinished lines that fill the pool of a user do not keep others of that user from working`()
        async throws
    {
        var limits = ServerLimits()
        limits.bytesPerUser = 262_144
        try await withServer(limits: limits) { server in
            let part = [UInt8](repeating: UInt8(ascii: " "), count: 200_000)
            let greedy = try (0..<8).map { _ in try server.client() }
            for client in greedy { client.post(bytes: part) }
            let client = try server.client()
            let blanks = String(repeating: " ", count: 10_000)
            for id in 0..<100 { #expect(try await client.ask(blanks + request(id)) == answer(id)) }
            for client in greedy { client.disconnect() }
        }
    }

    @Test func `a client over the limit of its user gets an error that names the key, and is disconnected`()
        async throws
    {
        var limits = ServerLimits()
        limits.connectionsPerUser = 3
        try await withServer(limits: limits) { server in
            var clients = try (0..<3).map { _ in try server.client() }
            for client in clients { _ = try await client.call("simulator.list") }
            let refused = try server.client()
            let error = try await refused.json()
            #expect(error["id"] == nil && error["error"]["code"] == 203)
            #expect(error["error"]["data"]["detail"].text?.contains("server.connections-per-user") == true)
            #expect(await refused.next() == nil)
            #expect(try await clients[0].ask(request(1)) == answer(1))
            clients.removeLast().disconnect()
            // The place is free as soon as the daemon has noticed the end of the connection.
            var next = try server.client()
            await next.send(request(2))
            while try await next.line() != answer(2) {
                next = try server.client()
                await next.send(request(2))
            }
        }
    }

    /// Users who take as many connections as they get, one user after the other or all at the same time, and how many a user who comes
    /// then gets at least.
    @Test(
        arguments: [
            (1, 256, 192), (2, 256, 16), (4, 256, 16), (4, 10_000, 16), (10, 256, 16), (20, 256, 4), (22, 256, 4),
            (64, 256, 1), (200, 256, 1), (240, 256, 1), (240, 1, 200), (64, 9, 16),
        ], [false, true])
    func `whatever others take, a further user gets connections`(
        greedy: (users: Int, each: Int, least: Int), atOnce: Bool
    ) throws {
        let admissions = Admissions(perUser: 256, total: 1024, services: [900, 901])
        var taken: [UInt32: [Admission]] = [:]
        let (users, tries) = (0..<UInt32(greedy.users), 0..<min(greedy.each, 300))
        for first in atOnce ? Array(tries) : Array(users.map(Int.init)) {
            for second in atOnce ? Array(users.map(Int.init)) : Array(tries) {
                let user = UInt32(atOnce ? second : first)
                guard let admission = try? admissions.admit(PeerCredentials(userID: 70_000 + user)) else { continue }
                taken[user, default: []].append(admission)
            }
        }
        #expect(taken.count == greedy.users, "each of them got some")
        func late(_ user: UInt32, _ count: Int) -> [Admission] {
            (0..<count).compactMap { _ in try? admissions.admit(PeerCredentials(userID: user)) }
        }
        let (newcomer, services, root) = (late(80_000, greedy.least), [late(900, 16), late(901, 16)], late(0, 64))
        #expect(newcomer.count == greedy.least && services.allSatisfy { $0.count == 16 } && root.count == 64)
        withExtendedLifetime((taken, newcomer, services, root)) {}
    }

    @Test func `users who take all connections leave half of the reserve to root and half to services`() throws {
        let admissions = Admissions(perUser: 256, total: 1024, services: [900, 901, 902, 903, 904])
        func taken(by user: UInt32) -> [Admission] {
            (0..<300).compactMap { _ in try? admissions.admit(PeerCredentials(userID: user)) }
        }
        let users = (70_000..<70_400).map(taken)
        #expect(users.reduce(0) { $0 + $1.count } == 896)
        #expect(throws: Admissions.Refusal.total(limit: 896)) {
            try admissions.admit(PeerCredentials(userID: 80_000))
        }
        let services = (900...904).map(taken)
        #expect(services.map(\.count) == [16, 16, 16, 16, 0])
        let root = taken(by: 0)
        #expect(root.count == 64)
        // What a user gives back is for those with few.
        withExtendedLifetime((users, services, root)) {}
    }

    @Test func `a connection that is given back is for a user with fewer`() throws {
        let admissions = Admissions(perUser: 256, total: 1024)
        var taken: [[Admission]] = (70_000..<70_400).map { user in
            (0..<256).compactMap { _ in try? admissions.admit(PeerCredentials(userID: user)) }
        }
        taken[0].removeLast(10)
        #expect(throws: Admissions.Refusal.share(70_000, count: 246)) {
            try admissions.admit(PeerCredentials(userID: 70_000))
        }
        let late = (80_000..<80_020).compactMap { try? admissions.admit(PeerCredentials(userID: $0)) }
        #expect(late.count == 10)
        withExtendedLifetime((taken, late)) {}
    }

    @Test func `the subordinate users of a user count as that user`() throws {
        let admissions = Admissions(perUser: 256, total: 1024)
        let users = SubordinateUsers("ann:100000:65536\n", userID: { $0 == "ann" ? 1000 : nil })
        var taken: [Admission] = []
        for user in [1000] + (100_000..<100_400) as [UInt32] {
            let account = users.account(of: user) { $0 == 0 }
            if let admission = try? admissions.admit(PeerCredentials(userID: user, account: account)) {
                taken.append(admission)
            }
        }
        #expect(taken.count == 256)
        #expect(throws: Admissions.Refusal.user(1000, limit: 256)) {
            try admissions.admit(PeerCredentials(userID: 1000))
        }
    }

    /// The file, a user, and the user that limits count it for.
    @Test(
        arguments: [
            ("ann:100000:65536", 100_000, 1000), ("ann:100000:65536", 165_535, 1000),
            ("ann:100000:65536", 165_536, 165_536),
            ("ann:100000:65536", 1000, 1000), ("1000:5000:10", 5009, 1000), ("bob:100000:65536", 100_000, 100_000),
            ("root:100000:65536", 100_007, 100_000), ("997:100000:65536", 100_007, 100_000), ("ann:0:65536", 0, 0),
            ("ann:0:65536", 33, 1000), ("", 7, 7), ("ann:100000", 100_000, 100_000), ("ann:-1:5", 1, 1),
            ("ann:4294967295:1", 4_294_967_295, 1000), ("ann:4294967295:2", 4_294_967_295, 4_294_967_295),
            ("ann:100000:0", 100_000, 100_000), ("x\n\nann:100000:65536\n", 100_001, 1000),
            ("x:1:1\r\nann:100000:65536\r\n", 100_001, 1000),
        ] as [(String, UInt32, UInt32)])
    func `ranges of subordinate users are read as subuid(5) describes`(text: String, user: UInt32, account: UInt32) {
        let users = SubordinateUsers(text) { $0 == "ann" ? 1000 : $0 == "root" ? 0 : nil }
        #expect(users.account(of: user) { $0 == 0 || $0 == 997 } == account)
    }

    @Test func `an eighth of all connections is for privileged users`() throws {
        let admissions = Admissions(perUser: 100, total: 16)
        func credentials(_ user: UInt32) -> PeerCredentials { PeerCredentials(userID: user) }
        let ordinary = try (0..<14).map { try admissions.admit(credentials(70_000 + $0)) }
        #expect(throws: Admissions.Refusal.total(limit: 14)) { try admissions.admit(credentials(70_020)) }
        let privileged = try (0..<2).map { _ in try admissions.admit(credentials(0)) }
        #expect(throws: Admissions.Refusal.total(limit: 16)) { try admissions.admit(credentials(0)) }
        withExtendedLifetime((ordinary, privileged)) {}
    }
}
