import Dispatch
import Glibc
import LocalSocket
import Logging
import NFCReaders
import NFCSessions
import NIOCore
import NIOPosix
import Synchronization
import Testing
import TestSupport
import Threading

@testable import NFCServer
@testable import NFCSocketServer

@Suite(.serialized, .timeLimit(.minutes(20)))
struct ServerSocketTests {
    private func file(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    /// Runs a server until it listens on a path.
    private func serveOnce(_ path: String) async throws {
        let (listening, listens) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup { group in
            group.addTask {
                defer { listens.finish() }
                try await listen(on: path) { listens.yield() }
            }
            var listened = false
            for await _ in listening {
                listened = true
                break
            }
            if listened { group.cancelAll() }
            do {
                try await group.waitForAll()
            } catch is CancellationError where listened {}
        }
    }

    /// The error of a server that cannot listen on a path.
    private func refusal(_ path: String) async throws -> String {
        let error = try await #require(throws: (any Error).self) { try await serveOnce(path) }
        return "\(error)"
    }

    @Test func `the socket is accessible to its owner and its group`() async throws {
        try await withServer { server in
            let status = try #require(file(server.path))
            #expect(status.st_mode & S_IFMT == S_IFSOCK)
            #expect(status.st_mode & 0o7777 == 0o660)
            #expect(status.st_uid == getuid())
            if let group = getgrnam("nfc"), getuid() == 0 { #expect(status.st_gid == group.pointee.gr_gid) }
        }
    }

    @Test func `the socket is removed at the end`() async throws {
        let directory = try TemporaryDirectory()
        try await serveOnce(directory.file("a.sock"))
        #expect(file(directory.file("a.sock")) == nil)
    }

    @Test func `the directory of the socket is created`() async throws {
        let directory = try TemporaryDirectory()
        try await serveOnce(directory.file("sub/a.sock"))
        #expect(try #require(file(directory.file("sub"))).st_mode & 0o7777 & ~0o022 == 0o755)
    }

    @Test func `the error names a directory that cannot be created`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("sub/sub/a.sock")
        #expect(
            try await refusal(path)
                == "cannot create the directory \(directory.file("sub/sub")) for the socket: No such file or directory")
    }

