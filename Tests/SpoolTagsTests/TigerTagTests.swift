import Cryptography
import Foundation
import NFCTypes
import TestSupport
import Testing

@testable import SpoolTags

@Suite struct TigerTagTests {
    private static func tag(_ dump: [UInt8], identifier: [UInt8]? = nil) throws -> TigerTag {
        try #require(TigerTag(SpoolMemory(type2Dump: dump, identifier: identifier)))
    }

    /// A tag with bytes changed in its fields.
    private static func changed(_ changes: [(Int, [UInt8])]) throws -> TigerTag {
        try tag(changes.reduce(RealTags.tigerTagPlus) { $0.replacing(16 + $1.0, with: $1.1) })
    }

    @Test func `the numbers are resolved`() throws {
        let tag = try Self.tag(RealTags.tigerTagPlus)
        #expect(tag.version.description == "TigerTag+")
        #expect(tag.product == 3_913_615_470)
        #expect(tag.material.description == "PLA")
        #expect(tag.aspect1.description == "Basic")
        #expect(tag.aspect2.description == "-")
        #expect(tag.type.description == "Filament")
        #expect(tag.diameter.description == "1.75")
        #expect(tag.brand.description == "Sunlu")
        #expect(tag.unit.description == "g")
        #expect(tag.doubts.isEmpty)
    }

