import Foundation
import Synchronization

/// A pcscd with vpcd in name spaces of its own: a network with nothing but a loopback, and a /run with nothing in it.
///
/// Tests run side by side, each with its own, and none of them touches the machine's.
final class PrivatePCSC: Sendable {
    private let holder: ChildProcess
    private let enter: [String]
    private let pcscd = Mutex<ChildProcess?>(nil)

    /// `hasReaders`: false for a pcscd that finds none until it is started again.
    init(hasReaders: Bool = true) async throws {
        let isRoot = geteuid() == 0
        holder = try ChildProcess(
            ["unshare", "--mount", "--net"] + (isRoot ? [] : ["--map-root-user"])
                + ["sh", "-c", "mount -t tmpfs tmpfs /run && ip link set lo up && echo ready && exec cat"])
        guard await holder.output.next() == "ready" else {
            throw TestError(
                "no private name spaces (unshare --mount --net needs root or user name spaces): "
                    + holder.errors.all.joined(separator: "; "))
        }
        enter =
            ["nsenter", "--target", "\(holder.processID)", "--mount", "--net"]
            + (isRoot ? [] : ["--user", "--preserve-credentials"])
        try await start(hasReaders: hasReaders)
    }

    /// A command as it is run beside this pcscd.
    func command(_ command: [String]) -> [String] { enter + command }

    /// Starts pcscd; returns when it is ready for clients.
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

    /// Kills pcscd, as a crash would.
    func kill() async {
        let child = pcscd.withLock { pcscd in
            defer { pcscd = nil }
            return pcscd
        }
        await child?.end(SIGKILL)
    }

    /// Ends everything.
    func end() async {
        await kill()
        holder.finishInput()
        _ = await holder.status()
    }
}

/// Runs a test with an nfcd on a real pcscd, and vpcd's two readers there.
func withReaders(
    configuration text: String? = nil, _ body: (DaemonUnderTest, PrivatePCSC) async throws -> Void
) async throws {
    let pcsc = try await PrivatePCSC()
    let scratch = try Scratch()
    let file = try text.map { try scratch.file("nfcd.toml", $0) }
    let daemon = try await DaemonUnderTest(pcsc, configuration: file)
    // The readers are there as soon as somebody has asked for them.
    _ = try await daemon.run("readers")
    try await body(daemon, pcsc)
    await daemon.process.end()
    await pcsc.end()
}
