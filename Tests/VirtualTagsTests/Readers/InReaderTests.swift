import Testing

@testable import VirtualTags

@Suite struct InReaderTests {
    static let names = [
        ("ntag213", "0300030000000068"), ("felica-lite-s", "11003B0000000042"), ("type3", "11003B0000000042"),
        ("topaz512", "03F004000000009F"),
    ]

    @Test(arguments: names) func `each kind of tag has its reader`(model: String, end: String) throws {
        let tag = try VirtualTagModel.named(model).makeTag()
        let card = tag.inReader()
        #expect(hex(card.answerToReset).hasSuffix(end))
        card.powerOn()
        #expect(card.transmit(hex("FF CA 00 00 00")) == tag.identifier + [0x90, 0x00])
    }
}
