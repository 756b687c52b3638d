import Foundation
import NFCTypes
import TestSupport
import Testing

@testable import SpoolTags

@Suite struct RecognitionTests {
    static let memories: [(format: String, memory: SpoolMemory)] = [
        ("tigertag", SpoolMemory(type2Dump: RealTags.tigerTagPlus)),
        ("tigertag", SpoolMemory(type2Dump: RealTags.tigerTag)),
        ("anycubic", SpoolMemory(type2Dump: RealTags.anycubic)), ("elegoo", SpoolMemory(type2Dump: RealTags.elegoo)),
        ("qidi", .classic(RealTags.qidi)),
    ]

    @Test func `each format is recognised`() {
        #expect(Self.memories.map { SpoolContent.recognised(in: $0.memory)?.format } == Self.memories.map(\.format))
    }

    /// What is read of a memory until its content is certain, and what it is then.
    private static func readStepwise(_ dump: [UInt8], marksBefore end: Int = .max) -> (read: Set<Int>, SpoolContent?) {
        var read: Set<Int> = []
        let memory = {
            SpoolMemory(layout: .type2, count: SpoolMemory.recognisedCount) { read.contains($0) ? dump[$0] : nil }
        }
        for _ in 0..<10 {
            guard let missing = SpoolContent.missing(in: memory(), marksBefore: end) else { break }
            #expect(!read.isSuperset(of: missing), "\(missing) was read already")
            read.formUnion(missing)
        }
        return (read, SpoolContent.recognised(in: memory()))
    }

    @Test func `a format is recognised by no more than has to be read`() {
        for (dump, format, count) in [
            (RealTags.tigerTagPlus, "tigertag", 80), (RealTags.tigerTag, "tigertag", 80),
            (RealTags.anycubic, "anycubic", 112), (RealTags.elegoo, "elegoo", 84),
        ] {
            let (read, content) = Self.readStepwise(dump)
            #expect(content?.format == format && content?.extent.lowerBound == (format == "elegoo" ? 64 : 16))
            #expect(read.count <= count + 4, "\(format): \(read.count)")
        }
        let blank = [UInt8](repeating: 0, count: 180)
        #expect(Self.readStepwise(blank).read == Set(16..<20).union(65..<69))
        #expect(Self.readStepwise(blank, marksBefore: 64).read == Set(16..<20))
        #expect(Self.readStepwise(RealTags.elegoo, marksBefore: 64).1 == nil)
    }

