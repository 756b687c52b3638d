import Foundation
import NFCProtocol
import Testing
import TestSupport

/// nfcd with a service manager: socket activation, notifications, restarts and the watchdog.
@Suite(
    .timeLimit(.minutes(20)), .enabled(if: TinyServiceManager.isThere, "the service manager runs in /usr/bin/python3"))
struct `Under a service manager, nfcd` {
    private func nfcctl(_ manager: TinyServiceManager, _ arguments: String...) async throws -> Finished {
        try await run([Programs.nfcctl] + arguments, environment: ["NFCD_SOCKET": manager.socket])
    }

    @Test func `uses the passed socket, serves clients that connected earlier, and keeps the socket`() async throws {
        let manager = try TinyServiceManager()
        // The socket exists before nfcd is started.
        while !FileManager.default.fileExists(atPath: manager.socket) { await Task.yield() }
        let early = try await nfcctl(manager, "readers")
        #expect(early.status == 0, "\(early.errors)")
        _ = try await manager.start()
        #expect(try await nfcctl(manager, "readers").status == 0)
        manager.process.finishInput()
        #expect(await manager.process.status() == 0)
        #expect(FileManager.default.fileExists(atPath: manager.socket))
    }

    @Test func `accepts only the passed socket as --socket`() async throws {
        let manager = try TinyServiceManager("--socket", "/nowhere/else")
        #expect(try await manager.next("exit ") == "78")
        let line = try #require(await manager.process.errors.next(containing: "nfcd: "))
        #expect(
            line.contains("--socket is /nowhere/else, but the service manager passed a socket on \(manager.socket)"))
    }

    static let useless: [(TinyServiceManager.Passed, String)] = [
        (.datagram, "descriptor 3 (nfcd.socket) is a Unix socket of type 2, not a stream"),
        (.internet, "descriptor 3 (nfcd.socket) is of address family 2, not a Unix socket"),
        (.deaf, "descriptor 3 (nfcd.socket) does not listen"),
        (.two, "are both without a FileDescriptorName="),
    ]

    @Test(arguments: useless)
    func `exits with 78 if it cannot use the passed socket`(
        passed: TinyServiceManager.Passed, message: String
    ) async throws {
        let manager = try TinyServiceManager(passing: passed)
        #expect(try await manager.next("exit ") == "78")
        let line = try #require(await manager.process.errors.next(containing: "nfcd: "))
        #expect(line.contains(message), "\(line)")
    }

    private static let grants = [
        (file: "", capabilities: []),
        ("[[socket]]\nname = \"kiosk\"\n", []),
        ("[[grant]]\nformats = [\"NDEF\"]\ncapabilities = [\"read\"]\nreaders = [\"*\"]\n", []),
        (
            "[[grant]]\nsocket = \"kiosk\"\nformats = [\"NDEF\"]\ncapabilities = [\"read\"]\nreaders = [\"*\"]\n",
            ["read"]
        ),
        ("[[grant]]\nsocket = \"kiosk\"\nuser = \"4711\"\ncapabilities = [\"monitor\"]\n", []),
        ("[[grant]]\nsocket = \"other\"\ncapabilities = [\"monitor\"]\n", []),
    ]

    @Test(arguments: grants)
    func `gives the clients of a further socket its grants alone, also root`(
        file: String, capabilities: [String]
    ) async throws {
        let scratch = try Scratch()
        let manager = try TinyServiceManager("--config", try scratch.file("nfcd.toml", file), passing: .kiosk)
        _ = try await manager.start()
        let kiosk = try await PlainClient(socket: manager.socket + "2").info().entitlements
        #expect(kiosk.capabilities == capabilities)
        // The user that nfcd runs as may do everything on the first socket.
        #expect(try await PlainClient(socket: manager.socket).info().entitlements.capabilities.contains("manage"))
    }

    @Test func `trusts root on a further socket where the file says so`() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("nfcd.toml", "[[socket]]\nname = \"kiosk\"\nroot = true\n")
        let manager = try TinyServiceManager("--config", file, passing: .kiosk)
        _ = try await manager.start()
        let kiosk = try await PlainClient(socket: manager.socket + "2").info().entitlements
        #expect(kiosk.capabilities.contains("manage") == (geteuid() == 0))
    }

    @Test func `names the socket of a client that it refuses something`() async throws {
        let manager = try TinyServiceManager(passing: .kiosk)
        _ = try await manager.start()
        let answer = try await PlainClient(socket: manager.socket + "2").ask(
            #"{"jsonrpc":"2.0","id":2,"method":"simulator.list"}"#)
        #expect(answer.first?.contains(##"socket = \"kiosk\""##) == true, "\(answer)")
        let line = try #require(await manager.process.errors.next(containing: "was refused simulator.list"))
        #expect(line.contains("socket \"kiosk\""), "\(line)")
    }

    @Test func `notifies of readiness, status, reloading and stopping`() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("nfcd.toml", "[session]\ntimeout = 50\n")
        let manager = try TinyServiceManager("--config", file)
        let processID = try await manager.start()
        let scan = try ChildProcess(
            [Programs.nfcctl, "scan", "--json"], environment: ["NFCD_SOCKET": manager.socket])
        #expect(try await manager.next("notified STATUS=1 reader, 1 session") == ", 1 client")
        kill(processID, SIGHUP)
        _ = try await manager.next("notified RELOADING=1")
        #expect(try await Int64(manager.next("notified MONOTONIC_USEC=")) ?? 0 > 0)
        _ = try await manager.next("notified READY=1")
        await scan.end(SIGINT)
        _ = try await manager.next("notified STATUS=1 reader, 0 sessions, 0 clients")
        kill(processID, SIGTERM)
        _ = try await manager.next("notified STOPPING=1")
        #expect(try await manager.next("exit ") == "0")
    }

    @Test func `is restarted after it was killed, and the socket stays`() async throws {
        let manager = try TinyServiceManager()
        kill(try await manager.start(), SIGKILL)
        #expect(try await nfcctl(manager, "readers").status == 0)
        #expect(try await manager.next("exit ") == "-9")
        _ = try await manager.start()
    }

    @Test(arguments: ["NIO-ELT-"])
    func `is restarted when a thread hangs that all clients need`(thread: String) async throws {
        let manager = try TinyServiceManager(watchdog: 2)
        let processID = try await manager.start()
        for _ in 0..<2 { _ = try await manager.next("notified WATCHDOG=1") }
        guard let stopped = try await StoppedThread.stop(thread, of: processID) else { return }
        _ = try await manager.next("killed")
        // A process exits only after its stopped thread is released.
        await stopped.goOn()
        _ = try await manager.start()
        #expect(try await nfcctl(manager, "readers").status == 0)
    }

    @Test func `writes lines with severities if the journal does not accept entries`() async throws {
        guard !FileManager.default.fileExists(atPath: "/run/systemd/journal/socket") else {
            return print("skipped: this machine has a journal, and the entries go there")
        }
        let manager = try TinyServiceManager(passing: .journal)
        #expect(try await manager.next("log <6>listening on ") == manager.socket)
    }
}

