import TestSupport
import Testing

@testable import NDEF

@Suite("vCards, written")
struct VCardEncodingTests {
    private let contact = VCardContact(
        formattedName: "Max, \"M\"; \\", name: VCardName(family: "Mustermann", given: "Max;", prefixes: "Dr."),
        phones: [VCardValue("+49-1", types: ["cell", "pref"]), VCardValue("2")],
        mails: [VCardValue("a@b", types: ["work"])], organisation: ["A,B", "C"], title: "T\r\nt", role: "R",
        addresses: [VCardAddress(street: "S", postalCode: "1", country: "D", types: ["home"])],
        urls: ["https://a.b/?x=1,2;3"], birthday: "1980-01-31", note: "ä\rö", uid: "urn:x",
        photo: VCardPhoto(uri: "https://a.b/p.png", mediaType: "image/png"))

    @Test func `version 3.0 is written`() throws {
        let expected = [
            "BEGIN:VCARD", "VERSION:3.0", #"FN:Max\, "M"\; \\"#, #"N:Mustermann;Max\;;;Dr.;"#,
            "TEL;TYPE=cell,pref:+49-1", "TEL:2", "EMAIL;TYPE=work:a@b", #"ORG:A\,B;C"#, #"TITLE:T\nt"#, "ROLE:R",
            "ADR;TYPE=home:;;S;;;1;D", "URL:https://a.b/?x=1,2;3", "BDAY:1980-01-31", #"NOTE:ä\nö"#, "UID:urn:x",
            "PHOTO;VALUE=uri;TYPE=png:https://a.b/p.png", "END:VCARD", "",
        ].joined(separator: "\r\n")
        let record = try VCardRecord(contact)
        #expect(record.text == expected)
        #expect(record.payload == Array(expected.utf8))
        #expect(record.encoding == .utf8)
        try checkRoundTrips(record)
    }

    @Test func `version 4.0 is written`() throws {
        let text = try VCardRecord(contact, version: .v4_0).text
        #expect(text.contains("\r\nVERSION:4.0\r\n"))
        #expect(text.contains("\r\nTEL;TYPE=cell;PREF=1:+49-1\r\n"))
        #expect(text.contains("\r\nPHOTO;VALUE=uri;MEDIATYPE=image/png:https://a.b/p.png\r\n"))
    }

    @Test(arguments: VCardVersion.allCases)
    func `what was written is read as the same`(_ version: VCardVersion) throws {
        let record = try VCardRecord(contact, version: version)
        var expected = contact
        expected.title = "T\nt"
        expected.note = "ä\nö"
        #expect(record.contact == expected)
        var warnings: [NDEFWarning.Code] = []
        _ = try VCardRecord(payload: record.payload, warnings: &warnings)
        #expect(warnings.isEmpty)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `no text breaks out of its field`(_ seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let pieces = ["\r\n", "\n", "\r", ";", ",", ":", "\\", "\\n", "\"", "=", " ", "\t", "END:VCARD", "é", "🔑", "x"]
        func text() -> String {
            (0..<Int.random(in: 1...40, using: &generator)).reduce(into: "x") { text, _ in
                text += pieces.randomElement(using: &generator) ?? ""
            }
        }
        for version in VCardVersion.allCases {
            let note = text()
            let contact = VCardContact(
                formattedName: text(), name: VCardName(family: text(), given: text()), phones: [VCardValue(text())],
                organisation: [text(), text()], urls: [text()], note: note)
            let read = try VCardRecord(contact, version: version).contact
            #expect(read.formattedName == contact.formattedName?.withLineFeeds)
            #expect(read.name?.family == contact.name?.family.withLineFeeds)
            #expect(read.phones.map(\.value) == contact.phones.map(\.value.withLineFeeds))
            #expect(read.organisation == contact.organisation.map(\.withLineFeeds))
            #expect(read.urls == contact.urls.map(\.withLineFeeds))
            #expect(read.note == note.withLineFeeds)
            #expect(read.mails.isEmpty)
        }
    }

    @Test(
        arguments: [
            (VCardContact(name: VCardName(family: "B", given: "A")), "A B", "B;A;;;"),
            (VCardContact(organisation: ["O"]), "O", ";;;;"),
            (VCardContact(mails: [VCardValue("a@b")]), "a@b", ";;;;"),
            (VCardContact(phones: [VCardValue("1")]), "1", ";;;;"),
            (VCardContact(note: "n"), "", ";;;;"),
        ] as [(VCardContact, String, String)])
    func `a name to show is found`(_ contact: VCardContact, _ name: String, _ parts: String) throws {
        let text = try VCardRecord(contact).text
        #expect(text.contains("\r\nFN:\(name)\r\nN:\(parts)\r\n"))
        #expect(try VCardRecord(contact, version: .v4_0).text.contains("\r\nN:") == (contact.name != nil))
    }

    @Test(arguments: [
        // 75 bytes fit; of 76 one is folded; a character is not cut, whatever its length.
        (String(repeating: "a", count: 70), [75]),
        (String(repeating: "a", count: 71), [75, 2]),
        (String(repeating: "a", count: 70 + 74), [75, 75]),
        (String(repeating: "a", count: 69) + "é", [74, 3]),
        (String(repeating: "a", count: 68) + "é", [75]),
        (String(repeating: "a", count: 68) + "日", [73, 4]),
        (String(repeating: "a", count: 67) + "🔑", [72, 5]),
        (String(repeating: "a", count: 66) + "🔑b", [75, 2]),
    ])
    func `long lines are folded`(_ note: String, _ lengths: [Int]) throws {
        let lines = try VCardRecord(VCardContact(note: note)).payload.split(separator: UInt8(ascii: "\n"))
        let start = try #require(lines.firstIndex { $0.starts(with: "NOTE".utf8) })
        let end = try #require(lines.firstIndex { $0.starts(with: "END".utf8) })
        #expect(lines[start..<end].map { $0.count - 1 } == lengths)
        #expect(lines[start..<end].allSatisfy { String(validating: $0, as: UTF8.self) != nil })
        #expect(try VCardRecord(VCardContact(note: note)).contact.note == note)
    }

    @Test(
        arguments: [
            (VCardContact(phones: [VCardValue("1", types: ["a:b"])]), "VCARD_TYPE"),
            (VCardContact(mails: [VCardValue("1", types: [""])]), "VCARD_TYPE"),
            (VCardContact(addresses: [VCardAddress(types: ["a\r\nTEL"])]), "VCARD_TYPE"),
            (VCardContact(phones: [VCardValue("1", types: ["é"])]), "VCARD_TYPE"),
            (VCardContact(photo: VCardPhoto(uri: "x", mediaType: "image/p;x")), "VCARD_PHOTO"),
            (VCardContact(photo: VCardPhoto(uri: "x", mediaType: "")), "VCARD_PHOTO"),
        ] as [(VCardContact, String)])
    func `what cannot be written is refused`(_ contact: VCardContact, _ code: String) throws {
        let error = try #require(throws: NDEFPayloadError.self) { try NDEFRecord.vCard(contact) }
        #expect(error.code.rawValue == code)
    }

    @Test func `a record is made in one call`() throws {
        let record = try NDEFRecord.vCard(VCardContact(formattedName: "A"), identifier: [1])
        #expect(record.typeNameFormat == .media)
        #expect(record.type == Array("text/vcard".utf8))
        #expect(record.identifier == [1])
        #expect(
            record.payload == Array("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A\r\nN:;;;;\r\nEND:VCARD\r\n".utf8))
    }
}
