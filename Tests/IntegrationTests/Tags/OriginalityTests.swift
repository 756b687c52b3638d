import Foundation
import Testing

/// `nfcctl info` of tags with an originality signature, with a simulated reader.
@Suite(.timeLimit(.minutes(20)))
struct `The originality of a tag` {
    private static let signature =
        "67 B1 75 0B CC EB 11 74 F9 A3 3B F2 0E 02 26 55 1A 63 66 93 9B 31 F9 49 84 8C 3C 08 73 50 FA 90"

    /// Saves a virtual NTAG215 with a UID, and puts the signature that NXP made for 04AB87F2CA1190 into the file.
    private func dump(of identifier: String, _ daemon: DaemonUnderTest) async throws -> String {
        let path = "\(daemon.scratch.path)/\(identifier).nfc"
        let tag = try await daemon.tap("ntag215", "--uid", identifier)
        let saved = try await daemon.run("dump", "--output", path)
        #expect(saved.status == 0, "\(saved.errors)")
        try await daemon.takeAway(tag)
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
            line.hasPrefix("Signature:") ? "Signature: \(Self.signature)" : String(line)
        }
        #expect(lines.contains { $0.hasSuffix(Self.signature) })
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test(arguments: [
        ("04AB87F2CA1190", "genuine: NXP signed this UID", "genuine"),
        ("04AB87F2CA1191", "not genuine: NXP did not sign this UID", "notGenuine"),
    ])
    func `is decided by the signature of a dump and its UID`(
        identifier: String, words: String, value: String
    ) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr122u")
        let tag = try await daemon.tap(try await dump(of: identifier, daemon))
        let info = try await daemon.run("info")
        #expect(info.status == 0, "\(info.errors)")
        #expect(info.output.contains { $0.hasPrefix("Originality  ") && $0.hasSuffix("  \(words)") }, "\(info.output)")
        let line = try await daemon.run("info", "--json").output.first ?? ""
        #expect(line.contains(#""originality":"\#(value)""#), "\(line)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(arguments: [
        ("acr122u", "ntag213", "not genuine: NXP did not sign this UID"),
        ("generic", "ntag213", "unknown: the signature was not read"),
        ("acr122u", "ntag210", "unknown: no public key is known for this product"),
    ])
    func `of a virtual tag is never genuine`(model: String, product: String, words: String) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: model)
        let tag = try await daemon.tap(product)
        let info = try await daemon.run("info")
        #expect(info.output.contains { $0.hasPrefix("Originality  ") && $0.hasSuffix("  \(words)") }, "\(info.output)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }
}
