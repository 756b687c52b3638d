import NFCTags
import Testing
import TestSupport

@Suite struct `A uTrust reader` {
    static let idm = "0102030405060708"

    struct Row: Sendable {
        let frame: String
        let command: String
        let response: String
        let answer: String
    }

    static let packets = [
        Row(
            frame: "060012FC0000", command: "FF4000000412FC0000", response: idm + "00F1000000014300" + "9000",
            answer: "1201" + idm + "00F1000000014300"),
        Row(
            frame: "0F02" + idm + "0209000B00", command: "FF4202000409000B00",
            response: idm + "02FFFF0000" + "9000", answer: "0F03" + idm + "02FFFF0000"),
        Row(frame: "0A04" + idm, command: "FF44000000", response: idm + "009000", answer: "0B05" + idm + "00"),
        Row(
            frame: "1206" + idm + "010B00" + "0280008001", command: "FF460102060B0080008001",
            response: idm + "01A69000", answer: "0C07" + idm + "01A6"),
        Row(
            frame: "2008" + idm + "010900" + "018005" + "000102030405060708090A0B0C0D0E0F",
            command: "FF480101140900" + "8005" + "000102030405060708090A0B0C0D0E0F", response: idm + "00009000",
            answer: "0C09" + idm + "0000"),
        Row(frame: "0A0C" + idm, command: "FF4A000000", response: idm + "0112FC9000", answer: "0D0D" + idm + "0112FC"),
    ]

    @Test(arguments: packets) func `has a pseudo-APDU for each FeliCa command`(row: Row) async throws {
        let script = OrderedScript([(row.command, .bytes(row.response))])
        #expect(try await UTrustFeliCaChannel(channel: script).transceive(hex(row.frame)) == hex(row.answer))
        #expect(script.isDone)
    }

    static let refused: [(frame: String, code: NFCErrorCode)] = [
        ("", .unsupportedFeature), ("06", .unsupportedFeature), ("070012FC0000", .unsupportedFeature),
        // Authentication.
        ("0B10" + idm + "01", .unsupportedFeature),
        // A block number of three bytes, and lists that lie.
        ("1106" + idm + "010B00" + "01000001", .packetTooLong), ("0D06" + idm + "01090B", .packetTooLong),
        ("0A06" + idm, .packetTooLong), ("0B06" + idm + "FF", .packetTooLong),
        ("0E06" + idm + "010B0000", .packetTooLong), ("1008" + idm + "010900" + "018005", .packetTooLong),
        ("050012FC00", .tagConnectionLost),
    ]

    @Test(arguments: refused) func `is not sent what it has no room for`(row: (frame: String, code: NFCErrorCode)) async
    {
        let script = AnsweringChannel([String]())
        let error = await tagError { _ = try await UTrustFeliCaChannel(channel: script).transceive(hex(row.frame)) }
        #expect(error?.code == row.code)
        #expect(script.log.count == (row.code == .tagConnectionLost ? 1 : 0))
    }

    static let uid = "B1B2B3B4"
    static let block = "0011223344556677"
    static let type1 = [
        Row(frame: "78000000000000", command: "FF50000000", response: "1248" + uid + "9000", answer: "1248" + uid),
        Row(frame: "000000" + uid, command: "FF52000000", response: "1148AA9000", answer: "1148AA"),
        Row(frame: "010900" + uid, command: "FF54000900", response: "E19000", answer: "09E1"),
        Row(frame: "5309E1" + uid, command: "FF56000901E1", response: "E19000", answer: "09E1"),
        // Where the address comes along.
        Row(frame: "5309E1" + uid, command: "FF56000901E1", response: "09E19000", answer: "09E1"),
        Row(frame: "1A7201" + uid, command: "FF5800720101", response: "619000", answer: "7261"),
        Row(
            frame: "0220" + "0000000000000000" + uid, command: "FF5C002000", response: block + "9000",
            answer: "20" + block),
        Row(frame: "5421" + block + uid, command: "FF5E002108" + block, response: block + "9000", answer: "21" + block),
        Row(frame: "1B22" + block + uid, command: "FF60002208" + block, response: block + "9000", answer: "22" + block),
        Row(
            frame: "1010" + "0000000000000000" + uid, command: "FF5A001000",
            response: String(repeating: "5A", count: 128) + "9000", answer: "10" + String(repeating: "5A", count: 128)),
    ]

    @Test(arguments: type1) func `has a pseudo-APDU for each command of a Type 1 Tag`(row: Row) async throws {
        let script = OrderedScript([(row.command, .bytes(row.response))])
        #expect(try await UTrustType1Channel(channel: script).transceive(hex(row.frame)) == hex(row.answer))
        #expect(script.isDone)
    }

    @Test func `reports a refusal of the card`() async {
        for status in ["6300", "6F00", "6D00"] {
            let feliCa = UTrustFeliCaChannel(channel: AnsweringChannel([status]))
            #expect(await tagError { _ = try await feliCa.transceive(hex("060012FC0000")) }?.code == .tagResponseError)
            let type1 = UTrustType1Channel(channel: AnsweringChannel([status]))
            #expect(await tagError { _ = try await type1.transceive(hex("78000000000000")) }?.code == .tagResponseError)
        }
        let type1 = UTrustType1Channel(channel: AnsweringChannel([String]()))
        for frame in ["", "78", "60", "99000000", "542100", "5309"] {
            #expect(await tagError { _ = try await type1.transceive(hex(frame)) }?.code == .unsupportedFeature)
        }
    }
}
