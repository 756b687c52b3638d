import LocalSocket
import NFCReaders
import NFCServer
import NFCSessions
import NFCTypes
import TapJournal
import TestSupport
import Testing
import Threading

@testable import NFCSocketServer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Sockets beside the first one, for programs of containers.
@Suite(.timeLimit(.minutes(20))) struct `Clients of a further socket` {
    private static let readsTaps = Entitlements(capabilities: [.taps, .read], readers: .all)

    private static func count(_ list: JSON) -> Int {
        if case .array(let values) = list { values.count } else { -1 }
    }

    /// Runs a server with a first socket and two further ones, `a` and `b`.
    private func withSockets(
        _ rules: AccessRules, journal: MemoryTapStore? = nil,
        _ body: (_ path: (String?) throws -> RawClient) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        func path(_ name: String?) -> String { directory.file("\(name ?? "first").sock") }
        let further = try ["a", "b"].map { name in
            FurtherServerSocket(name, try UnixSocket.bound(to: path(name)), path: path(name))
        }
        let (listening, listens) = AsyncStream<Void>.makeStream()
        let coordinator = SessionCoordinator(
            driver: SimulatedDriver(readers: 1),
            taps: TapSettings(journal: journal.map { JournalSettings(store: $0, clock: .ofTests) }), logger: .silent)
        let server = SocketServer(
            socket: path(nil), further: further, coordinator: coordinator, access: AccessPolicy(rules),
            logger: .silent, onListening: { listens.yield() })
        let stop = StopSignal()
        try await withThrowingTaskGroup { group in
            group.addTask { try await server.run(until: stop) }
            group.addTask { await coordinator.run() }
            defer { group.cancelAll() }
            for await _ in listening { break }
            try await body { try RawClient(path: path($0)) }
            stop.give()
        }
    }

    @Test func `have the grants of that socket alone`() async throws {
        let rules = AccessRules(
            grants: [.byDefault, Grant(to: .everyone, on: "a", Self.readsTaps)], superusers: [geteuid()])
        try await withSockets(rules) { client in
            for (name, capabilities) in [(nil, 10...20), ("a", 2...2), ("b", 0...0)] as [(String?, ClosedRange<Int>)] {
                let info = try await client(name).call("server.info")["result"]["entitlements"]
                #expect(capabilities.contains(Self.count(info["capabilities"])), "\(name ?? "first"): \(info)")
            }
        }
    }

    @Test func `have other consumers of the journal than users and other sockets have`() async throws {
        let store = MemoryTapStore()
        let rules = AccessRules(
            grants: ["a", "b"].map { Grant(to: .everyone, on: $0, Self.readsTaps) }, superusers: [geteuid()])
        try await withSockets(rules, journal: store) { client in
            for name in [nil, "a", "b", "a"] {
                let answer = try await client(name).call("taps.subscribe", #"{"consumer":"door"}"#)
                #expect(answer["error"] == nil, "\(answer)")
            }
            let consumers = await store.status().consumers.map { "\($0.name) \($0.owner)" }.sorted()
            #expect(consumers == ["door \(geteuid())", "socket:a/door 4294967295", "socket:b/door 4294967295"])
            _ = try await client("a").call("taps.removeConsumer", #"{"consumer":"door"}"#)
            #expect(await store.status().consumers.map(\.name).sorted() == ["door", "socket:b/door"])
        }
    }

    @Test func `see the sessions of their socket alone`() async throws {
        let tags = Entitlements(formats: [.ndef], capabilities: [.read], readers: .all)
        let rules = AccessRules(grants: ["a", "b"].map { Grant(to: .everyone, on: $0, tags) }, superusers: [])
        try await withSockets(rules) { client in
            let owner = try client("a")
            #expect(try await owner.call("session.begin", #"{"kind":"ndef"}"#)["error"] == nil)
            #expect(try await owner.json()["method"] == "session.didBecomeActive")
            for (name, count) in [("a", 1), ("b", 0), (nil, 0)] as [(String?, Int)] {
                let list = try await client(name).call("sessions.list")["result"]
                #expect(Self.count(list) == count, "\(name ?? "first"): \(list)")
            }
            withExtendedLifetime(owner) {}
        }
    }

    @Test(arguments: [0, 1000, 4_294_967_294] as [UInt32])
    func `share the connections of one user, and have no reserve`(user: UInt32) throws {
        let admissions = Admissions(perUser: 8, total: 64, services: [1000])
        let taken = (0..<20).compactMap { number in
            try? admissions.admit(PeerCredentials(userID: user &+ UInt32(number), socket: "a"))
        }
        #expect(taken.count == 8)
        #expect(throws: Admissions.Refusal.user(.socket("a"), limit: 8)) {
            try admissions.admit(PeerCredentials(userID: user, socket: "a"))
        }
        let others = [
            try admissions.admit(PeerCredentials(userID: user)),
            try admissions.admit(PeerCredentials(userID: user, socket: "b")),
        ]
        withExtendedLifetime((taken, others)) {}
    }

    @Test(arguments: [
        (PeerCredentials(userID: 7), PeerCredentials(userID: 7), true),
        (PeerCredentials(userID: 7), PeerCredentials(userID: 8), false),
        (PeerCredentials(userID: 7), PeerCredentials(userID: 7, socket: "a"), false),
        (PeerCredentials(userID: 7, socket: "a"), PeerCredentials(userID: 8, socket: "a"), true),
        (PeerCredentials(userID: 7, socket: "a"), PeerCredentials(userID: 7, socket: "b"), false),
    ])
    func `are one user among themselves`(one: PeerCredentials, other: PeerCredentials, isSame: Bool) {
        #expect(one.isSameUser(as: other) == isSame && other.isSameUser(as: one) == isSame)
        #expect([one, other].allSatisfy { $0.socket == nil || !$0.isPrivileged })
    }
}
