import Testing

@testable import NDEF

/// A vCard of these lines, CRLF at their ends.
private func card(_ lines: String...) -> [UInt8] {
    Array((["BEGIN:VCARD"] + lines + ["END:VCARD"]).map { $0 + "\r\n" }.joined().utf8)
}

private func decode(_ payload: [UInt8]) throws -> (card: VCardRecord, warnings: [String]) {
    var warnings: [NDEFWarning.Code] = []
    let card = try VCardRecord(payload: payload, warnings: &warnings)
    return (card, warnings.map(\.rawValue))
}

private func contact(_ lines: String...) throws -> VCardContact {
    try decode(Array((["BEGIN:VCARD"] + lines + ["END:VCARD"]).map { $0 + "\r\n" }.joined().utf8)).card.contact
}

@Suite("vCards, read")
struct VCardDecodingTests {
    @Test func `all fields of version 3.0 are read`() throws {
        let (record, warnings) = try decode(
            card(
                "VERSION:3.0", #"FN:Dr. Max Mustermann\, MBA"#, "N:Mustermann;Max;Emil,Otto;Dr.;MBA",
                "TEL;TYPE=cell,voice:+49-170-1234567", "item1.tel;type=WORK;type=pref:+49 69 1",
                "EMAIL;TYPE=home:max@example.de",
                "ORG:Beispiel GmbH;Vertrieb;Nord", "TITLE:Leiter", "ROLE:Verkauf",
                #"ADR;TYPE=work:PF 1;2. Stock;Hauptstr. 1\nHinterhaus;Frankfurt;Hessen;60311;Deutschland"#,
                "URL:https://example.de/?a=1,2;b", "BDAY:1980-01-31", #"NOTE:a\;b\\c\Nd\xe"#, "UID:urn:uuid:1",
                "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4A==", "X-OTHER:x"))
        #expect(warnings.isEmpty)
        #expect(record.version == "3.0")
        #expect(
            record.contact
                == VCardContact(
                    formattedName: "Dr. Max Mustermann, MBA",
                    name: VCardName(
                        family: "Mustermann", given: "Max", additional: "Emil,Otto", prefixes: "Dr.", suffixes: "MBA"),
                    phones: [
                        VCardValue("+49-170-1234567", types: ["cell", "voice"]),
                        VCardValue("+49 69 1", types: ["work", "pref"]),
                    ],
                    mails: [VCardValue("max@example.de", types: ["home"])],
                    organisation: ["Beispiel GmbH", "Vertrieb", "Nord"], title: "Leiter", role: "Verkauf",
                    addresses: [
                        VCardAddress(
                            postOfficeBox: "PF 1", extended: "2. Stock", street: "Hauptstr. 1\nHinterhaus",
                            locality: "Frankfurt", region: "Hessen", postalCode: "60311", country: "Deutschland",
                            types: ["work"])
                    ],
                    urls: ["https://example.de/?a=1,2;b"], birthday: "1980-01-31", note: "a;b\\c\nd\\xe",
                    uid: "urn:uuid:1", photo: VCardPhoto(mediaType: "image/jpeg", uri: nil, size: 4)))
        #expect(record.description == #"vCard "Dr. Max Mustermann, MBA""#)
        try checkRoundTrips(record)
    }

    @Test func `properties are kept in order, with group and parameters`() throws {
        let (record, _) = try decode(
            card("VERSION:4.0", #"a.b-c;X="1;2:3,4";Y=5 ; Z;:v:w;x"#, #"X;TYPE="work,Home";PREF=1:"#))
        #expect(record.properties.map(\.name) == ["VERSION", "B-C", "X"])
        let property = record.properties[1]
        #expect(property.group == "a")
        #expect(property.parameters.map(\.name) == ["X", "Y", nil])
        #expect(property.parameters.map(\.value) == ["1;2:3,4", "5", "Z"])
        #expect(property.value == "v:w;x")
        #expect(property.components == ["v:w", "x"])
        #expect(record.properties[2].types == ["work", "home", "pref"])
    }

    @Test func `version 2.1 has bare parameters and other escapes`() throws {
        let contact = try contact(
            "VERSION:2.1", #"N:A\;B;C\,D\n"#, "TEL;CELL;PREF:1", "TEL;HOME;X-A=B;TYPE=fax:2",
            "NOTE;8BIT;INLINE:x", #"X:"a"#, #"TEL;"WORK:3"#)
        #expect(contact.name == VCardName(family: "A;B", given: #"C\,D\n"#))
        #expect(
            contact.phones == [
                VCardValue("1", types: ["cell", "pref"]), VCardValue("2", types: ["home", "fax"]),
                VCardValue("3", types: ["\"work"]),
            ])
        #expect(contact.note == "x")
    }

    @Test func `version 4.0 has URIs`() throws {
        let contact = try contact(
            "VERSION:4.0", #"TEL;VALUE=uri;PREF=1;TYPE="voice,home":tel:+1-555-5555;ext=5"#, "TEL:TEL:%2B1",
            "EMAIL;VALUE=uri:mailto:a@b", "PHOTO:data:image/png;base64,AAAA", "URL:", "TEL:")
        #expect(
            contact.phones == [
                VCardValue("+1-555-5555;ext=5", types: ["pref", "voice", "home"]), VCardValue("+1"),
            ])
        #expect(contact.mails == [VCardValue("a@b")])
        #expect(contact.photo == VCardPhoto(mediaType: "image/png", uri: nil, size: 3))
        #expect(contact.urls.isEmpty)
    }

    @Test(
        arguments: [
            ("PHOTO;TYPE=PNG;ENCODING=BASE64:AAAA\r\n AAA=", "image/png", nil, 5),
            ("PHOTO;GIF;BASE64:AA==", "image/gif", nil, 1),
            ("PHOTO;VALUE=uri:https://a.b/c.jpg", nil, "https://a.b/c.jpg", nil),
            ("PHOTO;VALUE=URL;TYPE=image/x:https://a.b", "image/x", "https://a.b", nil),
            ("PHOTO;MEDIATYPE=image/webp:https://a.b", "image/webp", "https://a.b", nil),
            ("PHOTO:data:,a%20b", nil, nil, 3),
            ("PHOTO:data:no comma", nil, "data:no comma", nil),
        ] as [(String, String?, String?, Int?)])
    func `a photo is noted`(_ line: String, _ mediaType: String?, _ uri: String?, _ size: Int?) throws {
        #expect(try contact("VERSION:3.0", line).photo == VCardPhoto(mediaType: mediaType, uri: uri, size: size))
    }

    @Test(arguments: [
        // Folded at a space, a tab, within a word; LF only; a fold of a fold.
        ("VERSION:3.0\r\nFN:a \r\n b\r\n\tc\r\n", "a bc"),
        ("VERSION:3.0\nFN:a\n b\n", "ab"),
        ("VERSION:3.0\nFN:a\n  b\n", "a b"),
        ("VERSION:3.0\nF\n N:a\n", "a"),
        // White space of a fold belongs to the text of a vCard 2.1.
        ("VERSION:2.1\r\nFN:a\r\n b\r\n", "a b"),
        ("Version: 2.1\r\nFN:a\r\n b\r\n", "a b"),
        // Quoted-printable with and without soft line breaks; the charset.
        ("VERSION:2.1\nFN;ENCODING=QUOTED-PRINTABLE:M=C3=BCller=0Ax\n", "Müller\nx"),
        ("VERSION:2.1\nFN;QUOTED-PRINTABLE:a=\n b=\nc=3D\n", "a bc="),
        ("VERSION:2.1\nFN;CHARSET=UTF-8;ENCODING=quoted-printable:a=\n\nX:y\n", "a"),
        ("VERSION:2.1\nFN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller\n", "Müller"),
        ("VERSION:2.1\nFN;CHARSET=iso-8859-1;ENCODING=QUOTED-PRINTABLE:=C3=BC\n", "Ã¼"),
        ("VERSION:2.1\nFN;ENCODING=QUOTED-PRINTABLE:=FC=G1=4\n", "ü=G1=4"),
        // An equals sign at the end of anything else is text.
        ("VERSION:3.0\nFN:a=\nX:y\n", "a="),
        ("VERSION:3.0\nFN: a b \n", " a b "),
        // The first one counts, if it says something.
        ("VERSION:3.0\nFN:\nFN:a\nFN:b\n", "a"),
    ])
    func `lines are put together`(_ lines: String, _ name: String) throws {
        let text = "BEGIN:VCARD\n\(lines)\nEND:VCARD\n"
        let (record, _) = try decode(Array(text.utf8))
        #expect(record.contact.formattedName == name)
        #expect(record.text == text)
        #expect(record.payload == Array(text.utf8))
    }

    @Test(
        arguments: [
            ("", ["VCARD_NO_BEGIN", "VCARD_NO_END"], nil),
            ("FN:a", ["VCARD_NO_BEGIN", "VCARD_NO_END"], "a"),
            ("BEGIN:VCARD", ["VCARD_NO_END"], nil),
            ("BEGIN:VCARD\nFN;QUOTED-PRINTABLE:a=", ["VCARD_NO_END"], "a"),
            ("BEGIN:VCARD\nFN:a", ["VCARD_NO_END"], "a"),
            ("FN:x\nBEGIN:VCARD\nFN:a\nEND:VCARD", ["VCARD_NO_BEGIN"], "a"),
            ("FN:a\nEND:VCARD\nEND:VCARD", ["VCARD_NO_BEGIN"], "a"),
            ("begin:vcard \nfn:a\nend:vcard\t\n\n", [], "a"),
            ("\u{FEFF}BEGIN:VCARD\nFN:a\nEND:VCARD", [], "a"),
            ("BEGIN:VCARD\nno property\nalso none\n:x\na.:x\nFN:a\nEND:VCARD", ["VCARD_MALFORMED_LINE"], "a"),
            ("BEGIN:VCARD\nEND:VCARD\nBEGIN:VCARD\nFN:b\nEND:VCARD", ["VCARD_SEVERAL"], nil),
            ("BEGIN:VCARD\nFN:a\nEND:VCARD\nrubbish", [], "a"),
            ("BEGIN:VCARD\nAGENT:\nBEGIN:VCARD\nFN:b\nEND:VCARD\nFN:a\nEND:VCARD", [], "a"),
            ("hello", ["VCARD_NO_BEGIN", "VCARD_MALFORMED_LINE", "VCARD_NO_END"], nil),
        ] as [(String, [String], String?)])
    func `an oddity is forgiven with a warning`(_ text: String, _ codes: [String], _ name: String?) throws {
        let (record, warnings) = try decode(Array(text.utf8))
        #expect(warnings == codes)
        #expect(record.contact.formattedName == name)
        #expect(record.text.utf8.elementsEqual(text.utf8))
        try checkRoundTrips(record)
    }

    @Test func `text that is not UTF-8 is read as ISO-8859-1, and stays unchanged`() throws {
        let payload = try bytes(
            "42454749 4E3A5643 4152440A 56455253 494F4E3A 322E310A 464E3A4D FC6C6C65 720A454E 443A5643 4152440A")
        let (record, warnings) = try decode(payload)
        #expect(warnings == ["VCARD_NOT_UTF8"])
        #expect(record.encoding == .latin1)
        #expect(record.text == "BEGIN:VCARD\nVERSION:2.1\nFN:Müller\nEND:VCARD\n")
        #expect(record.contact.formattedName == "Müller")
        #expect(record.payload == payload)
        try checkRoundTrips(record)
    }

    @Test(arguments: ["text/vcard", "text/x-vcard", "text/x-vCard", "Text/vCard; charset=utf-8"])
    func `both media types are known`(_ type: String) {
        let record = NDEFRecord(typeNameFormat: .media, type: Array(type.utf8), payload: Array("FN:a".utf8))
        #expect(record.decoded == .vCard(VCardRecord(text: "FN:a")))
    }

    @Test func `a directory is another type`() {
        let record = NDEFRecord(typeNameFormat: .media, type: Array("text/directory;profile=vCard".utf8))
        #expect(record.decoded == .media(MediaRecord(type: "text/directory;profile=vCard", data: [])))
    }

    @Test(arguments: [
        ("N:;Max;;Dr.;", #"vCard "Dr. Max""#), ("ORG:A;B", #"vCard "A""#), ("EMAIL:a@b", #"vCard "a@b""#),
        ("TEL:1", #"vCard "1""#), ("N:;;;;", "vCard"), ("FN:\u{1B}[2J\"", #"vCard "\u{1B}[2J\"""#),
        (#"FN:a\nb"#, #"vCard "a\u{A}b""#),
    ])
    func `the line shows whose it is`(_ line: String, _ description: String) throws {
        #expect(try decode(card(line)).card.description == description)
    }

    @Test(
        arguments: [
            card("VERSION:3.0", "N:A;B", "TEL;TYPE=cell:1", #"ADR:;;a\nb;c"#, "FN:ä\r\n b", "PHOTO;ENCODING=b:AAAA"),
            card("VERSION:2.1", "FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C3=\r\n=A4", "TEL;CELL:1", "N:a;b"),
            card("VERSION:4.0", #"TEL;VALUE=uri;TYPE="a,b":tel:+1;ext=2"#, "PHOTO:data:image/png;base64,AA"),
        ])
    func `no payload stops the program`(_ payload: [UInt8]) throws {
        try checkDamage(VCardRecord.self, payload)
    }

    @Test func `hostile text takes little time`() throws {
        let n = 200_000
        for text in [
            "FN" + String(repeating: ";=\n ", count: n),
            "FN;ENCODING=QUOTED-PRINTABLE:" + String(repeating: "=\n", count: n),
            String(repeating: "BEGIN:VCARD\n", count: n), "N:" + String(repeating: "\\;", count: n),
            "FN;" + String(repeating: "\"", count: n) + ":", String(repeating: "A:\n", count: n),
            String(repeating: "\n", count: n), "TEL;TYPE=" + String(repeating: "a,", count: n) + ":1",
        ] {
            _ = try decode(Array(text.utf8)).card.contact
        }
    }
}

@Suite("vCards in JSON")
struct VCardJSONTests {
    @Test func `text and fields are written`() throws {
        let lines = [
            "BEGIN:VCARD",
            "VERSION:3.0", "FN:A B", "N:B;A", "TEL;TYPE=cell:1", "EMAIL:a@b", "ORG:O;U", "TITLE:T", "ROLE:R",
            "ADR;TYPE=home:;;S;L;;1;C", "URL:u", "BDAY:d", "NOTE:n", "UID:i", "PHOTO;ENCODING=b;TYPE=JPEG:AAAA",
            "END:VCARD",
        ]
        let payload = Array(lines.joined(separator: "\r\n").utf8)
        let text = lines.joined(separator: #"\r\n"#)
        #expect(
            try decodedJSON(VCardRecord(payload: payload))
                == #"{"addresses":[{"country":"C","locality":"L","postalCode":"1","street":"S","types":["home"]}],"#
                + #""birthday":"d","formattedName":"A B","kind":"vCard","mails":[{"types":[],"value":"a@b"}],"#
                + #""name":{"family":"B","given":"A"},"note":"n","organisation":["O","U"],"#
                + #""phones":[{"types":["cell"],"value":"1"}],"photo":{"mediaType":"image/jpeg","size":3},"#
                + #""role":"R","text":"\#(text)","title":"T","uid":"i","urls":["u"],"version":"3.0"}"#)
    }

    @Test func `ISO-8859-1 is named`() throws {
        let json = #"{"encoding":"iso-8859-1","kind":"vCard","mails":[],"phones":[],"text":"ü"}"#
        #expect(try decodedJSON(VCardRecord(payload: [0xFC])) == json)
        #expect(try record(ofDecoded: json).payload == [0xFC])
    }

    @Test(arguments: [
        // The text wins.
        (#"{"kind":"vCard","text":"x","formattedName":"A","photo":{"size":1}}"#, "x"),
        (#"{"kind":"vCard","text":""}"#, ""),
        (#"{"kind":"vCard","text":"ü","encoding":"utf-8"}"#, "ü"),
        (
            #"{"kind":"vCard","formattedName":"A"}"#,
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A\r\nN:;;;;\r\nEND:VCARD\r\n"
        ),
        (
            #"{"kind":"vCard","version":"4.0","text":null,"name":{"given":"A"},"phones":[{"value":"1","types":["cell"]}],"#
                + #""photo":{"uri":"u"}}"#,
            "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:A\r\nN:;A;;;\r\nTEL;TYPE=cell:1\r\nPHOTO;VALUE=uri:u\r\nEND:VCARD\r\n"
        ),
    ])
    func `text or fields make a card`(_ json: String, _ text: String) throws {
        #expect(try record(ofDecoded: json) == NDEFRecord(VCardRecord(text: text)))
    }

    @Test(arguments: [
        (#"{"kind":"vCard"}"#, "text"),
        (#"{"kind":"vCard","version":"3.0"}"#, "text"),
        (#"{"kind":"vCard","text":7}"#, "text"),
        (#"{"kind":"vCard","version":"2.1","note":"x"}"#, "version"),
        (#"{"kind":"vCard","text":"日","encoding":"iso-8859-1"}"#, "encoding"),
        (#"{"kind":"vCard","text":"x","encoding":"latin"}"#, "encoding"),
        (#"{"kind":"vCard","phones":[{"value":"1","types":["a b"]}]}"#, "phones"),
        (#"{"kind":"vCard","phones":[{"types":["a"]}]}"#, "phones.0.value"),
        (#"{"kind":"vCard","mails":[{"value":"1","types":[""]}]}"#, "mails"),
        (#"{"kind":"vCard","addresses":[{"types":[";"]}]}"#, "addresses"),
        (#"{"kind":"vCard","photo":{"mediaType":"image/png","size":1}}"#, "photo"),
        (#"{"kind":"vCard","name":"A"}"#, "name"),
    ])
    func `an error names the field`(_ json: String, _ path: String) throws {
        #expect(try rejectedField(ofDecoded: json) == path)
    }
}
