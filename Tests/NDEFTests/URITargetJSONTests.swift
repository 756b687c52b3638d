import Foundation
import TestSupport
import Testing

@testable import NDEF

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
        ], 0..<3 as Range<UInt64>)
    func `no URI stops the program`(_ uri: String, _ seed: UInt64) throws {
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
