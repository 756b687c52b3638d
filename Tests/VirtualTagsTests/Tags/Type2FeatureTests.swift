import Testing
import TestSupport

@testable import VirtualTags

/// PWD_AUTH, AUTH0, PROT, AUTHLIM and CFGLCK on every product.
@Suite struct Type2PasswordTests {
    /// A tag with password 01020304, PACK A1A2, and the given ACCESS and AUTH0, freshly powered.
    static func tag(_ product: VirtualType2Product, access: UInt8, auth0: UInt8) throws -> VirtualType2Tag {
        var tag = try VirtualType2Tag.selected(product)
        let page = UInt8(product.firstConfigurationPage)
        #expect(tag.send("A2" + hex([page + 2]) + "01020304") == "ACK")
        #expect(tag.send("A2" + hex([page + 3]) + "A1A20000") == "ACK")
        #expect(tag.send("A2" + hex([page + 1, access]) + "050000") == "ACK")
        #expect(tag.send("A2" + hex([page]) + "000000" + hex([auth0])) == "ACK")
        tag.repower()
        return tag
    }

    @Test(arguments: VirtualType2Product.withPassword) func `the factory password is all ones with PACK zero`(
        product: VirtualType2Product
    ) throws {
        var tag = try VirtualType2Tag.selected(product)
        #expect(tag.send("1B FF FF FF FF") == "0000")
    }

    @Test(arguments: VirtualType2Product.withPassword) func `the right password answers PACK`(
        product: VirtualType2Product
    ) throws {
        var tag = try Self.tag(product, access: 0x00, auth0: 0xFF)
        #expect(tag.send("1B 01 02 03 04") == "A1A2")
        #expect(tag.send("1B 04 03 02 01") == "NAK 0")
        #expect(tag.send("1B 01 02 03 04") == "silence")
    }

    @Test(arguments: VirtualType2Product.withPassword)
    func `pages from AUTH0 on are written only with the password`(
        product: VirtualType2Product
    ) throws {
        var tag = try Self.tag(product, access: 0x00, auth0: 0x08)
        #expect(tag.send("A2 07 01 01 01 01") == "ACK")
        #expect(tag.send("A2 08 01 01 01 01") == "NAK 0")
        #expect(tag.sendSelected("A0 08") == "NAK 0")
        #expect(tag.sendSelected("30 08").count == 32)
        #expect(tag.send("1B 01 02 03 04") == "A1A2")
        #expect(tag.send("A2 08 01 01 01 01") == "ACK")
        #expect(tag.send("A2" + hex([UInt8(product.firstConfigurationPage)]) + "000000FF") == "ACK")
    }

    @Test(arguments: [false, true]) func `an authentication is lost`(withField: Bool) throws {
        var tag = try Self.tag(.ntag215, access: 0x80, auth0: 0x04)
        #expect(tag.send("1B 01 02 03 04") == "A1A2")
        #expect(tag.send("30 04").count == 32)
        if withField { tag.fieldDropped() }
        tag.activate()
        #expect(tag.send("30 04") == "NAK 0")
    }

    @Test func `an authentication is lost with a refused command`() throws {
        var tag = try Self.tag(.ntag215, access: 0x80, auth0: 0x04)
        #expect(tag.send("1B 01 02 03 04") == "A1A2")
        #expect(tag.send("A2 00 00 00 00 00") == "NAK 0")
        #expect(tag.sendSelected("30 04") == "NAK 0")
    }

    @Test(arguments: UInt8(1)...7) func `after AUTHLIM wrong passwords none is taken any more`(limit: UInt8) throws {
        var tag = try Self.tag(.ntag213, access: 0x80 | limit, auth0: 0x04)
        for attempt in 1...limit {
            #expect(tag.sendSelected("1B 00 00 00 00") == "NAK 0", "attempt \(attempt)")
        }
        #expect(tag.failedAttempts == Int(limit))
        #expect(tag.sendSelected("1B 01 02 03 04") == "NAK 4")
        tag.repower()
        #expect(tag.send("1B 01 02 03 04") == "NAK 4")
        #expect(tag.sendSelected("30 04") == "NAK 0")
        #expect(tag.sendSelected("30 00").count == 32)
    }

