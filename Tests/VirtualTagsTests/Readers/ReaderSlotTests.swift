import Testing
import TestSupport

@testable import VirtualTags

/// The pseudo-APDUs of a generic storage card reader.
@Suite struct StorageCardReaderTests {
    /// A powered reader with an NTAG213 that holds an empty record.
    static func reader(_ settings: VirtualReader.Settings = .init()) throws -> VirtualReader {
        let reader = VirtualReader(
            tag: try VirtualType2Tag.selected(.ntag213, message: hex("D00000")), settings: settings)
        reader.powerOn()
        return reader
    }

    static let names: [(UInt8, UInt16, String)] = [
        (0x03, 0x0003, "3B8F8001804F0CA0000003060300030000000068"),
        (0x03, 0x003D, "3B8F8001804F0CA00000030603003D0000000056"),
        (0x03, 0xF004, "3B8F8001804F0CA00000030603F004000000009F"),
        (0x11, 0x003B, "3B8F8001804F0CA00000030611003B0000000042"),
    ]

    @Test(arguments: names) func `the ATR names standard and card`(
        standard: UInt8, name: UInt16, atr: String
    ) throws {
        let reader = try Self.reader(.init(standard: standard, cardName: name))
        #expect(hex(reader.answerToReset) == atr)
        #expect(reader.answerToReset.dropFirst().reduce(0, ^) == 0)
    }

    @Test func `by default the card is an Ultralight`() throws {
        #expect(hex(try Self.reader().answerToReset) == Self.names[0].2)
    }

    static let responses: [(String, String)] = [
        ("FF CA 00 00 00", "041122334455809000"),
        ("FF CA 00 00 07", "041122334455809000"),
        ("FF CA 00 00 04", "6C07"),
        ("FF CA 00 00 08", "6C07"),
        ("FF CA 00 00", "6700"),
        ("FF CA 00 00 01 00", "6700"),
        ("FF CA 01 00 00", "6A81"),
        ("FF CA 02 00 00", "6A81"),
        ("FF CA 00 01 00", "6A81"),
        ("FF B0 00 00 10", "041122BF33445580A2480000E11012009000"),
        ("FF B0 00 04 00", "0103A00C340303D00000FE00000000009000"),
        ("FF B0 00 04 04", "0103A00C9000"),
        ("FF B0 00 03 01", "E19000"),
        ("FF B0 00 04 0F", "0103A00C340303D00000FE000000009000"),
        ("FF B0 00 2C 10", "00000000041122BF33445580A24800009000"),
        ("FF B0 00 04 11", "6C10"),
        ("FF B0 00 04 FF", "6C10"),
        ("FF B0 00 2D 10", "6300"),
        ("FF B0 00 FF 10", "6300"),
        ("FF B0 01 04 10", "6A82"),
        ("FF B0 00 04", "6700"),
        ("FF B0 00 04 01 00", "6700"),
        ("FF B0 00 04 00 00 10", "6700"),
        ("FF D6 00 04 04 01 02 03 04", "9000"),
        ("FF D6 00 00 04 01 02 03 04", "6300"),
        ("FF D6 00 2D 04 01 02 03 04", "6300"),
        ("FF D6 01 04 04 01 02 03 04", "6A82"),
        ("FF D6 00 04 04 01 02 03 04 00", "6700"),
        ("FF D6 00 04 03 01 02 03", "6700"),
        ("FF D6 00 04 05 01 02 03 04 05", "6700"),
        ("FF D6 00 04 04 01 02 03", "6700"),
        ("FF D6 00 04", "6700"),
        ("FF D6 00 04 04", "6700"),
        ("FF 00 00 00 01 60", "6D00"),
        ("FF C2 00 00 02 81 00", "6D00"),
        ("FF 82 00 00 06 FF FF FF FF FF FF", "6D00"),
        ("FF FF FF FF FF", "6D00"),
        ("00 A4 04 00 00", "6E00"),
        ("80 CA 00 00 00", "6E00"),
        ("", "6700"), ("FF", "6700"), ("FF CA 00", "6700"), ("00 A4", "6700"),
    ]