    @Test func `an unknown number is shown as it is`() throws {
        let tag = try Self.changed([(8, [0x12, 0x34]), (12, [0x01, 0x02]), (14, [0x56, 0x78]), (23, [0x63])])
        #expect(
            [tag.material, tag.type, tag.diameter, tag.brand, tag.unit].map(\.description)
                == ["#4660", "#1", "#2", "#22136", "#99"])
        #expect(tag.facts.material == "#4660")
        #expect(tag.facts.brand == "#22136")
        #expect(tag.facts.diameter == nil)
        #expect(tag.facts.fullWeight == nil)
    }

    /// The counts of the package that the tables are made from.
    @Test func `the tables are whole`() {
        #expect(TigerTagTables.versions.count == 4)
        #expect(TigerTagTables.materials.count == 113)
        #expect(TigerTagTables.aspects.count == 25)
        #expect(TigerTagTables.types.count == 4)
        #expect(TigerTagTables.diameters.count == 2)
        #expect(TigerTagTables.brands.count == 135)
        #expect(TigerTagTables.units.count == 11)
        #expect(
            TigerTagTables.units.keys.allSatisfy { TigerTagUnit(TigerTagName($0, in: TigerTagTables.units)) != nil })
        #expect(TigerTagTables.diameters.values.allSatisfy { Double($0) != nil })
    }

    @Test func `the summary has what the tag gives`() throws {
        let facts = try Self.tag(RealTags.tigerTagPlus).facts
        #expect(facts.brand == "Sunlu")
        #expect(facts.material == "PLA")
        #expect(facts.colors.map(\.description) == ["#3E2B2E"])
        #expect(facts.diameter == 1.75)
        #expect(facts.fullWeight == 1000)
        #expect(facts.remainingWeight == nil)
        #expect(facts.nozzle == SpoolRange(200, 240))
        #expect(facts.bed == SpoolRange(50, 60))
        #expect(facts.dryingTemperature == 50)
        #expect(facts.dryingHours == 6)
    }

    @Test func `as many colours count as the aspects say, the second one first`() throws {
        let colors: [(Int, [UInt8])] = [(16, hex("010203FF")), (36, hex("040506")), (40, hex("070809"))]
        for (aspects, count) in [
            ("6800", 1), ("5C18", 3), ("5CFC", 2), ("FC5C", 2), ("91FC", 2), ("FFFF", 1), ("0000", 1),
        ] {
            let tag = try Self.changed(colors + [(10, hex(aspects))])
            #expect(
                tag.colors.map(\.description) == Array(["#010203", "#040506", "#070809"].prefix(count)), "\(aspects)")
        }
    }

    @Test func `amounts of weight are in grams, others are not weights`() throws {
        for (unit, grams) in [(10, 0.5), (21, 500), (35, 500_000)] as [(UInt8, Double)] {
            let facts = try Self.changed([(20, [0, 0x01, 0xF4, unit]), (76, [0, 0x01, 0xF4])]).facts
            #expect(facts.fullWeight == grams)
            #expect(facts.remainingWeight == grams)
        }
        for unit in [48, 62, 79, 95, 112, 130, 149, 170, 0, 255] as [UInt8] {
            let facts = try Self.changed([(20, [0, 0x01, 0xF4, unit]), (76, [0, 0x01, 0xF4])]).facts
            #expect(facts.fullWeight == nil)
            #expect(facts.remainingWeight == nil)
        }
    }

    @Test func `the number of the tag and of all tags of a spool is read`() throws {
        let tag = try Self.changed([(39, [0x12])])
        #expect(tag.tagIndex == 1)
        #expect(tag.tagCount == 2)
    }

    @Test func `the time of production counts from 2000 on`() throws {
        #expect(try Self.changed([(32, [0, 0, 0, 1])]).productionTime == 946_684_801)
        #expect(try Self.changed([(32, [0xFF, 0xFF, 0xFF, 0xFF])]).productionTime == 5_241_652_095)
        #expect(try Self.changed([(32, [0, 0, 0, 0])]).productionTime == nil)
    }

    @Test(arguments: [
        (24, "00F000C8", "240 °C, is above"), (30, "3C32", "60 °C, is above"), (44, "0009", "transmission distance"),
        (44, "03E9", "transmission distance"), (76, "0003E9", "1001, is above"), (39, "21", "number 2 of 1"),
        (20, "FFFFFF15", "does not hold 16777215 g"), (20, "00003323", "does not hold 51 kg"), (48, "FF", "not UTF-8"),
        (48, "41C3", "not UTF-8"), (43, "01", "reserved"), (46, "0100", "reserved"), (79, "FF", "reserved"),
    ])
    func `what cannot be right is named and still shown`(offset: Int, bytes: String, doubt: String) throws {
        let tag = try Self.changed([(offset, hex(bytes))])
        #expect(tag.doubts.count == 1)
        #expect(tag.doubts.first?.description.contains(doubt) == true, "\(tag.doubts)")
        #expect(tag.facts.fullWeight == tag.fullWeightOnTag)
    }

    @Test func `numbers that stand for unknown are not doubtful`() throws {
        for (offset, bytes) in [(24, "00F00000"), (30, "3C00"), (44, "0000"), (39, "20"), (39, "02"), (20, "000000")] {
            #expect(try Self.changed([(offset, hex(bytes))]).doubts.isEmpty, "\(offset)")
        }
    }

    @Test func `the text is anyone's input`() throws {
        let text = try Self.changed([(48, Array("a\u{1B}[2J\u{202E}b\n".utf8) + [0xFF])]).text
        #expect(text == "a\u{1B}[2J\u{202E}b\n\u{FFFD}")
        #expect(try Self.changed([(48, [UInt8](repeating: 0x41, count: 28))]).text == String(repeating: "A", count: 28))
        #expect(try Self.changed([(48, [0x41, 0, 0x42])]).text == "A\0B")
    }

    @Test func `a tag that is only reserved has no facts`() throws {
        let tag = try Self.tag(hex("6c41a2e1") + RealTags.zeros(76), identifier: RealTags.identifier)
        #expect(tag.isInitOnly)
        #expect(tag.version.description == "TigerTag Init")
        #expect(tag.product == nil)
        #expect(tag.facts == SpoolFacts())
        #expect(SpoolContent.tigerTag(tag).name == "TigerTag Init")
    }
}

extension TigerTag {
    /// The full amount in grams, computed from the bytes alone.
    fileprivate var fullWeightOnTag: Double? {
        unit.number == 21 ? Double(fullAmount) : unit.number == 35 ? Double(fullAmount) * 1000 : nil
    }
}

