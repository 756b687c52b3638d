import Testing

@testable import VirtualTags

/// READ and FAST_READ on every product.
@Suite struct Type2ReadTests {
    @Test(arguments: Type2Product.all) func `a read returns four pages`(product: Type2Product) throws {
        var tag = try Type2Tag.selected(product, message: hex("D00000"))
        #expect(tag.send("30 00") == hex(tag.memory.prefix(16)))
        #expect(tag.send("30 03") == hex(tag.memory.dropFirst(12).prefix(16)))
    }

    /// The last page and the answer to a read of the three pages before, which goes on at page 0.
    static let ends: [(Type2Product, UInt8)] = [
        (.ntag213, 0x2C), (.ntag215, 0x86), (.ntag216, 0xE6), (.mf0ul11, 0x13), (.mf0ul21, 0x28),
    ]

    @Test(arguments: ends) func `a read rolls over to page 0`(product: Type2Product, last: UInt8) throws {
        var tag = try Type2Tag.selected(product)
        let pages = "041122BF 33445580 A2480000".filter { $0 != " " }
        #expect(tag.send("30 " + hex([last])) == "00000000" + pages)
        #expect(tag.send("30 " + hex([last - 1])) == "0000000000000000" + pages.prefix(16))
        #expect(tag.send("30 " + hex([last - 2])) == "00050000" + "0000000000000000" + pages.prefix(8))
        #expect(tag.send("30 " + hex([last - 3])).hasSuffix("00050000" + "0000000000000000"))
    }

    @Test(arguments: ends) func `a read from beyond the last page is refused`(product: Type2Product, last: UInt8) throws
    {
        for page in [last + 1, last + 2, 0xFF] {
            var tag = try Type2Tag.selected(product)
            #expect(tag.send("30 " + hex([page])) == "NAK 0")
        }
    }

    @Test(arguments: ends) func `a fast read returns any run of pages`(product: Type2Product, last: UInt8) throws {
        var tag = try Type2Tag.selected(product)
        #expect(tag.send("3A 00 00") == "041122BF")
        #expect(tag.send("3A 01 02") == "33445580A2480000")
        #expect(tag.send("3A 00 " + hex([last])).count == (Int(last) + 1) * 8)
        #expect(tag.send("3A " + hex([last, last])) == "00000000")
    }

    @Test(arguments: ends) func `a fast read of impossible pages is refused`(product: Type2Product, last: UInt8) throws
    {
        for range in [[1, 0], [0, last + 1], [last + 1, last + 1], [0xFF, 0x00]] {
            var tag = try Type2Tag.selected(product)
            #expect(tag.send("3A " + hex(range)) == "NAK 0", "\(range)")
        }
    }

    struct Protected: Sendable {
        let auth0: String
        let turns: [Turn]
    }

    /// NTAG213 with AUTH0 as given and PROT set.
    static let protected: [Protected] = [
        Protected(
            auth0: "06",
            turns: [
                Turn("30 04", "0103A00C340300FE" + "041122BF33445580"),
                Turn("30 05", "340300FE" + "041122BF33445580A2480000"),
                Turn("3A 00 05", "041122BF33445580A2480000E11012000103A00C340300FE"),
            ]),
        Protected(auth0: "06", turns: [Turn("30 06", "NAK 0")]),
        Protected(auth0: "06", turns: [Turn("3A 05 06", "NAK 0")]),
        Protected(auth0: "01", turns: [Turn("30 00", "041122BF041122BF041122BF041122BF")]),
        Protected(auth0: "00", turns: [Turn("30 00", "NAK 0")]),
        Protected(auth0: "2D", turns: [Turn("30 2C", "00000000041122BF33445580A2480000")]),
    ]

    @Test(arguments: protected) func `reading ends where the password is needed`(row: Protected) throws {
        var tag = try Type2Tag.selected(.ntag213)
        #expect(tag.send("A2 2A 80 05 00 00") == "ACK")
        #expect(tag.send("A2 29 04 00 00 " + row.auth0) == "ACK")
        for turn in row.turns {
            #expect(tag.send(turn.command) == turn.answer, "\(turn.command)")
        }
        _ = tag.sendSelected("1B FF FF FF FF")
        #expect(tag.send("30 2B") == "0000000000000000041122BF33445580")
    }
}
