import NDEF
import NFCProtocol
import NFCTypes
import Testing

@testable import nfcd_desktop

@Suite("What is shown of a tap")
struct TapNoticeTests {
    static func tap(_ records: [NDEFRecord], record: Int? = nil, uid: [UInt8] = [4, 0xA1, 0xB2, 0xC3])
        -> BackgroundDidReadTag
    {
        BackgroundDidReadTag(
            subscription: "1", reader: "r0", readerName: "Desk",
            tag: BackgroundDidReadTag.Tag(
                type: .miFare, technology: "Type 2", identifier: HexBytes(uid), product: "NTAG215"),
            messages: records.isEmpty ? [] : [NDEFMessage(records: records)], uri: nil, record: record, status: nil,
            capacity: nil, error: nil)
    }

    @Test func `a link shows its host first, and its address`() {
        let notice = TapNotice(Self.tap([HostileTexts.uri("https://Example.COM/a?b=c")]), OpenPolicy())
        #expect(notice.summary == "example.com: link")
        #expect(notice.body == "https://example.com/a?b=c")
        #expect(notice.link?.uri == "https://example.com/a?b=c")
        #expect(notice.copied == "https://Example.COM/a?b=c")
        #expect(notice.actions == [.default, .open, .copy, .details])
    }

    @Test func `only the record that the filter matched is shown and opened`() {
        let records = [
            HostileTexts.uri("https://one.example/"), HostileTexts.uri("https://two.example/"),
            HostileTexts.text("three"),
        ]
        #expect(TapNotice(Self.tap(records), OpenPolicy()).link?.host == "one.example")
        let second = TapNotice(Self.tap(records, record: 1), OpenPolicy())
        #expect(second.link?.host == "two.example")
        #expect(!second.details.contains("one.example"))
        let third = TapNotice(Self.tap(records, record: 2), OpenPolicy())
        #expect(third.link == nil)
        #expect(third.copied == "three")
        #expect(TapNotice(Self.tap(records, record: 9), OpenPolicy()).link == nil)
    }

    @Test func `a tag without a message shows its product and UID`() {
        let notice = TapNotice(Self.tap([]), OpenPolicy())
        #expect(notice.summary == "Empty NFC tag")
        #expect(notice.body == "NTAG215, UID 04A1B2C3")
        #expect(notice.actions == [.details])
    }

    @Test func `a link of a scheme that is not allowed shows why`() {
        let notice = TapNotice(Self.tap([HostileTexts.uri("tel:+49170123")]), OpenPolicy())
        #expect(notice.summary == "Telephone number")
        #expect(notice.link == nil)
        #expect(notice.body.contains("schemes in section [open]"))
        let allowed = TapNotice(Self.tap([HostileTexts.uri("tel:+49170123")]), OpenPolicy(schemes: ["tel"]))
        #expect(allowed.link?.uri == "tel:+49170123")
    }

    @Test func `a host in another script is shown in ASCII`() {
        let notice = TapNotice(Self.tap([HostileTexts.uri("https://аpple.example/")]), OpenPolicy())
        #expect(notice.summary == "xn--pple-43d.example: link")
        #expect(notice.link?.uri == "https://xn--pple-43d.example/")
    }

    @Test func `a Smart Poster shows its title as a title`() throws {
        let poster = NDEFRecord(
            try SmartPosterRecord(
                uri: URIRecord("https://a.example/"), titles: [TextRecord("https://bank.example")], action: nil))
        let notice = TapNotice(Self.tap([poster]), OpenPolicy())
        #expect(notice.summary == "a.example: link")
        #expect(notice.body == "https://a.example/\nTitle: https://bank.example")
    }

    @Test func `there are thirty hostile contents`() { #expect(HostileTexts.all.count >= 30) }

    @Test(arguments: HostileTexts.all)
    func `a hostile content is shown on its lines, visibly, and is not opened`(hostile: HostileTexts.Case) {
        let notice = TapNotice(Self.tap([hostile.record]), OpenPolicy())
        #expect(notice.link == nil)
        for text in [notice.summary, notice.body, notice.details] {
            for scalar in text.unicodeScalars where scalar != "\n" { #expect(scalar.isVisible, "\(scalar.value)") }
            #expect(text.unicodeScalars.count < 2_600)
        }
        // The content has one line, a refusal another.
        #expect(notice.body.split(separator: "\n").count <= 2)
        #expect(notice.summary.utf8.allSatisfy { $0 < 0x80 })
        let escaped = ShownText.escapingMarkup(notice.body)
        #expect(!escaped.contains("<") && !escaped.contains(">"))
    }

    @Test(arguments: [
        ("\u{1B}[31mred", "\\u{1B}[31mred"), ("a\u{202E}b", "a\\u{202E}b"), ("a\nb", "a\\u{A}b"), ("ü €🙂", "ü €🙂"),
        ("e\u{301}\u{301}\u{301}", "e\u{301}\u{301}\\u{301}"), ("\u{2764}\u{FE0F}", "\u{2764}\u{FE0F}"),
    ])
    func `characters that are not visible are escaped`(text: String, shown: String) {
        #expect(ShownText(text).plain.unicodeScalars.elementsEqual(shown.unicodeScalars))
    }

    @Test func `a long text is cut`() { #expect(ShownText("abcdef", limit: 3).plain == "abc…") }
}
