import Foundation
import Synchronization

/// A pcscd with vpcd in its own namespaces: a network with only a loopback interface, and an empty /run.
///
/// Tests run concurrently, each with its own pcscd; none uses the machine's pcscd.
final class PrivatePCSC: Sendable {
    private let holder: ChildProcess
    private let enter: [String]
    private let pcscd = Mutex<ChildProcess?>(nil)

    /// - Parameter hasReaders: false for a pcscd without readers until it is restarted.
    init(hasReaders: Bool = true) async throws {
        let isRoot = geteuid() == 0
        holder = try ChildProcess(
            ["unshare", "--mount", "--net"] + (isRoot ? [] : ["--map-root-user"])
                + ["sh", "-c", "mount -t tmpfs tmpfs /run && ip link set lo up && echo ready && exec cat"])
        guard await holder.output.next() == "ready" else {
            throw TestError(
                "cannot create namespaces (unshare --mount --net requires root or user namespaces): "
                    + holder.errors.all.joined(separator: "; "))
        }
        enter =
            ["nsenter", "--target", "\(holder.processID)", "--mount", "--net"]
            + (isRoot ? [] : ["--user", "--preserve-credentials"])
        try await start(hasReaders: hasReaders)
    }

    /// The command that runs a command in the namespaces of this pcscd.
    func command(_ command: [String]) -> [String] { enter + command }

    /// Starts pcscd and waits until it accepts clients.
    func start(hasReaders: Bool = true) async throws {
        let options = "--foreground --info --color" + (hasReaders ? "" : " --config /run/none")
        let child = try ChildProcess(
            command([
                "sh", "-c", "mkdir -p /run/pcscd /run/none && rm -f /run/pcscd/* && exec pcscd \(options)",
            ]))
        guard await child.output.next(containing: "daemon ready") != nil else {
            throw TestError("pcscd does not start: \(child.output.all + child.errors.all)")
        }
        pcscd.withLock { $0 = child }
    }

    /// Listens instead of pcscd, as systemd does, and starts pcscd with that socket when the input of the returned process
    /// ends.
    func startOnDemand() async throws -> ChildProcess {
        let script = """
            import os, socket, sys
            os.makedirs("/run/pcscd", exist_ok=True)
            listener = socket.socket(socket.AF_UNIX)
            listener.bind("/run/pcscd/pcscd.comm")
            listener.listen()
            print("listening", flush=True)
            sys.stdin.read()
            os.dup2(listener.fileno(), 3)
            os.set_inheritable(3, True)
            os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
            os.execvp("pcscd", ["pcscd", "--foreground"])
            """
        _ = try await run(command(["sh", "-c", "rm -rf /run/pcscd"]))
        let child = try ChildProcess(command(["python3", "-c", script]))
        guard await child.output.next(containing: "listening") != nil else {
            throw TestError("no socket: \(child.errors.all)")
        }
        pcscd.withLock { $0 = child }
        return child
    }

    /// Another program that connects to the card on the first reader, begins a transaction, and ends both when its input
    /// ends.
    ///
    /// - Parameter isExclusive: whether it connects exclusively.
    func holdCard(isExclusive: Bool) async throws -> ChildProcess {
        let script = """
            import ctypes, sys
            library = ctypes.CDLL("libpcsclite.so.1")
            context, card, protocol = ctypes.c_long(), ctypes.c_long(), ctypes.c_ulong()
            def call(name, *arguments):
                code = getattr(library, name)(*arguments) & 0xFFFFFFFF
                if code: sys.exit(f"{name}: {code:#x}")
            call("SCardEstablishContext", ctypes.c_ulong(2), None, None, ctypes.byref(context))
            call("SCardConnect", context, b"Virtual PCD 00 00", ctypes.c_ulong(\(isExclusive ? 1 : 2)),
                 ctypes.c_ulong(3), ctypes.byref(card), ctypes.byref(protocol))
            call("SCardBeginTransaction", card)
            print("held", flush=True)
            sys.stdin.read()
            call("SCardEndTransaction", card, ctypes.c_ulong(0))
            call("SCardDisconnect", card, ctypes.c_ulong(0))
            """
        let child = try ChildProcess(command(["python3", "-c", script]))
        guard await child.output.next(containing: "held") != nil else {
            throw TestError("the card is not held: \(child.errors.all)")
        }
        return child
    }

