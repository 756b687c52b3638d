import Testing
import TestSupport

@testable import VirtualTags

/// The FeliCa cards, packet by packet.
@Suite struct FeliCaModelTests {
    static let identifier = "0102030405060708"

    static func card(
        _ product: VirtualFeliCaProduct, message: [UInt8]? = nil, configuration: String? = nil
    ) throws -> VirtualFeliCaTag {
        let made = try VirtualFeliCaTag(product: product, identifier: hex(identifier), ndefMessage: message)
        var blocks = made.blocks
        if let configuration { blocks[0x88] = hex(configuration) }
        var card = try VirtualFeliCaTag(product: product, identifier: hex(identifier), blocks: blocks)
        card.activate()
        return card
    }

    /// With its length byte.
    static func packet(_ body: String) -> String { hex([UInt8(hex(body).count + 1)]) + body }
    static func read(_ list: String, service: String = "0B00") -> String {
        let count = UInt8(hex(list).count / 2)
        return packet("06 \(identifier) 01 \(service) \(hex([count])) \(list)")
    }
    static func write(_ list: String, _ data: String, service: String = "0900") -> String {
        packet("08 \(identifier) 01 \(service) \(hex([UInt8(hex(list).count / 2)])) \(list) \(data)")
    }
    static let data = "000102030405060708090A0B0C0D0E0F"
    static let zeros = "00000000000000000000000000000000"
    static let done = "0C0901020304050607080000"

    static let polls: [(VirtualFeliCaProduct, [UInt8]?, String, String)] = [
        (.lite, nil, "0600FFFF0000", "1201 0102030405060708 00F0000000014300"),
        (.lite, nil, "0600FFFF0100", "1401 0102030405060708 00F0000000014300 88B4"),
        (.lite, nil, "060088B40000", "1201 0102030405060708 00F0000000014300"),
        (.lite, nil, "0600FFB40000", "1201 0102030405060708 00F0000000014300"),
        (.lite, nil, "060012FC0000", "silence"),
        (.lite, [], "060012FC0100", "1401 0102030405060708 00F0000000014300 12FC"),
        (.liteS, [], "060012FC0000", "1201 0102030405060708 00F1000000014300"),
        (.type3, nil, "060012FC0000", "1201 0102030405060708 0001000000014300"),
        (.type3, nil, "060088B40000", "silence"),
        (.type3, nil, "0600FFFF00", "silence"), (.type3, nil, "0700FFFF0000", "silence"),
        (.type3, nil, "0600FFFF000000", "silence"), (.type3, nil, "", "silence"), (.type3, nil, "01", "silence"),
    ]

    @Test(arguments: polls) func `polling finds a card by its system`(
        product: VirtualFeliCaProduct, message: [UInt8]?, command: String, answer: String
    ) throws {
        var card = try Self.card(product, message: message)
        #expect(card.send(command) == answer.filter { $0 != " " })
    }

    static let plainTurns: [Turn] = [
        Turn("0F02 0102030405060708 02 0900 0B11", "0F03 0102030405060708 02 0000 FFFF"),
        Turn("0D02 0102030405060708 02 0900", "silence"),
        Turn("0A04 0102030405060708", "0B05 0102030405060708 00"),
        Turn("0A0C 0102030405060708", "0D0D 0102030405060708 01 12FC"),
        Turn("0A04 0102030405060709", "silence"),
        Turn("0AFF 0102030405060708", "silence"),
        Turn("0A10 0102030405060708", "silence"),
    ]

    @Test(arguments: plainTurns) func `a plain card answers requests, a Lite does not`(turn: Turn) throws {
        var plain = try Self.card(.type3)
        #expect(plain.send(turn.command) == turn.answer.filter { $0 != " " })
        var lite = try Self.card(.liteS)
        #expect(lite.send(turn.command) == "silence")
    }

    @Test func `a card is silent without power`() throws {
        var card = try Self.card(.lite)
        card.fieldDropped()
        #expect(card.send("0600FFFF0000") == "silence")
        card.activate()
        #expect(card.send("0600FFFF0000") != "silence")
    }

    @Test(arguments: [VirtualFeliCaProduct.lite, .liteS]) func `a fresh Lite has the blocks of the data sheet`(
        product: VirtualFeliCaProduct
    ) throws {
        var card = try Self.card(product)
        let header = "1D07" + Self.identifier + "000001"
        #expect(card.send(Self.read("8000")) == header + Self.zeros)
        #expect(card.send(Self.read("800E")) == header + String(repeating: "FF", count: 16))
        #expect(card.send(Self.read("8083")) == header + Self.identifier + hex(product.manufactureParameter))
        #expect(card.send(Self.read("8085")) == header + "88B4" + Self.zeros.dropLast(4))
        #expect(card.send(Self.read("8088")) == header + "FFFFFF00FF" + Self.zeros.dropLast(10))
        #expect(card.blocks.count == (product == .lite ? 24 : 28))
    }

