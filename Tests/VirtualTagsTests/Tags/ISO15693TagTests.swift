import Testing
import TestSupport

@testable import VirtualTags

/// The commands of the ISO/IEC 15693 model, byte by byte.
@Suite struct `ISO 15693 model` {
    static let uid = "E004011001020304"
    static let sent = "04030201100104E0"

    static func tag(_ product: VirtualISO15693Product, _ message: [UInt8]? = nil) throws -> VirtualISO15693Tag {
        var tag = try VirtualISO15693Tag(product: product, identifier: hex(uid), ndefMessage: message)
        tag.activate()
        return tag
    }

    static let conversations: [(VirtualISO15693Product, [Turn])] = [
        (.slix, [Turn("022B", "000F" + sent + "00001B0301"), Turn("022B00", "0102"), Turn("023B0F", "0101")]),
        (.slix2, [Turn("222B" + sent, "000F" + sent + "00004F0301")]),
        (.st25dv64k, [Turn("022B", "000B" + sent + "000026"), Turn("023B0F", "000F" + sent + "0000FF070326")]),
        (
            .slix,
            [Turn("022B" + sent, "0102"), Turn("222B04030201100104E1", "silence"), Turn("262B" + sent, "silence")]
        ),
        (.slix, [Turn("022000", "0000000000"), Turn("02201B", "0000000000"), Turn("02201C", "010F")]),
        (.tagIt, [Turn("022040", "0110"), Turn("02234000", "0110"), Turn("02233F00", "0000000000")]),
        (.slix, [Turn("02230001", "000000000000000000"), Turn("0223001C", "010F"), Turn("022300", "0102")]),
        (.slix, [Turn("02210001020304", "00"), Turn("022000", "0001020304"), Turn("022100010203", "0102")]),
        (
            .slix,
            [
                Turn("022204", "00"), Turn("02210401020304", "0112"), Turn("022204", "0111"),
                Turn("022C0302", "00000100"),
                Turn("422004", "000100000000"), Turn("422003", "000000000000"), Turn("022C0400", "0001"),
            ]
        ),
        (.slix, [Turn("42210001020304", "0103"), Turn("422200", "0103")]),
        (
            .tagIt,
            [
                Turn("02210001020304", "0103"), Turn("42210001020304", "00"), Turn("022200", "0103"),
                Turn("422200", "00"),
            ]
        ),
        (.slix, [Turn("0227AB", "00"), Turn("0229CD", "00"), Turn("022B", "000F" + sent + "CDAB1B0301")]),
        (
            .slix,
            [
                Turn("0228", "00"), Turn("0228", "0111"), Turn("0227AB", "0112"), Turn("022A", "00"),
                Turn("0229AB", "0112"), Turn("022A", "0111"), Turn("0227", "0102"),
            ]
        ),
        (.slix, [Turn("2202" + sent, "silence"), Turn("022000", "silence"), Turn("2220" + sent + "00", "0000000000")]),
        (.slix, [Turn("122000", "silence"), Turn("2225" + sent, "00"), Turn("122000", "0000000000")]),
        (.slix, [Turn("2225" + sent, "00"), Turn("222504030201100104E1", "silence"), Turn("122000", "silence")]),
        (.slix, [Turn("2202" + sent, "silence"), Turn("2226" + sent, "00"), Turn("022000", "0000000000")]),
        (
            .st25dv64k,
            [
                Turn("0231FF0701020304", "00"), Turn("0230FF07", "0001020304"), Turn("02300008", "0110"),
                Turn("0233FE070100", "000000000001020304"), Turn("023CFE070100", "000000"), Turn("0230FF", "0102"),
                Turn("0232FF07", "010F"), Turn("02320100", "00"),
            ]
        ),
        (.slix, [Turn("02300000", "0101"), Turn("02", "silence"), Turn("", "silence"), Turn("02A0", "0101")]),
    ]

    @Test(arguments: conversations.indices) func `commands are answered`(index: Int) throws {
        let (product, turns) = Self.conversations[index]
        var tag = try Self.tag(product)
        for turn in turns { #expect(tag.send(turn.command) == turn.answer, "\(product) \(turn.command)") }
    }

    @Test func `without power there is no answer, and quiet is forgotten`() throws {
        var tag = try Self.tag(.slix)
        _ = tag.send("2202" + Self.sent)
        tag.fieldDropped()
        #expect(tag.send("022000") == "silence")
        tag.activate()
        #expect(tag.send("022000") == "0000000000")
    }

    static let formatted: [(VirtualISO15693Product, String, Int)] = [
        (.slix, "E1400E010303D00000FE", 106), (.slix2, "E14027010303D00000FE", 308),
        (.st25dv04k, "E14040010303D00000FE", 504), (.st25dv64k, "E2400001000004000303D00000FE", 8180),
        (.tagIt, "E14020010303D00000FE", 250),
    ]

    @Test(arguments: formatted) func `a formatted tag has a container and a message`(
        product: VirtualISO15693Product, start: String, capacity: Int
    ) throws {
        let tag = try Self.tag(product, hex("D00000"))
        #expect(hex(tag.memory.prefix(start.count / 2)) == start)
        #expect(product.messageCapacity == capacity)
    }

    static let apdus: [(command: String, blocks: String, frames: String)] = [
        ("FFCA000000", "E0040110010203049000", "04030201100104E09000"), ("FFB0000000", "000000009000", "000000009000"),
        ("FFB0000004", "000000009000", "000000009000"), ("FFB0000010", "6C04", "6C04"), ("FFB0001C00", "6300", "6300"),
        ("FFB0010000", "6300", "6300"), ("FFD6000004 01020304", "9000", "9000"), ("FFD6000003 010203", "6300", "6300"),
        ("FFFD060102 022B 00", "6D00", "000F" + sent + "00001B03019000"), ("FFFD060102 022B", "6D00", "6700"),
        ("FFFD060103 02201C 00", "6D00", "010F9000"), ("FFFD060103 122000 00", "6D00", "6300"),
        ("FFFF000000", "6D00", "6D00"),
    ]

    @Test(arguments: apdus) func `readers give blocks, and some let frames pass`(
        row: (command: String, blocks: String, frames: String)
    ) throws {
        for passes in [false, true] {
            let tag = try Self.tag(.slix)
            var settings = VirtualReader.Settings()
            settings.vicinity = .init(passesFrames: passes, reversesIdentifier: passes)
            let reader = VirtualReader(tag: tag, settings: settings)
            reader.powerOn()
            #expect(hex(reader.transmit(hex(row.command))) == (passes ? row.frames : row.blocks), "\(row.command)")
            #expect(hex(reader.answerToReset.dropFirst(12).prefix(3)) == "0B0014")
        }
    }

    @Test func `wrong sizes are refused`() {
        #expect(throws: VirtualTagError.wrongIdentifierSize(size: 7, expected: 8)) {
            try VirtualISO15693Tag(product: .slix, identifier: hex("E0040110010203"))
        }
        #expect(throws: VirtualTagError.wrongMemorySize(size: 1, expected: 112)) {
            try VirtualISO15693Tag(product: .slix, memory: [0])
        }
    }
}
