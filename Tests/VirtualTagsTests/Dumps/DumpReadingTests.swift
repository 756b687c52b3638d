import Testing
import TestSupport

@testable import VirtualTags

/// Dump files that are as they should be.
@Suite struct DumpReadingTests {
    static func image(_ text: String) throws -> TagImage { try TagImage(dump: Array(text.utf8)) }

    @Test func `an Ultralight of a Flipper becomes a tag`() throws {
        let image = try Self.image(DumpTexts.type2)
        #expect(image.kind == .type2)
        #expect(image.product == "Mifare Ultralight 11")
        #expect(image.unitCount == 20)
        #expect(image.facts.atqa == [0x00, 0x44])
        #expect(image.facts.counters == [1, 0xFF_FFFF, 0])
        var tag = try image.makeTag()
        #expect(hex(tag.identifier) == "04112233445580")
        #expect(tag.sendSelected("30 00") == "041122BF33445580A2480000E1100600")
        #expect(tag.send("60") == "0004030101000B03")
        #expect(tag.send("3C 00") == hex([UInt8](0..<32)))
        #expect(tag.send("39 00") == "010000")
    }

    @Test func `line ends, a byte order mark and an old device type do not matter`() throws {
        let image = try Self.image(DumpTexts.type2)
        let crlf = DumpTexts.type2.replacing("\n", with: "\r\n")
        #expect(try Self.image(crlf) == image)
        #expect(try Self.image("\u{FEFF}" + DumpTexts.type2) == image)
        let old = DumpTexts.type2.replacing("Device type: NTAG/Ultralight", with: "Device type: Mifare Ultralight 11")
        #expect(try Self.image(old) == image)
    }

    @Test func `pages behind those that were read are holes`() throws {
        let image = try Self.image(DumpTexts.type2.replacing("Pages read: 20", with: "Pages read: 16"))
        #expect(image.unit(15) != nil)
        #expect(image.unit(16) == nil)
        #expect(throws: DumpError(.incomplete, field: "Page 16")) { try image.makeTag() }
    }

    @Test func `a Classic keeps its holes, and the old order of ATQA is turned round`() throws {
        let image = try Self.image(DumpTexts.classic)
        #expect(image.kind == .mifareClassic)
        #expect(image.unitCount == 20)
        #expect(image.facts.atqa == [0x00, 0x04])
        #expect(image.facts.sak == 0x08)
        #expect(image.unit(0)?.count == 16)
        #expect(image.units[3]?.dropFirst(6).first == 0xFF)
        #expect(image.unit(3) == nil)
        #expect(image.units[1] == nil)
    }

    @Test func `a SLIX has blocks, locks and facts`() throws {
        let image = try Self.image(DumpTexts.slix)
        #expect(image.kind == .iso15693)
        #expect(image.unit(1) == hex("0300FE00"))
        #expect(image.facts.lockedUnits == [1])
        #expect(image.facts.afi == 0x3D)
        #expect(image.facts.icReference == 0x02)
    }

    @Test func `a FeliCa Lite-S has its system blocks where they belong`() throws {
        let image = try Self.image(DumpTexts.feliCa)
        #expect(image.kind == .feliCa)
        #expect(image.unit(0x88)?.prefix(4) == [0xFF, 0xFF, 0xFF, 0x01])
        #expect(image.unit(0x90)?.first == 0x24)
        #expect(image.unit(0xA0)?.first == 0x27)
        #expect(image.unit(0x80) == nil)
        #expect(throws: DumpError(.incomplete, field: "Block 128")) { try image.makeTag() }
        var tag = try image.makeTag(filler: 0)
        #expect(tag.sendSelected("060012FC0000") == "1201010203040506070800F1000000014300")
    }

    @Test func `an Ultralight of a proxmark3`() throws {
        let image = try Self.image(DumpTexts.proxmarkUltralight)
        #expect(image.kind == .type2)
        #expect(image.unitCount == 20)
        #expect(image.facts.counters == [1, 0x01_0000, 0])
        #expect(image.facts.version == hex("0004030101000B03"))
        #expect(throws: DumpError(.incomplete, field: "Page 4")) { try image.makeTag() }
        var tag = try image.makeTag(filler: 0xEE)
        #expect(tag.sendSelected("30 02") == "A2480000E1100600EEEEEEEEEEEEEEEE")
    }

    @Test func `a Classic of a proxmark3`() throws {
        let image = try Self.image(DumpTexts.proxmarkClassic)
        #expect(image.kind == .mifareClassic)
        #expect(image.identifier == [1, 2, 3, 4])
        #expect(image.facts.atqa == [0x00, 0x04])
        #expect(image.unit(1) == Array(0..<16))
    }

    @Test func `an ISO 15693 tag of a proxmark3 has its UID with E0 first`() throws {
        let image = try Self.image(DumpTexts.proxmark15693)
        #expect(hex(image.identifier) == "E004010011223344")
        #expect(image.unitSize == 4)
        #expect(image.facts.dsfid == 1)
    }

