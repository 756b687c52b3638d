import Testing

@testable import NFCTags

@Suite struct `FeliCa commands` {
    static let identifier = FeliCaIdentifier(hex("0102030405060708"))!

    static let frames: [(FeliCaCommand, String)] = [
        (.polling(.ndef), "060012FC0000"),
        (.polling(.any, request: .systemCode, timeSlots: 3), "0600FFFF0103"),
        (.polling(.lite, request: .communicationPerformance), "060088B40200"),
        (
            .requestService(identifier, nodes: [.readWrite, FeliCaServiceCode(rawValue: 0x110B)]),
            "0F02010203040506070802 0900 0B11"
        ),
        (.requestResponse(identifier), "0A040102030405060708"),
        (.requestSystemCode(identifier), "0A0C0102030405060708"),
        (
            .readWithoutEncryption(identifier, services: [.readOnly], blocks: [FeliCaBlock(0)]),
            "1006 0102030405060708 01 0B00 01 8000"
        ),
        (
            .readWithoutEncryption(
                identifier, services: [.readOnly], blocks: [FeliCaBlock(0x88), FeliCaBlock(0x0123)]),
            "1306 0102030405060708 01 0B00 02 8088 002301"
        ),
        (
            .writeWithoutEncryption(
                identifier, services: [.readWrite], blocks: [FeliCaBlock(5)], data: [UInt8](repeating: 0xAA, count: 16)),
            "2008 0102030405060708 01 0900 01 8005 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        ),
    ]

    @Test(arguments: frames) func `a command has its packet`(command: FeliCaCommand, frame: String) throws {
        #expect(hexDigits(try command.frame()) == hexDigits(hex(frame)))
    }

    static let elements: [(FeliCaBlock, String)] = [
        (FeliCaBlock(0), "8000"), (FeliCaBlock(0xFF), "80FF"), (FeliCaBlock(0x100), "000001"),
        (FeliCaBlock(0xFFFF), "00FFFF"), (FeliCaBlock(1, service: 15), "8F01"),
        (FeliCaBlock(1, service: 2, accessMode: 7), "F201"), (FeliCaBlock(0x200, service: 1, accessMode: 1), "110002"),
        (FeliCaBlock(1, service: 0xF3, accessMode: 0xFF), "F301"),
    ]

    @Test(arguments: elements) func `a block list element has two or three bytes`(
        block: FeliCaBlock, bytes: String
    ) {
        #expect(hexDigits(block.bytes) == bytes)
    }

    static func blocks(_ count: Int) -> [FeliCaBlock] { (0..<count).map { FeliCaBlock(UInt16($0)) } }

    static let impossible: [(FeliCaCommand, FeliCaCommandError)] = [
        (.readWithoutEncryption(identifier, services: [.readOnly], blocks: []), .wrongCount(0, limit: 15)),
        (.readWithoutEncryption(identifier, services: [.readOnly], blocks: blocks(16)), .wrongCount(16, limit: 15)),
        (.readWithoutEncryption(identifier, services: [], blocks: blocks(1)), .wrongCount(0, limit: 16)),
        (.requestService(identifier, nodes: []), .wrongCount(0, limit: 32)),
        (.writeWithoutEncryption(identifier, services: [.readWrite], blocks: blocks(1), data: []), .wrongDataSize(0)),
        (
            .writeWithoutEncryption(
                identifier, services: [.readWrite], blocks: blocks(14), data: [UInt8](repeating: 0, count: 224)),
            .wrongCount(14, limit: 13)
        ),
        (
            .writeWithoutEncryption(
                identifier, services: [.readWrite, .readWrite, .readWrite, .readWrite, .readWrite], blocks: blocks(13),
                data: [UInt8](repeating: 0, count: 208)),
            .tooLong(256)
        ),
    ]

    @Test(arguments: impossible) func `a command that fits no packet is refused`(
        command: FeliCaCommand, error: FeliCaCommandError
    ) {
        #expect(throws: error) { try command.frame() }
        #expect(!error.description.isEmpty)
    }

    @Test(arguments: [0, 7, 9]) func `an IDm has eight bytes`(count: Int) {
        #expect(FeliCaIdentifier([UInt8](repeating: 0, count: count)) == nil)
        #expect(FeliCaManufactureParameter([UInt8](repeating: 0, count: count)) == nil)
    }

    @Test func `systems of one card differ in the first nibble`() throws {
        let other = try #require(FeliCaIdentifier(hex("1102030405060708")))
        let foreign = try #require(FeliCaIdentifier(hex("0102030405060709")))
        #expect(Self.identifier.isSameCard(as: other))
        #expect(!Self.identifier.isSameCard(as: foreign))
        #expect("\(other)" == "1102030405060708")
    }

    static let products: [(String, FeliCaLiteProduct?)] = [
        ("00F0000000014300", .lite), ("00F1000000014300", .liteS), ("00F2000000014300", nil), ("0120220427674EFF", nil),
    ]

    @Test(arguments: products) func `PMm tells the Lite family`(parameter: String, product: FeliCaLiteProduct?) {
        #expect(FeliCaManufactureParameter(hex(parameter))?.liteProduct == product)
    }

    static let statuses: [(UInt8, UInt8, Bool, String)] = [
        (0x00, 0x00, true, "00 00 (done)"), (0x01, 0xA6, false, "01 A6 (wrong service code or attribute)"),
        (0x02, 0xB1, false, "02 B1 (authentication needed)"), (0x02, 0xB2, false, "02 B2 (MAC wrong or missing)"),
        (0xFF, 0xA1, false, "FF A1 (wrong number of services)"), (0xFF, 0x71, true, "FF 71 (memory worn, but written)"),
        (0xFF, 0x70, false, "FF 70 (memory error)"), (0x01, 0x55, false, "01 55 (unknown status)"),
    ]

    @Test(arguments: statuses) func `status flags have names`(one: UInt8, two: UInt8, success: Bool, text: String) {
        let status = FeliCaStatus(flag1: one, flag2: two)
        #expect(status.isSuccess == success)
        #expect(status.description == text)
        #expect(status.needsAuthentication == (two == 0xB1))
    }
}
