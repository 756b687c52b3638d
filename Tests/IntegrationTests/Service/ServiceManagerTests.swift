import Foundation
import Testing

/// nfcd under a service manager: the socket it is given, what it tells, and what happens when it dies or hangs.
@Suite(
    .timeLimit(.minutes(5)), .enabled(if: TinyServiceManager.isThere, "the service manager runs in /usr/bin/python3"))
struct `Under a service manager, nfcd` {
    private func nfcctl(_ manager: TinyServiceManager, _ arguments: String...) async throws -> Finished {
        try await run([Programs.nfcctl] + arguments, environment: ["NFCD_SOCKET": manager.socket])
    }

    @Test func `serves on the socket it is given, also those who came before it, and leaves it`() async throws {
        let manager = try TinyServiceManager()
        // The socket is there before nfcd is.
        while !FileManager.default.fileExists(atPath: manager.socket) { await Task.yield() }
        let early = try await nfcctl(manager, "readers")
        #expect(early.status == 0, "\(early.errors)")
        _ = try await manager.start()
        #expect(try await nfcctl(manager, "readers").status == 0)
        manager.process.finishInput()
        #expect(await manager.process.status() == 0)
        #expect(FileManager.default.fileExists(atPath: manager.socket))
    }

    @Test func `may be told of the same socket, and of no other`() async throws {
        let manager = try TinyServiceManager("--socket", "/nowhere/else")
        #expect(try await manager.next("exit ") == "78")
        let line = try #require(await manager.process.errors.next(containing: "nfcd: "))
        #expect(
            line.contains("--socket says /nowhere/else, but the service manager passed a socket on \(manager.socket)"))
    }

    static let useless: [(TinyServiceManager.Passed, String)] = [
        (.datagram, "descriptor 3 (socket-0) is a Unix socket of type 2, not a stream"),
        (.internet, "descriptor 3 (socket-0) is of address family 2, not a Unix socket"),
        (.deaf, "descriptor 3 (socket-0) does not listen"),
        (.two, "there are 2 descriptors (socket-0, socket-1), and nfcd takes one"),
    ]

    @Test(arguments: useless)
    func `ends with 78 where it cannot serve on what it is given`(
        passed: TinyServiceManager.Passed, message: String
    ) async throws {
        let manager = try TinyServiceManager(passing: passed)
        #expect(try await manager.next("exit ") == "78")
        let line = try #require(await manager.process.errors.next(containing: "nfcd: "))
        #expect(line.contains(message), "\(line)")
    }

    @Test func `tells that it is ready, what it does, that it reads its configuration, and that it ends`() async throws
    {
        let scratch = try Scratch()
        let file = try scratch.file("nfcd.toml", "[session]\ntimeout = 50\n")
        let manager = try TinyServiceManager("--config", file)
        let processID = try await manager.start()
        let scan = try ChildProcess(
            [Programs.nfcctl, "scan", "--json"], environment: ["NFCD_SOCKET": manager.socket])
        #expect(try await manager.next("told STATUS=1 reader, 1 session") == ", 1 client")
        kill(processID, SIGHUP)
        _ = try await manager.next("told RELOADING=1")
        #expect(try await Int64(manager.next("told MONOTONIC_USEC=")) ?? 0 > 0)
        _ = try await manager.next("told READY=1")
        await scan.end(SIGINT)
        _ = try await manager.next("told STATUS=1 reader, 0 sessions, 0 clients")
        kill(processID, SIGTERM)
        _ = try await manager.next("told STOPPING=1")
        #expect(try await manager.next("exit ") == "0")
    }

    @Test func `is started again when it is killed, and the socket was never gone`() async throws {
        let manager = try TinyServiceManager()
        kill(try await manager.start(), SIGKILL)
        #expect(try await nfcctl(manager, "readers").status == 0)
        #expect(try await manager.next("exit ") == "-9")
        _ = try await manager.start()
    }

    @Test(arguments: ["NIO-ELT-"])
    func `is started again when a thread hangs that all clients need`(thread: String) async throws {
        let manager = try TinyServiceManager(watchdog: 2)
        let processID = try await manager.start()
        for _ in 0..<2 { _ = try await manager.next("told WATCHDOG=1") }
        guard let stopped = try await StoppedThread.stop(thread, of: processID) else { return }
        _ = try await manager.next("killed")
        // A process is not gone before whoever stopped its thread has let go.
        await stopped.goOn()
        _ = try await manager.start()
        #expect(try await nfcctl(manager, "readers").status == 0)
    }

    @Test func `writes lines with their severity where the journal takes no entries`() async throws {
        guard !FileManager.default.fileExists(atPath: "/run/systemd/journal/socket") else {
            return print("skipped: this machine has a journal, and the entries go there")
        }
        let manager = try TinyServiceManager(passing: .journal)
        #expect(try await manager.next("log <6>listening on ") == manager.socket)
    }
}
