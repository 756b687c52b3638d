import Testing
import TestSupport

@testable import VirtualTags

/// Sectors, and what differs from other Type 2 chips.
@Suite struct NTAGI2CTests {
    static func tag(_ size: VirtualNTAGI2CTag.Size, message: [UInt8]? = nil) throws -> VirtualNTAGI2CTag {
        var tag = try VirtualNTAGI2CTag(size: size, identifier: hex("04 11 22 33 44 55 80"), ndefMessage: message)
        tag.activate()
        return tag
    }

    static let turns: [(size: VirtualNTAGI2CTag.Size, turns: [Turn])] = [
        (
            .oneKilobyte,
            [
                Turn("60", "0004040502011303"), Turn("30 00", "04112233445580004400000" + "0E1106D00"),
                Turn("30 04", "0300FE00000000000000000000000000"), Turn("A2 E1 01 02 03 04", "ACK"),
                // Zeros behind the last page; page 226 holds the dynamic lock bytes.
                Turn("30 E1", "01020304000000000000000000000000"), Turn("A2 E2 01 00 00 FF", "ACK"),
                Turn("A2 E2 02 00 00 00", "ACK"), Turn("30 E2", "03000000000000000000000000000000"),
                Turn("C2 FF", "ACK"), Turn("01 00 00 00", "NAK 0"), Turn("30 00", "silence"),
            ]
        ),
        (.oneKilobyte, [Turn("30 E3", "NAK 0")]), (.oneKilobyte, [Turn("3A 00 E3", "NAK 0")]),
        (.oneKilobyte, [Turn("1B FF FF FF FF", "NAK 0")]), (.oneKilobyte, [Turn("A2 00 00 00 00 00", "NAK 0")]),
        (
            .twoKilobytes,
            [
                Turn("30 03", "E110EA000300FE000000000000000000"), Turn("A2 FF 0A 0B 0C 0D", "ACK"),
                Turn("C2 FF", "ACK"), Turn("01 00 00 00", "silence"), Turn("A2 DF 01 02 03 04", "ACK"),
                Turn("30 DF", "01020304000000000000000000000000"), Turn("A2 02 05 06 07 08", "ACK"),
                Turn("3A 02 02", "05060708"), Turn("C2 FF", "ACK"), Turn("00 00 00 00", "silence"),
                Turn("3A FF FF", "0A0B0C0D"), Turn("C2 FF", "ACK"), Turn("02 00 00 00", "NAK 0"),
            ]
        ),
        (.twoKilobytes, [Turn("C2 FF", "ACK"), Turn("01 00 00", "NAK 0")]), (.twoKilobytes, [Turn("C2 00", "NAK 0")]),
        (
            .oneKilobyte,
            [
                Turn("A2 02 FF FF 10 00", "ACK"), Turn("3A 02 02", "44001000"), Turn("A2 03 00 00 00 0F", "ACK"),
                Turn("3A 03 03", "E1106D0F"), Turn("A2 04 01 02 03 04", "NAK 0"),
            ]
        ),
    ]

    @Test(arguments: turns) func `commands have their answers`(row: (size: VirtualNTAGI2CTag.Size, turns: [Turn]))
        throws
    {
        var tag = try Self.tag(row.size)
        for turn in row.turns { #expect(tag.send(turn.command) == turn.answer, "\(turn.command)") }
    }

    @Test func `a selection returns to sector 0`() throws {
        var tag = try Self.tag(.twoKilobytes)
        #expect(tag.send("C2 FF") == "ACK")
        #expect(tag.send("01 00 00 00") == "silence")
        #expect(tag.send("3A 03 03") == "00000000")
        #expect(tag.sendSelected("3A 03 03") == "E110EA00")
        tag.fieldDropped()
        #expect(tag.send("60") == "silence")
    }

    @Test(arguments: VirtualNTAGI2CTag.Size.allCases) func `the largest message fits`(size: VirtualNTAGI2CTag.Size)
        throws
    {
        let message = [UInt8](repeating: 0x5A, count: size.messageCapacity)
        let tag = try Self.tag(size, message: message)
        #expect(Array(tag.memory[16..<20]) == [0x03, 0xFF, UInt8(message.count >> 8), UInt8(message.count & 0xFF)])
        #expect(Array(tag.memory[20..<20 + message.count]) == message)
        #expect(throws: VirtualTagError.self) { try Self.tag(size, message: message + [0]) }
        #expect(throws: VirtualTagError.self) { try VirtualNTAGI2CTag(size: size, identifier: [4]) }
    }
}