@Suite(.serialized, .timeLimit(.minutes(20)))
struct StopTests {
    /// Connects repeatedly until the daemon stops listening.
    private static func connectUntilGone(_ socket: String, atFirst connected: @escaping @Sendable () -> Void) -> Thread
    {
        let thread = Thread {
            var descriptors: [Int32] = []
            while descriptors.count < 500, let descriptor = try? UnixSocket.connected(to: socket) {
                descriptors.append(descriptor)
                if descriptors.count == 20 { connected() }
            }
            for descriptor in descriptors { close(descriptor) }
        }
        thread.start()
        return thread
    }

    @Test(arguments: 1...5)
    func `exits with 0 on SIGTERM while many clients connect`(attempt: Int) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let (rushes, rush) = AsyncStream<Void>.makeStream()
        for _ in 0..<4 { _ = Self.connectUntilGone(daemon.socket) { rush.yield() } }
        for await _ in rushes { break }
        #expect(await daemon.process.end(SIGTERM) == 0)
    }
}

/// A service manager in a few lines of Python: opens the socket, starts nfcd with it, prints the notifications of nfcd,
/// and restarts nfcd when it exits or misses the watchdog.
final class TinyServiceManager: Sendable {
    /// Prints `start PID`, `notified …` for each notification, `exit STATUS`, `killed` and, for standard error that is the journal,
    /// `log …`. Ends with nfcd when standard input does.
    private static let program = """
        import ctypes, os, select, signal, socket, sys, time
        path, limit, kind, command = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]

        def unix(type, name): s = socket.socket(socket.AF_UNIX, type); s.bind(name); return s
        def say(*words): print(*words, flush=True)

        if kind == "datagram": passed = [unix(socket.SOCK_DGRAM, path)]
        elif kind == "internet": passed = [socket.create_server(("127.0.0.1", 0))]
        else: passed = [unix(socket.SOCK_STREAM, path)]
        if kind in ("two", "kiosk"): passed.append(unix(socket.SOCK_STREAM, path + "2"))
        if kind not in ("datagram", "deaf"): [s.listen() for s in passed]
        notify = unix(socket.SOCK_DGRAM, path + ".notify")
        journal, stream = socket.socketpair()
        identity = os.fstat(stream.fileno())

        def start():
            child = os.fork()
            if child: say("start", child); return child
            # It ends with this program (PR_SET_PDEATHSIG).
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)
            # Not where they are to be in the end, so that none is overwritten.
            high = [os.dup(os.dup2(s.fileno(), 100 + i)) for i, s in enumerate(passed)]
            if kind == "journal": os.dup2(stream.fileno(), 2)
            for i, d in enumerate(high): os.dup2(d, 3 + i)
            os.closerange(3 + len(high), 256)
            names = ":".join(["nfcd.socket", "kiosk" if kind == "kiosk" else "nfcd.socket"][:len(high)])
            os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(high)), LISTEN_FDNAMES=names,
                NOTIFY_SOCKET=path + ".notify", JOURNAL_STREAM=f"{identity.st_dev}:{identity.st_ino}")
            if limit: os.environ["WATCHDOG_USEC"] = str(limit)
            os.execv(command[0], command)

        child, heard, logs = start(), None, b""
        while True:
            ready, _, _ = select.select([notify, journal, 0], [], [], 0.05)
            if 0 in ready and not os.read(0, 1):
                os.kill(child, signal.SIGTERM); sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            if journal in ready:
                *lines, logs = (logs + journal.recv(65536)).split(b"\\n")
                for line in lines: say("log", line.decode())
            if notify in ready:
                for line in notify.recv(65536).decode().split("\\n"):
                    say("notified", line)
                    if line in ("READY=1", "WATCHDOG=1"): heard = time.monotonic()
            if limit and heard and time.monotonic() - heard > limit / 1e6:
                say("killed"); os.kill(child, signal.SIGKILL); heard = None
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                status = os.waitstatus_to_exitcode(status); say("exit", status)
                if status >= 0: sys.exit(status)
                child, heard = start(), None
        """

