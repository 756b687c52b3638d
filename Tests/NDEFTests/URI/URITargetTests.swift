import Foundation
import TestSupport
import Testing

@testable import NDEF

private func telephone(_ uri: String) throws -> TelephoneURI? {
    guard case .telephone(let telephone)? = try URIRecord(uri).target else { return nil }
    return telephone
}

private func message(_ uri: String) throws -> MessageURI? {
    guard case .message(let message)? = try URIRecord(uri).target else { return nil }
    return message
}

private func mail(_ uri: String) throws -> MailURI? {
    guard case .mail(let mail)? = try URIRecord(uri).target else { return nil }
    return mail
}

@Suite("Telephone numbers in URIs")
struct TelephoneURITests {
    @Test(arguments: [
        ("tel:+491701234567", "+491701234567", "+491701234567"),
        ("tel:5551236666", "5551236666", "5551236666"),
        ("TEL:+1-201-555-0123", "+1-201-555-0123", "+12015550123"),
        ("tel:+44(0)20.7946.0018", "+44(0)20.7946.0018", "+4402079460018"),
        ("tel:+49%20170%201234", "+49-170-1234", "+491701234"),
        ("tel:+49 170 1234", "+49-170-1234", "+491701234"),
        ("tel:*100%23", "*100#", "*100#"),
        ("tel:*100#", "*100#", "*100#"),
        ("tel:%2B49170", "+49170", "+49170"),
        ("tel:12AB", "12AB", "12AB"),
    ])
    func `a number is read`(_ uri: String, _ number: String, _ dialable: String) throws {
        let telephone = try #require(try telephone(uri))
        #expect(telephone.number == number)
        #expect(telephone.dialable == dialable)
        #expect(telephone.extension == nil)
        #expect(telephone.phoneContext == nil)
        #expect(telephone.parameters.isEmpty)
    }

    @Test func `parameters are read and written`() throws {
        let telephone = try #require(
            try telephone("tel:863-1234;EXT=12-3;phone-context=+1-914-555;isub=a%20b;Flag;x="))
        #expect(telephone.number == "863-1234")
        #expect(telephone.extension == "12-3")
        #expect(telephone.phoneContext == "+1-914-555")
        #expect(
            telephone.parameters == [
                URIField(name: "isub", value: "a b"), URIField(name: "Flag"), URIField(name: "x", value: ""),
            ])
        #expect(telephone.uri == "tel:863-1234;ext=12-3;phone-context=+1-914-555;isub=a%20b;Flag;x=")
    }

    @Test(arguments: [
        "tel:", "tel:;ext=1", "tel:+", "tel:-", "tel:()", "tel:+1A", "tel:+*1", "tel:++1", "tel:1+1", "tel:FLOWERS",
        "tel:1,2", "tel://1", "tel:1?x", "tel:1;ext=", "tel:1;ext=a", "tel:1;ext", "tel:1;ext=1;ext=2", "tel:%",
        "tel:%FF",
        "tel:1%00", "tel:١٢", "telx:1", "tel",
    ])
    func `a URI that is not a number is not parsed`(_ uri: String) throws {
        #expect(try URIRecord(uri).target == nil)
    }

    @Test func `a record is made in one call`() throws {
        #expect(try NDEFRecord.telephone("+49 170 1234", identifier: [1]) == .uri("tel:+49-170-1234", identifier: [1]))
        let error = try #require(throws: NDEFPayloadError.self) { try NDEFRecord.telephone("call me") }
        #expect(error.code.rawValue == "TEL_NUMBER")
        #expect(
            throws: NDEFPayloadError(
                .telephoneParameter, "ext and phone-context have their own fields and cannot be other parameters")
        ) {
            try TelephoneURI("1", parameters: [URIField(name: "Ext", value: "1")])
        }
    }
}

