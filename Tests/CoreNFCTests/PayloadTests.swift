import CoreNFC
import Testing

@Suite(.timeLimit(.minutes(20))) struct PayloadTests {
    @Test(arguments: [
        ("https://www.example.com/a", "02 6578616D706C652E636F6D2F61"), ("tel:+4930123", "05 2B34393330313233"),
        ("nothing:at all", "00 6E6F7468696E673A617420616C6C"),
        ("http://bücher.example", "03 62C3BC636865722E6578616D706C65"),
        ("", "00"),
    ])
    func `a text becomes a URI record with the longest prefix`(uri: String, payload: String) throws {
        let record = try #require(NFCNDEFPayload.wellKnownTypeURIPayload(string: uri))
        #expect(record.typeNameFormat == .nfcWellKnown)
        #expect(record.type == Data("U".utf8))
        #expect(record.identifier.isEmpty)
        #expect(record.payload == Data(hex: payload))
    }

    @Test func `a URL becomes a URI record and is read back`() throws {
        let url = try #require(URL(string: "https://example.com/x?y=1#z"))
        let record = try #require(NFCNDEFPayload.wellKnownTypeURIPayload(url: url))
        #expect(record.payload == Data([0x04]) + Data("example.com/x?y=1#z".utf8))
        #expect(record.wellKnownTypeURIPayload() == url)
        #expect(record.wellKnownTypeTextPayload() == (nil, nil))
    }

    @Test func `a URI with control characters makes no record`() {
        #expect(NFCNDEFPayload.wellKnownTypeURIPayload(string: "https://example.com/\n") == nil)
    }

    @Test(arguments: [
        ("en_US", "Hello", "02 656E 48656C6C6F"), ("de", "Grüße", "02 6465 4772C3BCC39F65"), ("ja_JP", "", "02 6A61"),
    ])
    func `a text record has the language of the locale and UTF-8`(locale: String, text: String, payload: String) throws
    {
        let record = try #require(
            NFCNDEFPayload.wellKnownTypeTextPayload(string: text, locale: Locale(identifier: locale)))
        #expect(record.typeNameFormat == .nfcWellKnown)
        #expect(record.type == Data("T".utf8))
        #expect(record.payload == Data(hex: payload))
        #expect(record.wellKnownTypeTextPayload().0 == text)
        #expect(record.wellKnownTypeTextPayload().1?.identifier == String(locale.prefix(2)))
        #expect(record.wellKnownTypeURIPayload() == nil)
    }

    @Test func `a locale without a language makes no text record`() {
        let nowhere = Locale(identifier: "")
        #expect(NFCNDEFPayload.wellKnownTypeTextPayload(string: "a", locale: nowhere) == nil)
    }

    @Test func `the misspelt factory makes the same record`() {
        let locale = Locale(identifier: "fr")
        let right = NFCNDEFPayload.wellKnownTypeTextPayload(string: "a", locale: locale)
        #expect(NFCNDEFPayload.wellKnowTypeTextPayload(string: "a", locale: locale)?.payload == right?.payload)
    }

    @Test(arguments: [
        ("02 656E FEFF 0041", "", nil), ("82 656E FEFF 0041", "A", "en"), ("02 656E 41", "A", "en"),
        ("00 41", "A", nil),
        ("05 656E", "", nil), ("", "", nil), ("02 656E FF", "", nil),
    ])
    func `texts are read as they are stored`(payload: String, text: String, language: String?) {
        let record = NFCNDEFPayload(
            format: .nfcWellKnown, type: Data("T".utf8), identifier: Data(), payload: Data(hex: payload))
        #expect(record.wellKnownTypeTextPayload().0 ?? "" == text)
        #expect(record.wellKnownTypeTextPayload().1?.identifier == language)
    }

    @Test(arguments: ["", "24 61", "00 FF", "00 0A"])
    func `a damaged URI record has no URL`(payload: String) {
        let record = NFCNDEFPayload(
            format: .nfcWellKnown, type: Data("U".utf8), identifier: Data(), payload: Data(hex: payload))
        #expect(record.wellKnownTypeURIPayload() == nil)
    }

    @Test func `only well-known records are read`() {
        let payload = Data(hex: "04 61")
        let external = NFCNDEFPayload(format: .nfcExternal, type: Data("U".utf8), identifier: Data(), payload: payload)
        let poster = NFCNDEFPayload(
            format: .nfcWellKnown, type: Data("Sp".utf8), identifier: Data(), payload: payload, chunkSize: 0)
        #expect(external.wellKnownTypeURIPayload() == nil)
        #expect(poster.wellKnownTypeURIPayload() == nil)
    }

    @Test func `fields can be changed`() {
        let record = NFCNDEFPayload(format: .empty, type: Data(), identifier: Data(), payload: Data())
        record.typeNameFormat = .media
        record.type = Data("text/plain".utf8)
        record.identifier = Data([1])
        record.payload = Data([2, 3])
        #expect(record.typeNameFormat == .media)
        #expect((record.type, record.identifier, record.payload) == (Data("text/plain".utf8), Data([1]), Data([2, 3])))
    }

    @Test func `slices that are put in count from 0 when they come out`() {
        let slice = Data([0, 1, 2, 3]).dropFirst(2)
        let record = NFCNDEFPayload(format: .unknown, type: slice, identifier: slice, payload: slice)
        #expect(
            [record.type, record.identifier, record.payload].allSatisfy { $0.startIndex == 0 && $0 == Data([2, 3]) })
        record.payload = slice
        record.type = slice
        record.identifier = slice
        #expect(
            [record.type, record.identifier, record.payload].allSatisfy { $0.startIndex == 0 && $0 == Data([2, 3]) })
    }

    @Test func `a payload is read byte by byte without copies`() {
        let count = 1_000_000
        let record = NFCNDEFPayload(format: .unknown, type: Data(), identifier: Data(), payload: Data(count: count))
        var sum = 0
        for index in 0..<count { sum += Int(record.payload[index]) + 1 }
        #expect(sum == count)
    }

    @Test func `a subclass makes records of that subclass`() {
        final class Own: NFCNDEFPayload, @unchecked Sendable {}
        let record: NFCNDEFPayload? = Own.wellKnownTypeURIPayload(string: "https://example.com")
        #expect(record is Own)
        #expect(record?.payload == Data([0x04]) + Data("example.com".utf8))
    }
}