    /// What the service manager passes to nfcd.
    enum Passed: String {
        case socket, datagram, internet, deaf, two
        /// A socket, and the journal as standard error.
        case journal
        /// A socket, and a further one with the name `kiosk`.
        case kiosk
    }

    /// Whether there is one.
    static let isThere = PlainClient.canAsk

    let scratch: Scratch
    /// The socket of nfcd.
    let socket: String
    let process: ChildProcess

    /// Starts nfcd with a simulated reader.
    ///
    /// - Parameter watchdog: the watchdog interval, in seconds.
    init(_ options: String..., passing passed: Passed = .socket, watchdog: Double = 0) throws {
        scratch = try Scratch()
        socket = "\(scratch.path)/s"
        process = try ChildProcess(
            ["/usr/bin/python3", "-c", Self.program, socket, "\(Int(watchdog * 1e6))", passed.rawValue]
                + [Programs.nfcd, "--simulator", "1"] + options)
    }

    /// The rest of the next line that begins with these words.
    func next(_ words: String) async throws -> String {
        while let line = await process.output.next() {
            if line.hasPrefix(words) { return String(line.dropFirst(words.count)) }
        }
        throw TestError("no \"\(words)\" in \(process.output.all), \(process.errors.all)")
    }

    /// Waits until nfcd is started, and returns its process ID.
    func start() async throws -> pid_t {
        guard let number = pid_t(try await next("start ")) else { throw TestError("no process") }
        _ = try await next("notified READY=1")
        return number
    }
}

/// Stops one thread of another process, by the beginning of its name, for as long as this lives (ptrace(2), PTRACE_INTERRUPT).
final class StoppedThread: Sendable {
    private static let program = """
        import ctypes, os, sys
        libc = ctypes.CDLL(None, use_errno=True); process, name = sys.argv[1:]
        for task in os.listdir(f"/proc/{process}/task"):
            if not open(f"/proc/{process}/task/{task}/comm").read().startswith(name): continue
            null = ctypes.c_void_p(0)
            for request in (0x4206, 0x4207):
                if libc.ptrace(ctypes.c_long(request), ctypes.c_long(int(task)), null, null) != 0:
                    sys.exit(os.strerror(ctypes.get_errno()))
            os.waitpid(int(task), 0x40000000)
            print("stopped", flush=True); sys.stdin.read(); sys.exit()
        sys.exit("no such thread")
        """

    private let process: ChildProcess

    private init(_ process: ChildProcess) { self.process = process }

    /// Returns nil, after printing a message, if this machine does not permit a program to stop the threads of another one.
    static func stop(_ name: String, of processID: pid_t) async throws -> StoppedThread? {
        let process = try ChildProcess(["/usr/bin/python3", "-c", program, "\(processID)", name])
        if await process.output.next() == "stopped" { return StoppedThread(process) }
        let reason = process.errors.all.joined(separator: " ")
        guard reason.contains("not permitted") else { throw TestError("thread \(name): \(reason)") }
        print("skipped: \(reason)")
        return nil
    }

    /// Resumes the thread.
    func goOn() async { process.finishInput(); _ = await process.status() }
}