@Suite("Text messages in URIs")
struct MessageURITests {
    @Test(
        arguments: [
            ("sms:+491234567890?body=Hi!%20Wie%20geht%20es%20dir%3F", ["+491234567890"], "Hi! Wie geht es dir?"),
            ("sms:5551236666?body=raw 你好", ["5551236666"], "raw 你好"),
            ("SMS:1,2?BODY=x", ["1", "2"], "x"),
            ("sms:+1", ["+1"], nil),
            ("sms:", [], nil),
            ("sms:?body=x", [], "x"),
            ("sms:1?body=", ["1"], ""),
            ("sms:1?body=a=b%26c+d", ["1"], "a=b&c+d"),
            ("sms:1?body=100%", ["1"], "100%"),
            ("sms:1?body=%FF%41", ["1"], "%FF%41"),
            ("sms://+1?body=x", ["+1"], "x"),
            ("smsto:+1?body=x", ["+1"], "x"),
            ("smsto:+1:Hello: you?", ["+1"], "Hello: you?"),
            ("sms:+15105550101;phone-context=+1,%2B2", ["+15105550101;phone-context=+1", "+2"], nil),
        ] as [(String, [String], String?)])
    func `a message is read`(_ uri: String, _ recipients: [String], _ body: String?) throws {
        let message = try #require(try message(uri))
        #expect(message.recipients == recipients)
        #expect(message.body == body)
        #expect(message.otherFields.isEmpty)
    }

    @Test func `other fields remain`() throws {
        let message = try #require(try message("sms:1?x=%20&body=a&body=b&flag"))
        #expect(message.body == "a")
        #expect(
            message.otherFields == [
                URIField(name: "x", value: " "), URIField(name: "body", value: "b"), URIField(name: "flag"),
            ])
        #expect(message.uri == "sms:1?body=a&x=%20&body=b&flag")
    }

    @Test func `a record is made in one call`() throws {
        #expect(try NDEFRecord.sms(to: "+1", "", "2,3", body: "a&b é") == .uri("sms:+1,2%2C3?body=a%26b%20%C3%A9"))
        #expect(try NDEFRecord.sms(to: "+1") == .uri("sms:+1"))
        #expect(
            try NDEFRecord.sms(to: "+1", body: "a\nb", identifier: [1]) == .uri("sms:+1?body=a%0Ab", identifier: [1]))
    }

    @Test(arguments: [
        ("sms:+49170?body=Hi%20you", #"URI sms:+49170 "Hi you""#),
        ("sms:1,2?body=%1B%22", #"URI sms:1,2 "\u{1B}\"""#),
        ("smsto:%1B1:x", #"URI sms:\u{1B}1 "x""#),
        ("sms:+49170", "URI sms:+49170"),
        ("sms:1?body=a&x=b", "URI sms:1?body=a&x=b"),
        ("tel:+491701234", "URI tel:+491701234"),
        ("mailto:a@b?subject=c", "URI mailto:a@b?subject=c"),
    ])
    func `the line shows what it says`(_ uri: String, _ line: String) throws {
        #expect(try URIRecord(uri).description == line)
    }
}

@Suite("Mails in URIs")
struct MailURITests {
    @Test func `all header fields are read`() throws {
        let uri =
            "MAILTO:a@x,b%2Cc@x?to=d@x&CC=e@x,f@x&bcc=g@x&cc=h@x&Subject=Gr%C3%BC%C3%9Fe%20&body=1%0D%0A2%0A3%0D4"
            + "&In-Reply-To=%3C1@x%3E&flag"
        let mail = try #require(try mail(uri))
        #expect(mail.to == ["a@x", "b,c@x", "d@x"])
        #expect(mail.cc == ["e@x", "f@x", "h@x"])
        #expect(mail.bcc == ["g@x"])
        #expect(mail.subject == "Grüße ")
        #expect(mail.body == "1\n2\n3\n4")
        #expect(mail.otherHeaders == [URIField(name: "In-Reply-To", value: "<1@x>"), URIField(name: "flag")])
    }

    @Test(
        arguments: [
            ("mailto:test@example.com", ["test@example.com"]), ("mailto:", []), ("mailto:?subject=x", []),
            ("mailto:gorby%25kremvax@example.com", ["gorby%kremvax@example.com"]), ("mailto:a,,b", ["a", "b"]),
        ] as [(String, [String])])
    func `the addresses are read`(_ uri: String, _ to: [String]) throws {
        #expect(try mail(uri)?.to == to)
    }

    @Test func `a mail is written`() throws {
        let mail = MailURI(
            to: ["a b@x", "c+d@x"], cc: ["e,f@x"], bcc: ["", "g@x"], subject: "1 & 2", body: "a\r\nb\n\nc?",
            otherHeaders: [URIField(name: "x", value: "=")])
        #expect(
            mail.uri
                == "mailto:a%20b@x,c+d@x?cc=e%2Cf@x&bcc=g@x&subject=1%20%26%202&body=a%0D%0Ab%0D%0A%0D%0Ac%3F&x=%3D")
        #expect(try URIRecord(mail.uri).target == .mail(mail))
    }

    @Test func `a record is made in one call`() throws {
        #expect(
            try NDEFRecord.mail(to: "a@x", "b@x", subject: "s", body: "t", identifier: [1])
                == .uri("mailto:a@x,b@x?subject=s&body=t", identifier: [1]))
        #expect(try NDEFRecord.mail(to: "a@x") == .uri("mailto:a@x"))
    }
}

