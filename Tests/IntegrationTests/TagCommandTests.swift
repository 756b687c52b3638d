import Foundation
import Testing

/// Tags that are written by one program and read by another, through a real pcscd.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct `Writing tags through pcscd` {
    static let vpcd = "127.0.0.1:35963"
    /// `https://a.b/c`.
    static let message = "D10106550461 2E622F63".filter { $0 != " " }

    @Test(arguments: ["ntag215", "type4", "felica-lite-s", "slix2", "mifare-classic-1k", "topaz512"])
    func `what one process writes, the next one reads`(model: String) async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let tag = try await daemon.tap(model, "--text", "old", "--vpcd", Self.vpcd)
        try await daemon.wait(for: "tagArrived")

        let written = try await daemon.run("write", "--ndef", Self.message, "--verify", "--json")
        #expect(written.status == 0, "\(written.errors)")
        #expect(written.output.first?.contains(#""event":"written""#) == true)
        let read = try await daemon.run("read", "--hex")
        #expect(read.output == [Self.message], "\(read.errors)")
        let erased = try await daemon.run("erase")
        #expect(erased.status == 0, "\(erased.errors)")
        #expect(try await daemon.run("read", "--hex").output == [""])

        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }

    static let hasPyscard = {
        let python = Process()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        python.arguments = ["-c", "import smartcard"]
        python.standardError = FileHandle.nullDevice
        guard (try? python.run()) != nil else { return false }
        python.waitUntilExit()
        return python.terminationStatus == 0
    }()

    @Test(
        .enabled(if: hasPyscard, "python3-pyscard is not installed; Scripts/setup --tests installs it"),
        arguments: [("ntag213", "type2"), ("ultralight-c", "type2"), ("type4", "type4"), ("ntag424", "type4")])
    func `what nfcd writes, pyscard reads`(model: String, kind: String) async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let tag = try await daemon.tap(model, "--text", "old", "--vpcd", Self.vpcd)
        try await daemon.wait(for: "tagArrived")
        let written = try await daemon.run("write", "--ndef", Self.message)
        #expect(written.status == 0, "\(written.errors)")

        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Support/read_ndef.py")
        let read = try await IntegrationTests.run(pcsc.command(["/usr/bin/python3", script.path, kind]))
        #expect(read.output == [Self.message], "\(read.errors)")

        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }
}
