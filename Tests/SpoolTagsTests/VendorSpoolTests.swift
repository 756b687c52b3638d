import NFCTypes
import TestSupport
import Testing

@testable import SpoolTags

@Suite struct AnycubicSpoolTests {
    private static func spool(_ changes: [(Int, [UInt8])] = []) throws -> AnycubicSpool {
        let dump = changes.reduce(RealTags.anycubic) { $0.replacing($1.0, with: $1.1) }
        return try #require(AnycubicSpool(SpoolMemory(type2Dump: dump)))
    }

    @Test func `a spool of the vendor is read`() throws {
        let spool = try Self.spool()
        #expect(RealTags.anycubic.count == 180)
        #expect(spool.article == "AHPLRR-107")
        #expect(spool.brand == "AC")
        #expect(spool.length == 330)
        #expect(spool.doubts.isEmpty)
        let facts = spool.facts
        #expect(facts.brand == "Anycubic")
        #expect(facts.material == "PLA")
        #expect(facts.colors.map(\.hexadecimal) == ["C8102EFF"])
        #expect(facts.diameter == 1.75)
        #expect(facts.fullWeight == 1000)
        #expect(facts.nozzle == SpoolRange(190, 230))
        #expect(facts.bed == SpoolRange(55, 65))
        #expect(facts.remainingWeight == nil)
    }

    @Test func `a spool of another brand keeps its name`() throws {
        #expect(try Self.spool([(0x28, Array("Other".utf8))]).facts.brand == "Other")
        #expect(try Self.spool([(0x28, [0, 0])]).facts.brand == "Anycubic")
    }

    @Test(
        arguments: [
            (0x60, "E600BE00", "nozzle"), (0x74, "41003700", "bed"), (0x78, "0000FFFF", nil),
            (0x78, "FFFF", "655.35 mm"),
            (0x14, "FF", "article"), (0x28, "FF", "brand"), (0x3C, "C3", "material"),
        ] as [(Int, String, String?)])
    func `what cannot be right is named and still shown`(offset: Int, bytes: String, doubt: String?) throws {
        let spool = try Self.spool([(offset, hex(bytes))])
        #expect(spool.doubts.count == (doubt == nil ? 0 : 1))
        if let doubt { #expect(spool.doubts.first?.description.contains(doubt) == true, "\(spool.doubts)") }
    }

    @Test func `the mark alone is not a spool`() {
        let bytes = hex("7B006500")
        for filler in [0x00, 0xFF, 0x7F] as [UInt8] {
            let dump = RealTags.zeros(16) + bytes + [UInt8](repeating: filler, count: 160)
            #expect(AnycubicSpool(SpoolMemory(type2Dump: dump)) == nil)
        }
    }
}

@Suite struct ElegooSpoolTests {
    private static func spool(_ changes: [(Int, [UInt8])] = []) throws -> ElegooSpool {
        let dump = changes.reduce(RealTags.elegoo) { $0.replacing($1.0, with: $1.1) }
        return try #require(ElegooSpool(SpoolMemory(type2Dump: dump)))
    }

    @Test func `a spool of the vendor is read`() throws {
        let spool = try Self.spool()
        #expect(RealTags.elegoo.count == 180)
        #expect(spool.materialCode == "PLA")
        #expect(spool.varietyName == "PLA")
        #expect(spool.doubts.isEmpty)
        let facts = spool.facts
        #expect(facts.brand == "Elegoo")
        #expect(facts.material == "PLA")
        #expect(facts.colors.map(\.hexadecimal) == ["106DD7FF"])
        #expect(facts.diameter == 1.75)
        #expect(facts.fullWeight == 1000)
        #expect(facts.nozzle == SpoolRange(190, 230))
        #expect(facts.bed == nil)
    }

    @Test(arguments: [
        ("80766500", "0003", "PLA Silk"), ("80698471", "0105", "PETG Rapid"), ("80650000", "0405", "PA6-CF"),
        ("80676400", "0E02", "PPS-CF"), ("80766500", "00FF", "PLA #255"), ("80698471", "0F00", "PETG #3840"),
        ("00000000", "FFFF", "#65535"),
    ])
    func `a material is named, or shown as a number`(code: String, variety: String, name: String) throws {
        #expect(try Self.spool([(0x48, hex(code)), (0x4C, hex(variety))]).facts.material == name)
    }

    @Test(
        arguments: [
            ("00807665", "PLA"), ("80698471", "PETG"), ("00000000", nil), ("8A766500", nil), ("A0766500", nil),
            ("27130000", nil), ("99000000", nil), ("80760054", "PL6"),
        ] as [(String, String?)])
    func `a material is spelt in decimal numbers of ASCII`(code: String, name: String?) throws {
        let spool = try Self.spool([(0x48, hex(code))])
        #expect(spool.materialCode == name)
        #expect(spool.doubts.isEmpty == (name != nil))
    }