    @Test func `the right password in time forgives wrong ones`() throws {
        var tag = try Self.tag(.mf0ul21, access: 0x02, auth0: 0x04)
        for _ in 1...4 {
            #expect(tag.sendSelected("1B 00 00 00 00") == "NAK 0")
            #expect(tag.sendSelected("1B 01 02 03 04") == "A1A2")
        }
        #expect(tag.failedAttempts == 0)
    }

    @Test func `without AUTHLIM any number of attempts is taken`() throws {
        var tag = try Self.tag(.ntag216, access: 0x00, auth0: 0x04)
        for _ in 1...20 {
            #expect(tag.sendSelected("1B 00 00 00 00") == "NAK 0")
        }
        #expect(tag.sendSelected("1B 01 02 03 04") == "A1A2")
    }

    @Test(arguments: VirtualType2Product.withPassword)
    func `CFGLCK locks both configuration pages from the next power-on`(
        product: VirtualType2Product
    ) throws {
        var tag = try VirtualType2Tag.selected(product)
        let page = UInt8(product.firstConfigurationPage)
        #expect(tag.send("A2" + hex([page + 1]) + "40050000") == "ACK")
        #expect(tag.send("A2" + hex([page + 1]) + "40050000") == "ACK")
        tag.repower()
        #expect(tag.send("A2" + hex([page + 1]) + "00050000") == "NAK 0")
        #expect(tag.sendSelected("A2" + hex([page]) + "000000FF") == "NAK 0")
        #expect(tag.sendSelected("A2" + hex([page + 2]) + "01020304") == "ACK")
        #expect(tag.send("A2" + hex([page + 3]) + "A1A20000") == "ACK")
        #expect(tag.send("1B 01 02 03 04") == "A1A2")
    }

    @Test func `an image with CFGLCK comes up locked`() throws {
        var memory = try VirtualType2Tag(product: .ntag213).memory
        memory[42 * 4] = 0x40
        var tag = try VirtualType2Tag(product: .ntag213, memory: memory)
        #expect(tag.sendSelected("A2 29 04 00 00 04") == "NAK 0")
    }

    @Test func `AUTH0 protects the lock bytes too`() throws {
        var tag = try Self.tag(.ntag213, access: 0x00, auth0: 0x02)
        #expect(tag.send("A2 02 00 00 FF FF") == "NAK 0")
        #expect(tag.sendSelected("A2 28 FF 0F 3F 00") == "NAK 0")
        #expect(tag.sendSelected("1B 01 02 03 04") == "A1A2")
        #expect(tag.send("A2 02 00 00 FF FF") == "ACK")
    }
}

/// The NFC counter of NTAG21x and the three counters of Ultralight EV1.
@Suite struct Type2CounterTests {
    static let ntags: [VirtualType2Product] = [.ntag213, .ntag215, .ntag216]
    static let ultralights: [VirtualType2Product] = [.mf0ul11, .mf0ul21]

    /// An NTAG with the given ACCESS byte, freshly powered.
    static func ntag(_ product: VirtualType2Product, access: UInt8) throws -> VirtualType2Tag {
        var tag = try VirtualType2Tag.selected(product)
        #expect(tag.send("A2" + hex([UInt8(product.firstConfigurationPage + 1), access]) + "050000") == "ACK")
        tag.repower()
        return tag
    }

    @Test(arguments: ntags) func `the NFC counter is refused while it is off`(product: VirtualType2Product) throws {
        var tag = try VirtualType2Tag.selected(product)
        #expect(tag.send("30 00").count == 32)
        #expect(tag.send("39 02") == "NAK 0")
        #expect(tag.counters == [0, 0, 0])
    }

