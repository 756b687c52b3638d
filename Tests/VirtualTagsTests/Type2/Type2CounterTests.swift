import Testing

@testable import VirtualTags

/// The NFC counter of NTAG21x and the three counters of Ultralight EV1.
@Suite struct Type2CounterTests {
    static let ntags: [Type2Product] = [.ntag213, .ntag215, .ntag216]
    static let ultralights: [Type2Product] = [.mf0ul11, .mf0ul21]

    /// An NTAG with the given ACCESS byte, freshly powered.
    static func ntag(_ product: Type2Product, access: UInt8) throws -> Type2Tag {
        var tag = try Type2Tag.selected(product)
        #expect(tag.send("A2" + hex([UInt8(product.firstConfigurationPage + 1), access]) + "050000") == "ACK")
        tag.repower()
        return tag
    }

    @Test(arguments: ntags) func `the NFC counter is refused while it is off`(product: Type2Product) throws {
        var tag = try Type2Tag.selected(product)
        #expect(tag.send("30 00").count == 32)
        #expect(tag.send("39 02") == "NAK 0")
        #expect(tag.counters == [0, 0, 0])
    }

    @Test(arguments: ntags) func `the first read after power-on counts, the others do not`(product: Type2Product) throws
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
        var tag = try Type2Tag(product: .ntag213, memory: memory, counters: [0, 0, 0xFF_FFFE])
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

    @Test(arguments: ultralights) func `three counters count on their own`(product: Type2Product) throws {
        var tag = try Type2Tag.selected(product)
        #expect(tag.send("A5 00 01 00 00 00") == "ACK")
        #expect(tag.send("A5 01 34 12 00 00") == "ACK")
        #expect(tag.send("A5 02 00 00 80 FF") == "ACK")
        #expect(tag.send("A5 00 FF 00 00 00") == "ACK")
        tag.repower()
        #expect(tag.send("39 00") == "000100")
        #expect(tag.send("39 01") == "341200")
        #expect(tag.send("39 02") == "000080")
    }

    @Test(arguments: ultralights) func `an overflow is refused and changes nothing`(product: Type2Product) throws {
        var tag = try Type2Tag.selected(product)
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
        var tag = try Type2Tag.selected(.mf0ul11)
        #expect(tag.send(command) == "NAK 0")
    }

    @Test(arguments: ultralights) func `no tearing event is reported`(product: Type2Product) throws {
        var tag = try Type2Tag.selected(product)
        for number in ["00", "01", "02"] {
            #expect(tag.send("3E" + number) == "BD")
        }
    }

    @Test(arguments: ultralights) func `reading does not count on Ultralight`(product: Type2Product) throws {
        var tag = try Type2Tag.selected(product)
        #expect(tag.send("A2" + hex([UInt8(product.firstConfigurationPage + 1)]) + "10050000") == "ACK")
        tag.repower()
        #expect(tag.send("30 00").count == 32)
        #expect(tag.send("39 02") == "000000")
    }
}
