import Foundation
import NDEF
import TestSupport
import Testing

private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

private func message(_ json: String) throws -> NDEFMessage {
    try JSONDecoder().decode(NDEFMessage.self, from: Data(json.utf8))
}

private func record(_ json: String) throws -> NDEFRecord {
    try JSONDecoder().decode(NDEFRecord.self, from: Data(json.utf8))
}

@Suite("JSON form, as bytes")
struct JSONBytesTests {
    @Test(arguments: ["", "D0 00 00", "D1 01 04 55 04 61 2E 62", "91 01 04 55 04 61 2E 62 51 01 04 55 04 61 2E 62"])
    func `a message may be given by its bytes`(digits: String) throws {
        let text = digits.replacingOccurrences(of: " ", with: "")
        let bytes: [UInt8] = hex(digits)
        let expected = bytes.isEmpty ? NDEFMessage() : try NDEFMessage(decoding: bytes)
        #expect(try message(#"{"encoded":"\#(text)"}"#) == expected)
        // Records take precedence.
        #expect(try message(#"{"records":[],"encoded":"\#(text)"}"#) == NDEFMessage())
    }

    @Test(arguments: ["D0", "D000", "xyz", "D000000"])
    func `bytes that are not a message are refused`(digits: String) {
        #expect(throws: DecodingError.self) { try message(#"{"encoded":"\#(digits)"}"#) }
    }
}

@Suite("JSON form, written")
struct JSONEncodingTests {
    @Test(arguments: [
        (
            "D1 01 04 55 04 61 2E 62",
            #"{"decoded":{"kind":"uri","uri":"https://a.b"},"identifier":"","payload":"04612E62","type":"55","#
                + #""typeNameFormat":"nfcWellKnown"}"#
        ),
        (
            "D9 01 05 01 54 2A 02 64 65 68 69",
            #"{"decoded":{"encoding":"utf-8","kind":"text","language":"de","text":"hi"},"identifier":"2A","#
                + #""payload":"0264656869","type":"54","typeNameFormat":"nfcWellKnown"}"#
        ),
        (
            "D1 01 05 54 82 65 6E 00 68",
            #"{"decoded":{"encoding":"utf-16","kind":"text","language":"en","text":"h"},"identifier":"","#
                + #""payload":"82656E0068","type":"54","typeNameFormat":"nfcWellKnown"}"#
        ),
        (
            "D0 00 00",
            #"{"decoded":{"kind":"empty"},"identifier":"","payload":"","type":"","typeNameFormat":"empty"}"#
        ),
        (
            "D2 03 01 61 2F 62 FF",
            #"{"decoded":{"data":"FF","kind":"media","type":"a/b"},"identifier":"","payload":"FF","type":"612F62","#
                + #""typeNameFormat":"media"}"#
        ),
        (
            "D3 03 00 75 3A 78",
            #"{"decoded":{"kind":"absoluteURI","uri":"u:x"},"identifier":"","payload":"","type":"753A78","#
                + #""typeNameFormat":"absoluteURI"}"#
        ),
        (
            "D4 03 00 61 3A 62",
            #"{"decoded":{"data":"","kind":"external","type":"a:b"},"identifier":"","payload":"","type":"613A62","#
                + #""typeNameFormat":"nfcExternal"}"#
        ),
        (
            "D5 00 01 0A",
            #"{"decoded":{"data":"0A","kind":"unknown"},"identifier":"","payload":"0A","type":"","typeNameFormat":"unknown"}"#
        ),
        (
            "D7 01 00 78",
            #"{"decoded":{"data":"","kind":"unknown"},"identifier":"","payload":"","type":"78","typeNameFormat":"reserved"}"#
        ),
        (
            "D1 02 00 5A 7A",
            #"{"identifier":"","payload":"","type":"5A7A","typeNameFormat":"nfcWellKnown"}"#
        ),
        (
            "D1 01 01 55 24",
            #"{"decodeError":{"code":"URI_RFU_PREFIX","message":"prefix code 24 is reserved; the last in use is 23"},"#
                + #""identifier":"","payload":"24","type":"55","typeNameFormat":"nfcWellKnown"}"#
        ),
    ])
    func `a record is written raw and decoded`(_ digits: String, _ expected: String) throws {
        let message = try NDEFMessage(decoding: bytes(digits))
        #expect(try json(message) == #"{"records":["# + expected + "]}")
    }

    @Test func `a message without records has an empty list`() throws {
        #expect(try json(NDEFMessage()) == #"{"records":[]}"#)
    }

    @Test func `errors and warnings are a code and a message`() throws {
        #expect(
            try json(decodingError("D1 01"))
                == #"{"code":"TRUNCATED_HEADER","message":"record 1 at byte 0: header of 3 bytes runs past the end of "#
                + #"the message (2 bytes left)"}"#)
        #expect(
            try json(NDEFMessage.decode(bytes("D1 00 00")).warnings)
                == #"[{"code":"TYPE_LENGTH_ZERO_TNF1","message":"record 1 at byte 0: a well-known record has no type"}]"#
        )
    }
}