    @Test func `the mark within an NDEF message is not a spool`() {
        // The message runs over the place of the mark: 64 bytes from page 4 on.
        let short = RealTags.elegoo.replacing(0x10, with: hex("0340D1013C54"))
        #expect(ElegooSpool(SpoolMemory(type2Dump: short)) == nil)
        let long = RealTags.elegoo.replacing(0x10, with: hex("03FF0080C101"))
        #expect(ElegooSpool(SpoolMemory(type2Dump: long)) == nil)
        // The last byte of the message is at 40, and at 3F.
        let reaching = RealTags.elegoo.replacing(0x10, with: hex("03FF002DC101"))
        #expect(ElegooSpool(SpoolMemory(type2Dump: reaching)) == nil)
        let ending = RealTags.elegoo.replacing(0x10, with: hex("03FF002CC101"))
        #expect(ElegooSpool(SpoolMemory(type2Dump: ending)) != nil)
        let behind = RealTags.elegoo.replacing(0x10, with: hex("0103A00C340340D101"))
        #expect(ElegooSpool(SpoolMemory(type2Dump: behind)) == nil)
        let before = RealTags.elegoo.replacing(0x10, with: hex("032CD101"))
        #expect(ElegooSpool(SpoolMemory(type2Dump: before)) != nil)
        let unread = SpoolMemory(layout: .type2, bytes: Array(RealTags.elegoo[0x40...]), offset: 0x40)
        #expect(ElegooSpool(unread) != nil)
    }

    @Test func `the mark alone is not a spool`() {
        for filler in [0x00, 0xFF, 0xEE] as [UInt8] {
            let bytes =
                RealTags.zeros(0x40) + [filler, 0xEE, 0xEE, 0xEE, 0xEE] + [UInt8](repeating: filler, count: 100)
            #expect(ElegooSpool(SpoolMemory(type2Dump: bytes)) == nil)
        }
        #expect(ElegooSpool(SpoolMemory(type2Dump: [UInt8](repeating: 0xEE, count: 180))) == nil)
    }
}

@Suite struct QidiSpoolTests {
    private static func spool(_ block: String, at offset: Int = 64) -> QidiSpool? {
        QidiSpool(.classic(RealTags.qidi.replacing(offset, with: hex(block))))
    }

    @Test func `a spool of the vendor is read`() throws {
        let spool = try #require(QidiSpool(.classic(RealTags.qidi)))
        #expect(RealTags.qidi.count == 1024)
        #expect(spool.facts.brand == "Qidi")
        #expect(spool.facts.material == "PETG")
        #expect(spool.facts.colors.map(\.description) == ["#898F9B"])
        #expect(spool.facts.fullWeight == nil)
        #expect(spool.facts.diameter == nil)
        #expect(SpoolMemory.classic(RealTags.qidi).identifier == hex("9BD05AF4"))
    }

    @Test(arguments: [
        ("010101", "PLA", "#FAFAFA"), ("321801", "TPU", "#B87F2B"), ("070201", "PLA Basic", "#060606"),
        ("630101", "#99", "#FAFAFA"), ("2F0B02", "PVA", "#1714B0"),
    ])
    func `a number is resolved, or shown`(block: String, material: String, color: String) throws {
        let spool = try #require(Self.spool(block))
        #expect(spool.facts.material == material)
        #expect(spool.facts.colors.map(\.description) == [color])
    }

    @Test(arguments: [
        "000000", "290001", "291400", "001401", "291901", "29FF01", "641401", "631402", "29140101", "030000FE",
        "FFFFFF",
    ])
    func `other content of sector 1 is not a spool`(block: String) {
        #expect(Self.spool(block) == nil)
    }

    @Test func `all of sector 1 counts, and an application directory`() {
        for offset in [67, 79, 80, 111] { #expect(Self.spool("01", at: offset) == nil) }
        #expect(Self.spool("03E1", at: 18) == nil)
        #expect(Self.spool("01", at: 128) != nil)
        #expect(QidiSpool(.classic(Array(RealTags.qidi.prefix(100)))) == nil)
    }
}

@Suite struct ClosedSpoolFormatTests {
    private static func memory(sectors: [Int]) -> SpoolMemory? {
        let blocks = (0..<64).map { TagBlock(number: $0, bytes: sectors.contains($0 / 4) ? RealTags.zeros(16) : nil) }
        return SpoolMemory(TagDump(layout: .mifareClassic, blockSize: 16, sections: [.init(blocks: blocks)]))
    }

    @Test(
        arguments: [
            ([], [.bambu, .snapmaker]), (Array(0..<16), []), ([0] + Array(2..<16), [.creality]), ([0], []), ([1], []),
        ] as [([Int], [ClosedSpoolFormat])])
    func `what the keys of delivery do not open may be one of them`(sectors: [Int], formats: [ClosedSpoolFormat]) throws
    {
        let memory = try #require(Self.memory(sectors: sectors))
        #expect(ClosedSpoolFormat.candidates(for: memory) == formats)
        #expect(SpoolContent.recognised(in: memory) == nil)
    }

    @Test func `a Type 2 tag is not one of them`() {
        #expect(ClosedSpoolFormat.candidates(for: SpoolMemory(type2Dump: [])) == [])
    }
}