    @Test(arguments: ntags) func `the first read after power-on counts, the others do not`(product: VirtualType2Product)
        throws
    {
        var tag = try Self.ntag(product, access: 0x10)
        #expect(tag.send("39 02") == "000000")
        #expect(tag.send("30 00").count == 32)
        #expect(tag.send("3A 00 01").count == 16)
        #expect(tag.send("39 02") == "010000")
        tag.activate()
        #expect(tag.send("30 00").count == 32)
        #expect(tag.send("39 02") == "010000")
        tag.repower()
        #expect(tag.send("3A 00 00").count == 8)
        #expect(tag.send("39 02") == "020000")
    }

    @Test(arguments: ["30 FF", "3A 01 00"]) func `a refused read does not count`(command: String) throws {
        var tag = try Self.ntag(.ntag213, access: 0x10)
        #expect(tag.send(command) == "NAK 0")
        #expect(tag.sendSelected("39 02") == "000000")
    }

    @Test func `the NFC counter stays at its limit`() throws {
        let memory = try Self.ntag(.ntag213, access: 0x10).memory
        var tag = try VirtualType2Tag(product: .ntag213, memory: memory, counters: [0, 0, 0xFF_FFFE])
        for expected in ["FFFFFF", "FFFFFF", "FFFFFF"] {
            tag.repower()
            #expect(tag.send("30 00").count == 32)
            #expect(tag.send("39 02") == expected)
        }
    }

    @Test func `the NFC counter can need the password`() throws {
        var tag = try Self.ntag(.ntag215, access: 0x18)
        #expect(tag.send("39 02") == "NAK 0")
        #expect(tag.sendSelected("1B FF FF FF FF") == "0000")
        #expect(tag.send("39 02") == "000000")
    }

    @Test(arguments: [
        "39 00", "39 01", "39 03", "A5 02 01 00 00 00", "3E 02", "4B" + String(repeating: "00", count: 20),
    ])
    func `NTAG has no other counter and no counter commands`(command: String) throws {
        var tag = try Self.ntag(.ntag216, access: 0x10)
        #expect(tag.send(command) == "NAK 0")
    }

    @Test(arguments: ultralights) func `three counters count on their own`(product: VirtualType2Product) throws {
        var tag = try VirtualType2Tag.selected(product)
        #expect(tag.send("A5 00 01 00 00 00") == "ACK")
        #expect(tag.send("A5 01 34 12 00 00") == "ACK")
        #expect(tag.send("A5 02 00 00 80 FF") == "ACK")
        #expect(tag.send("A5 00 FF 00 00 00") == "ACK")
        tag.repower()
        #expect(tag.send("39 00") == "000100")
        #expect(tag.send("39 01") == "341200")
        #expect(tag.send("39 02") == "000080")
    }

    @Test(arguments: ultralights) func `an overflow is refused and changes nothing`(product: VirtualType2Product) throws
    {
        var tag = try VirtualType2Tag.selected(product)
        #expect(tag.send("A5 00 FE FF FF 00") == "ACK")
        #expect(tag.send("A5 00 02 00 00 00") == "NAK 4")
        #expect(tag.sendSelected("39 00") == "FEFFFF")
        #expect(tag.send("A5 00 01 00 00 00") == "ACK")
        #expect(tag.send("A5 00 00 00 00 00") == "ACK")
        #expect(tag.send("A5 00 FF FF FF 00") == "NAK 4")
        #expect(tag.sendSelected("39 00") == "FFFFFF")
    }

    @Test(arguments: ["39 03", "A5 03 01 00 00 00", "3E 03", "39 FF"])
    func `a counter that does not exist is refused`(command: String) throws {
        var tag = try VirtualType2Tag.selected(.mf0ul11)
        #expect(tag.send(command) == "NAK 0")
    }

    @Test(arguments: ultralights) func `no tearing event is reported`(product: VirtualType2Product) throws {
        var tag = try VirtualType2Tag.selected(product)
        for number in ["00", "01", "02"] {
            #expect(tag.send("3E" + number) == "BD")
        }
    }