@Suite struct TigerTagSizeTests {
    @Test func `dumps of all pages and of the user memory read alike`() throws {
        let whole = RealTags.tigerTagPlus
        let user = Array(whole[16..<160])
        let dumps = [
            whole, user, Array(user.prefix(80)), whole + RealTags.zeros(360), Array(whole.prefix(96)),
            Array(whole.prefix(144)),
        ]
        let tags = dumps.compactMap { TigerTag(SpoolMemory(type2Dump: $0, identifier: RealTags.identifier)) }
        #expect(tags.count == dumps.count)
        #expect(Set(tags.map(\.facts)).count == 1)
        #expect(tags.map { $0.signature() } == [.valid, .valid, .notRead, .valid, .notRead, .notRead])
    }

    @Test func `the UID is that of the reader, else that of the memory`() throws {
        let whole = RealTags.tigerTagPlus
        #expect(SpoolMemory(type2Dump: whole).identifier == RealTags.identifier)
        #expect(SpoolMemory(type2Dump: whole, identifier: [1, 2, 3, 4]).identifier == [1, 2, 3, 4])
        #expect(SpoolMemory(type2Dump: Array(whole[16..<160])).identifier == nil)
    }

    @Test func `an NTAG215 has a TigerTag as well`() throws {
        let tag = try #require(TigerTag(SpoolMemory(type2Dump: RealTags.tigerTag)))
        #expect(RealTags.tigerTag.count == 540)
        #expect(tag.facts.brand == "ELEGOO")
        #expect(tag.facts.fullWeight == 1000)
        #expect(tag.facts.bed == SpoolRange(45, 55))
        #expect(tag.product == nil)
        #expect(tag.signature() == .unsigned)
    }

    @Test func `a dump of nfcd is read, with pages that cannot be`() throws {
        let pages = stride(from: 0, to: 180, by: 4).map { offset -> TagBlock in
            let isHidden = offset / 4 == 30
            return TagBlock(
                number: offset / 4, bytes: isHidden ? nil : Array(RealTags.tigerTagPlus[offset..<offset + 4]))
        }
        let dump = TagDump(layout: .type2, blockSize: 4, sections: [.init(blocks: pages)])
        let tag = try #require(SpoolMemory(dump).flatMap { TigerTag($0) })
        #expect(tag.facts.brand == "Sunlu")
        #expect(tag.signature() == .notRead)
        #expect(SpoolMemory(TagDump(layout: .type5, blockSize: 4, sections: [.init(blocks: pages)])) == nil)
    }

    @Test func `a dump with absurd numbers of blocks is bounded`() throws {
        let blocks = [Int.min, -1, 1024, 1 << 40, Int.max].map { TagBlock(number: $0, bytes: [1, 2, 3, 4]) }
        for size in [Int.min, 0, 4, Int.max / 2048] {
            let dump = TagDump(layout: .type2, blockSize: size, sections: [.init(blocks: blocks)])
            #expect(SpoolMemory(dump).flatMap { SpoolContent.recognised(in: $0) } == nil)
        }
        let long = SpoolMemory(layout: .type2, bytes: [UInt8](repeating: 0x7B, count: 100_000), offset: Int.max)
        #expect(SpoolContent.recognised(in: long) == nil)
    }

    @Test(arguments: [0, 3, 16, 79, 95]) func `a memory without all fields is not a TigerTag`(count: Int) {
        #expect(TigerTag(SpoolMemory(type2Dump: Array(RealTags.tigerTagPlus.prefix(count)))) == nil)
    }
}

@Suite struct TigerTagSignatureTests {
    private static func signature(_ dump: [UInt8], keys: [UInt32: [UInt8]] = TigerTag.publishedKeys) throws
        -> TigerTagSignature
    {
        try #require(TigerTag(SpoolMemory(type2Dump: dump))).signature(keys: keys)
    }

    @Test func `a tag of the vendor has a valid signature`() throws {
        #expect(try Self.signature(RealTags.tigerTagPlus) == .valid)
    }

    @Test(arguments: [0, 1, 2, 4, 5, 6, 7, 20, 21, 22, 23, 96, 127, 128, 159])
    func `one bit of the UID, the product or the signature breaks it`(offset: Int) throws {
        for bit in 0..<8 {
            let dump = RealTags.tigerTagPlus.replacing(offset, with: RealTags.tigerTagPlus[offset] ^ 1 << UInt8(bit))
            #expect(try Self.signature(dump) == .invalid, "bit \(bit)")
        }
    }

