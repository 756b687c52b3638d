import Foundation
import NFCProtocol
import Testing

/// `nfcctl spool`.
@Suite(.timeLimit(.minutes(20)))
struct `The tag of a spool` {
    /// Meta; main: FFF, 1000 g, an empty spool of 187 g; aux: 100 g consumed.
    static let payload =
        "A10214" + "BF0800101903E81218BBFF" + "000000000000" + "BF001864FF" + "0000000000000000000000"
    static let record = ["--mime", "application/vnd.openprinttag", "--data", payload]

    /// A TigerTag without a signature: the memory of an NTAG213.
    private static let tigerTag: [UInt8] = {
        let pages =
            "04EEEE8C 783E6181 A6480000 E1101200 5BF59264 FFFFFFFF 954B68FF 8E38E120 BCBCBCFF 0003E815 00BE00F0 32082D37 3162E429"
        let start = pages.split(separator: " ").flatMap { word in
            stride(from: 0, to: 8, by: 2).compactMap { UInt8(word.dropFirst($0).prefix(2), radix: 16) }
        }
        return start + [UInt8](repeating: 0, count: 180 - start.count - 20)
            + [0, 0, 0, 0xBD, 0x04, 0, 0, 0xFF, 0, 0x05] + [UInt8](repeating: 0, count: 10)
    }()

    private func shown(_ daemon: DaemonUnderTest) async throws -> JSONValue {
        let finished = try await daemon.run("spool", "show", "--json")
        #expect(finished.status == 0, "\(finished)")
        return try JSONLine.decode(JSONValue.self, from: Data((finished.output.first ?? "").utf8))["spool"] ?? .null
    }

    @Test(arguments: ["slix2", "ntag215", "type4", "mifare-classic-1k", "felica-lite-s"])
    func `is shown, and its weight changed in place`(model: String) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: model == "slix2" ? "acr1552u" : "acr122u")
        let tag = try await daemon.tap([model] + Self.record)
        let plain = try await daemon.run("spool", "show")
        #expect(plain.status == 0, "\(plain)")
        for (name, value) in [("consumed_weight", "100 g"), ("remaining_weight", "900 g")] {
            #expect(plain.output.contains { $0.contains(name) && $0.hasSuffix(" \(value)") }, "\(plain)")
        }
        let changes: [([String], JSONValue)] = [
            (["use", "12.5"], .number(112.5)), (["use", "100"], .number(212.5)), (["weigh", "843"], 344),
            (["weigh", "1000", "--empty", "200"], 200), (["set", "consumed_weight=7", "storage_location=B3"], 7),
            (["set", "aux.storage_location="], 7),
        ]
        for (arguments, consumed) in changes {
            let done = try await daemon.run(["spool"] + arguments)
            #expect(done.status == 0, "\(arguments): \(done)")
            let data = try await shown(daemon)["data"]
            #expect(data?["aux"]?["consumed_weight"] == consumed, "\(arguments): \(String(describing: data))")
            #expect(data?["main"]?["nominal_netto_full_weight"] == 1000)
        }
        try await daemon.takeAway(tag)
        await daemon.process.end()
    }

    @Test(arguments: [
        (["use", "2000"], "100 g of 1000 g are used already"), (["weigh", "5000"], "Is it this spool?"),
        (["weigh", "100"], "Is it this spool?"),
        (["set", "storage_location=far too long"], "storage_location cannot be"),
        (["set", "consumed_wieght=5"], "did you mean consumed_weight?"), (["set", "consumed_weight"], "has no value"),
        (["set", "consumed_weight=-5"], "consumed_weight cannot be -5"), (["use", "0"], "a number above 0"),
        (["new", "brand_name=x"], "--force replaces it; nothing was written"),
    ])
    func `is left as it is for what cannot be`(arguments: [String], reason: String) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap(["ntag215"] + Self.record)
        let refused = try await daemon.run(["spool"] + arguments)
        #expect([64, 65].contains(refused.status), "\(refused)")
        #expect(refused.errors.contains { $0.contains(reason) }, "\(refused)")
        #expect(try await shown(daemon)["payload"] == .string(Self.payload))
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `is made new, from options or from what another one shows`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let first = try await daemon.tap(["ntag216"])
        let made = try await daemon.run(
            "spool", "new", "material_type=PETG", "brand_name=Example", "nominal_netto_full_weight=1000",
            "primary_color=#3A3A3A", "--uri", "https://example.com/s/1")
        #expect(made.status == 0, "\(made)")
        let spool = try await daemon.run("spool", "show", "--json")
        let file = try daemon.scratch.file("spool.json", spool.output.first ?? "")
        #expect(try await daemon.run("spool", "use", "5").status == 0)
        try await daemon.takeAway(first)
        let second = try await daemon.tap(["ntag215"])
        let copied = try await daemon.run("spool", "new", "--file", file, "material_name=Black")
        #expect(copied.status == 0, "\(copied)")
        let main = try await shown(daemon)["data"]?["main"]
        #expect(main?["material_type"] == "PETG" && main?["material_name"] == "Black")
        #expect(main?["primary_color"] == "#3a3a3a" && main?["material_class"] == "FFF")
        await second.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `of another format is shown and not changed`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let file = try daemon.scratch.file("tiger.bin", Self.tigerTag)
        let tag = try await daemon.tap([file])
        #expect(try await shown(daemon)["kind"] == "tigertag")
        let plain = try await daemon.run("spool", "show")
        #expect(
            plain.output.contains { $0.contains("TigerTag") } && plain.output.contains { $0.contains("1000 g") },
            "\(plain)")
        let refused = try await daemon.run("spool", "use", "5")
        #expect(refused.status == 65 && refused.errors.contains { $0.contains("only OpenPrintTag") }, "\(refused)")
        try await daemon.takeAway(tag)
        let plainTag = try await daemon.tap(["ntag215", "--text", "Hello"])
        let unknown = try await daemon.run("spool", "show")
        #expect(
            unknown.status == 65 && unknown.errors.contains { $0.contains("is not the tag of a spool") }, "\(unknown)")
        await plainTag.end(SIGINT)
        await daemon.process.end()
    }
}
