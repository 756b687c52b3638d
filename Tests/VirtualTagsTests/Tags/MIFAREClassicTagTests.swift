import Testing
import TestSupport

@testable import VirtualTags

/// Access conditions, keys and values of the MIFARE Classic model, against the tables of the data sheet.
@Suite struct `MIFARE Classic model` {
    static let transport = "FFFFFFFFFFFF"

    /// A 1K card whose sector 1 has keys A 111111111111 and B 222222222222 and these access bits.
    static func card(access: String, content: String = "", product: VirtualMIFAREClassicProduct = .oneK) throws
        -> VirtualMIFAREClassicTag
    {
        var memory = try VirtualMIFAREClassicTag(product: product, identifier: hex("01020304")).memory
        memory.overwrite(at: 64, with: hex(content))
        memory.overwrite(at: 112, with: hex("111111111111" + access + "222222222222"))
        return try VirtualMIFAREClassicTag(product: product, memory: memory)
    }

    /// A value block with 5.
    static let five = "05000000 FAFFFFFF 05000000 04FB04FB"

    /// Condition of block 4, access bits (trailer 011), and with which key READ, WRITE, INCREMENT, DECREMENT go.
    static let dataRows: [(condition: String, access: String, read: String, write: String, up: String, down: String)] =
        [
            ("000", "7F0788", "AB", "AB", "AB", "AB"),
            ("010", "6F0789", "AB", "", "", ""),
            ("100", "7E1788", "AB", "B", "", ""),
            ("110", "6E1789", "AB", "B", "B", "AB"),
            ("001", "7F0698", "AB", "", "", "AB"),
            ("011", "6F0699", "B", "B", "", ""),
            ("101", "7E1698", "B", "", "", ""),
            ("111", "6E1699", "", "", "", ""),
        ]

    @Test(arguments: dataRows) func `data blocks obey their condition`(
        row: (condition: String, access: String, read: String, write: String, up: String, down: String)
    ) throws {
        for (letter, key) in [("A", "6004111111111111"), ("B", "6104222222222222")] {
            func allows(_ command: String) throws -> Bool {
                var card = try Self.card(access: row.access + "00", content: Self.five)
                #expect(card.sendSelected(key) == "ACK")
                return !card.send(command).hasPrefix("NAK")
            }
            #expect(try allows("3004") == row.read.contains(letter), "read \(letter)")
            #expect(try allows("A004") == row.write.contains(letter), "write \(letter)")
            #expect(try allows("C104") == row.up.contains(letter), "increment \(letter)")
            #expect(try allows("C004") == row.down.contains(letter), "decrement \(letter)")
            #expect(try allows("C204") == row.down.contains(letter), "restore \(letter)")
        }
    }

    /// Condition of the trailer, access bits (data 000), and what changes when all of it is written with key A and B; then
    /// what reading it with key A gives behind the zeros.
    static let trailerRows: [(condition: String, access: String, withA: String, withB: String, read: String)] = [
        ("000", "FF0F00", "KB", "", "FF0F0000222222222222"),
        ("010", "7F0F08", "", "", "7F0F0800222222222222"),
        ("100", "F78F00", "", "KB", "F78F0000000000000000"),
        ("110", "778F08", "", "", "778F0800000000000000"),
        ("001", "FF0780", "KAB", "", "FF078000222222222222"),
        ("011", "7F0788", "", "KAB", "7F078800000000000000"),
        ("101", "F78780", "", "A", "F7878000000000000000"),
        ("111", "778788", "", "", "7787880000" + "0000000000"),
    ]