@Suite("JSON form, read")
struct JSONDecodingTests {
    @Test(arguments: [
        (#"{"typeNameFormat":"nfcWellKnown","type":"55","identifier":"2a","payload":"04aB"}"#, "D9010201552A04AB"),
        (#"{"typeNameFormat":"empty"}"#, "D00000"),
        (#"{"typeNameFormat":"unknown","payload":"00"}"#, "D5000100"),
        (#"{"typeNameFormat":"media","type":"612F62","payload":null,"decoded":null}"#, "D20300612F62"),
        (#"{"decoded":{"kind":"uri","uri":"https://a.b"}}"#, "D101045504612E62"),
        (#"{"decoded":{"kind":"uri","uri":"x"},"identifier":"01"}"#, "D9010201 55 01 0078"),
        (#"{"decoded":{"kind":"text","text":"hi","language":"de","encoding":"utf-8"}}"#, "D10105540264656869"),
        (#"{"decoded":{"kind":"text","text":"h","encoding":"utf-16"}}"#, "D101055482656E0068"),
        (#"{"decoded":{"kind":"text","text":"h"}}"#, "D101045402656E68"),
        (#"{"decoded":{"kind":"empty"}}"#, "D00000"),
        (#"{"decoded":{"kind":"media","type":"a/b","data":"0a"}}"#, "D20301612F620A"),
        (#"{"decoded":{"kind":"media","type":"text/plain","text":"hi"}}"#, "D20A02 746578742F706C61696E 6869"),
        (#"{"decoded":{"kind":"media","type":"a/b"}}"#, "D20300612F62"),
        (#"{"decoded":{"kind":"external","type":"a:b","data":"01"},"identifier":"2A"}"#, "DC030101 613A62 2A 01"),
        (#"{"decoded":{"kind":"absoluteURI","uri":"u:x"}}"#, "D30300753A78"),
        (#"{"decoded":{"kind":"absoluteURI","uri":"u:x","data":"05"}}"#, "D30301753A7805"),
        (#"{"decoded":{"kind":"unknown","data":"05"}}"#, "D5000105"),
        // Raw wins, whatever else there is; unknown fields are ignored.
        (#"{"typeNameFormat":"unknown","payload":"01","decoded":{"kind":"uri","uri":"x"}}"#, "D5000101"),
        (#"{"typeNameFormat":"unknown","decoded":{"kind":"nonsense"},"colour":"red"}"#, "D50000"),
        (#"{"decoded":{"kind":"uri","uri":"x","colour":"red"},"decodeError":{"code":"X"}}"#, "D101025500 78"),
    ])
    func `a record is given raw or by its decoded form`(_ json: String, _ digits: String) throws {
        #expect(try NDEFMessage(records: [record(json)]).encoded() == bytes(digits))
    }

    @Test(arguments: [
        (#"{}"#, "records"),
        (#"{"records":[{}]}"#, "records.0.typeNameFormat"),
        (#"{"records":[{"decoded":null}]}"#, "records.0.typeNameFormat"),
        (#"{"records":[{"type":"55","payload":"00"}]}"#, "records.0.typeNameFormat"),
        (#"{"records":[{"payload":"00","decoded":{"kind":"uri","uri":"x"}}]}"#, "records.0.typeNameFormat"),
        (#"{"records":[{"typeNameFormat":"wellKnown"}]}"#, "records.0.typeNameFormat"),
        (#"{"records":[{"typeNameFormat":1}]}"#, "records.0.typeNameFormat"),
        (#"{"records":[{"typeNameFormat":"empty"},{"typeNameFormat":"media","type":"6"}]}"#, "records.1.type"),
        (#"{"records":[{"typeNameFormat":"unknown","payload":"zz"}]}"#, "records.0.payload"),
        (#"{"records":[{"typeNameFormat":"unknown","payload":7}]}"#, "records.0.payload"),
        (#"{"records":[{"typeNameFormat":"unknown","identifier":"0x"}]}"#, "records.0.identifier"),
        (#"{"records":[{"decoded":{}}]}"#, "records.0.decoded.kind"),
        (#"{"records":[{"decoded":{"kind":"uri"}}]}"#, "records.0.decoded.uri"),
        (#"{"records":[{"decoded":{"kind":"uri","uri":"a\nb"}}]}"#, "records.0.decoded.uri"),
        (#"{"records":[{"decoded":{"kind":"text"}}]}"#, "records.0.decoded.text"),
        (#"{"records":[{"decoded":{"kind":"text","text":"a","language":"é"}}]}"#, "records.0.decoded.language"),
        (#"{"records":[{"decoded":{"kind":"text","text":"a","encoding":"latin"}}]}"#, "records.0.decoded.encoding"),
        (#"{"records":[{"decoded":{"kind":"empty"},"identifier":"01"}]}"#, "records.0.identifier"),
    ])
    func `an error names the field`(_ json: String, _ path: String) throws {
        let error = try #require(throws: DecodingError.self) { try message(json) }
        #expect(Self.path(of: error) == path)
    }

    @Test(arguments: 700..<710 as Range<UInt64>)
    func `what was written is read as the same message`(_ seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        var original = generator.message()
        original.records.append(try .text(generator.text(), language: "de", encoding: .utf16))
        original.records.append(try .uri("https://example.com/é"))
        original.records.append(try wellKnown("U", "FF"))
        #expect(try message(json(original)) == original)
    }

    private static func path(of error: DecodingError) -> String {
        let keys: [any CodingKey] =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            case .keyNotFound(let key, let context): context.codingPath + [key]
            @unknown default: []
            }
        return keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}