extension Data {
    /// Bytes of hexadecimal digits; spaces are for the eye.
    init(hex: String) {
        let digits = hex.compactMap(\.hexDigitValue)
        self.init(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}

@Suite struct ArchiveTests {
    @Test func `a message comes back from an archive as it was`() throws {
        let original = try #require(NFCNDEFMessage(data: Data(hex: "9901020155690461 120102610102 5700020102")))
        let archive = try NSKeyedArchiver.archivedData(withRootObject: original, requiringSecureCoding: true)
        let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NFCNDEFMessage.self, from: archive))
        #expect(copy.records.map(\.typeNameFormat) == original.records.map(\.typeNameFormat))
        #expect(copy.records.map(\.type) == original.records.map(\.type))
        #expect(copy.records.map(\.identifier) == original.records.map(\.identifier))
        #expect(copy.records.map(\.payload) == original.records.map(\.payload))
        #expect(NFCNDEFMessage.supportsSecureCoding && NFCNDEFPayload.supportsSecureCoding)
    }

    @Test func `a record comes back from an archive as it was`() throws {
        let record = NFCNDEFPayload(
            format: .media, type: Data("a/b".utf8), identifier: Data([9]), payload: Data(repeating: 7, count: 300))
        let archive = try NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: true)
        let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NFCNDEFPayload.self, from: archive))
        #expect(copy.typeNameFormat == .media)
        #expect((copy.type, copy.identifier, copy.payload) == (record.type, record.identifier, record.payload))
    }

    @Test(arguments: [nil, -1, 8, 256])
    func `an archive without a format of the standard makes no record`(format: Int?) throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        if let format { archiver.encode(format, forKey: "typeNameFormat") }
        for key in ["type", "identifier", "payload"] { archiver.encode(NSData(), forKey: key) }
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        #expect(NFCNDEFPayload(coder: unarchiver) == nil)
    }
}