    @Test(arguments: trailerRows) func `trailers obey their condition, and key A is never read`(
        row: (condition: String, access: String, withA: String, withB: String, read: String)
    ) throws {
        var reading = try Self.card(access: row.access + "00")
        _ = reading.sendSelected("6004111111111111")
        #expect(reading.send("3007") == "000000000000" + row.read)
        for (changed, key) in [(row.withA, "6004111111111111"), (row.withB, "6104222222222222")] {
            var card = try Self.card(access: row.access + "00")
            #expect(card.sendSelected(key) == "ACK")
            #expect(card.send("A007") == (changed.isEmpty ? "NAK 4" : "ACK"))
            let before = Array(card.memory[112..<128])
            if !changed.isEmpty { #expect(card.send("333333333333 FF078055 444444444444") == "ACK") }
            let after = Array(card.memory[112..<128])
            #expect((before[0..<6] != after[0..<6]) == changed.contains("K"))
            #expect((before[6..<10] != after[6..<10]) == changed.contains("A"))
            #expect((before[10..<16] != after[10..<16]) == changed.contains("B"))
        }
    }

    @Test(arguments: ["FF0F0000", "7F0F0800", "FF078000"])
    func `a key B that can be read opens nothing`(access: String) throws {
        var card = try Self.card(access: access)
        #expect(card.sendSelected("6104222222222222") == "ACK")
        #expect(card.send("3004") == "NAK 4")
        #expect(card.send("3004") == "silence")
    }

    @Test(arguments: ["000000", "FFFFFF", "7F0780", "FF0788", "FF0781"])
    func `access bits that contradict themselves kill the sector`(access: String) throws {
        var card = try Self.card(access: access + "00")
        #expect(card.sendSelected("6004111111111111") == "silence")
        #expect(card.sendSelected("6104222222222222") == "silence")
    }

    static let conversations: [[Turn]] = [
        [Turn("3004", "NAK 4"), Turn("6004111111111111", "silence")],
        [Turn("6004111111111112", "silence"), Turn("6004111111111111", "silence")],
        [Turn("6004111111111111", "ACK"), Turn("3008", "NAK 4")],
        [Turn("6004111111111111", "ACK"), Turn("5000", "silence"), Turn("3004", "silence")],
        [Turn("6004111111111111", "ACK"), Turn("A004", "ACK"), Turn("0102", "NAK 4")],
        [Turn("6004111111111111", "ACK"), Turn("30", "NAK 4")],
        [Turn("6004111111111111", "ACK"), Turn("300400", "NAK 4")],
        [Turn("6004111111111111", "ACK"), Turn("6100FFFFFFFFFFFF", "ACK"), Turn("3001", "NAK 4")],
        [Turn("6000FFFFFFFFFFFF", "ACK"), Turn("A000", "NAK 4")],
        [Turn("6040FFFFFFFFFFFF", "silence")],
        [Turn("6004111111111111", "ACK"), Turn("B004", "NAK 4")],
        [
            Turn("6004111111111111", "ACK"), Turn("C104", "ACK"), Turn("02000000", "silence"), Turn("B005", "ACK"),
            Turn("3005", "07000000F8FFFFFF0700000004FB04FB"),
        ],
        [
            Turn("6004111111111111", "ACK"), Turn("C004", "ACK"), Turn("06000000", "silence"), Turn("B004", "ACK"),
            Turn("3004", "FFFFFFFF00000000FFFFFFFF04FB04FB"),
        ],
        [
            Turn("6004111111111111", "ACK"), Turn("C204", "ACK"), Turn("00000000", "silence"), Turn("B006", "ACK"),
            Turn("3006", "05000000FAFFFFFF0500000004FB04FB"),
        ],
        [Turn("6004111111111111", "ACK"), Turn("C105", "NAK 4")],
        [Turn("6004111111111111", "ACK"), Turn("C104", "ACK"), Turn("FFFFFF7F", "NAK 4")],
    ]

    @Test(arguments: conversations) func `commands are answered in order`(turns: [Turn]) throws {
        var card = try Self.card(access: "7F078840", content: Self.five)
        #expect(card.send("6004111111111111") == "silence")
        card.activate()
        for turn in turns { #expect(card.send(turn.command) == turn.answer, "\(turn.command)") }
    }

    @Test func `the field takes authentication and transfer buffer with it`() throws {
        var card = try Self.card(access: "7F078840", content: Self.five)
        _ = card.sendSelected("6004111111111111")
        _ = card.send("C104")
        _ = card.send("01000000")
        card.fieldDropped()
        #expect(card.send("B004") == "silence")
        #expect(card.sendSelected("6004111111111111") == "ACK")
        #expect(card.send("B004") == "NAK 4")
    }

    @Test func `a large sector has conditions for thirds of five blocks`() throws {
        var memory = try VirtualMIFAREClassicTag(product: .fourK).memory
        // Group 1 is 010, read only; groups 0 and 2 are 000, the trailer 011.
        memory.overwrite(at: 143 * 16, with: hex("111111111111 5F078A 40 222222222222"))
        var card = try VirtualMIFAREClassicTag(product: .fourK, memory: memory)
        for block in 128..<143 {
            _ = card.sendSelected("6080111111111111")
            #expect(
                card.send("A0" + hex([UInt8(block)])) == ((133..<138).contains(block) ? "NAK 4" : "ACK"), "\(block)")
        }
    }

    static let blocks: [(VirtualMIFAREClassicProduct, String, String)] = [
        (.oneK, "01020304", "01020304040804006262626262626262"),
        (.fourK, "01020304", "01020304041802006262626262626262"),
        (.mini, "04010203040506", "04010203040506094400626262626262"),
    ]

    @Test(arguments: blocks) func `block 0 shows identifier, SAK and ATQA`(
        product: VirtualMIFAREClassicProduct, identifier: String, block: String
    ) throws {
        let card = try VirtualMIFAREClassicTag(product: product, identifier: hex(identifier))
        #expect(hex(card.memory.prefix(16)) == block)
        #expect(card.identifier == hex(identifier))
    }

    @Test func `a formatted card has the directories of NXP's application note`() throws {
        let small = try VirtualMIFAREClassicTag(product: .oneK, ndefMessage: hex("D00000"))
        #expect(hex(small.memory[16..<20]) == "0F0003E1")
        #expect(hex(small.memory[48..<64]) == "A0A1A2A3A4A5787788C1FFFFFFFFFFFF")
        #expect(hex(small.memory[64..<71]) == "0303D00000FE00")
        #expect(hex(small.memory[112..<128]) == "D3F7D3F7D3F77F078840FFFFFFFFFFFF")
        let large = try VirtualMIFAREClassicTag(product: .fourK, ndefMessage: [])
        #expect(hex(large.memory[64 * 16..<64 * 16 + 4]) == "9E0003E1")
        #expect(large.memory[57] == 0xC2)
        #expect(VirtualMIFAREClassicProduct.mini.messageCapacity == 190)
        #expect(VirtualMIFAREClassicProduct.oneK.messageCapacity == 716)
        #expect(VirtualMIFAREClassicProduct.fourK.messageCapacity == 3356)
    }

    @Test func `wrong sizes are refused`() {
        #expect(throws: VirtualTagError.wrongIdentifierSize(size: 5, expected: 4)) {
            try VirtualMIFAREClassicTag(product: .oneK, identifier: hex("0102030405"))
        }
        #expect(throws: VirtualTagError.wrongMemorySize(size: 3, expected: 1024)) {
            try VirtualMIFAREClassicTag(product: .oneK, memory: [1, 2, 3])
        }
        #expect(throws: VirtualTagError.messageTooLarge(size: 717, capacity: 716)) {
            try VirtualMIFAREClassicTag(product: .oneK, ndefMessage: [UInt8](repeating: 0, count: 717))
        }
    }
}
