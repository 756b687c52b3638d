import Testing

@testable import NDEF

@Suite("Media records")
struct MediaRecordTests {
    @Test(arguments: [
        ("text/plain", "hi", true),
        ("Text/HTML; charset=UTF-8", "hi", true),
        ("text/plain;charset=\"utf-8\"", "hi", true),
        ("text/plain;charset=us-ascii;x=1", "hi", true),
        ("application/json", "{}", true),
        ("application/ld+json", "{}", true),
        ("application/atom+xml", "<a/>", true),
        ("text/plain;charset=utf-16", "hi", false),
        ("text/plain;charset=iso-8859-1", "hi", false),
        ("image/png", "hi", false),
        ("texts/plain", "hi", false),
        ("", "hi", false),
    ])
    func `the type says whether the data is text`(_ type: String, _ text: String, _ isText: Bool) {
        #expect(MediaRecord(type: type, data: Array(text.utf8)).text == (isText ? text : nil))
    }

    @Test func `data that is not UTF-8 is no text`() {
        #expect(MediaRecord(type: "text/plain", data: [0xC3]).text == nil)
    }

    @Test func `a record is made of type and data`() throws {
        let record = NDEFRecord(MediaRecord(type: "a/b", data: [1]), identifier: [2])
        #expect(record == NDEFRecord(typeNameFormat: .media, type: try bytes("612F62"), identifier: [2], payload: [1]))
        #expect(record.decoded == .media(MediaRecord(type: "a/b", data: [1])))
    }
}