    @Test(arguments: responses) func `an APDU has its response`(apdu: String, response: String) throws {
        let reader = try Self.reader()
        #expect(hex(reader.transmit(hex(apdu))) == response)
        #expect(reader.isPresent)
    }

    @Test func `a write can be read back`() throws {
        let reader = try Self.reader()
        #expect(hex(reader.transmit(hex("FF D6 00 10 04 CA FE BA BE"))) == "9000")
        #expect(hex(reader.transmit(hex("FF B0 00 10 04"))) == "CAFEBABE9000")
        #expect(hex(reader.tag.identifier) == "04112233445580")
    }

    @Test func `a mute tag is selected again before the next command`() throws {
        let reader = try Self.reader(.init(traceLimit: 10))
        #expect(hex(reader.transmit(hex("FF B0 00 FF 10"))) == "6300")
        #expect(hex(reader.transmit(hex("FF B0 00 03 04"))) == "E11012009000")
        #expect(
            reader.trace == [
                .activation,
                .frame(command: hex("30 FF"), answer: .nak(0)),
                .apdu(command: hex("FF B0 00 FF 10"), response: hex("63 00")),
                .activation,
                .frame(command: hex("30 03"), answer: .data(hex("E1101200 0103A00C 340303D0 0000FE00"))),
                .apdu(command: hex("FF B0 00 03 04"), response: hex("E1 10 12 00 90 00")),
            ])
    }

    @Test(arguments: [false, true]) func `a reader may leave a mute tag mute until it is powered again`(
        byReset: Bool
    ) throws {
        let reader = try Self.reader(.init(reactivatesAfterRefusal: false))
        #expect(hex(reader.transmit(hex("FF B0 00 FF 10"))) == "6300")
        #expect(hex(reader.transmit(hex("FF B0 00 03 04"))) == "6300")
        #expect(hex(reader.transmit(hex("FF CA 00 00 00"))) == "041122334455809000")
        if byReset { reader.reset() } else { reader.powerOn() }
        #expect(hex(reader.transmit(hex("FF B0 00 03 04"))) == "E11012009000")
    }

    @Test func `APDUs and frames are counted apart`() throws {
        let reader = try Self.reader()
        #expect(reader.exchanges == ExchangeCount())
        for apdu in ["FF CA 00 00 00", "FF B0 00 04 10", "FF B0 00 FF 10", "FF D6 00 05 04 00 00 00 00", "00"] {
            _ = reader.transmit(hex(apdu))
        }
        #expect(reader.exchanges.apdus == 5)
        #expect(reader.exchanges.frames == 3)
        #expect(reader.trace.isEmpty)
    }

    @Test func `the trace keeps the latest entries`() throws {
        let reader = try Self.reader(.init(traceLimit: 2))
        for page in ["00", "04", "08"] {
            _ = reader.transmit(hex("FF B0 00 \(page) 01"))
        }
        #expect(reader.trace.count == 2)
        #expect(reader.trace.last == .apdu(command: hex("FF B0 00 08 01"), response: hex("00 90 00")))
    }

    @Test func `without power there is no diagnosis`() throws {
        let reader = try Self.reader(.init(traceLimit: 10))
        reader.powerOff()
        #expect(hex(reader.transmit(hex("FF CA 00 00 00"))) == "6F00")
        reader.powerOn()
        #expect(hex(reader.transmit(hex("FF CA 00 00 00"))) == "041122334455809000")
        #expect(reader.trace.contains(.fieldOff))
    }

    @Test func `a full NTAG216 takes 56 reads of sixteen bytes`() throws {
        let message = [UInt8](repeating: 0x55, count: 868)
        let reader = VirtualReader(tag: try VirtualType2Tag(product: .ntag216, ndefMessage: message))
        reader.powerOn()
        var bytes: [UInt8] = []
        for page in stride(from: UInt8(0), to: 224, by: 4) {
            bytes += reader.transmit([0xFF, 0xB0, 0x00, page, 0x10]).dropLast(2)
        }
        #expect(reader.exchanges.frames == 56)
        #expect(Array(bytes.dropFirst(20).prefix(868)) == message)
    }

    @Test func `two threads may use one reader`() async throws {
        let reader = try Self.reader()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<100 { _ = reader.transmit(hex("FF B0 00 04 10")) }
                }
            }
        }
        #expect(
            reader.exchanges
                == {
                    var count = ExchangeCount()
                    count.apdus = 400
                    count.frames = 400
                    return count
                }())
    }
}