    @Test func `content is named with an article`() {
        #expect(
            Self.memories.map { SpoolContent.recognised(in: $0.memory)?.title } == [
                "a TigerTag+", "a TigerTag", "an Anycubic filament tag", "an Elegoo filament tag",
                "a Qidi filament tag",
            ])
    }

    @Test func `a format is recognised on its own kind of tag only`() {
        for dump in [RealTags.tigerTagPlus, RealTags.anycubic, RealTags.elegoo] {
            #expect(SpoolContent.recognised(in: .classic(dump)) == nil)
        }
        #expect(SpoolContent.recognised(in: SpoolMemory(type2Dump: RealTags.qidi)) == nil)
    }

    @Test func `random memories are not spools`() {
        var random = SplitMix(seed: 2026)
        for number in 0..<10_000 {
            let count = [48, 80, 144, 180, 540][number % 5]
            let bytes = random.bytes(count: count)
            #expect(SpoolContent.recognised(in: SpoolMemory(type2Dump: bytes)) == nil, "\(number)")
            #expect(SpoolContent.recognised(in: .classic(bytes)) == nil, "\(number)")
        }
    }

    @Test(arguments: 0..<256) func `a memory of one byte repeated is not a spool`(byte: Int) {
        for count in [0, 1, 16, 80, 144, 180, 540, 1024] {
            let bytes = [UInt8](repeating: UInt8(byte), count: count)
            #expect(SpoolContent.recognised(in: SpoolMemory(type2Dump: bytes)) == nil)
            #expect(SpoolContent.recognised(in: .classic(bytes)) == nil)
        }
    }

    @Test(arguments: [
        // Blank NTAG213; an address; a text; nothing but a terminator; a message of EE.
        "0103A00C340300FE", "0103A00C34030FD1010B5502656C65676F6F2E636F6DFE",
        "0313D1010F5402656E54696765725461672B203120FE",
        "FE",
        "0370C2030000006A782F78EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE",
    ])
    func `an NDEF tag with other content is not a spool`(content: String) {
        let user = hex(content)
        let dump = hex("04EEEE8C783E6181A6480000E1101200") + user + RealTags.zeros(164 - user.count)
        #expect(SpoolContent.recognised(in: SpoolMemory(type2Dump: dump)) == nil)
    }

    @Test func `an NDEF application on MIFARE Classic is not a spool`() {
        for block in ["0300FE", "0000030BD101075501612E622F63FE", "030101FE", "0303D00000FE"] {
            let directory = RealTags.qidi.replacing(16, with: hex("140103E103E103E1"))
            #expect(SpoolContent.recognised(in: .classic(directory.replacing(64, with: hex(block)))) == nil)
        }
    }

    @Test func `a truncated spool does not crash`() {
        for (_, dump) in Self.dumps {
            for count in 0...dump.count { Self.examine(Array(dump.prefix(count))) }
        }
    }

    @Test func `a spool with a byte changed stays what it is, or nothing`() {
        var random = SplitMix(seed: 7)
        for (format, dump) in Self.dumps {
            for index in dump.indices {
                let changed = dump.replacing(index, with: UInt8.random(in: 0...255, using: &random))
                #expect(Self.examine(changed).isSubset(of: [format]), "\(format), byte \(index)")
            }
        }
    }

    @Test func `random content behind a mark does not crash`() {
        var random = SplitMix(seed: 11)
        let marks = [
            (16, "5BF59264"), (16, "BC0FCB97"), (16, "6C41A2E1"), (16, "7B006500"), (65, "EEEEEEEE"), (64, "010101"),
        ]
        for number in 0..<3_000 {
            let (offset, mark) = marks[number % marks.count]
            Self.examine(random.bytes(count: 180).replacing(offset, with: hex(mark)))
        }
    }

    private static let dumps = [
        ("tigertag", RealTags.tigerTagPlus), ("tigertag", RealTags.tigerTag), ("anycubic", RealTags.anycubic),
        ("elegoo", RealTags.elegoo), ("qidi", RealTags.qidi),
    ]

    /// Reads all that can be read of a memory. Returns the formats found.
    @discardableResult
    private static func examine(_ bytes: [UInt8]) -> Set<String> {
        let found = [SpoolMemory(type2Dump: bytes), .classic(bytes)].compactMap { SpoolContent.recognised(in: $0) }
        for content in found {
            for (name, value) in content.facts.rows {
                #expect(!name.isEmpty && !value.isEmpty)
                #expect(!value.unicodeScalars.contains { $0.properties.generalCategory == .control })
            }
            #expect(content.doubts.allSatisfy { $0.description.printable == $0.description })
            #expect(throws: Never.self) { try JSONEncoder().encode(content) }
            #expect(!content.name.isEmpty)
            if case .tigerTag(let tag) = content { _ = try? tag.edit(remainingAmount: 1) }
        }
        return Set(found.map(\.format))
    }
}

@Suite struct SpoolFactsTests {
    @Test func `facts are rows for people`() {
        var facts = SpoolFacts()
        #expect(facts.rows.isEmpty)
        facts.brand = "A"
        facts.material = "PLA"
        facts.colors = [SpoolColor(red: 1, green: 2, blue: 3), SpoolColor(red: 255, green: 0, blue: 16, alpha: 128)]
        facts.diameter = 1.75
        facts.fullWeight = 1000
        facts.remainingWeight = 0.5
        facts.nozzle = SpoolRange(190, 230)
        facts.bed = SpoolRange(nil, 60)
        facts.dryingTemperature = 50
        facts.dryingHours = 6
        #expect(
            facts.rows.map { "\($0.name): \($0.value)" } == [
                "brand: A", "material: PLA", "colours: #010203, #FF001080", "diameter: 1.75 mm", "full weight: 1000 g",
                "remaining weight: 0.5 g", "nozzle: 190–230 °C", "bed: up to 60 °C", "drying: 50 °C, 6 h",
            ])
    }

    @Test func `numbers that cannot be right are shown`() {
        var facts = SpoolFacts()
        facts.fullWeight = .nan
        facts.remainingWeight = -1e300
        facts.diameter = .infinity
        facts.nozzle = SpoolRange(200, nil)
        facts.bed = SpoolRange(60, 60)
        #expect(facts.rows.map(\.value) == ["inf mm", "nan g", "-1e+300 g", "from 200 °C", "60 °C"])
    }

    @Test func `texts are escaped and cut`() {
        var facts = SpoolFacts()
        facts.brand = "a\u{1B}[2J\nb\u{202E}c"
        facts.material = String(repeating: "x", count: 1000)
        #expect(facts.rows[0].value == #"a\u{1B}[2J\u{A}b\u{202E}c"#)
        #expect(facts.rows[1].value == String(repeating: "x", count: 120) + "…")
    }

    @Test func `a text of a tag cannot drive a terminal`() throws {
        let dump = RealTags.anycubic.replacing(0x28, with: Array("\u{1B}]0;x\u{7}".utf8))
        let content = try #require(SpoolContent.recognised(in: SpoolMemory(type2Dump: dump)))
        #expect(content.facts.rows.first?.value == #"\u{1B}]0;x\u{7}"#)
    }
}