    @Test func `a formatted Lite holds attribute block and message`() throws {
        let card = try Self.card(.lite, message: [UInt8](repeating: 0xAA, count: 17))
        #expect(hex(card.blocks[0] ?? []) == "1004 0100 0D00 0000 0000 0100 0011 0034".filter { $0 != " " })
        #expect(hex(card.blocks[2] ?? []) == "AA" + Self.zeros.dropLast(2))
        #expect(card.blocks[0x88]?[3] == 0x01)
        let plain = try Self.card(.type3)
        #expect(hex(plain.blocks[0] ?? []) == "100C0800400000000000010000000065")
    }

    static let refusedReads: [(String, String)] = [
        (packet("06 0102030405060708 00 01 8000"), "FFA1"),
        (packet("06 0102030405060708 02 0B00 0900 01 8000"), "FFA1"),
        (packet("06 0102030405060708 01 0B00 00"), "FFA2"),
        (read("80008001800280038004"), "FFA2"),
        (read("8000", service: "0F00"), "01A6"), (read("8000", service: "000B"), "01A6"),
        (read("8100"), "01A3"), (read("8000F000"), "02A7"),
        (read("800F"), "01A8"), (read("8000800080008093"), "08A8"), (read("8089"), "01A8"),
        (packet("06 0102030405060708 01 0B00 01 000001"), "01A8"),
        (read("8083", service: "0900"), "01A8"),
        (read("8081"), "01B2"), (read("80008091"), "02B2"),
    ]

    @Test(arguments: refusedReads) func `a Lite-S refuses reads with flags`(command: String, flags: String) throws {
        var card = try Self.card(.liteS)
        #expect(card.send(command) == "0C07" + Self.identifier + flags)
    }

    static let malformed = [
        packet("06 0102030405060708"), packet("06 0102030405060708 01"), packet("06 0102030405060708 01 0B00"),
        packet("06 0102030405060708 01 0B00 01"), packet("06 0102030405060708 01 0B00 01 80"),
        packet("06 0102030405060708 01 0B00 01 0001"), packet("06 0102030405060708 01 0B00 01 8000 00"),
        packet("06 0102030405060708 FF 0B00 01 8000"), packet("08 0102030405060708 01 0900 01 8000 00"),
        packet("08 0102030405060708 01 0900 02 8000 8001 \(zeros)"), packet("06 0102"), "0A06 0102030405060708 01",
    ]

    @Test(arguments: malformed) func `a malformed packet gets silence`(command: String) throws {
        for product in VirtualFeliCaProduct.all {
            var card = try Self.card(product)
            #expect(card.send(command) == "silence")
        }
    }

    @Test func `at most Nbr blocks are read and Nbw written`() throws {
        var card = try Self.card(.type3)
        let list = { (count: Int) in (0..<count).map { "80" + hex([UInt8($0)]) }.joined() }
        #expect(card.send(Self.read(list(12))).count == 2 * (13 + 192))
        #expect(card.send(Self.read(list(13))).hasSuffix("FFA2"))
        let data = { (count: Int) in String(repeating: Self.data, count: count) }
        #expect(card.send(Self.write(list(8), data(8))) == Self.done)
        #expect(card.send(Self.write(list(9), data(9))).hasSuffix("FFA2"))
        #expect(card.blocks[7] == hex(Self.data))
        var lite = try Self.card(.lite)
        #expect(lite.send(Self.write("8000", Self.data)) == Self.done)
        #expect(lite.send(Self.write("80008001", data(2))).hasSuffix("FFA2"))
    }

    @Test func `a write to several blocks is done for all or none`() throws {
        var card = try Self.card(.type3)
        #expect(card.send(Self.write("80018041", Self.data + Self.data)).hasSuffix("02A8"))
        #expect(hex(card.blocks[1] ?? []) == Self.zeros)
    }

    /// MC, block, flags.
    static let refusedWrites: [(String, String, String)] = [
        ("FEFFFF00FF0000000000000000000000", "8000", "01A8"), ("FFBFFF00FF0000000000000000000000", "800E", "01A8"),
        ("FFFFFF00FF0000000000000000000000", "800F", "01A8"), ("FFFFFF00FF0000000000000000000000", "8081", "01A8"),
        ("FFFFFF00FF0000000000000000000000", "8083", "01A8"), ("FFFFFF00FF0000000000000000000000", "8085", "01A8"),
        ("FFFFFF00FF0000000000000000000000", "8090", "01A8"), ("FFFFFF00FF0000000000000000000000", "8092", "01A8"),
        ("FFFF0000FF0000000000000000000000", "8082", "01A8"), ("FFFF0000FF0000000000000000000000", "8087", "01A8"),
        ("FF7F0000FF0000000000000000000000", "8088", "01A8"),
        ("FFFFFF00FF0000000200000000000000", "8001", "01B1"), ("FFFFFF00FF0000000000020000000000", "8001", "01A8"),
        ("FFFFFF00FF0100000000000000000000", "8087", "01A8"),
    ]

