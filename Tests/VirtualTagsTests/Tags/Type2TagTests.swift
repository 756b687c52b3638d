import Testing
import TestSupport

@testable import VirtualTags

/// Identification commands, and what happens to frames the tag does not accept.
@Suite struct Type2CommandTests {
    static let versions: [(VirtualType2Product, String)] = [
        (.ntag213, "0004040201000F03"), (.ntag215, "0004040201001103"), (.ntag216, "0004040201001303"),
        (.mf0ul11, "0004030101000B03"), (.mf0ul21, "0004030101000E03"),
        (.ntag210, "0004040101000B03"), (.ntag212, "0004040101000E03"), (.ultralightAES, "0004030104000F03"),
    ]

    @Test(arguments: versions) func `GET_VERSION names the product`(product: VirtualType2Product, version: String)
        throws
    {
        var tag = try VirtualType2Tag.selected(product)
        #expect(tag.send("60") == version)
        #expect(product.version == hex(version))
    }

    @Test(arguments: VirtualType2Product.answeringVersion) func `READ_SIG answers the signature`(
        product: VirtualType2Product
    ) throws {
        var tag = try VirtualType2Tag.selected(product)
        #expect(tag.send("3C 00").count == (product == .ultralightAES ? 96 : 64))
        #expect(tag.send("3C 01") == "NAK 0")
    }

    @Test(arguments: [VirtualType2Product.mf0ul11, .mf0ul21, .ultralightAES])
    func `VCSL answers the configured type identifier`(
        product: VirtualType2Product
    ) throws {
        var tag = try VirtualType2Tag.selected(product)
        #expect(tag.send("4B" + String(repeating: "00", count: 20)) == "05")
        #expect(tag.send("A2" + hex([UInt8(product.firstConfigurationPage + 1)]) + "00770000") == "ACK")
        #expect(tag.send("4B" + String(repeating: "AB", count: 20)) == "77")
        #expect(tag.send("4B" + String(repeating: "00", count: 19)) == "NAK 0")
    }

    /// Unknown codes, and known ones with too few or too many bytes.
    static let malformed = [
        "00", "0A", "FF", "1A", "1A 03", "C2 FF", "A6 00 00", "26", "52",
        "30", "30 00 00", "3A", "3A 00", "3A 00 00 00", "A2", "A2 04", "A2 04 01 02 03", "A2 04 01 02 03 04 05",
        "A0", "A0 04 00", "60 00", "3C", "3C 00 00", "39", "39 02 00", "1B", "1B FF FF FF", "1B FF FF FF FF FF",
        "A5", "A5 00 01 00 00", "3E", "4B", "50", "50 01",
    ]

    @Test(arguments: malformed) func `an unknown or malformed command is refused and leaves the tag mute`(
        command: String
    ) throws {
        for product in VirtualType2Product.answeringVersion {
            var tag = try VirtualType2Tag.selected(product)
            let before = tag.memory
            #expect(tag.send(command) == "NAK 0", "\(product.name)")
            #expect(tag.send("60") == "silence")
            #expect(tag.send("30 00") == "silence")
            #expect(tag.sendSelected("60").count == 16)
            #expect(tag.memory == before)
        }
    }

    @Test func `a tag that is not selected is silent`() throws {
        var tag = try VirtualType2Tag(product: .ntag215)
        #expect(tag.send("60") == "silence")
        #expect(tag.sendSelected("60") == "0004040201001103")
        tag.fieldDropped()
        #expect(tag.send("60") == "silence")
    }

    @Test func `HLTA is answered by silence and ends the selection`() throws {
        var tag = try VirtualType2Tag.selected(.ntag215)
        #expect(tag.send("50 00") == "silence")
        #expect(tag.send("60") == "silence")
        #expect(tag.sendSelected("60") == "0004040201001103")
    }

    @Test func `an empty frame is not a frame`() throws {
        var tag = try VirtualType2Tag.selected(.ntag215)
        #expect(tag.send("") == "silence")
        #expect(tag.send("60") == "0004040201001103")
    }

