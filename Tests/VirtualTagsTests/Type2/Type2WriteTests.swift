import Testing

@testable import VirtualTags

/// WRITE and COMPATIBILITY_WRITE to ordinary and one-time programmable pages.
@Suite struct Type2WriteTests {
    @Test(arguments: Type2Product.answeringVersion) func `every user page takes a write`(product: Type2Product) throws {
        var tag = try Type2Tag.selected(product)
        let userPages = 4..<(product.dynamicLock?.page ?? product.firstConfigurationPage)
        for page in userPages {
            #expect(tag.send("A2" + hex([UInt8(page), 0xCA, 0xFE, UInt8(page), 0x01])) == "ACK", "page \(page)")
        }
        for page in userPages {
            #expect(tag.send("3A" + hex([UInt8(page), UInt8(page)])) == hex([0xCA, 0xFE, UInt8(page), 0x01]))
        }
    }

    @Test(arguments: Type2Product.all) func `the identifier and pages that do not exist are refused`(
        product: Type2Product
    ) throws {
        let before = try Type2Tag.selected(product).memory
        for page in [0x00, 0x01, UInt8(product.pageCount), 0xFF] {
            var tag = try Type2Tag.selected(product)
            #expect(tag.send("A2" + hex([page, 0xFF, 0xFF, 0xFF, 0xFF])) == "NAK 0", "page \(page)")
            #expect(tag.memory == before)
        }
    }

    @Test(arguments: Type2Product.answeringVersion) func `check byte and internal byte of page 2 ignore writes`(
        product: Type2Product
    ) throws {
        var tag = try Type2Tag.selected(product)
        #expect(tag.send("A2 02 FF FF 00 00") == "ACK")
        #expect(tag.send("3A 02 02") == "A2480000")
    }

    /// The capability container before, what is written, and what it is then.
    static let containers: [(Type2Product, String, String)] = [
        (.ntag213, "00 00 00 00", "E1101200"),
        (.ntag213, "00 00 00 0F", "E110120F"),
        (.ntag215, "E1 10 01 00", "E1103F00"),
        (.ntag216, "FF FF FF FF", "FFFFFFFF"),
        (.mf0ul11, "E1 10 06 00", "E1100600"),
        (.mf0ul21, "E1 10 10 0F", "E110100F"),
    ]

    @Test(arguments: containers) func `bits of the capability container can only be set`(
        product: Type2Product, written: String, expected: String
    ) throws {
        var tag = try Type2Tag.selected(product)
        #expect(tag.send("A2 03" + written) == "ACK")
        #expect(tag.send("A2 03 00 00 00 00") == "ACK")
        #expect(tag.send("3A 03 03") == expected)
    }

    @Test(arguments: Type2Product.answeringVersion) func `a compatibility write takes the first four of sixteen bytes`(
        product: Type2Product
    ) throws {
        var tag = try Type2Tag.selected(product)
        #expect(tag.send("A0 08") == "ACK")
        #expect(tag.send("01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10") == "ACK")
        #expect(tag.send("3A 08 09") == "0102030400000000")
    }

    @Test func `a compatibility write obeys the same rules`() throws {
        var tag = try Type2Tag.selected(.ntag213)
        #expect(tag.send("A0 03") == "ACK")
        #expect(tag.send("00 00 00 0F" + String(repeating: "00", count: 12)) == "ACK")
        #expect(tag.send("3A 03 03") == "E110120F")
        #expect(tag.send("A2 02 00 00 10 00") == "ACK")
        #expect(tag.send("A0 04") == "NAK 0")
        #expect(tag.sendSelected("A0 01") == "NAK 0")
        #expect(tag.sendSelected("A0 2D") == "NAK 0")
    }

    @Test(arguments: ["01 02 03 04", "30 00", "60", String(repeating: "00", count: 17)])
    func `anything but sixteen bytes ends a compatibility write`(second: String) throws {
        var tag = try Type2Tag.selected(.ntag215)
        let before = tag.memory
        #expect(tag.send("A0 08") == "ACK")
        #expect(tag.send(second) == "NAK 0")
        #expect(tag.send("60") == "silence")
        #expect(tag.sendSelected("60") == "0004040201001103")
        #expect(tag.memory == before)
    }

    @Test func `a compatibility write does not survive an activation`() throws {
        var tag = try Type2Tag.selected(.ntag215)
        #expect(tag.send("A0 08") == "ACK")
        tag.activate()
        #expect(tag.send("30 00").count == 32)
        #expect(tag.send("A0 08") == "ACK")
        tag.repower()
        #expect(tag.send("60") == "0004040201001103")
    }

    @Test(arguments: Type2Product.answeringVersion) func `what was written outlives the field`(product: Type2Product)
        throws
    {
        var tag = try Type2Tag.selected(product)
        #expect(tag.send("A2 06 DE AD BE EF") == "ACK")
        tag.repower()
        #expect(tag.send("3A 06 06") == "DEADBEEF")
    }
}
