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
        #expect(filter.passes(Self.tap([row.record])) == row.matches, "\(filter) \(row.record)")
        // Other records before and behind it change nothing.
        let unknown = Self.record(.unknown, "", [])
        #expect(filter.passes(Self.tap([unknown, row.record, unknown])) == row.matches)
        #expect(!filter.passes(Self.tap([])))
    }

    @Test func `requires its fields to match on the same record`() {
        var filter = BackgroundFilter()
        filter.uriHost = "www.example.com"
        filter.uriPrefix = "https://abs."
        #expect(!filter.passes(Self.tap([Self.page, Self.absolute])))
        filter.uriHost = "abs.example"
        #expect(filter.passes(Self.tap([Self.page, Self.absolute])))
        filter.kind = "text"
        #expect(!filter.passes(Self.tap([Self.page, Self.absolute, Self.text])))
    }

    @Test func `without parts matches every tap, also of a tag that could not be read`() {
        let lost = BackgroundTap(
            reader: Fixtures.desk, identity: nil, reading: NDEFReading(failure: TagError(.tagConnectionLost, "gone")))
        #expect(BackgroundFilter().passes(lost))
        #expect(BackgroundFilter().passes(Self.tap([])))
    }

    @Test func `knows a tag by its UID and a reader by id or name`() {
        var filter = BackgroundFilter()
        filter.identifier = hex("04A1B2C3D4E5F6")
        #expect(filter.passes(Self.tap([])))
        filter.identifier = hex("04A1B2C3D4E5")
        #expect(!filter.passes(Self.tap([])))
        for (name, matches) in [("desk", true), ("The desk reader", true), ("The desk", false), ("door", false)] {
            var filter = BackgroundFilter()
            filter.reader = name
            #expect(filter.passes(Self.tap([])) == matches)
            #expect(filter.matches(Fixtures.desk) == matches)
        }
    }

    static let file = uri("file:///etc/passwd")
    static let call = uri("tel:+4930123456")
    static let kiosk = uri("https://kiosk.example/a")

    typealias Delivery = (
        filter: [any WritableKeyPath<BackgroundFilter, String?> & Sendable], values: [String], schemes: [String],
        records: [NDEFRecord], uri: String?, record: Int?
    )

    /// What is delivered of a message with several records: the record that was compared.
    static let deliveries: [Delivery] = [
        ([\.uriPrefix], ["https://kiosk.example/"], [], [file, kiosk], "https://kiosk.example/a", 1),
        ([\.uriPrefix], ["https://kiosk.example/"], [], [page, kiosk, page], "https://kiosk.example/a", 1),
        ([\.uriHost], ["kiosk.example"], [], [uri("file://kiosk.example/x"), kiosk], "https://kiosk.example/a", 1),
        ([\.kind], ["uri"], [], [file, kiosk], "https://kiosk.example/a", 1),
        ([\.kind], ["uri"], [], [text, file], nil, 1),
        ([\.kind], ["smartPoster"], [], [file, poster], "https://www.example.com/p", 1),
        ([\.kind], ["text"], [], [file, kiosk, text], nil, 2),
        ([\.mimeType], ["text/plain"], [], [file, media], nil, 1),
        ([\.externalType], ["example.com:door"], [], [kiosk, external], nil, 1),
        ([\.uriPrefix, \.kind], ["https://", "absoluteURI"], [], [page, absolute], "https://abs.example/1", 1),
        ([\.uriPrefix], ["tel:"], [], [kiosk, call], "tel:+4930123456", 1),
        ([\.uriPrefix], ["TEL:"], [], [call], nil, nil),
        ([\.uriPrefix], ["te"], [], [call], nil, nil),
        ([\.uriPrefix], ["f"], [], [file], nil, nil),
        ([\.uriPrefix], ["file:///etc/"], [], [kiosk, file], "file:///etc/passwd", 1),
        ([\.uriPrefix], ["te"], ["TEL"], [kiosk, call], "tel:+4930123456", 1),
        ([\.kind], ["uri"], ["tel"], [file, call, kiosk], "tel:+4930123456", 1),
        ([], [], [], [file, call, kiosk], "https://kiosk.example/a", nil),
        ([], [], [], [file, call], nil, nil),
        ([], [], ["tel"], [file, call, kiosk], "tel:+4930123456", nil),
        ([], [], ["*"], [file, call, kiosk], "file:///etc/passwd", nil),
    ]

    @Test(arguments: deliveries.indices) func `delivers the URI of the record that it compared`(index: Int) {
        let row = Self.deliveries[index]
        var filter = BackgroundFilter()
        for (path, value) in zip(row.filter, row.values) { filter[keyPath: path] = value }
        filter.uriSchemes = row.schemes
        let matched = filter.matched(Self.tap(row.records))
        #expect(matched?.uri == row.uri, "\(row)")
        #expect(matched?.record == row.record, "\(row)")
    }

    /// Browsers resolve these to another host or path than the one that was compared.
    @Test(arguments: [
        "https://kiosk.example/app/../admin", "https://kiosk.example/app/%2e%2E/admin", "https://kiosk.example/app/./x",
        "https://evil.example\\@kiosk.example/app/", "https://kiosk.example/app/\\..\\admin",
        "https://kiosk.example/app/\t../admin", "https://kiosk.example/app/ x", "https://kiosk.example/app/\u{85}",
        "https://evil.example\\.kiosk.example/app/", "https://evil.example\u{2028}@kiosk.example/app/",
    ])
    func `matches no URI that programs read in different ways`(text: String) {
        var filter = BackgroundFilter()
        filter.uriPrefix = "https://kiosk.example/app/"
        #expect(!filter.passes(Self.tap([Self.uri(text)])))
        filter = BackgroundFilter()
        filter.uriHost = "kiosk.example"
        #expect(!filter.passes(Self.tap([Self.uri(text)])))
    }

    @Test(arguments: [
        "https://kiosk.example/.well-known/x", "https://kiosk.example/a..b", "https://kiosk.example/?x=/../",
        "https://kiosk.example/ä",
    ])
    func `matches a URI whose dots and letters every program reads alike`(text: String) {
        var filter = BackgroundFilter()
        filter.uriHost = "kiosk.example"
        #expect(filter.matched(Self.tap([Self.uri(text)]))?.uri == text)
    }
}

extension BackgroundFilter {
    fileprivate func passes(_ tap: BackgroundTap) -> Bool { matched(tap) != nil }
}
