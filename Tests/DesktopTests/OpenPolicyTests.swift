import Testing

@testable import nfcd_desktop

@Suite("What may be opened")
struct OpenPolicyTests {
    @Test(arguments: [
        ("https://example.com", "example.com", "https://example.com"),
        ("HTTPS://EXAMPLE.com:8443/A%20b?c#d", "example.com", "https://example.com:8443/A%20b?c#d"),
        ("https://example.com./x", "example.com", "https://example.com/x"),
        ("https://[2001:DB8::1]/", "[2001:db8::1]", "https://[2001:db8::1]/"),
        ("https://192.0.2.1/", "192.0.2.1", "https://192.0.2.1/"),
        ("https://a.example/ü?€", "a.example", "https://a.example/%C3%BC?%E2%82%AC"),
        ("https://bücher.example/", "xn--bcher-kva.example", "https://xn--bcher-kva.example/"),
        ("https://a.example/x@y", "a.example", "https://a.example/x@y"),
        ("https://a.example?x", "a.example", "https://a.example?x"),
    ])
    func `a link has the host that browsers see`(text: String, host: String, uri: String) throws {
        let link = try TagLink(text)
        #expect(link.host == host)
        #expect(link.uri == uri)
    }

    /// RFC 3492, §7.1.
    @Test(arguments: [
        ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"), ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
        ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
        ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
        ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"), ("ü", "tda"),
    ])
    func `labels are encoded as the standard's samples`(label: String, encoded: String) {
        #expect(Punycode.label(label) == "xn--\(encoded)")
    }

    @Test func `a label that is too long is refused`() {
        #expect(Punycode.label(String(repeating: "a", count: 64)) == nil)
        #expect(Punycode.label(String(repeating: "ü", count: 64)) == nil)
        #expect(Punycode.label("") == nil)
    }

    @Test(arguments: [
        ("example.com", "https://example.com/", true), ("example.com", "https://www.example.com/", false),
        ("*.example.com", "https://www.example.com/", true), ("*.example.com", "https://example.com/", false),
        ("example.com", "https://example.com:8443/", false), ("example.com", "https://notexample.com/", false),
        ("*.example.com", "https://notexample.com/", false),
        ("Bücher.example", "https://xn--bcher-kva.example/x", true),
        ("example.com", "https://example.com.evil.example/", false), ("example.com", "http://example.com/", false),
        ("example.com", "tel:example.com", false),
    ])
    func `a host of the list opens by itself`(listed: String, uri: String, opens: Bool) throws {
        let policy = OpenPolicy(hosts: [try #require(OpenPolicy.Host(listed))])
        let link = try TagLink(uri)
        #expect(policy.opensByItself(link) == opens)
    }

    @Test(arguments: ["", "*", "*.", "https://a.example", "a.example/x", "a.example:80", "a b", "*.*.example"])
    func `a text that is not a host is refused`(text: String) { #expect(OpenPolicy.Host(text) == nil) }

    @Test(arguments: OpenPolicy.forbidden.sorted())
    func `a scheme that runs or shows files cannot be allowed`(scheme: String) throws {
        #expect(!OpenPolicy.canAllow(scheme))
        #expect(throws: OpenPolicy.Refusal.self) { try OpenPolicy(schemes: [scheme]).link("\(scheme):x") }
    }

    @Test(arguments: ["https", "http", "tel", "mailto", "geo", "web+app"])
    func `other schemes can be allowed`(scheme: String) { #expect(OpenPolicy.canAllow(scheme)) }

    @Test(arguments: ["", "HTTPS", "https:", "1a", "a b", "a/b"])
    func `what is not a scheme cannot be allowed`(scheme: String) { #expect(!OpenPolicy.canAllow(scheme)) }
}

@Suite("Taps of one tag within moments")
struct RecentTapsTests {
    private static func taken(_ taps: [(String, UInt8, Bool, Int64)]) -> [RecentTaps.Novelty] {
        var recent = RecentTaps()
        return taps.map { recent.take(reader: $0.0, tag: [$0.1], isRead: $0.2, now: .milliseconds($0.3)) }
    }

    @Test func `the same tag acts again after two seconds`() {
        let taken = Self.taken([
            ("a", 1, true, 10_000), ("a", 1, true, 11_999), ("a", 1, true, 12_000), ("a", 1, true, 13_000),
        ])
        #expect(taken == [.new, .repeated, .new, .repeated])
    }

    @Test func `another tag and another reader act at once`() {
        #expect(Self.taken([("a", 1, true, 0), ("a", 2, true, 0), ("b", 1, true, 0)]) == [.new, .new, .new])
    }

    @Test func `a tag that left before it was read acts once more when it is read`() {
        let taken = Self.taken([
            ("a", 1, false, 0), ("a", 1, false, 500), ("a", 1, true, 900), ("a", 1, true, 1_500),
            ("a", 1, false, 1_900),
        ])
        #expect(taken == [.new, .repeated, .readAtLast, .repeated, .repeated])
    }
}

@Suite("Notifications that are shown")
struct NoticeBoardTests {
    private let notice = TapNotice(TapNoticeTests.tap([HostileTexts.text("a")]), OpenPolicy())

    @Test func `the next tap on a reader takes the place of the last`() {
        var board = NoticeBoard()
        #expect(board.number(ofReader: "a") == 0)
        board.add(5, notice, reader: "a")
        board.add(6, notice, reader: "b")
        #expect(board.number(ofReader: "a") == 5)
        board.remove(5)
        #expect(board.number(ofReader: "a") == 0)
    }

    @Test func `a token counts for one click`() {
        var board = NoticeBoard()
        board.add(5, notice, reader: "a")
        board.note("t", of: 5)
        board.note("t", of: 6)
        let (first, second, other) = (board.take(5), board.take(5), board.take(6))
        #expect(first?.token == "t")
        #expect(second?.notice == notice && second?.token == nil)
        #expect(other == nil)
    }

    @Test func `the oldest are forgotten`() {
        var board = NoticeBoard()
        for number in 1...40 { board.add(UInt32(number), notice, reader: "\(number)") }
        let (forgotten, known) = (board.take(8), board.take(9))
        #expect(forgotten == nil)
        #expect(known != nil)
    }
}
