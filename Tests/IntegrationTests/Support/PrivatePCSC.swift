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
