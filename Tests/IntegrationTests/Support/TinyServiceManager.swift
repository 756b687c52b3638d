import Foundation

/// What a service manager does for nfcd, by a few lines of Python: opens the socket, starts nfcd with it, tells what nfcd tells
/// it, and starts nfcd again when it dies or gives no sign of life.
final class TinyServiceManager: Sendable {
    /// Prints `start PID`, `told …` for each notification, `exit STATUS`, `killed` and, for standard error that is the journal,
    /// `log …`. Ends with nfcd when standard input does.
    private static let program = """
        import ctypes, os, select, signal, socket, sys, time
        path, limit, kind, command = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]

        def unix(type, name): s = socket.socket(socket.AF_UNIX, type); s.bind(name); return s
        def say(*words): print(*words, flush=True)

        if kind == "datagram": passed = [unix(socket.SOCK_DGRAM, path)]
        elif kind == "internet": passed = [socket.create_server(("127.0.0.1", 0))]
        else: passed = [unix(socket.SOCK_STREAM, path)]
        if kind == "two": passed.append(unix(socket.SOCK_STREAM, path + "2"))
        if kind not in ("datagram", "deaf"): [s.listen() for s in passed]
        notify = unix(socket.SOCK_DGRAM, path + ".notify")
        journal, stream = socket.socketpair()
        identity = os.fstat(stream.fileno())

        def start():
            child = os.fork()
            if child: say("start", child); return child
            # It ends with this program (PR_SET_PDEATHSIG).
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)
            # Not where they are to be in the end, so that none is in the way of another.
            high = [os.dup(os.dup2(s.fileno(), 100 + i)) for i, s in enumerate(passed)]
            if kind == "journal": os.dup2(stream.fileno(), 2)
            for i, d in enumerate(high): os.dup2(d, 3 + i)
            os.closerange(3 + len(high), 256)
            names = ":".join(f"socket-{i}" for i in range(len(high)))
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
                    say("told", line)
                    if line in ("READY=1", "WATCHDOG=1"): heard = time.monotonic()
            if limit and heard and time.monotonic() - heard > limit / 1e6:
                say("killed"); os.kill(child, signal.SIGKILL); heard = None
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                status = os.waitstatus_to_exitcode(status); say("exit", status)
                if status >= 0: sys.exit(status)
                child, heard = start(), None
        """

    /// What is passed to nfcd.
    enum Passed: String {
        case socket, datagram, internet, deaf, two
        /// A socket, and standard error is the journal's.
        case journal
    }

    /// Whether there is one.
    static let isThere = PlainClient.canAsk

    let scratch: Scratch
    /// Where nfcd listens.
    let socket: String
    let process: ChildProcess

    /// Starts nfcd on a simulated reader.
    ///
    /// - Parameter watchdog: for how long there may be no sign of life, in seconds.
    init(_ options: String..., passing passed: Passed = .socket, watchdog: Double = 0) throws {
        scratch = try Scratch()
        socket = "\(scratch.path)/s"
        process = try ChildProcess(
            ["/usr/bin/python3", "-c", Self.program, socket, "\(Int(watchdog * 1e6))", passed.rawValue]
                + [Programs.nfcd, "--simulator", "1"] + options)
    }

    /// What follows these words in the next line that begins with them.
    func next(_ words: String) async throws -> String {
        while let line = await process.output.next() {
            if line.hasPrefix(words) { return String(line.dropFirst(words.count)) }
        }
        throw TestError("no \"\(words)\" in \(process.output.all), \(process.errors.all)")
    }

    /// Waits until nfcd is started; returns its process.
    func start() async throws -> pid_t {
        guard let number = pid_t(try await next("start ")) else { throw TestError("no process") }
        _ = try await next("told READY=1")
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

    /// Nil: this machine does not let one program stop another's thread; says so.
    static func stop(_ name: String, of processID: pid_t) async throws -> StoppedThread? {
        let process = try ChildProcess(["/usr/bin/python3", "-c", program, "\(processID)", name])
        if await process.output.next() == "stopped" { return StoppedThread(process) }
        let reason = process.errors.all.joined(separator: " ")
        guard reason.contains("not permitted") else { throw TestError("thread \(name): \(reason)") }
        print("skipped: \(reason)")
        return nil
    }

    /// Lets it go on.
    func goOn() async { process.finishInput(); _ = await process.status() }
}
