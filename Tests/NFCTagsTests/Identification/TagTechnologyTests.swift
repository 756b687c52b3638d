import NFCTags
import Testing
import TestSupport

@Suite struct `The technology` {
    /// A storage card's answer to reset with the right check byte.
    static func storageCard(_ standard: UInt8, _ name: UInt16) -> [UInt8] {
        let body =
            hex("8F8001804F0CA000000306") + [standard, UInt8(name >> 8), UInt8(truncatingIfNeeded: name), 0, 0, 0, 0]
        return [0x3B] + body + [body.reduce(0, ^)]
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var standard: UInt8
        var name: UInt16
        var technology: TagTechnology
        var type: TagType
        var words: String
        var testDescription: String { words }
    }

    static let rows: [Row] = [
        Row(standard: 0x03, name: 0x0003, technology: .type2, type: .miFare, words: "MIFARE Ultralight or NTAG"),
        Row(standard: 0x03, name: 0x003A, technology: .type2, type: .miFare, words: "MIFARE Ultralight C"),
        Row(standard: 0x03, name: 0x003D, technology: .type2, type: .miFare, words: "MIFARE Ultralight EV1"),
        Row(standard: 0x03, name: 0x0000, technology: .type2, type: .miFare, words: "no name given"),
        Row(standard: 0x03, name: 0xFF00, technology: .type2, type: .miFare, words: "card with SAK 00"),
        Row(standard: 0x03, name: 0x0001, technology: .mifareClassic, type: .miFare, words: "MIFARE Classic 1K"),
        Row(standard: 0x03, name: 0x0002, technology: .mifareClassic, type: .miFare, words: "MIFARE Classic 4K"),
        Row(standard: 0x03, name: 0x0026, technology: .mifareClassic, type: .miFare, words: "MIFARE Mini"),
        Row(standard: 0x03, name: 0x0036, technology: .mifareClassic, type: .miFare, words: "MIFARE Plus SL1 2K"),
        Row(standard: 0x03, name: 0xFF88, technology: .mifareClassic, type: .miFare, words: "card with SAK 88"),
        Row(standard: 0x03, name: 0x0038, technology: .iso14443Part3(.a), type: .unknown, words: "MIFARE Plus SL2 2K"),
        Row(standard: 0x03, name: 0x0005, technology: .iso14443Part3(.a), type: .unknown, words: "card 0005"),
        Row(standard: 0x03, name: 0xFF40, technology: .iso14443Part3(.a), type: .unknown, words: "card with SAK 40"),
        Row(standard: 0x03, name: 0xFF20, technology: .iso14443Part4(.a), type: .iso7816, words: "card with SAK 20"),
        Row(standard: 0x03, name: 0xFF28, technology: .iso14443Part4(.a), type: .iso7816, words: "card with SAK 28"),
        Row(standard: 0x04, name: 0x0000, technology: .iso14443Part4(.a), type: .iso7816, words: "no name given"),
        Row(standard: 0x07, name: 0x0007, technology: .iso14443Part3(.b), type: .unknown, words: "SRI X4K"),
        Row(standard: 0x03, name: 0xF011, technology: .feliCa, type: .feliCa, words: "FeliCa 212 kbit/s"),
        Row(standard: 0x03, name: 0xF012, technology: .feliCa, type: .feliCa, words: "FeliCa 424 kbit/s"),
        Row(standard: 0x11, name: 0x003B, technology: .feliCa, type: .feliCa, words: "FeliCa"),
        Row(standard: 0x11, name: 0x0000, technology: .feliCa, type: .feliCa, words: "no name given"),
        Row(standard: 0x0B, name: 0x0014, technology: .iso15693, type: .iso15693, words: "ICODE SLI"),
        Row(standard: 0x09, name: 0x0000, technology: .iso15693, type: .iso15693, words: "no name given"),
        Row(standard: 0x0C, name: 0x0018, technology: .iso15693, type: .iso15693, words: "PicoPass"),
        Row(standard: 0x03, name: 0xF004, technology: .type1Topaz, type: .unknown, words: "Topaz or Jewel"),
        Row(standard: 0x03, name: 0x0030, technology: .type1Topaz, type: .unknown, words: "Topaz"),
        Row(standard: 0x03, name: 0x002F, technology: .type1Topaz, type: .unknown, words: "Jewel"),
        Row(standard: 0x06, name: 0x000A, technology: .iso14443Part3(.b), type: .unknown, words: "AT88SC CryptoRF"),
        Row(standard: 0x0D, name: 0x0000, technology: .contact, type: .unknown, words: "no name given"),
        Row(standard: 0x40, name: 0x0000, technology: .unknown, type: .unknown, words: "no name given"),
        Row(standard: 0x00, name: 0x0000, technology: .unknown, type: .unknown, words: "no name given"),
        Row(standard: 0xEE, name: 0x7777, technology: .unknown, type: .unknown, words: "card 7777"),
    ]