    /// Another program, which is connected to the card on the first reader, and does not wait for others' transactions.
    func otherProgram() async throws -> OtherProgram {
        let program = OtherProgram(try ChildProcess(command(["python3", "-c", OtherProgram.script])))
        try await program.expect("connected")
        return program
    }

    /// Kills pcscd with SIGKILL.
    func kill() async {
        let child = pcscd.withLock { pcscd in
            defer { pcscd = nil }
            return pcscd
        }
        await child?.end(SIGKILL)
    }

    /// Ends pcscd and removes the namespaces.
    func end() async {
        await kill()
        holder.finishInput()
        _ = await holder.status()
    }
}

/// A program that does to the card what a test wants.
struct OtherProgram {
    private let process: ChildProcess

    fileprivate static let script = """
        import ctypes, os, sys
        os.environ["PCSCLITE_NO_BLOCKING"] = "1"
        library = ctypes.CDLL("libpcsclite.so.1")
        class Header(ctypes.Structure):
            _fields_ = [("protocol", ctypes.c_ulong), ("length", ctypes.c_ulong)]
        context, card, protocol = ctypes.c_long(), ctypes.c_long(), ctypes.c_ulong()
        def call(name, *arguments):
            return getattr(library, name)(*arguments) & 0xFFFFFFFF
        def connect():
            return call("SCardConnect", context, b"Virtual PCD 00 00", ctypes.c_ulong(2), ctypes.c_ulong(3),
                ctypes.byref(card), ctypes.byref(protocol))
        def transmit(apdu):
            command = bytes.fromhex(apdu)
            answer, length = ctypes.create_string_buffer(264), ctypes.c_ulong(264)
            header = Header(protocol.value, ctypes.sizeof(Header))
            code = call("SCardTransmit", card, ctypes.byref(header), command, ctypes.c_ulong(len(command)), None,
                answer, ctypes.byref(length))
            return f"{code:x}" if code else answer.raw[:length.value].hex().upper()
        code = call("SCardEstablishContext", ctypes.c_ulong(2), None, None, ctypes.byref(context)) or connect()
        print(f"failed {code:x}" if code else "connected", flush=True)
        for line in sys.stdin:
            word, *rest = line.split()
            if word == "transmit": print(transmit(rest[0]), flush=True); continue
            if word == "begin": code = call("SCardBeginTransaction", card)
            if word == "end": code = call("SCardEndTransaction", card, ctypes.c_ulong(0))
            if word == "reset": code = call("SCardDisconnect", card, ctypes.c_ulong(1)) or connect()
            print(f"{code:x}", flush=True)
        """

    fileprivate init(_ process: ChildProcess) { self.process = process }

    /// Has it begin (`begin`) or end (`end`) a transaction, reset the card (`reset`), or send it a command
    /// (`transmit 00A40400`).
    ///
    /// - Returns: the number of the error, 0 without one; the answer to a command.
    func run(_ step: String) async throws -> String {
        process.send(Array("\(step)\n".utf8))
        guard let line = await process.output.next() else { throw TestError("\(step): \(process.errors.all)") }
        return line
    }

    fileprivate func expect(_ word: String) async throws {
        guard let line = await process.output.next(), line == word else {
            throw TestError("the other program: \(process.output.all + process.errors.all)")
        }
    }

    /// Ends it.
    func end() async {
        process.finishInput()
        _ = await process.status()
    }
}

/// Runs a test with an nfcd and a real pcscd with vpcd's two readers.
func withReaders(
    configuration text: String? = nil, _ body: (DaemonUnderTest, PrivatePCSC) async throws -> Void
) async throws {
    let pcsc = try await PrivatePCSC()
    let scratch = try Scratch()
    let file = try text.map { try scratch.file("nfcd.toml", $0) }
    let daemon = try await DaemonUnderTest(pcsc, configuration: file)
    // After a query, the readers are known.
    _ = try await daemon.run("readers")
    try await body(daemon, pcsc)
    await daemon.process.end()
    await pcsc.end()
}