    @Test(arguments: ultralights) func `reading does not count on Ultralight`(product: VirtualType2Product) throws {
        var tag = try VirtualType2Tag.selected(product)
        #expect(tag.send("A2" + hex([UInt8(product.firstConfigurationPage + 1)]) + "10050000") == "ACK")
        tag.repower()
        #expect(tag.send("30 00").count == 32)
        #expect(tag.send("39 02") == "000000")
    }
}

/// The chips that know READ and WRITE, and MIFARE Ultralight C's authentication, only.
@Suite struct Type2SilentTests {
    static let products = [VirtualType2Product.ultralight, .ultralightC, .ntag203]
    static let unknown = ["60", "3A 00 03", "3C 00", "39 02", "1B FF FF FF FF", "A5 00 01 00 00 00", "3E 00", "4B"]

    @Test(arguments: products, unknown) func `later commands are refused and leave the tag mute`(
        product: VirtualType2Product, command: String
    ) throws {
        var tag = try VirtualType2Tag.selected(product)
        #expect(tag.send(command) == "NAK 0")
        #expect(tag.send("30 00") == "silence")
        #expect(tag.sendSelected("30 00").hasPrefix("041122BF"))
    }

    struct End: Sendable {
        let product: VirtualType2Product
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
        var tag = try VirtualType2Tag.selected(end.product)
        #expect(tag.send(end.command) == end.answer)
    }

    /// The content written to page 40, a page, and whether that page can then be written.
    static let locks: [(product: VirtualType2Product, lock: String, page: UInt8, isWritable: Bool)] = [
        (.ntag203, "02000000", 16, false), (.ntag203, "02000000", 19, false), (.ntag203, "02000000", 20, true),
        (.ntag203, "08000000", 27, false), (.ntag203, "08000000", 28, true), (.ntag203, "20000000", 28, false),
        (.ntag203, "80000000", 39, false), (.ntag203, "80000000", 35, true), (.ntag203, "11000000", 16, true),
        (.ntag203, "00100000", 41, false), (.ntag203, "FF000000", 41, true),
        (.ultralightC, "FF000000", 39, false), (.ultralightC, "FF000000", 42, true),
        (.ultralightC, "00200000", 42, false), (.ultralightC, "00400000", 43, false),
        (.ultralightC, "00800000", 47, false), (.ultralightC, "00100000", 41, false),
    ]

    @Test(arguments: locks) func `the dynamic lock bytes lock four pages a bit`(
        row: (product: VirtualType2Product, lock: String, page: UInt8, isWritable: Bool)
    ) throws {
        var tag = try VirtualType2Tag.selected(row.product)
        #expect(tag.send("A2 28 \(row.lock)") == "ACK")
        #expect(tag.send("A2" + hex([row.page]) + "01020304") == (row.isWritable ? "ACK" : "NAK 0"))
    }

    @Test func `block-locking bits freeze, and no lock bit is ever cleared`() throws {
        var tag = try VirtualType2Tag.selected(.ntag203)
        #expect(tag.send("A2 28 01 01 00 00") == "ACK")
        #expect(tag.send("A2 28 2E 10 FF FF") == "ACK")
        #expect(tag.send("30 28").hasPrefix("21010000"))
        #expect(tag.send("A2 28 00 00 00 00") == "ACK")
        #expect(tag.send("30 28").hasPrefix("21010000"))
    }

    @Test func `AUTH0 and AUTH1 of MIFARE Ultralight C protect pages`() throws {
        var tag = try VirtualType2Tag.selected(.ultralightC, message: [])
        #expect(tag.send("A2 2A 05 00 00 00") == "ACK")
        #expect(tag.send("A2 04 01 03 A0 10") == "ACK")
        #expect(tag.send("A2 05 00 00 00 00") == "NAK 0")
        // AUTH1 is 0: reading is protected as well, and starts over in front of page 5.
        #expect(tag.sendSelected("30 04") == "0103A010041122BF33445580A2480000")
        #expect(tag.send("30 05") == "NAK 0")
    }

