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

private func location(_ uri: String) throws -> LocationURI? {
    guard case .location(let location)? = try URIRecord(uri).target else { return nil }
    return location
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
    func `what is no number is not taken apart`(_ uri: String) throws {
        #expect(try URIRecord(uri).target == nil)
    }

    @Test func `a record is made in one call`() throws {
        #expect(try NDEFRecord.telephone("+49 170 1234", identifier: [1]) == .uri("tel:+49-170-1234", identifier: [1]))
        let error = try #require(throws: NDEFPayloadError.self) { try NDEFRecord.telephone("call me") }
        #expect(error.code.rawValue == "TEL_NUMBER")
        #expect(throws: NDEFPayloadError(.telephoneParameter, "ext and phone-context are no other parameters")) {
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

@Suite("Places in URIs")
struct LocationURITests {
    @Test(
        arguments: [
            ("geo:1.351210,103.868856", 1.35121, 103.868856, nil, "wgs84", nil),
            ("GEO:48.2010,16.3695,183", 48.201, 16.3695, 183, "wgs84", nil),
            ("geo:-90,-180,-5.5;u=40", -90, -180, -5.5, "wgs84", 40),
            ("geo:90,180;CRS=WGS84;U=0.5", 90, 180, nil, "wgs84", 0.5),
            ("geo:1000,-2000;crs=nad-27;u=0", 1000, -2000, nil, "nad-27", 0),
            ("geo:00000000000000000001.50,0", 1.5, 0, nil, "wgs84", nil),
        ] as [(String, Double, Double, Double?, String, Double?)])
    func `a place is read`(
        _ uri: String, _ latitude: Double, _ longitude: Double, _ altitude: Double?, _ crs: String,
        _ uncertainty: Double?
    ) throws {
        let location = try #require(try location(uri))
        #expect(location.latitude == latitude)
        #expect(location.longitude == longitude)
        #expect(location.altitude == altitude)
        #expect(location.crs == crs)
        #expect(location.uncertainty == uncertainty)
        #expect(location.query == nil)
        #expect(location.parameters.isEmpty)
        #expect(location.otherFields.isEmpty)
    }

    @Test(
        arguments: [
            ("geo:0,0?q=34.99,-106.61(Treasure%20here)", "34.99,-106.61(Treasure here)", "Treasure here"),
            ("geo:0,0?q=1,2,3(a(b))", "1,2,3(a(b))", "a(b)"),
            ("geo:0,0?q=my+street+(north)", "my+street+(north)", nil),
            ("geo:0,0?q=1,2", "1,2", nil),
            ("geo:0,0?q=(a)", "(a)", nil),
            ("geo:0,0?q=1,2()", "1,2()", ""),
            ("geo:0,0?Q=", "", nil),
        ] as [(String, String?, String?)])
    func `what to look for is read`(_ uri: String, _ query: String?, _ label: String?) throws {
        let location = try #require(try location(uri))
        #expect(location.query == query)
        #expect(location.label == label)
    }

    @Test func `parameters and other fields remain`() throws {
        let location = try #require(try location("geo:1,2;a=b;flag;u=3?z=11&q=x&y"))
        #expect(location.parameters == [URIField(name: "a", value: "b"), URIField(name: "flag")])
        #expect(location.otherFields == [URIField(name: "z", value: "11"), URIField(name: "y")])
        #expect(location.uri == "geo:1,2;u=3;a=b;flag?q=x&z=11&y")
    }

    @Test(arguments: [
        "geo:", "geo:1", "geo:1,", "geo:,1", "geo:1,2,3,4", "geo:1,2,", "geo:nan,0", "geo:inf,0", "geo:-inf,0",
        "geo:0x1p3,0",
        "geo:1e5,0", "geo:+1,0", "geo: 1,0", "geo:1, 0", "geo:1.,0", "geo:.5,0", "geo:1.2.3,0", "geo:--1,0", "geo:-,0",
        "geo:١,0", "geo:90.1,0", "geo:-91,0", "geo:0,180.1", "geo:0,-181", "geo:1,2;u=", "geo:1,2;u", "geo:1,2;u=-1",
        "geo:1,2;u=1e5", "geo:1,2;crs=", "geo:1,2;crs=a_b", "geo:1,2;crs=a;crs=b", "geo:0,0?q=1&q=2", "geo:1;2",
        "geo:1%2C2",
        "geo:0,0,1" + String(repeating: "0", count: 400),
    ])
    func `what is no place is not taken apart`(_ uri: String) throws {
        #expect(try URIRecord(uri).target == nil)
    }

    @Test(
        arguments: [
            (0, "0"), (-0.0, "-0"), (1.5, "1.5"), (-122.399677, "-122.399677"), (100, "100"), (0.1, "0.1"),
            (0.00001, "0.00001"), (1.5e-7, "0.00000015"), (123_456_789_012_345_680, "123456789012345680"),
            (1.5e16, "15000000000000000"), (1e22, "1" + String(repeating: "0", count: 22)),
            (.leastNonzeroMagnitude, "0." + String(repeating: "0", count: 323) + "5"),
        ] as [(Double, String)])
    func `numbers are written without exponents`(_ number: Double, _ text: String) {
        #expect(DecimalNumber.text(number) == text)
        #expect(DecimalNumber.parse(Array(text.utf8)[...]) == number)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `every number survives`(_ seed: UInt64) {
        var generator = SplitMix(seed: seed)
        for _ in 0..<500 {
            let number = Double(bitPattern: generator.next())
            guard number.isFinite else { continue }
            #expect(DecimalNumber.parse(Array(DecimalNumber.text(number).utf8)[...]) == number)
        }
    }

    @Test func `a record is made in one call`() throws {
        #expect(
            try NDEFRecord.geo(latitude: 48.2, longitude: -16, identifier: [1]) == .uri("geo:48.2,-16", identifier: [1])
        )
        for (latitude, longitude) in [(90.1, 0), (0, 181), (.nan, 0), (0, .infinity)] {
            let error = try #require(throws: NDEFPayloadError.self) {
                try NDEFRecord.geo(latitude: latitude, longitude: longitude)
            }
            #expect(error.code.rawValue == "GEO_RANGE")
        }
    }

    @Test func `all fields are written`() throws {
        let location = try LocationURI(
            latitude: 1, longitude: 2, altitude: 3, crs: "X-1", uncertainty: 0.25, query: "1,2(a&b)",
            parameters: [URIField(name: "p", value: "ä")], otherFields: [URIField(name: "z", value: "5")])
        #expect(location.uri == "geo:1,2,3;crs=x-1;u=0.25;p=%C3%A4?q=1,2(a%26b)&z=5")
        #expect(try URIRecord(location.uri).target == .location(location))
        #expect(URIRecord(.location(location)).uri == location.uri)
    }

    @Test func `what a URI cannot say is refused`() throws {
        func code(_ make: () throws(NDEFPayloadError) -> LocationURI) throws -> String {
            try #require(throws: NDEFPayloadError.self) { try make() }.code.rawValue
        }
        #expect(
            try code { () throws(NDEFPayloadError) in try LocationURI(latitude: 0, longitude: 0, crs: "") }
                == "GEO_PARAMETER")
        #expect(
            try code { () throws(NDEFPayloadError) in
                try LocationURI(latitude: 0, longitude: 0, parameters: [URIField(name: "U", value: "1")])
            } == "GEO_PARAMETER")
        #expect(
            try code { () throws(NDEFPayloadError) in
                try LocationURI(latitude: 0, longitude: 0, otherFields: [URIField(name: "q", value: "1")])
            } == "GEO_PARAMETER")
        #expect(
            try code { () throws(NDEFPayloadError) in
                try LocationURI(latitude: 0, longitude: 0, altitude: .infinity)
            } == "GEO_RANGE")
        #expect(
            try code { () throws(NDEFPayloadError) in
                try LocationURI(latitude: 0, longitude: 0, uncertainty: -1)
            } == "GEO_RANGE")
    }
}