    @Test func `a socket without a listener is replaced`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.sock")
        close(try UnixSocket.bound(to: path, listening: false))
        let before = try #require(file(path))
        #expect(before.st_mode & S_IFMT == S_IFSOCK)
        try await serveOnce(path)
        #expect(file(path) == nil)
    }

    @Test func `a socket with a listener is not replaced`() async throws {
        try await withServer { server in
            let before = try #require(file(server.path))
            let reason = try await refusal(server.path)
            #expect(reason == "another nfcd listens on \(server.path); stop it, or use --socket with another path")
            let after = try #require(file(server.path))
            #expect(after.st_ino == before.st_ino && after.st_mode == before.st_mode)
            #expect(try await server.client().call("server.info")["error"] == nil)
        }
    }

    @Test(arguments: ["file", "folder"])
    func `an existing file that is not a socket is not replaced`(kind: String) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.sock")
        if kind == "file" {
            close(open(path, O_CREAT | O_WRONLY, 0o600))
        } else {
            mkdir(path, 0o700)
        }
        let before = try #require(file(path))
        #expect(
            try await refusal(path)
                == "\(path) exists and is not a socket; remove it, or use --socket with another path")
        #expect(file(path)?.st_ino == before.st_ino)
    }

    @Test(arguments: [100, 101, 102, 103])
    func `a path may have up to 103 bytes`(length: Int) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("")
        try await serveOnce(path + String(repeating: "s", count: length - path.utf8.count))
    }

    @Test(arguments: [104, 107, 108, 109, 5000])
    func `a path of more than 103 bytes is refused`(length: Int) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("")
        let long = path + String(repeating: "s", count: length - path.utf8.count)
        #expect(try await refusal(long) == "socket path \(long) is longer than 103 bytes")
    }

    @Test func `an inherited socket is served, and not changed or removed`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.sock")
        let listener = try UnixSocket.bound(to: path)
        chmod(path, 0o600)
        // A client that connected before the server started.
        let early = try RawClient(path: path)
        let (listening, listens) = AsyncStream<Void>.makeStream()
        let coordinator = SessionCoordinator(driver: SimulatedDriver(readers: 1), logger: .silent)
        let server = SocketServer(
            socket: path, inherited: dup(listener), coordinator: coordinator, logger: .silent,
            onListening: { listens.yield() })
        try await withThrowingTaskGroup { group in
            group.addTask { try await server.run() }
            for await _ in listening { break }
            #expect(try await early.call("server.info")["error"] == nil)
            #expect(try await RawClient(path: path).call("server.info")["error"] == nil)
            group.cancelAll()
            do {
                try await group.waitForAll()
            } catch is CancellationError {}
        }
        #expect(try #require(file(path)).st_mode & 0o7777 == 0o600)
        // The process that created the socket still listens.
        close(try UnixSocket.connected(to: path))
        close(listener)
    }

    @Test func `a graceful shutdown ends the server and its connections without an error`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.sock")
        let (listening, listens) = AsyncStream<Void>.makeStream()
        let coordinator = SessionCoordinator(driver: SimulatedDriver(readers: 1), logger: .silent)
        let server = SocketServer(
            socket: path, coordinator: coordinator, logger: .silent, onListening: { listens.yield() })
        let stop = StopSignal()
        try await withThrowingTaskGroup { group in
            group.addTask { try await server.run(until: stop) }
            for await _ in listening { break }
            let client = try RawClient(path: path)
            #expect(try await client.call("server.info")["error"] == nil)
            stop.give()
            #expect(await client.next() == nil)
            try await group.waitForAll()
        }
        #expect(file(path) == nil)
    }

    @Test(arguments: [1, 2, 5])
    func `commands on a tag are answered before the end of nfcd closes the connection`(count: Int) async throws {
        let stop = StopSignal()
        try await withServer(until: stop) { server in
            let (client, card) = try await TagBench.blocked(server)
            for id in 1...count { await TagBench.send(UInt8(id), as: "\(id)", to: client) }
            await card.entered()
            // An answer shows that all of them have been received.
            #expect(try await client.call("server.info")["error"] == nil)
            stop.give()
            card.release()
            for id in 1...count { #expect(try await client.json()["id"] == .number(Double(id))) }
            #expect(await client.next() == nil)
        }
    }

    @Test func `a batch that waits for a tag is answered before the end of nfcd closes the connection`() async throws {
        let stop = StopSignal()
        try await withServer(until: stop) { server in
            let (client, card) = try await TagBench.blocked(server)
            let info = #"{"jsonrpc":"2.0","id":1,"method":"server.metrics"}"#
            let read = #"{"jsonrpc":"2.0","id":2,"method":"tag.readNDEF","params":{\#(TagBench.tag)}}"#
            await client.send("[\(info),\(read)]")
            await card.entered()
            stop.give()
            card.release()
            guard case .array(let answers) = try await client.json() else { return #expect(Bool(false), "no batch") }
            #expect(answers.map { $0["id"] } == [1, 2] && answers.allSatisfy { $0["error"] == nil })
            #expect(await client.next() == nil)
        }
    }

    @Test func `a client that does not read its answers does not delay the end of nfcd`() async throws {
        let stop = StopSignal()
        try await withServer(until: stop) { server in
            let client = try server.client(reads: false)
            for _ in 0..<50 { await client.send(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#) }
            // The other side has answered some, and waits for room.
            #expect(try await server.client().call("server.info")["error"] == nil)
            stop.give()
        }
    }
}

@Suite struct `The credentials of a peer` {
    @Test func `are those of the peer process, with all its groups`() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let peer = try PeerCredentials(socket: ends[0])
        #expect(peer.processID == getpid())
        #expect(peer.userID == geteuid())
        #expect(peer.groupIDs == Self.ownGroups)
        #expect(peer.principal == Principal(userID: geteuid(), groupIDs: Self.ownGroups))
        #expect("\(peer)" == "uid \(geteuid()), pid \(getpid())")
    }

    @Test(arguments: [-1, STDIN_FILENO]) func `cannot be read from a descriptor that is not a Unix socket`(
        descriptor: Int32
    ) {
        #expect(throws: PeerCredentials.Failure.self) { try PeerCredentials(socket: descriptor) }
    }

    private static var ownGroups: Set<UInt32> {
        var groups = [gid_t](repeating: 0, count: 65_536)
        let count = getgroups(Int32(groups.count), &groups)
        return Set(groups.prefix(Int(count))).union([getegid()])
    }
}

@Suite(.timeLimit(.minutes(20))) struct `The pulse of an event loop` {
    private final class Order: Sendable {
        let words = Mutex<[String]>([])
    }

    @Test func `answers while the loop runs, and waits while it hangs`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (pulse, loop) = (EventLoopPulse(), group.next())
        await pulse.answers()
        pulse.monitor(loop)
        await pulse.answers()

        let hang = DispatchSemaphore(value: 0)
        let order = Order()
        loop.execute {
            hang.wait()
            order.words.withLock { $0.append("continues") }
        }
        async let answer: Void = {
            await pulse.answers()
            order.words.withLock { $0.append("answers") }
        }()
        hang.signal()
        await answer
        #expect(order.words.withLock { $0 } == ["continues", "answers"])
        pulse.monitor(nil)
        try await group.shutdownGracefully()
        await pulse.answers()
    }
}