    @Test func `the kind of the tag is signed`() throws {
        #expect(try Self.signature(RealTags.tigerTagPlus.replacing(16, with: hex("5BF59264"))) == .invalid)
    }

    @Test(arguments: [3, 8, 24, 41, 60, 92, 94, 95]) func `other bytes are not signed`(offset: Int) throws {
        let dump = RealTags.tigerTagPlus.replacing(offset, with: RealTags.tigerTagPlus[offset] ^ 1)
        #expect(try Self.signature(dump) == .valid)
    }

    @Test func `zeros are not a signature`() throws {
        #expect(try Self.signature(RealTags.tigerTagPlus.replacing(96, with: RealTags.zeros(64))) == .unsigned)
        #expect(try Self.signature(RealTags.tigerTagPlus.replacing(96, with: RealTags.zeros(32))) == .invalid)
        #expect(try Self.signature(RealTags.tigerTagPlus.replacing(128, with: RealTags.zeros(32))) == .invalid)
    }

    @Test func `without a key nothing is claimed`() throws {
        #expect(try Self.signature(RealTags.tigerTagPlus, keys: [:]) == .noKey)
        #expect(try Self.signature(RealTags.tigerTagPlus, keys: [0x5BF5_9264: [4]]) == .noKey)
    }

    @Test func `another or a broken key does not pass`() throws {
        #expect(try Self.signature(RealTags.tigerTagPlus, keys: [0xBC0F_CB97: P256Key().point]) == .invalid)
        for point in [[], [4], [UInt8](repeating: 4, count: 65)] {
            #expect(try Self.signature(RealTags.tigerTagPlus, keys: [0xBC0F_CB97: point]) == .invalid)
        }
    }

    @Test func `without a UID of 7 bytes nothing is claimed`() throws {
        let user = Array(RealTags.tigerTagPlus[16..<160])
        for identifier in [nil, [], RealTags.identifier + [0], [1, 2, 3, 4]] as [[UInt8]?] {
            let tag = try #require(TigerTag(SpoolMemory(type2Dump: user, identifier: identifier)))
            #expect(tag.signature() == .noIdentifier)
        }
    }

    @Test func `every kind of tag has the key that is published`() {
        #expect(Set(TigerTag.publishedKeys.keys) == [0x5BF5_9264, 0xBC0F_CB97, 0x6C41_A2E1])
        #expect(TigerTag.publishedKeys.values.allSatisfy { $0.count == 65 })
    }
}

@Suite struct TigerTagEditTests {
    private static func tag(_ full: String = "0003E815", remaining: String = "00000000", mark: String = "BC0FCB97")
        throws -> TigerTag
    {
        let dump = RealTags.tigerTagPlus.replacing(36, with: hex(full)).replacing(92, with: hex(remaining))
            .replacing(16, with: hex(mark))
        return try #require(TigerTag(SpoolMemory(type2Dump: dump)))
    }

    @Test(arguments: [(1, "000001"), (1000, "0003E8"), (256, "000100")])
    func `an amount becomes one page`(amount: Int, bytes: String) throws {
        let edit = try Self.tag(remaining: "0003E700").edit(remainingAmount: amount)
        #expect(edit == SpoolPageEdit(page: 23, old: hex("0003E700"), new: hex(bytes + "00")))
    }

    @Test func `the changed tag reads as written and stays signed`() throws {
        let edit = try Self.tag().edit(remainingAmount: 742)
        let dump = RealTags.tigerTagPlus.replacing(edit.page * 4, with: edit.new)
        let tag = try #require(TigerTag(SpoolMemory(type2Dump: dump)))
        #expect(tag.remainingAmount == 742)
        #expect(tag.facts.remainingWeight == 742)
        #expect(tag.signature() == .valid)
        let known = try Self.tag(remaining: "0003E700")
        #expect(try known.applying(known.edit(remainingAmount: 742)).remainingAmount == 742)
        #expect(try known.applying(known.edit(remainingAmount: nil)).remainingAmount == nil)
    }

