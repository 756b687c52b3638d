import Testing
import TestSupport

@testable import NFCTags

@Suite struct `FeliCa exchanges` {
    static let identifier = FeliCaIdentifier(hex(FeliCaWire.identifier))!

    static func felica(_ command: String, _ answer: OrderedScript.Answer) -> FeliCa {
        FeliCa(channel: ACR122UDataExchange(channel: OrderedScript([(FeliCaWire.command(command), answer)])))
    }

    @Test func `polling returns IDm, PMm and the requested data`() async throws {
        let felica = Self.felica("0600FFFF0100", FeliCaWire.answer("1401 0102030405060708 00F1000000014300 88B4"))
        let polled = try await felica.poll(.any, request: .systemCode)
        #expect(polled.identifier == Self.identifier)
        #expect(polled.parameter.liteProduct == .liteS)
        #expect(polled.requestData == hex("88B4"))
    }

    @Test func `the system of a polling can be read from its packet`() throws {
        let packet = Array(try FeliCaCommand.polling(.ndef).frame().dropFirst())
        #expect(FeliCaCommand.isPolling(packet) && FeliCaSystemCode(polling: packet) == .ndef)
        #expect(FeliCaCommand.isPolling([0x00, 0x12]) && FeliCaSystemCode(polling: [0x00, 0x12]) == nil)
        #expect(!FeliCaCommand.isPolling([0x06, 0x12, 0xFC]) && FeliCaSystemCode(polling: [0x06, 0x12, 0xFC]) == nil)
    }

    @Test func `request service returns key versions`() async throws {
        let felica = Self.felica(
            "0F02010203040506070802 0900 0B00", FeliCaWire.answer("0F03 0102030405060708 02 0100 FFFF"))
        #expect(try await felica.requestService(Self.identifier, nodes: [.readWrite, .readOnly]) == [1, 0xFFFF])
    }

    @Test func `request response returns the mode`() async throws {
        let felica = Self.felica("0A040102030405060708", FeliCaWire.answer("0B05 0102030405060708 00"))
        #expect(try await felica.requestResponse(Self.identifier) == 0)
    }

    @Test func `request system code returns the systems`() async throws {
        let felica = Self.felica("0A0C0102030405060708", FeliCaWire.answer("0F0D 0102030405060708 02 12FC 88B4"))
        #expect(try await felica.requestSystemCode(Self.identifier) == [.ndef, .lite])
    }

    @Test func `a read returns blocks or a refusal`() async throws {
        let block = "000102030405060708090A0B0C0D0E0F"
        let command = "1006 0102030405060708 01 0B00 01 8000"
        let good = Self.felica(command, FeliCaWire.answer("1D07 0102030405060708 0000 01 \(block)"))
        #expect(try await good.read(Self.identifier, blocks: [0]) == .data(hex(block)))
        let bad = Self.felica(command, FeliCaWire.answer("0C07 0102030405060708 01A8"))
        let status = FeliCaStatus(flag1: 1, flag2: 0xA8)
        #expect(try await bad.read(Self.identifier, blocks: [0]) == .refused(status))
    }