    @Test func `no frame of up to three bytes traps or breaks the identifier`() throws {
        for product in VirtualType2Product.all {
            var tag = try VirtualType2Tag.selected(product)
            for code in UInt8.min...UInt8.max {
                for argument in [UInt8(0), 3, UInt8(product.pageCount - 1), 0xFF] {
                    for frame in [[code], [code, argument], [code, argument, argument]] {
                        tag.activate()
                        _ = tag.exchange(frame)
                    }
                }
            }
            #expect(hex(tag.identifier) == "04112233445580")
            #expect(tag.memory.count == product.memorySize)
        }
    }
}

/// READ and FAST_READ on every product.
@Suite struct Type2ReadTests {
    @Test(arguments: VirtualType2Product.all) func `a read returns four pages`(product: VirtualType2Product) throws {
        var tag = try VirtualType2Tag.selected(product, message: hex("D00000"))
        #expect(tag.send("30 00") == hex(tag.memory.prefix(16)))
        #expect(tag.send("30 03") == hex(tag.memory.dropFirst(12).prefix(16)))
    }

    /// The last page and the answer to a read of the three pages before, which continues at page 0.
    static let ends: [(VirtualType2Product, UInt8)] = [
        (.ntag213, 0x2C), (.ntag215, 0x86), (.ntag216, 0xE6), (.mf0ul11, 0x13), (.mf0ul21, 0x28),
    ]

    @Test(arguments: ends) func `a read rolls over to page 0`(product: VirtualType2Product, last: UInt8) throws {
        var tag = try VirtualType2Tag.selected(product)
        let pages = "041122BF 33445580 A2480000".filter { $0 != " " }
        #expect(tag.send("30 " + hex([last])) == "00000000" + pages)
        #expect(tag.send("30 " + hex([last - 1])) == "0000000000000000" + pages.prefix(16))
        #expect(tag.send("30 " + hex([last - 2])) == "00050000" + "0000000000000000" + pages.prefix(8))
        #expect(tag.send("30 " + hex([last - 3])).hasSuffix("00050000" + "0000000000000000"))
    }

    @Test(arguments: ends) func `a read from beyond the last page is refused`(product: VirtualType2Product, last: UInt8)
        throws
    {
        for page in [last + 1, last + 2, 0xFF] {
            var tag = try VirtualType2Tag.selected(product)
            #expect(tag.send("30 " + hex([page])) == "NAK 0")
        }
    }

    @Test(arguments: ends) func `a fast read returns any run of pages`(product: VirtualType2Product, last: UInt8) throws
    {
        var tag = try VirtualType2Tag.selected(product)
        #expect(tag.send("3A 00 00") == "041122BF")
        #expect(tag.send("3A 01 02") == "33445580A2480000")
        #expect(tag.send("3A 00 " + hex([last])).count == (Int(last) + 1) * 8)
        #expect(tag.send("3A " + hex([last, last])) == "00000000")
    }

    @Test(arguments: ends) func `a fast read of impossible pages is refused`(product: VirtualType2Product, last: UInt8)
        throws
    {
        for range in [[1, 0], [0, last + 1], [last + 1, last + 1], [0xFF, 0x00]] {
            var tag = try VirtualType2Tag.selected(product)
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
        var tag = try VirtualType2Tag.selected(.ntag213)
        #expect(tag.send("A2 2A 80 05 00 00") == "ACK")
        #expect(tag.send("A2 29 04 00 00 " + row.auth0) == "ACK")
        for turn in row.turns {
            #expect(tag.send(turn.command) == turn.answer, "\(turn.command)")
        }
        _ = tag.sendSelected("1B FF FF FF FF")
        #expect(tag.send("30 2B") == "0000000000000000041122BF33445580")
    }
}

/// WRITE and COMPATIBILITY_WRITE to ordinary and one-time programmable pages.
@Suite struct Type2WriteTests {
    @Test(arguments: VirtualType2Product.answeringVersion) func `every user page takes a write`(
        product: VirtualType2Product
    ) throws {
        var tag = try VirtualType2Tag.selected(product)
        let userPages = 4..<(product.dynamicLock?.page ?? product.firstConfigurationPage)
        for page in userPages {
            #expect(tag.send("A2" + hex([UInt8(page), 0xCA, 0xFE, UInt8(page), 0x01])) == "ACK", "page \(page)")
        }
        for page in userPages {
            #expect(tag.send("3A" + hex([UInt8(page), UInt8(page)])) == hex([0xCA, 0xFE, UInt8(page), 0x01]))
        }
    }