@Suite("URIs of four schemes in JSON")
struct URITargetJSONTests {
    @Test(arguments: [
        ("https://a.b", #"{"kind":"uri","uri":"https://a.b"}"#),
        ("tel:no number", #"{"kind":"uri","uri":"tel:no number"}"#),
        ("tel:+49-1", #"{"kind":"uri","tel":{"dialable":"+491","number":"+49-1"},"uri":"tel:+49-1"}"#),
        (
            "tel:1;ext=2;phone-context=a.b;c=d",
            #"{"kind":"uri","tel":{"dialable":"1","extension":"2","number":"1","parameters":[{"name":"c","value":"d"}],"#
                + #""phoneContext":"a.b"},"uri":"tel:1;ext=2;phone-context=a.b;c=d"}"#
        ),
        (
            "sms:1,2?body=a%20b",
            #"{"kind":"uri","sms":{"body":"a b","recipients":["1","2"]},"uri":"sms:1,2?body=a%20b"}"#
        ),
        (
            "mailto:a@x?cc=b@x&bcc=c@x&subject=d&body=e&f",
            #"{"kind":"uri","mailto":{"bcc":["c@x"],"body":"e","cc":["b@x"],"otherHeaders":[{"name":"f"}],"subject":"d","#
                + #""to":["a@x"]},"uri":"mailto:a@x?cc=b@x&bcc=c@x&subject=d&body=e&f"}"#
        ),
        (
            "geo:1.5,2,3;u=4;p?q=1,2(l)&z=5",
            #"{"geo":{"altitude":3,"crs":"wgs84","label":"l","latitude":1.5,"longitude":2,"#
                + #""otherFields":[{"name":"z","value":"5"}],"parameters":[{"name":"p"}],"query":"1,2(l)","#
                + #""uncertainty":4},"kind":"uri","uri":"geo:1.5,2,3;u=4;p?q=1,2(l)&z=5"}"#
        ),
    ])
    func `a URI is written with its fields`(_ uri: String, _ json: String) throws {
        let written = try URIRecord(uri)
        #expect(try decodedJSON(written) == json)
        #expect(try record(ofDecoded: json) == NDEFRecord(written))
    }

    @Test(arguments: [
        (#"{"kind":"uri","tel":{"number":"+49 1"}}"#, "tel:+49-1"),
        (
            #"{"kind":"uri","tel":{"number":"1","extension":"2","phoneContext":"a.b","dialable":"9"}}"#,
            "tel:1;ext=2;phone-context=a.b"
        ),
        (#"{"kind":"uri","sms":{"recipients":["+1"],"body":"é"}}"#, "sms:+1?body=%C3%A9"),
        (#"{"kind":"uri","sms":{}}"#, "sms:"),
        (#"{"kind":"uri","mailto":{"to":["a@x"],"subject":"b c"}}"#, "mailto:a@x?subject=b%20c"),
        (#"{"kind":"uri","geo":{"latitude":1,"longitude":-2.5}}"#, "geo:1,-2.5"),
        (#"{"kind":"uri","uri":null,"geo":{"latitude":1,"longitude":2,"query":"x","crs":"a"}}"#, "geo:1,2;crs=a?q=x"),
        // The URI wins, whatever the objects say.
        (#"{"kind":"uri","uri":"tel:1","tel":{"number":"2"}}"#, "tel:1"),
        (#"{"kind":"uri","uri":"x","geo":7}"#, "x"),
    ])
    func `fields alone make a URI`(_ json: String, _ uri: String) throws {
        #expect(try record(ofDecoded: json) == .uri(uri))
    }

    @Test(arguments: [
        (#"{"kind":"uri","tel":{}}"#, "tel.number"),
        (#"{"kind":"uri","tel":{"number":"call me"}}"#, "tel.number"),
        (#"{"kind":"uri","sms":{"recipients":"1"}}"#, "sms.recipients"),
        (#"{"kind":"uri","sms":{"otherFields":[{}]}}"#, "sms.otherFields.0.name"),
        (#"{"kind":"uri","mailto":{"to":[1]}}"#, "mailto.to.0"),
        (#"{"kind":"uri","geo":{"latitude":1}}"#, "geo.longitude"),
        (#"{"kind":"uri","geo":{"latitude":91,"longitude":0}}"#, "geo.latitude"),
        (#"{"kind":"uri","tel":{"number":"1"},"sms":{}}"#, "uri"),
        (#"{"kind":"uri"}"#, "uri"),
    ])
    func `an error names the field`(_ json: String, _ path: String) throws {
        #expect(try rejectedField(ofDecoded: json) == path)
    }

    @Test(
        arguments: [
            "tel:+49-170;ext=1;phone-context=a.b;x=%20", "sms:1,2?body=a%20b&x=y", "smsto:1:a%2",
            "geo:1.5,-2;u=3?q=1,2(a)",
            "mailto:a@x,b?cc=c&subject=%C3%A4&body=%0D%0A",
        ])
    func `no URI stops the program`(_ uri: String) throws {
        try checkDamage(URIRecord.self, [0] + uri.utf8)
    }

    @Test(
        arguments: [
            "tel:+49-170;ext=1;phone-context=a.b;x=%20", "sms:1,2?body=a%20b&x=y", "geo:1.5,-2;u=3?q=1,2(a)&z",
            "mailto:a@x,b?cc=c&subject=%C3%A4&body=%0D%0A",
        ], 0..<5 as Range<UInt64>)
    func `the canonical URI leads to the same`(_ uri: String, _ seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        for _ in 0..<300 {
            var changed = Array(uri.utf8)
            guard let index = changed.indices.randomElement(using: &generator) else { continue }
            changed[index] = UInt8.random(in: 0x20...0x7E, using: &generator)
            guard let target = try URIRecord(String(decoding: changed, as: UTF8.self)).target else { continue }
            let again = URIRecord(target)
            #expect(again.target?.uri == target.uri)
            #expect(again.uri.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        }
    }

    @Test func `hostile URIs take little time`() throws {
        for uri in [
            "tel:" + String(repeating: ";", count: 300_000), "sms:" + String(repeating: ",%", count: 300_000),
            "mailto:?" + String(repeating: "cc=a&", count: 100_000),
            "geo:" + String(repeating: "1", count: 300_000) + ",0",
            "geo:0,0?q=" + String(repeating: "(", count: 300_000), String(repeating: "A", count: 300_000) + ":",
        ] {
            _ = try URIRecord(uri).target
            _ = try URIRecord(uri).description
        }
    }
}

extension URITargetJSONTests {
    @Test(arguments: [
        ("tel:5551236666", #"{"tel":"5551236666"}"#),
        ("geo:1.351210,103.868856", #"{"geo":{"lat":1.35121,"lon":103.868856}}"#),
        ("sms:1?body=Hi!%20a b", #"{"sms":{"number":"1","body_raw":"Hi!%20a b"}}"#),
        ("https://a.b", "{}"),
    ])
    func `the words of the vectors`(_ uri: String, _ fields: String) throws {
        #expect(
            try .object(URIRecord(uri).schemeFields) == JSONDecoder().decode(VectorValue.self, from: Data(fields.utf8)))
    }
}
