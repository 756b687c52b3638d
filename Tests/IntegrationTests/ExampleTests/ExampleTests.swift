import Foundation
import Testing

/// The clients of `Examples`, where what runs them is there.
@Suite(.timeLimit(.minutes(5)))
struct `The example in` {
    /// A client, and the programs it needs; that of the shell takes either of two.
    static let examples: [(file: String, needs: [String])] = [
        ("scan.py", ["python3"]), ("scan.js", ["node"]), ("scan.sh", ["bash", "jq", "socat"]),
        ("scan.sh", ["bash", "jq", "nc"]),
    ]

    private static func path(_ file: String) -> String {
        `The README`.root.appending(path: "Examples/\(file)").path
    }

    private func start(_ file: String, socket: String) throws -> ChildProcess {
        try ChildProcess([Self.path(file)], environment: ["NFCD_SOCKET": socket])
    }

    @Test(arguments: examples)
    func `a language prints the URLs of the first tag with a message`(file: String, needs: [String]) async throws {
        guard try await Programs.found(needs) else { return }
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let client = try start(file, socket: daemon.socket)
        #expect(await client.errors.next() == "Hold a tag to the reader.")
        let empty = try await daemon.tap("ntag213")
        #expect(await client.errors.next()?.hasPrefix("NDEF tag contains no message: ") == true)
        try await daemon.takeAway(empty)
        let tag = try await daemon.tap("ntag215", "--text", "Hello", "--uri", "https://example.com/ü?a=1&b")
        #expect(await client.status() == 0)
        #expect(client.output.all == ["https://example.com/ü?a=1&b"])
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(arguments: examples)
    func `a language says why there is no session`(file: String, needs: [String]) async throws {
        guard try await Programs.found(needs) else { return }
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let scan = try await daemon.startScan()
        let busy = try start(file, socket: daemon.socket)
        #expect(await busy.status() == 1)
        #expect(busy.errors.all.first?.hasPrefix("System resource unavailable: ") == true, "\(busy.errors.all)")
        await scan.end(SIGINT)
        await daemon.process.end()
        let alone = try start(file, socket: daemon.socket)
        #expect(await alone.status() == 1)
        #expect(alone.errors.all.contains { $0.hasPrefix("no nfcd on \(daemon.socket)") }, "\(alone.errors.all)")
    }

    @Test(arguments: examples)
    func `a language says that nfcd has gone`(file: String, needs: [String]) async throws {
        guard try await Programs.found(needs) else { return }
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let client = try start(file, socket: daemon.socket)
        #expect(await client.errors.next() == "Hold a tag to the reader.")
        await daemon.process.end(SIGKILL)
        #expect(await client.status() == 1)
        #expect(client.errors.all.contains { $0.contains("nfcd") }, "\(client.errors.all)")
    }
}
