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

    /// Listens in place of pcscd, as systemd does, and starts pcscd with that socket when the input of the returned process
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
