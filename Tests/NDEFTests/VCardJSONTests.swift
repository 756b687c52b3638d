import NDEF
import Testing

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