    /// Invalid answers to a read of block 0, and the code of the error.
    static let nonsense: [(String, NFCErrorCode)] = [
        ("", .tagResponseError), ("90", .tagResponseError), ("9000", .tagResponseError), ("6300", .tagResponseError),
        ("D5 9000", .tagResponseError), ("D541 9000", .tagResponseError), ("D54300 9000", .tagResponseError),
        ("D54101 9000", .tagResponseError), ("D54113 9000", .tagResponseError), ("D54100 9000", .tagResponseError),
        ("D54100 00 9000", .tagResponseError), ("D54100 01 9000", .tagResponseError),
        ("D54100 0207 9000", .tagResponseError),
        ("D54100 0907 01020304050607 9000", .tagResponseError),
        ("D54100 0A07 0102030405060708 9000", .tagResponseError),
        ("D54100 0B07 0102030405060708 00 9000", .tagResponseError),
        // No count, a wrong count, too short, too long, and lying lengths.
        ("D54100 0C07 0102030405060708 0000 9000", .tagResponseError),
        ("D54100 0D07 0102030405060708 0000 01 9000", .tagResponseError),
        ("D54100 0D07 0102030405060708 0000 00 9000", .tagResponseError),
        ("D54100 1D07 0102030405060708 0000 02 000102030405060708090A0B0C0D0E0F 9000", .tagResponseError),
        ("D54100 1C07 0102030405060708 0000 01 000102030405060708090A0B0C0D0E 9000", .tagResponseError),
        ("D54100 1E07 0102030405060708 0000 01 000102030405060708090A0B0C0D0E0F 10 9000", .tagResponseError),
        ("D54100 1D07 0102030405060708 0000 01 0001 9000", .tagResponseError),
        // The answer to another command.
        ("D54100 1D09 0102030405060708 0000 01 000102030405060708090A0B0C0D0E0F 9000", .tagResponseError),
        // Another card.
        ("D54100 1D07 0102030405060709 0000 01 000102030405060708090A0B0C0D0E0F 9000", .tagConnectionLost),
    ]

    @Test(arguments: nonsense) func `a malformed answer is an error`(answer: String, code: NFCErrorCode) async {
        let felica = Self.felica("1006 0102030405060708 01 0B00 01 8000", .bytes(answer))
        let error = await thrown { () throws(TagError) in try await felica.read(Self.identifier, blocks: [0]) }
        #expect(error?.code == code)
    }

    static let lists = ["", "00 0100", "01", "01 01", "01 0100 00", "03 0100 0200", "FF"]

    @Test(arguments: lists) func `a list with a wrong count is an error`(list: String) async {
        let body = FeliCaWire.packet("03 0102030405060708 \(list)")
        let service = Self.felica("0F02010203040506070802 0900 0B00", FeliCaWire.answer(body))
        let error = await thrown { () throws(TagError) in
            try await service.requestService(Self.identifier, nodes: [.readWrite, .readOnly])
        }
        #expect(error?.code == .tagResponseError)
    }

    static let failures: [(CardChannelError, NFCErrorCode)] = [
        (.tagLost, .tagConnectionLost), (.timedOut, .tagResponseError), (.readerFailed, .sessionTerminatedUnexpectedly),
    ]

    @Test(arguments: failures) func `a failed exchange is passed on`(error: CardChannelError, code: NFCErrorCode) async
    {
        let felica = Self.felica("060012FC0000", .failure(error))
        #expect(await thrown { () throws(TagError) in try await felica.poll(.ndef) }?.code == code)
    }

    @Test func `a packet that is too long for the reader is not sent`() async {
        let channel = ACR122UDataExchange(channel: OrderedScript([]))
        let error = await thrown { () throws(TagError) in
            try await channel.transceive([UInt8](repeating: 0, count: 253))
        }
        #expect(error?.code == .packetTooLong)
    }

    @Test func `a read of too many blocks is not sent`() async {
        let felica = FeliCa(channel: ACR122UDataExchange(channel: OrderedScript([])))
        let error = await thrown { () throws(TagError) in
            try await felica.read(Self.identifier, blocks: Array(0..<16))
        }
        #expect(error?.code == .packetTooLong)
    }

    @Test func `a reader's longest packet limits the blocks of a command`() {
        let channel = ACR122UDataExchange(channel: OrderedScript([]))
        #expect(channel.longestFrame == 252)
        #expect(FeliCaLimits.of(channel) == [14, 12])
        #expect(FeliCaLimits.of(Narrow()) == [1, 1])
    }

    private struct Narrow: FeliCaChannel {
        let longestFrame = 0
        func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] { [] }
    }
}

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
        #expect(hex(try command.frame()) == hex(hex(frame)))
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
        #expect(hex(block.bytes) == bytes)
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

    @Test(arguments: impossible) func `a command that is too long for a packet is refused`(
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

    @Test(arguments: products) func `PMm identifies the Lite family`(parameter: String, product: FeliCaLiteProduct?) {
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
    }
}

enum FeliCaLimits {
    static func of(_ channel: some FeliCaChannel) -> [Int] { [channel.readLimit, channel.writeLimit] }
}
