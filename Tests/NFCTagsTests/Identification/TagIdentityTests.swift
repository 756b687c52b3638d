import NFCTags
import Testing
import TestSupport

@Suite struct `Identifying a tag` {
    static let ntag = hex("3B8F8001804F0CA0000003060300030000000068")
    static let vicinity = hex("3B8F8001804F0CA0000003060B00140000000077")
    static let memory = Images.ntag213([])

    @Test func `an NTAG costs one exchange`() async throws {
        let tag = FakeTag(Self.memory)
        let identity = try await identify(atr: Self.ntag, channel: tag)
        #expect(identity.technology == .type2)
        #expect(identity.type == .miFare)
        #expect(identity.identifier == hex("04A1B2C3D4E5F6"))
        #expect(identity.atr == Self.ntag)
        #expect(identity.storageCard?.cardName.rawValue == 0x0003)
        #expect(identity.historicalBytes.count == 15)
        #expect(tag.log == [hex("FFCA000000")])
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var refusal: String
        var identifier: String
        var les: [UInt8]
        var testDescription: String { "\(refusal), \(identifier.count / 2) bytes" }
    }

    static let reluctant: [Row] = [
        Row(refusal: "6C07", identifier: "04A1B2C3D4E5F6", les: [0x00, 0x07]),
        Row(refusal: "6C04", identifier: "A1B2C3D4", les: [0x00, 0x04]),
        Row(refusal: "6700", identifier: "04A1B2C3D4E5F6", les: [0x00, 0x07]),
        Row(refusal: "6700", identifier: "A1B2C3D4", les: [0x00, 0x07, 0x04]),
        Row(refusal: "6700", identifier: "0102030405060708090A", les: [0x00, 0x07, 0x0A]),
    ]

    @Test(arguments: reluctant)
    func `a reader that refuses Le 00 is asked with the exact length`(row: Row) async throws {
        var behaviour = FakeTag.Behaviour(identifier: hex(row.identifier))
        behaviour.refusesLe00 = hex(row.refusal)
        let tag = FakeTag(Self.memory, behaviour)
        let identity = try await identify(atr: Self.ntag, channel: tag)
        #expect(identity.identifier == hex(row.identifier))
        #expect(tag.log.map(\.last) == row.les)
    }

    @Test(arguments: [
        ("3B8F8001804F0CA0000003060B00140000000077", UInt8(8)), ("3B8F8001804F0CA000000306030001000000006A", UInt8(4)),
    ])
    func `the length tried follows the technology`(atr: String, le: UInt8) async throws {
        let tag = FakeTag(Self.memory, .init(scripted: [1: hex("6700"), 2: hex("6700")]))
        #expect(try await identify(atr: hex(atr), channel: tag).identifier.isEmpty)
        #expect(tag.log.map(\.last) == [0, le])
    }

    @Test(arguments: ["6A81", "6300", "6D00", "6E00", "6F00", "6982", "6C00", "9000"])
    func `a reader without an identifier leaves it empty`(answer: String) async throws {
        let tag = FakeTag(Self.memory, .init(scripted: [1: hex(answer)]))
        let identity = try await identify(atr: Self.ntag, channel: tag)
        #expect(identity.identifier.isEmpty)
        #expect(identity.technology == .type2)
        #expect(tag.log.count == 1)
    }

    @Test func `a reader that keeps asking for other lengths is not asked again`() async throws {
        let tag = FakeTag(
            Self.memory, .init(scripted: [1: hex("6C07"), 2: hex("6C04"), 3: hex("6C07"), 4: hex("6C04")]))
        #expect(try await identify(atr: Self.ntag, channel: tag).identifier.isEmpty)
        #expect(tag.log.count == 3)
    }

    @Test func `fewer bytes than requested are accepted`() async throws {
        let tag = FakeTag(Self.memory, .init(scripted: [1: hex("6700"), 2: hex("A1B2C3D46282")]))
        #expect(try await identify(atr: Self.ntag, channel: tag).identifier == hex("A1B2C3D4"))
    }