/// A reader with an ISO/IEC 14443-4 card.
@Suite struct ContactlessCardReaderTests {
    static func reader(_ settings: VirtualReader.Settings = .init()) throws -> VirtualReader {
        let card = try VirtualDESFireCard(product: .desfireEV1, identifier: hex("04112233445580"))
        let reader = VirtualReader(tag: card, settings: settings)
        reader.powerOn()
        return reader
    }

    static let historical: [(String, String)] = [
        ("", "3B80800101"), ("80", "3B8180018080"),
        ("00112233445566778899AABBCCDDEE", "3B8F800100112233445566778899AABBCCDDEEF1"),
    ]

    struct Card: ContactlessCard {
        let identifier: [UInt8] = [8, 1, 2, 3]
        let historicalBytes: [UInt8]
        mutating func activate() {}
        mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer { .silence }
        mutating func fieldDropped() {}
    }

    @Test(arguments: historical) func `the ATR is built from the historical bytes`(bytes: String, atr: String) {
        let reader = VirtualReader(tag: Card(historicalBytes: hex(bytes)))
        #expect(hex(reader.answerToReset) == atr)
        #expect(reader.answerToReset.dropFirst().reduce(0, ^) == 0)
    }

    static let responses: [(String, String)] = [
        ("FF CA 00 00 00", "041122334455809000"), ("FF CA 00 00 07", "041122334455809000"), ("FF CA 00 00 04", "6C07"),
        ("FF CA 01 00 00", "809000"), ("FF CA 02 00 00", "6A81"), ("FF CA 00 01 00", "6A81"), ("FF CA 00 00", "6700"),
        ("FF CA", "6700"), ("FF B0 00 00 10", "6D00"), ("FF CA 00 00 01 00", "6700"),
        ("00 A4 04 00 07 D2 76 00 00 85 01 01 00", "9000"), ("90 6A 00 00 00", "0100009100"), ("00 A4", "6700"),
        ("", "6700"),
        ("00 A4 04 00 00 00 07 D2 76 00 00 85 01 01", "9000"),
    ]

    @Test(arguments: responses) func `class FF is for the reader, the rest for the card`(
        apdu: String, response: String
    ) throws {
        let reader = try Self.reader()
        #expect(hex(reader.transmit(hex(apdu))) == response)
        #expect(reader.isPresent)
    }

    @Test func `a reader may refuse extended length`() throws {
        let reader = try Self.reader(.init(allowsExtendedLength: false))
        #expect(hex(reader.transmit(hex("00 A4 04 00 00 00 07 D2 76 00 00 85 01 01"))) == "6700")
        #expect(hex(reader.transmit(hex("00 A4 04 00 07 D2 76 00 00 85 01 01"))) == "9000")
        #expect(hex(reader.transmit(hex("90 6F 00 00 00"))) == "01029100")
    }

    @Test func `a silent card gives no response`() {
        let reader = VirtualReader(tag: Card(historicalBytes: []))
        reader.powerOn()
        #expect(reader.transmit(hex("00 A4 04 00")).isEmpty)
        #expect(hex(reader.transmit(hex("FF CA 01 00 00"))) == "6A81")
    }

