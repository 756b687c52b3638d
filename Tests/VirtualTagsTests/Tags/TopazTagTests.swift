import Testing
import TestSupport

@testable import VirtualTags

/// The Topaz, frame by frame.
@Suite struct TopazModelTests {
    static let uid = "11223344"

    static func tag(_ product: VirtualTopazProduct, message: [UInt8]? = []) throws -> VirtualTopazTag {
        var tag = try VirtualTopazTag(product: product, identifier: hex("11223344556677"), ndefMessage: message)
        tag.activate()
        return tag
    }

    static let turns: [(VirtualTopazProduct, String, String)] = [
        (.topaz, "78 00 00 00 00 00 00", "114811223344"), (.topaz512, "78 00 00 00 00 00 00", "124C11223344"),
        (.topaz, "78", "silence"), (.topaz, "", "silence"),
        (.topaz, "01 08 00 11223344", "08E1"), (.topaz, "01 08 00 11223345", "silence"),
        (.topaz, "01 77 00 11223344", "7700"), (.topaz, "01 78 00 11223344", "silence"),
        (.topaz512, "01 7F 00 11223344", "7F00"),
        (.topaz, "53 0D AA 11223344", "0DAA"), (.topaz, "53 00 AA 11223344", "silence"),
        (.topaz, "53 68 AA 11223344", "silence"), (.topaz, "53 72 AA 11223344", "72AA"),
        (.topaz, "1A 08 0F 11223344", "08EF"), (.topaz, "53 70 00 11223344", "7001"),
        (.topaz, "02 01 0000000000000000 11223344", "silence"),
        (.topaz512, "02 01 0000000000000000 11223344", "01E1103F000103F230"),
        (.topaz512, "02 40 0000000000000000 11223344", "silence"),
        (.topaz512, "54 20 0102030405060708 11223344", "200102030405060708"),
        (.topaz512, "1B 01 0000000F00000000 11223344", "01E1103F0F0103F230"),
        (.topaz512, "54 00 0102030405060708 11223344", "silence"),
        (.topaz512, "54 20 01020304050607 11223344", "silence"),
        (.topaz512, "10 01 0000000000000000 11223344", "silence"),
        (.topaz512, "10 40 0000000000000000 11223344", "silence"),
        (.topaz, "FF 00 00 11223344", "silence"),
    ]

    @Test(arguments: turns) func `a frame has its answer`(product: VirtualTopazProduct, command: String, answer: String)
        throws
    {
        var tag = try Self.tag(product)
        #expect(tag.send(command) == answer)
    }

    @Test func `RALL gives header and 120 bytes, RSEG 128`() throws {
        var topaz = try Self.tag(.topaz)
        let all = topaz.send("00 00 00 11223344")
        #expect(all.count == 244)
        #expect(all.hasPrefix("11481122334455667700E1100E000300FE"))
        var large = try Self.tag(.topaz512)
        for segment in 0..<4 {
            #expect(large.send("10 \(segment)0 0000000000000000 11223344").count == 258)
        }
    }

    @Test func `a message goes round the reserved bytes`() throws {
        let message = [UInt8](repeating: 0xAB, count: 462)
        let tag = try Self.tag(.topaz512, message: message)
        #expect(hex(tag.memory[22..<26]) == "03FF01CE")
        #expect(tag.memory[26..<104].allSatisfy { $0 == 0xAB })
        #expect(tag.memory[114..<128].allSatisfy { $0 == 0 })
        #expect(tag.memory[128..<512].allSatisfy { $0 == 0xAB })
        #expect(throws: VirtualTagError.messageTooLarge(size: 463, capacity: 462)) {
            try Self.tag(.topaz512, message: message + [0])
        }
        #expect(throws: VirtualTagError.messageTooLarge(size: 91, capacity: 90)) {
            try Self.tag(.topaz, message: [UInt8](repeating: 0, count: 91))
        }
    }

    @Test func `lock bits are set permanently and hold the blocks`() throws {
        var tag = try Self.tag(.topaz512)
        #expect(tag.send("1A 70 02 11223344") == "7003")
        #expect(tag.send("53 08 00 11223344") == "silence")
        #expect(tag.send("53 10 55 11223344") == "1055")
        #expect(tag.send("53 70 00 11223344") == "7003")
        #expect(tag.send("1B 0F 0000010000000000 11223344") == "0F0000010000000000")
        #expect(tag.send("54 10 0102030405060708 11223344") == "silence")
        #expect(tag.send("54 11 0102030405060708 11223344") == "110102030405060708")
    }

    @Test func `without power it is silent, and a fresh one is blank`() throws {
        var tag = try Self.tag(.topaz, message: nil)
        #expect(tag.memory[8..<104].allSatisfy { $0 == 0 })
        tag.fieldDropped()
        #expect(tag.send("78 00 00 00 00 00 00") == "silence")
        #expect(throws: VirtualTagError.wrongIdentifierSize(size: 4, expected: 7)) {
            try VirtualTopazTag(product: .topaz, identifier: [1, 2, 3, 4])
        }
    }
}