    static let vicinityIdentifiers: [(raw: String, shown: String)] = [
        ("80391566080104E0", "E004010866153980"),
        ("E004010866153980", "E004010866153980"),
        ("E0040108661539E0", "E0040108661539E0"),
        ("1122334455667788", "1122334455667788"),
        ("11223344E0", "11223344E0"),
    ]

    @Test(arguments: vicinityIdentifiers)
    func `an ISO 15693 identifier is shown with E0 first`(raw: String, shown: String) async throws {
        let tag = FakeTag(Self.memory, .init(identifier: hex(raw)))
        let identity = try await identify(atr: Self.vicinity, channel: tag)
        #expect(identity.technology == .iso15693)
        #expect(identity.identifier == hex(shown))
    }

    @Test func `an identifier that ends in E0 is unchanged on other technologies`() async throws {
        let tag = FakeTag(Self.memory, .init(identifier: hex("01020304050607E0")))
        let feliCa = hex("3B8F8001804F0CA00000030611003B0000000042")
        #expect(try await identify(atr: feliCa, channel: tag).identifier == hex("01020304050607E0"))
    }

    static let part4: [(atr: String, identifier: String, technology: TagTechnology)] = [
        ("3B8180018080", "04A1B2C3D4E5F6", .iso14443Part4(.a)),
        ("3B8180018080", "08A1B2C3", .iso14443Part4(.a)),
        ("3B8180018080", "01020304050607080910", .iso14443Part4(.a)),
        // ATQB: application data, frame size 8 and the bit for part 4, MBLI 1.
        ("3B888001 11223344 008171 10 71", "A1B2C3D4", .iso14443Part4(.b)),
        // Eight ATS historical bytes that are not ATQB content.
        ("3B888001 0011223344556677 08", "A1B2C3D4", .iso14443Part4(.a)),
        ("3B8180018080", "", .iso14443Part4(.unknown)),
    ]

    @Test(arguments: part4)
    func `type A or B follows from the identifier`(
        atr: String, identifier: String, technology: TagTechnology
    ) async throws {
        let tag = FakeTag(Self.memory, .init(identifier: hex(identifier)))
        let identity = try await identify(atr: hex(atr), channel: tag)
        #expect(identity.technology == technology)
        #expect(identity.type == .iso7816)
    }

    @Test(arguments: ["", "3B", "00", "3B8F80", String(repeating: "3B", count: 34)])
    func `a malformed answer to reset gives an unknown technology, with the identifier`(atr: String) async throws {
        let identity = try await identify(atr: hex(atr), channel: FakeTag(Self.memory))
        #expect(identity.technology == .unknown)
        #expect(identity.identifier == hex("04A1B2C3D4E5F6"))
        #expect(identity.historicalBytes.isEmpty)
        #expect(identity.storageCard == nil)
    }

    @Test func `a card with contacts is not asked`() async throws {
        let tag = FakeTag(Self.memory)
        let identity = try await identify(atr: hex("3B6800000073C84013009000"), channel: tag)
        #expect(identity.technology == .contact)
        #expect(tag.log.isEmpty)
    }

    @Test(arguments: ["", "90"])
    func `an answer without a status word is an error`(answer: String) async {
        let tag = FakeTag(Self.memory, .init(scripted: [1: hex(answer)]))
        let error = await #expect(throws: TagError.self) { try await identify(atr: Self.ntag, channel: tag) }
        #expect(error?.code == .tagResponseError)
        #expect(error?.response == hex(answer))
    }

    @Test func `a tag that left is an error`() async {
        let tag = FakeTag(Self.memory, .init(failures: [1: .tagLost]))
        let error = await #expect(throws: TagError.self) { try await identify(atr: Self.ntag, channel: tag) }
        #expect(error?.code == .tagConnectionLost)
    }
}