    @Test func `powering off clears the selection`() throws {
        let reader = try Self.reader(.init(traceLimit: 20))
        #expect(hex(reader.transmit(hex("00 A4 04 00 07 D2 76 00 00 85 01 01"))) == "9000")
        #expect(hex(reader.transmit(hex("00 A4 00 0C 02 E1 03"))) == "9000")
        reader.reset()
        #expect(hex(reader.transmit(hex("00 A4 00 0C 02 E1 03"))) == "6A82")
        reader.powerOff()
        #expect(hex(reader.transmit(hex("00 A4 00 0C 02 E1 03"))) == "6F00")
        #expect(reader.exchanges.apdus == 4)
        #expect(reader.exchanges.frames == 3)
        #expect(reader.trace.contains(.fieldOff))
        #expect(reader.tag.identifier == hex("04112233445580"))
    }

    static let models: [(String, String)] = [
        ("type4", "3B80800101"), ("type4-extended", "3B80800101"), ("desfire-ev1", "3B8180018080"),
        ("ntag424", "3B8180018080"), ("ntag213", "3B8F8001804F0CA0000003060300030000000068"),
    ]

    @Test(arguments: models) func `a model comes behind the reader that fits it`(name: String, atr: String) throws {
        let card = try VirtualTagModel.named(name).makeTag().inReader()
        #expect(hex(card.answerToReset) == atr)
        card.powerOn()
        #expect(card.transmit(hex("FF CA 00 00 00")).count == 9)
    }
}

@Suite struct InReaderTests {
    static let names = [
        ("ntag213", "0300030000000068"), ("felica-lite-s", "11003B0000000042"), ("type3", "11003B0000000042"),
        ("topaz512", "03F004000000009F"),
    ]

    @Test(arguments: names) func `each kind of tag has its reader`(model: String, end: String) throws {
        let tag = try VirtualTagModel.named(model).makeTag()
        let card = tag.inReader()
        #expect(hex(card.answerToReset).hasSuffix(end))
        card.powerOn()
        #expect(card.transmit(hex("FF CA 00 00 00")) == tag.identifier + [0x90, 0x00])
    }
}

/// The four short cases and everything else.
@Suite struct ShortAPDUTests {
    struct Row: Sendable {
        let bytes: String
        let data: String?
        let expected: UInt8?
    }

    static let cases: [Row] = [
        Row(bytes: "FF CA 00 00", data: nil, expected: nil),
        Row(bytes: "FF CA 00 00 00", data: nil, expected: 0),
        Row(bytes: "FF B0 00 04 10", data: nil, expected: 0x10),
        Row(bytes: "FF D6 00 04 04 01 02 03 04", data: "01020304", expected: nil),
        Row(bytes: "FF D6 00 04 04 01 02 03 04 00", data: "01020304", expected: 0),
        Row(bytes: "FF D6 00 04 01 AA FF", data: "AA", expected: 0xFF),
    ]

    @Test(arguments: cases) func `a short case is taken apart`(row: Row) throws {
        let apdu = try #require(ShortAPDU(hex(row.bytes)))
        #expect(apdu.instructionClass == 0xFF)
        #expect(apdu.p1 == 0)
        let body = try #require(apdu.body)
        #expect(body.data.map { hex($0) } == row.data)
        #expect(body.expected == row.expected)
    }

    @Test(arguments: ["", "FF", "FF CA", "FF CA 00"]) func `less than a header is nothing`(bytes: String) {
        #expect(ShortAPDU(hex(bytes)) == nil)
    }

    @Test(arguments: [
        "FF D6 00 04 04 01 02 03", "FF D6 00 04 04 01 02 03 04 00 00", "FF D6 00 04 00 00 04 01 02 03 04",
        "FF B0 00 04 00 00 10", "FF D6 00 04 02 01",
    ])
    func `lengths that contradict each other leave no body`(bytes: String) throws {
        let apdu = try #require(ShortAPDU(hex(bytes)))
        #expect(apdu.body == nil)
    }
}
