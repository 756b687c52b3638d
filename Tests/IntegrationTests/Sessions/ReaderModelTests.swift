import Foundation
import Testing

/// Readers that a real pcscd names "Virtual PCD", so that only their answers identify the model.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `Readers with an unknown name` {
    static let vpcd = "127.0.0.1:35963"

    /// The text of a message that fills an NTAG216: 868 bytes, including 10 bytes of overhead.
    static let full = String(repeating: "nfcd ", count: 171) + "end"

    /// The profile of the first reader.
    private func profile(_ daemon: DaemonUnderTest) async throws -> String? {
        struct Line: Decodable {
            let profile: String
        }
        let line = try #require(try await daemon.run("readers", "--json").output.first)
        return try JSONDecoder().decode(Line.self, from: Data(line.utf8)).profile
    }

    @Test(arguments: ["generic", "acr122u", "acr1252u", "acr1552u"])
    func `are identified with the first tag, which is read completely and written`(model: String) async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        #expect(try await profile(daemon) == "generic")
        let tag = try await daemon.tap(
            "ntag216", "--text", Self.full, "--vpcd", Self.vpcd, "--reader-model", model)
        try await daemon.wait(for: "tagArrived")

        let read = try await daemon.run("read", "--json")
        #expect(read.status == 0, "\(read.errors)")
        #expect(read.output.first?.contains(Self.full) == true)
        #expect(try await profile(daemon) == model)

        let written = try await daemon.run("write", "--uri", "https://example.com/\(model)", "--verify")
        #expect(written.status == 0, "\(written.errors)")
        let again = try await daemon.run("read", "--json")
        #expect(again.output.first?.contains("https://example.com/\(model)") == true)
        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `have the profile of the configuration, without probing`() async throws {
        let pcsc = try await PrivatePCSC()
        let scratch = try Scratch()
        let file = try scratch.file("nfcd.toml", "[[reader]]\nmatch = \"virtual pcd\"\nprofile = \"omnikey-5422\"\n")
        let daemon = try await DaemonUnderTest(pcsc, configuration: file)
        #expect(try await profile(daemon) == "omnikey-5422")
        let tag = try await daemon.tap(
            "ntag213", "--text", "Hello", "--vpcd", Self.vpcd, "--reader-model", "acr122u")
        try await daemon.wait(for: "tagArrived")
        #expect(try await daemon.run("read").status == 0)
        #expect(try await profile(daemon) == "omnikey-5422")
        await tag.end(SIGINT)
        _ = try scratch.file("nfcd.toml", "[[reader]]\nmatch = \"virtual\"\nprofile = \"springcard\"\n")
        daemon.process.signal(SIGHUP)
        try await daemon.wait(for: "applied: [[reader]]")
        #expect(try await profile(daemon) == "springcard")
        await daemon.process.end()
        await pcsc.end()
    }

    @Test(arguments: ["generic", "acr122u", "acr1252u", "acr1552u"])
    func `are simulated by model, and identified`(model: String) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: model)
        #expect(try await profile(daemon) == model)
        let tag = try await daemon.tap("ntag216", "--text", Self.full)
        #expect(try await daemon.run("read", "--json").output.first?.contains(Self.full) == true)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(arguments: [
        ("generic", "ntag216", "NFC Forum Type 2 (miFare)", ""), ("acr122u", "ntag216", "NTAG216 (miFare)", "NTAG216"),
        ("acr122u", "ultralight-ev1-11", "MIFARE Ultralight EV1 (MF0UL11) (miFare)", "MIFARE Ultralight EV1 (MF0UL11)"),
        ("acr122u", "type4", "ISO", ""),
    ])
    func `show the product of a tag in a scan if reading its message does`(
        reader: String, model: String, words: String, product: String
    ) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: reader)
        let tag = try await daemon.tap(model, "--uri", "https://example.com")
        let scan = try await daemon.run("scan", "--count", "1")
        #expect(scan.output.first?.contains(": \(words)") == true, "\(scan.output)")
        let json = try await daemon.run("scan", "--count", "1", "--json")
        #expect(json.output.first?.contains("\"product\":\"\(product)\"") == !product.isEmpty, "\(json.output)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `cannot be simulated with an unknown model`() async throws {
        let finished = try await run([Programs.nfcd, "--simulator", "1", "--simulator-model", "acr"])
        #expect(finished.status == 64)
        #expect(
            finished.errors.contains { $0.contains("there is no reader model \"acr\"; there are generic, acr122u") })
    }

    @Test(arguments: [
        (["--reader-model", "acr122u"], "--reader-model requires --vpcd"),
        (["--reader-model", "acr", "--vpcd", vpcd], "unknown reader model \"acr\"; use one of generic, acr122u"),
        (["--delay", "3"], "--delay requires --vpcd"),
        (["--delay", "0", "--vpcd", vpcd], "--delay requires more than 0 and at most 10000 milliseconds"),
    ])
    func `require a known model and vpcd`(options: [String], message: String) async throws {
        let finished = try await run([Programs.nfcctl, "virtual-tag", "ntag213"] + options)
        #expect(finished.status == 64)
        #expect(finished.errors.contains { $0.contains(message) }, "\(finished.errors)")
    }
}