    @Test(arguments: VirtualType2Product.all) func `the identifier and pages that do not exist are refused`(
        product: VirtualType2Product
    ) throws {
        let before = try VirtualType2Tag.selected(product).memory
        for page in [0x00, 0x01, UInt8(product.pageCount), 0xFF] {
            var tag = try VirtualType2Tag.selected(product)
            #expect(tag.send("A2" + hex([page, 0xFF, 0xFF, 0xFF, 0xFF])) == "NAK 0", "page \(page)")
            #expect(tag.memory == before)
        }
    }

    @Test(arguments: VirtualType2Product.answeringVersion) func `check byte and internal byte of page 2 ignore writes`(
        product: VirtualType2Product
    ) throws {
        var tag = try VirtualType2Tag.selected(product)
        #expect(tag.send("A2 02 FF FF 00 00") == "ACK")
        #expect(tag.send("3A 02 02") == "A2480000")
    }

    /// The capability container before, what is written, and what it is then.
    static let containers: [(VirtualType2Product, String, String)] = [
        (.ntag213, "00 00 00 00", "E1101200"),
        (.ntag213, "00 00 00 0F", "E110120F"),
        (.ntag215, "E1 10 01 00", "E1103F00"),
        (.ntag216, "FF FF FF FF", "FFFFFFFF"),
        (.mf0ul11, "E1 10 06 00", "E1100600"),
        (.mf0ul21, "E1 10 10 0F", "E110100F"),
    ]

    @Test(arguments: containers) func `bits of the capability container can only be set`(
        product: VirtualType2Product, written: String, expected: String
    ) throws {
        var tag = try VirtualType2Tag.selected(product)
        #expect(tag.send("A2 03" + written) == "ACK")
        #expect(tag.send("A2 03 00 00 00 00") == "ACK")
        #expect(tag.send("3A 03 03") == expected)
    }

    @Test(arguments: VirtualType2Product.answeringVersion)
    func `a compatibility write takes the first four of sixteen bytes`(
        product: VirtualType2Product
    ) throws {
        var tag = try VirtualType2Tag.selected(product)
        #expect(tag.send("A0 08") == "ACK")
        #expect(tag.send("01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10") == "ACK")
        #expect(tag.send("3A 08 09") == "0102030400000000")
    }

    @Test func `a compatibility write obeys the same rules`() throws {
        var tag = try VirtualType2Tag.selected(.ntag213)
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
        var tag = try VirtualType2Tag.selected(.ntag215)
        let before = tag.memory
        #expect(tag.send("A0 08") == "ACK")
        #expect(tag.send(second) == "NAK 0")
        #expect(tag.send("60") == "silence")
        #expect(tag.sendSelected("60") == "0004040201001103")
        #expect(tag.memory == before)
    }

    @Test func `a compatibility write does not survive an activation`() throws {
        var tag = try VirtualType2Tag.selected(.ntag215)
        #expect(tag.send("A0 08") == "ACK")
        tag.activate()
        #expect(tag.send("30 00").count == 32)
        #expect(tag.send("A0 08") == "ACK")
        tag.repower()
        #expect(tag.send("60") == "0004040201001103")
    }

    @Test(arguments: VirtualType2Product.answeringVersion) func `what was written outlives the field`(
        product: VirtualType2Product
    )
        throws
    {
        var tag = try VirtualType2Tag.selected(product)
        #expect(tag.send("A2 06 DE AD BE EF") == "ACK")
        tag.repower()
        #expect(tag.send("3A 06 06") == "DEADBEEF")
    }
}