    @Test func `the reserved byte of the page stays`() throws {
        #expect(try Self.tag(remaining: "000000A5").edit(remainingAmount: 1).new == hex("000001A5"))
    }

    @Test func `an amount that cannot be right is replaced by one that can`() throws {
        #expect(try Self.tag(remaining: "FFFFFF00").edit(remainingAmount: 10).new == hex("00000A00"))
    }

    @Test func `an amount can be cleared`() throws {
        #expect(try Self.tag(remaining: "0003E700").edit(remainingAmount: nil).new == hex("00000000"))
    }

    @Test(arguments: [-1, Int.min, 1001, 0x1000000, Int.max])
    func `an amount that the spool cannot hold is refused`(amount: Int) throws {
        let tag = try Self.tag()
        #expect(throws: TigerTagEditError.implausible(full: 1000, unit: "g")) { try tag.edit(remainingAmount: amount) }
        #expect(throws: TigerTagEditError.implausible(full: 1000, unit: "g")) {
            try tag.edit(remainingGrams: Double(amount))
        }
    }

    @Test func `zero would read as unknown and is refused`() throws {
        let tag = try Self.tag()
        #expect(throws: TigerTagEditError.zeroIsUnknown) { try tag.edit(remainingAmount: 0) }
        for weight in [0, 0.4, -0.2] {
            #expect(throws: TigerTagEditError.zeroIsUnknown) { try tag.edit(remainingGrams: weight) }
        }
    }

    @Test(arguments: ["00000015", "0003E800", "0003E863", "FFFFFF15", "00003323", "00003379"])
    func `without a full amount that can be right nothing is changed`(full: String) throws {
        let tag = try Self.tag(full)
        #expect(throws: TigerTagEditError.unknownFullAmount) { try tag.edit(remainingAmount: 1) }
        #expect(throws: TigerTagEditError.unknownFullAmount) { try tag.edit(remainingGrams: 1) }
    }

    @Test func `a tag that is only reserved is not changed`() throws {
        let tag = try Self.tag(mark: "6C41A2E1")
        for amount in [nil, 1] {
            #expect(throws: TigerTagEditError.notWritten) { try tag.edit(remainingAmount: amount) }
        }
        #expect(throws: TigerTagEditError.notWritten) { try tag.edit(remainingGrams: 1) }
    }

    @Test(arguments: [
        ("0003E815", 742.4, "0002E6"), ("0003E815", 742.6, "0002E7"), ("00000223", 1000, "000001"),
        ("00000223", 1000.4, "000001"), ("0F42400A", 12.345, "003039"),
    ])
    func `a weight is counted in the unit of the tag`(full: String, grams: Double, bytes: String) throws {
        #expect(try Self.tag(full).edit(remainingGrams: grams).new == hex(bytes + "00"))
    }

    @Test func `a weight that the unit cannot express is refused`() throws {
        #expect(throws: TigerTagEditError.tooCoarse(unit: "kg")) { try Self.tag("00000223").edit(remainingGrams: 350) }
        #expect(throws: TigerTagEditError.tooCoarse(unit: "kg")) { try Self.tag("00000223").edit(remainingGrams: 1350) }
        #expect(throws: TigerTagEditError.notWeight(unit: "ml")) { try Self.tag("0003E830").edit(remainingGrams: 350) }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 1e300])
    func `a weight that is not one is refused`(grams: Double) throws {
        #expect(throws: TigerTagEditError.implausible(full: 1000, unit: "g")) {
            try Self.tag().edit(remainingGrams: grams)
        }
    }

    @Test func `a refusal says what to do`() {
        let errors: [TigerTagEditError] = [
            .notWritten, .unknownFullAmount, .zeroIsUnknown, .implausible(full: 1000, unit: "g"),
            .notWeight(unit: "ml"),
            .tooCoarse(unit: "kg"),
        ]
        for error in errors {
            #expect(error.description.contains("TigerTag") && error.description.split(separator: ". ").count == 2)
        }
    }
}
