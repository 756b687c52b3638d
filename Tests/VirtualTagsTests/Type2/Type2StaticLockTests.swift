import Testing

@testable import VirtualTags

/// The static lock bytes, which are the same on every product.
@Suite struct Type2StaticLockTests {
    /// The lock bytes that lock exactly one page.
    static let bits: [(UInt8, String)] = [
        (3, "08 00"), (4, "10 00"), (5, "20 00"), (6, "40 00"), (7, "80 00"),
        (8, "00 01"), (9, "00 02"), (10, "00 04"), (11, "00 08"), (12, "00 10"), (13, "00 20"), (14, "00 40"),
        (15, "00 80"),
    ]

    @Test(arguments: bits) func `a bit locks one page`(page: UInt8, bytes: String) throws {
        for product in Type2Product.all {
            var tag = try Type2Tag.selected(product)
            #expect(tag.send("A2 02 00 00" + bytes) == "ACK")
            for other in UInt8(3)...15 {
                let answer = tag.sendSelected("A2" + hex([other, 0, 0, 0, 0]))
                #expect(answer == (other == page ? "NAK 0" : "ACK"), "\(product.name) page \(other)")
            }
        }
    }

    struct Freeze: Sendable {
        let first: String
        let second: String
        let expected: String
    }

    static let freezes: [Freeze] = [
        Freeze(first: "01 00", second: "08 00", expected: "0100"),
        Freeze(first: "02 00", second: "F0 03", expected: "0200"),
        Freeze(first: "02 00", second: "F8 FF", expected: "0AFC"),
        Freeze(first: "04 00", second: "00 FC", expected: "0400"),
        Freeze(first: "04 00", second: "F8 FF", expected: "FC03"),
        Freeze(first: "07 00", second: "FF FF", expected: "0700"),
        Freeze(first: "12 00", second: "E0 00", expected: "1200"),
        Freeze(first: "0F 00", second: "00 00", expected: "0F00"),
        Freeze(first: "FF FF", second: "00 00", expected: "FFFF"),
        Freeze(first: "00 00", second: "F7 FF", expected: "F7FF"),
    ]

    @Test(arguments: freezes) func `block-locking bits freeze the lock bits of their pages`(row: Freeze) throws {
        var tag = try Type2Tag.selected(.ntag216)
        #expect(tag.send("A2 02 00 00" + row.first) == "ACK")
        #expect(tag.send("A2 02 00 00" + row.second) == "ACK")
        #expect(tag.send("3A 02 02") == "A248" + row.expected)
    }

    @Test func `a frozen page that is not locked stays writable`() throws {
        var tag = try Type2Tag.selected(.mf0ul11)
        #expect(tag.send("A2 02 00 00 07 00") == "ACK")
        #expect(tag.send("A2 04 01 02 03 04") == "ACK")
        #expect(tag.send("A2 0F 01 02 03 04") == "ACK")
    }

    @Test func `locks outlive the field`() throws {
        var tag = try Type2Tag.selected(.ntag213)
        #expect(tag.send("A2 02 00 00 F8 FF") == "ACK")
        tag.repower()
        #expect(tag.send("A2 04 00 00 00 00") == "NAK 0")
        #expect(tag.sendSelected("A2 10 00 00 00 00") == "ACK")
    }
}