    @Test(arguments: rows)
    func `follows from standard and card name`(row: Row) throws {
        let answer = try AnswerToReset(Self.storageCard(row.standard, row.name))
        #expect(answer.warnings.isEmpty)
        let card = try #require(StorageCardATR(historicalBytes: answer.historicalBytes))
        #expect(card.standard.rawValue == row.standard)
        #expect(card.cardName.rawValue == row.name)
        #expect(card.cardName.description == row.words)
        #expect(!card.standard.description.isEmpty)
        #expect(TagTechnology(answer) == row.technology)
        #expect(row.technology.tagType == row.type)
        #expect(!row.technology.description.isEmpty)
    }

    static let others: [(bytes: String, technology: TagTechnology)] = [
        ("3B8180018080", .iso14443Part4(.unknown)),
        ("3B80800101", .iso14443Part4(.unknown)),
        ("3B888001 11223344 00811100 11", .iso14443Part4(.unknown)),
        // Historical bytes in the category 80 form, but of another registered application provider.
        ("3B8A8001804F07A000000151000000", .iso14443Part4(.unknown)),
        ("3B6800000073C84013009000", .contact),
        ("3F021450", .contact),
        ("3B00", .contact),
    ]

    @Test(arguments: others)
    func `without a storage card's bytes it follows from the form`(bytes: String, technology: TagTechnology) throws {
        #expect(TagTechnology(try AnswerToReset(hex(bytes))) == technology)
    }

    static let notStorageCards = [
        "", "80", "804F0CA000000306", "804F0CA0000003060300", "804F0BA000000306030003", "814F0CA000000306030003",
        "804F0CA000000307030003",
    ]

    @Test(arguments: notStorageCards)
    func `other historical bytes are not those of a storage card`(bytes: String) {
        #expect(StorageCardATR(historicalBytes: hex(bytes)) == nil)
    }

    @Test func `the reserved bytes of a storage card may be missing`() {
        #expect(StorageCardATR(historicalBytes: hex("804F0CA000000306030003"))?.technology == .type2)
    }

    @Test func `the words on the wire are CoreNFC's`() {
        #expect(TagType.allCases.map(\.rawValue) == ["iso7816", "miFare", "feliCa", "iso15693", "unknown"])
    }

    static let standards: [(value: UInt8, words: String)] = [
        (0x00, "no standard given"), (0x01, "ISO 14443 A part 1"), (0x04, "ISO 14443 A part 4"),
        (0x05, "ISO 14443 B part 1"), (0x07, "ISO 14443 B part 3"), (0x09, "ISO 15693 part 1"),
        (0x0C, "ISO 15693 part 4"), (0x0D, "contact memory, I2C"), (0x10, "contact memory, 3WBP"), (0x11, "FeliCa"),
        (0x40, "low frequency below 135 kHz"), (0x99, "standard 99"),
    ]

    @Test(arguments: standards)
    func `a standard is described in words`(value: UInt8, words: String) {
        #expect(CardStandard(rawValue: value).description == words)
    }
}
