import NDEF
import NFCReaders
import NFCTags
import Testing
import TestSupport

@testable import NFCSessions

/// Which taps a filter lets through.
@Suite struct `A background filter` {
    static func record(_ format: TypeNameFormat, _ type: String, _ payload: [UInt8]) -> NDEFRecord {
        NDEFRecord(typeNameFormat: format, type: Array(type.utf8), payload: payload)
    }

    static func uri(_ text: String) -> NDEFRecord { record(.nfcWellKnown, "U", [0] + Array(text.utf8)) }

    static let page = uri("https://www.Example.com:8443/Door?x#y")
    static let text = record(.nfcWellKnown, "T", [2] + Array("enHello".utf8))
    static let media = record(.media, "Text/Plain; charset=utf-8", Array("hi".utf8))
    static let external = record(.nfcExternal, "example.com:Door", [1])
    static let absolute = record(.absoluteURI, "https://abs.example/1", [])
    /// A Smart Poster for https://www.example.com/p.
    static let poster = record(
        .nfcWellKnown, "Sp", hex("D1010E5502") + Array("example.com/p".utf8))

    static func tap(_ records: [NDEFRecord]) -> BackgroundTap {
        BackgroundTap(
            reader: Fixtures.desk, identity: Fixtures.identity,
            reading: NDEFReading(messages: records.isEmpty ? [] : [NDEFMessage(records: records)]))
    }

    typealias Row = (
        part: any WritableKeyPath<BackgroundFilter, String?> & Sendable, value: String, record: NDEFRecord,
        matches: Bool
    )

    static let rows: [Row] = [
        (\.uriPrefix, "https://www.Exa", page, true),
        (\.uriPrefix, "https://www.exa", page, false),
        (\.uriPrefix, "https://www.Example.com:8443/Door?x#y", page, true),
        (\.uriPrefix, "https://www.Example.com:8443/Door?x#yz", page, false),
        (\.uriPrefix, "https://", text, false),
        (\.uriPrefix, "https://abs.", absolute, true),
        (\.uriPrefix, "https://www.example.com/", poster, true),
        (\.uriHost, "www.example.COM", page, true),
        (\.uriHost, "example.com", page, false),
        (\.uriHost, "www.example.com:8443", page, false),
        (\.uriHost, "www.example.com", poster, true),
        (\.uriHost, "b.c", uri("https://user:p@a.b@b.c/"), true),
        (\.uriHost, "a.b", uri("https://user:p@a.b@b.c/"), false),
        (\.uriHost, "a.b", uri("https://evil.example/@a.b"), false),
        (\.uriHost, "a.b", uri("https://evil.example?x@a.b"), false),
        (\.uriHost, "[2001:db8::1]", uri("http://[2001:DB8::1]:80/"), true),
        (\.uriHost, "a.b", uri("a.b/path"), false),
        (\.uriHost, "a.b", uri("mailto:someone@a.b"), false),
        (\.mimeType, "text/plain", media, true),
        (\.mimeType, "TEXT/plain;charset=us-ascii", media, true),
        (\.mimeType, "text/pla", media, false),
        (\.mimeType, "example.com:door", external, false),
        (\.externalType, "EXAMPLE.com:door", external, true),
        (\.externalType, "example.com:doo", external, false),
        (\.externalType, "text/plain; charset=utf-8", media, false),
        (\.kind, "uri", page, true),
        (\.kind, "text", page, false),
        (\.kind, "text", text, true),
        (\.kind, "media", media, true),
        (\.kind, "external", external, true),
        (\.kind, "smartPoster", poster, true),
    ]

    @Test(arguments: rows.indices) func `compares a part with a record`(index: Int) {
        let row = Self.rows[index]
        var filter = BackgroundFilter()
        filter[keyPath: row.part] = row.value
        #expect(filter.matches(Self.tap([row.record])) == row.matches, "\(filter) \(row.record)")
        // Other records before and behind it change nothing.
        let unknown = Self.record(.unknown, "", [])
        #expect(filter.matches(Self.tap([unknown, row.record, unknown])) == row.matches)
        #expect(!filter.matches(Self.tap([])))
    }

    @Test func `requires its fields to match on the same record`() {
        var filter = BackgroundFilter()
        filter.uriHost = "www.example.com"
        filter.uriPrefix = "https://abs."
        #expect(!filter.matches(Self.tap([Self.page, Self.absolute])))
        filter.uriHost = "abs.example"
        #expect(filter.matches(Self.tap([Self.page, Self.absolute])))
        filter.kind = "text"
        #expect(!filter.matches(Self.tap([Self.page, Self.absolute, Self.text])))
    }

    @Test func `without parts matches every tap, also of a tag that could not be read`() {
        let lost = BackgroundTap(
            reader: Fixtures.desk, identity: nil, reading: NDEFReading(failure: TagError(.tagConnectionLost, "gone")))
        #expect(BackgroundFilter().matches(lost))
        #expect(BackgroundFilter().matches(Self.tap([])))
    }

    @Test func `knows a tag by its UID and a reader by id or name`() {
        var filter = BackgroundFilter()
        filter.identifier = hex("04A1B2C3D4E5F6")
        #expect(filter.matches(Self.tap([])))
        filter.identifier = hex("04A1B2C3D4E5")
        #expect(!filter.matches(Self.tap([])))
        for (name, matches) in [("desk", true), ("The desk reader", true), ("The desk", false), ("door", false)] {
            var filter = BackgroundFilter()
            filter.reader = name
            #expect(filter.matches(Self.tap([])) == matches)
            #expect(filter.matches(Fixtures.desk) == matches)
        }
    }
}