    @Test func `MIFARE Ultralight C begins an authentication and refuses what cannot be right`() throws {
        var tag = try VirtualType2Tag.selected(.ultralightC)
        let challenge = tag.send("1A 00")
        #expect(challenge.hasPrefix("AF"))
        #expect(challenge.count == 18)
        #expect(tag.send("AF" + String(repeating: "00", count: 16)) == "NAK 0")
        #expect(tag.send("30 00") == "silence")
        #expect(tag.sendSelected("1A 01") == "NAK 0")
    }

    @Test func `key pages are as delivered`() throws {
        let tag = try VirtualType2Tag(product: .ultralightC)
        #expect(hex(tag.memory.suffix(16)) == "425245414B4D454946594F5543414E21")
    }
}

/// The ASCII mirror of NTAG21x (NTAG213/215/216 data sheet, §8.7), with UID 04112233445566.
@Suite struct Type2MirrorTests {
    /// A tag of FFh pages with CFG0 and ACCESS, after 255 earlier reads.
    static func tag(_ product: VirtualType2Product, mirror: String, access: UInt8) throws -> VirtualType2Tag {
        var memory = try VirtualType2Tag(product: product, identifier: [4, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66]).memory
        memory.replaceSubrange(16..<16 * 4, with: [UInt8](repeating: 0xFF, count: 48))
        let page = product.firstConfigurationPage * 4
        memory.replaceSubrange(page..<page + 5, with: hex(mirror))
        memory[page + 4] = access
        var tag = try VirtualType2Tag(product: product, memory: memory, counters: [0, 0, 255])
        tag.activate()
        return tag
    }

    /// CFG0 and ACCESS, and pages 4 to 10 as read.
    static let ntag: [(String, UInt8, String)] = [
        // Off: MIRROR_CONF 0, or MIRROR_PAGE before page 4.
        ("040004FF00", 0x10, ""), ("C40003FF00", 0x10, ""),
        // The UID from page 4, byte 0; from page 5, byte 3.
        ("440004FF00", 0x00, "3034313132323333343435353636"),
        ("740005FF00", 0x00, "FFFFFFFFFFFFFF3034313132323333343435353636"),
        // The counter, which goes up with this read; not while it is off, nor where it needs the password.
        ("840004FF00", 0x10, "303030313030"), ("840004FF00", 0x00, ""), ("840004FF00", 0x18, ""),
        // Both, with 'x' between them; the UID alone without the counter.
        ("D40004FF00", 0x10, "FF303431313232333334343535363678303030313030"),
        ("D40004FF00", 0x18, "FF3034313132323333343435353636"),
    ]

    @Test(arguments: ntag) func `is shown instead of the stored bytes`(
        mirror: String, access: UInt8, expected: String
    ) throws {
        for product in [VirtualType2Product.ntag213, .ntag215, .ntag216] {
            var tag = try Self.tag(product, mirror: mirror, access: access)
            let stored = tag.memory
            #expect(tag.send("3A 04 0A") == expected + String(repeating: "F", count: 56 - expected.count))
            #expect(tag.send("30 04") == (expected + String(repeating: "F", count: 56)).prefix(32))
            #expect(tag.memory == stored)
        }
    }

    @Test func `shows a protected counter after the password`() throws {
        var tag = try Self.tag(.ntag213, mirror: "840004FF00", access: 0x18)
        #expect(tag.send("1B FF FF FF FF") == "0000")
        #expect(tag.send("30 04").hasPrefix("303030313030FF"))
    }

    @Test func `of NTAG210 and NTAG212 is the UID alone, turned on by its page`() throws {
        for product in [VirtualType2Product.ntag210, .ntag212] {
            var tag = try Self.tag(product, mirror: "040004FF00", access: 0)
            #expect(tag.send("30 04") == "3034313132323333343435353636FFFF")
            tag = try Self.tag(product, mirror: "040000FF00", access: 0)
            #expect(tag.send("30 04") == String(repeating: "F", count: 32))
        }
    }

    @Test func `does not exist on MIFARE Ultralight EV1`() throws {
        var tag = try Self.tag(.mf0ul21, mirror: "440004FF00", access: 0)
        #expect(tag.send("30 04") == String(repeating: "F", count: 32))
    }
}
