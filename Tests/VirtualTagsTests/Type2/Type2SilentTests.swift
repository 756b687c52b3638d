import Testing

@testable import VirtualTags

/// The chips that know READ and WRITE, and MIFARE Ultralight C's authentication, only.
@Suite struct Type2SilentTests {
    static let products = [Type2Product.ultralight, .ultralightC, .ntag203]
    static let unknown = ["60", "3A 00 03", "3C 00", "39 02", "1B FF FF FF FF", "A5 00 01 00 00 00", "3E 00", "4B"]

    @Test(arguments: products, unknown) func `later commands are refused and leave the tag mute`(
        product: Type2Product, command: String
    ) throws {
        var tag = try Type2Tag.selected(product)
        #expect(tag.send(command) == "NAK 0")
        #expect(tag.send("30 00") == "silence")
        #expect(tag.sendSelected("30 00").hasPrefix("041122BF"))
    }

    struct End: Sendable {
        let product: Type2Product
        let command: String
        let answer: String
    }

    /// The last page that READ can show is followed by page 0; key pages of MIFARE Ultralight C are not shown.
    static let ends = [
        End(product: .ultralight, command: "30 0E", answer: "0000000000000000041122BF33445580"),
        End(product: .ultralight, command: "30 10", answer: "NAK 0"),
        End(product: .ntag203, command: "30 28", answer: "0000000000000000041122BF33445580"),
        End(product: .ntag203, command: "30 2A", answer: "NAK 0"),
        End(product: .ultralightC, command: "30 2A", answer: "3000000000000000041122BF33445580"),
        End(product: .ultralightC, command: "30 2C", answer: "NAK 0"),
    ]

    @Test(arguments: ends) func `a read starts over behind the last page`(end: End) throws {
        var tag = try Type2Tag.selected(end.product)
        #expect(tag.send(end.command) == end.answer)
    }

    /// Page 40 as it is written, a page and whether it can be written then.
    static let locks: [(product: Type2Product, lock: String, page: UInt8, isWritable: Bool)] = [
        (.ntag203, "02000000", 16, false), (.ntag203, "02000000", 19, false), (.ntag203, "02000000", 20, true),
        (.ntag203, "08000000", 27, false), (.ntag203, "08000000", 28, true), (.ntag203, "20000000", 28, false),
        (.ntag203, "80000000", 39, false), (.ntag203, "80000000", 35, true), (.ntag203, "11000000", 16, true),
        (.ntag203, "00100000", 41, false), (.ntag203, "FF000000", 41, true),
        (.ultralightC, "FF000000", 39, false), (.ultralightC, "FF000000", 42, true),
        (.ultralightC, "00200000", 42, false), (.ultralightC, "00400000", 43, false),
        (.ultralightC, "00800000", 47, false), (.ultralightC, "00100000", 41, false),
    ]

    @Test(arguments: locks) func `the dynamic lock bytes lock four pages a bit`(
        row: (product: Type2Product, lock: String, page: UInt8, isWritable: Bool)
    ) throws {
        var tag = try Type2Tag.selected(row.product)
        #expect(tag.send("A2 28 \(row.lock)") == "ACK")
        #expect(tag.send("A2" + hex([row.page]) + "01020304") == (row.isWritable ? "ACK" : "NAK 0"))
    }

    @Test func `block-locking bits freeze, and no lock bit is ever cleared`() throws {
        var tag = try Type2Tag.selected(.ntag203)
        #expect(tag.send("A2 28 01 01 00 00") == "ACK")
        #expect(tag.send("A2 28 2E 10 FF FF") == "ACK")
        #expect(tag.send("30 28").hasPrefix("21010000"))
        #expect(tag.send("A2 28 00 00 00 00") == "ACK")
        #expect(tag.send("30 28").hasPrefix("21010000"))
    }

    @Test func `AUTH0 and AUTH1 of MIFARE Ultralight C protect pages`() throws {
        var tag = try Type2Tag.selected(.ultralightC, message: [])
        #expect(tag.send("A2 2A 05 00 00 00") == "ACK")
        #expect(tag.send("A2 04 01 03 A0 10") == "ACK")
        #expect(tag.send("A2 05 00 00 00 00") == "NAK 0")
        // AUTH1 is 0: reading is protected as well, and starts over in front of page 5.
        #expect(tag.sendSelected("30 04") == "0103A010041122BF33445580A2480000")
        #expect(tag.send("30 05") == "NAK 0")
    }

    @Test func `MIFARE Ultralight C begins an authentication and refuses what cannot be right`() throws {
        var tag = try Type2Tag.selected(.ultralightC)
        let challenge = tag.send("1A 00")
        #expect(challenge.hasPrefix("AF"))
        #expect(challenge.count == 18)
        #expect(tag.send("AF" + String(repeating: "00", count: 16)) == "NAK 0")
        #expect(tag.send("30 00") == "silence")
        #expect(tag.sendSelected("1A 01") == "NAK 0")
    }

    @Test func `key pages are as delivered`() throws {
        let tag = try Type2Tag(product: .ultralightC)
        #expect(hex(tag.memory.suffix(16)) == "425245414B4D454946594F5543414E21")
    }
}