    @Test func `a Topaz of a proxmark3 becomes a tag`() throws {
        let tag = try VirtualTopazTag(product: .topaz, ndefMessage: [0xD0, 0, 0])
        let blocks = (0..<15).map { "\"\($0)\": \"\(hex(tag.memory.dropFirst($0 * 8).prefix(8)))\"" }
        let card = "\"Card\": { \"UID\": \"\(hex(tag.identifier))\", \"H0R1\": \"1148\", \"Size\": \"0078\" }"
        let image = try Self.image(
            "{ \"FileType\": \"topaz\", \(card), \"blocks\": { \(blocks.joined(separator: ",")) } }")
        #expect((try image.makeTag() as? VirtualTopazTag)?.memory == tag.memory)
        #expect(throws: DumpError.self) { try image.flipperFile() }
    }

    @Test func `what there is no model of is said so`() throws {
        #expect(throws: DumpError(.unsupported("a Topaz of 16 blocks"))) {
            try TagImage(kind: .topaz, identifier: hex("2E4D5A4880"), unitSize: 8, unitCount: 16).makeTag()
        }
        #expect(throws: DumpError(.unsupported("a Type 2 tag of 257 pages"))) {
            try TagImage(kind: .type2, identifier: hex("04112233445580"), unitSize: 4, unitCount: 257).makeTag()
        }
    }

    @Test func `raw pages of a known size with right check bytes`() throws {
        let tag = try VirtualType2Tag(product: .ntag215, ndefMessage: [0xD0, 0, 0])
        let image = try TagImage(dump: tag.memory)
        #expect(image.unitCount == 135)
        #expect((try image.makeTag() as? VirtualType2Tag)?.memory == tag.memory)
        var other = tag.memory
        other[3] ^= 1
        #expect(throws: DumpError(.unknownFormat)) { try TagImage(dump: other) }
        #expect(throws: DumpError(.unknownFormat)) { try TagImage(dump: tag.memory + [0, 0, 0, 0]) }
    }

    @Test func `raw pages behind a header of the proxmark3`() throws {
        let tag = try VirtualType2Tag(product: .mf0ul11)
        let counters: [UInt8] = [1, 0, 0, 0xBD, 2, 0, 0, 0xBD, 0, 0, 1, 0xBD]
        let head = tag.product.version + [0, 0, 0, 19] + [UInt8](1...32) + counters
        let image = try TagImage(dump: head + tag.memory)
        #expect(image.facts.signature == Array(1...32))
        #expect(image.facts.counters == [1, 2, 0x01_0000])
        #expect((try image.makeTag() as? VirtualType2Tag)?.memory == tag.memory)
        let old = try TagImage(dump: tag.product.version + [UInt8](repeating: 0, count: 40) + tag.memory)
        #expect(old.facts.version == tag.product.version)
        #expect(old.unitCount == 20)
    }

    @Test func `a raw Classic, also one padded to four times its size`() throws {
        let trailer = hex("FFFFFFFFFFFFFF078069FFFFFFFFFFFF")
        let blank = [UInt8](repeating: 0, count: 48)
        let first = hex("01020304040804000000000000000000") + [UInt8](repeating: 0, count: 32) + trailer
        let card = first + [[UInt8]](repeating: blank + trailer, count: 15).flatMap { $0 }
        let image = try TagImage(dump: card)
        #expect(image.product == "1K")
        #expect(image.identifier == [1, 2, 3, 4])
        #expect(try TagImage(dump: card + [UInt8](repeating: 0, count: 3072)) == image)
        #expect(try TagImage(dump: card + card + card + card).product == "4K")
        #expect(try TagImage(dump: Array(card.prefix(320))).product == "MINI")
        #expect(throws: DumpError(.unknownFormat)) { try TagImage(dump: [UInt8](repeating: 0, count: 1024)) }
    }

    static let files = [
        DumpTexts.type2, DumpTexts.classic, DumpTexts.slix, DumpTexts.feliCa, DumpTexts.proxmarkClassic,
        DumpTexts.proxmark15693,
    ]

    @Test(arguments: files) func `what is written as a Flipper file is read back`(text: String) throws {
        var image = try Self.image(text)
        let again = try Self.image(image.flipperFile())
        // The file has no names for what is not known, and calls products by family.
        image.product = again.product
        #expect(
            again.units.filter { $0.value.contains { $0 != nil } }
                == image.units.filter { $0.value.contains { $0 != nil } })
        #expect(again.facts.version == image.facts.version)
        #expect(again.identifier == image.identifier)
        #expect(again.facts.atqa == image.facts.atqa)
        #expect(again.facts.lockedUnits == image.facts.lockedUnits)
    }

    @Test func `a tag survives a round trip through a file`() throws {
        for product in VirtualType2Product.all {
            let tag = try VirtualType2Tag(product: product, ndefMessage: [0xD0, 0, 0])
            let image = try Self.image(TagImage(tag).flipperFile())
            #expect((try image.makeTag() as? VirtualType2Tag)?.memory == tag.memory, "\(product)")
        }
        for product in [VirtualFeliCaProduct.lite, .liteS] {
            let tag = try VirtualFeliCaTag(product: product, ndefMessage: [0xD0, 0, 0])
            let image = try Self.image(TagImage(tag).flipperFile())
            #expect((try image.makeTag() as? VirtualFeliCaTag)?.blocks == tag.blocks, "\(product)")
        }
    }

    @Test func `only what was read is written`() throws {
        let text = try Self.image(DumpTexts.proxmarkUltralight).flipperFile()
        #expect(text.contains("Pages total: 20\nPages read: 4\n"))
        #expect(!text.contains("Page 4"))
    }
}