    @Test(arguments: refusedWrites) func `a Lite-S refuses writes with flags`(
        configuration: String, block: String, flags: String
    ) throws {
        var card = try Self.card(.liteS, configuration: configuration)
        let before = card.blocks
        #expect(card.send(Self.write(block, Self.data)) == "0C09" + Self.identifier + flags)
        #expect(card.blocks == before)
    }

    @Test func `a MAC never fits`() throws {
        var card = try Self.card(.liteS)
        #expect(card.send(Self.write("80018091", Self.data + Self.data)).hasSuffix("02B2"))
        #expect(card.send(Self.write("80018002", Self.data + Self.data)).hasSuffix("02A8"))
        #expect(card.send(Self.write("8001", Self.data, service: "0B00")).hasSuffix("01A6"))
    }

    @Test func `a Lite-S block may need an authentication to be read`() throws {
        let configuration = "FFFFFF00FF0004000000000000000000"
        var card = try Self.card(.liteS, configuration: configuration)
        #expect(card.send(Self.read("8002")).hasSuffix("01B1"))
        #expect(card.send(Self.read("80018002")).hasSuffix("02B1"))
        var lite = try Self.card(.lite, configuration: configuration)
        #expect(lite.send(Self.read("8002")).hasSuffix(Self.zeros))
    }

    @Test func `keys never show`() throws {
        var card = try Self.card(.lite)
        #expect(card.send(Self.write("8087", Self.data)) == Self.done)
        #expect(card.send(Self.read("8087")).hasSuffix(Self.zeros))
        #expect(card.send(Self.write("8080", Self.data)) == Self.done)
        #expect(card.send(Self.read("8080")).hasSuffix(Self.zeros))
    }

    @Test func `the memory configuration only gets stricter, from the next power-on`() throws {
        var card = try Self.card(.liteS)
        let wanted = "0F80FF01FF0001000000000000000000"
        #expect(card.send(Self.write("8088", wanted)) == Self.done)
        #expect(card.send("060012FC0000") == "silence")
        #expect(card.send(Self.write("8005", Self.data)) == Self.done)
        card.repower()
        #expect(card.send("060012FC0000") != "silence")
        #expect(card.send(Self.write("8005", Self.data)).hasSuffix("01A8"))
        #expect(card.send(Self.write("8088", "FFFFFF00FF0000000000000000000000")) == Self.done)
        card.repower()
        #expect(hex(card.blocks[0x88] ?? []) == "0F80FF00FF0001000000000000000000")
    }

    @Test func `the register only goes down`() throws {
        var card = try Self.card(.lite)
        #expect(card.send(Self.write("800E", "05000000 06000000 1122334455667788")) == Self.done)
        #expect(card.send(Self.write("800E", "06000000 06000000 0000000000000000")) == Self.done)
        #expect(hex(card.blocks[0x0E] ?? []) == "05000000060000001122334455667788")
    }

    @Test func `a Lite-S counts its writes`() throws {
        var card = try Self.card(.liteS)
        for _ in 0..<3 { _ = card.send(Self.write("8001", Self.data)) }
        #expect(card.send(Self.read("8090")).hasSuffix("03" + Self.zeros.dropLast(2)))
    }

    @Test func `images of a wrong size are refused`() throws {
        #expect(throws: VirtualTagError.wrongMemorySize(size: 15, expected: 16)) {
            try VirtualFeliCaTag(
                product: .lite, identifier: hex(Self.identifier), blocks: [0: [UInt8](repeating: 0, count: 15)])
        }
        #expect(throws: VirtualTagError.self) {
            try VirtualFeliCaTag(product: .lite, identifier: hex(Self.identifier), blocks: [0x90: hex(Self.zeros)])
        }
        #expect(throws: VirtualTagError.wrongIdentifierSize(size: 7, expected: 8)) {
            try VirtualFeliCaTag(product: .lite, identifier: [1, 2, 3, 4, 5, 6, 7])
        }
        #expect(throws: VirtualTagError.messageTooLarge(size: 209, capacity: 208)) {
            try VirtualFeliCaTag(product: .lite, ndefMessage: [UInt8](repeating: 0, count: 209))
        }
    }

    @Test func `random packets never trap`() throws {
        var state: UInt64 = 7
        for product in VirtualFeliCaProduct.all {
            var card = try Self.card(product)
            for round in 0..<2000 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let count = Int(state >> 33 % 40)
                var frame = (0..<count).map { UInt8(truncatingIfNeeded: state >> (UInt64($0) % 57)) }
                if round % 2 == 0, count > 10 {
                    frame[0] = UInt8(count)
                    frame[1] = round % 4 == 0 ? 0x06 : 0x08
                    frame.replaceSubrange(2..<10, with: hex(Self.identifier))
                }
                _ = card.exchange(frame)
                #expect(card.blocks.values.allSatisfy { $0.count == 16 })
            }
        }
    }
}

extension VirtualFeliCaTag {
    fileprivate mutating func repower() {
        fieldDropped()
        activate()
    }
}
