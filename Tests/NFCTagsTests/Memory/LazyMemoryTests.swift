import Testing
import TestSupport

@testable import NFCTags

@Suite struct `A memory image` {
    @Test func `holds nothing at first`() {
        let image = MemoryImage(pageSize: 4, pageCount: 4)
        #expect(image[0] == nil)
        #expect(image[15] == nil)
        #expect(image[16] == nil)
        #expect(image.firstMissingPage(in: 5..<13) == 1)
        #expect(image.contents(of: [5..<7]) == .missing(5..<7))
        #expect(image.contents(of: []) == .bytes([]))
    }

    @Test func `returns what was stored`() {
        var image = MemoryImage(pageSize: 4, pageCount: 8)
        image.store(hex("0102030405060708"), at: 1)
        #expect(image[3] == nil)
        #expect(image[4] == 1)
        #expect(image[11] == 8)
        #expect(image[12] == nil)
        #expect(image.firstMissingPage(in: 4..<12) == nil)
        #expect(image.firstMissingPage(in: 4..<13) == 3)
        #expect(image.firstMissingPage(in: 4..<4) == nil)
        #expect(image.contents(of: [5..<7, 10..<12]) == .bytes(hex("02030708")))
        #expect(image.contents(of: [5..<7, 10..<14]) == .missing(12..<14))
    }

    @Test func `omits incomplete pages and those outside`() {
        var image = MemoryImage(pageSize: 4, pageCount: 2)
        image.store(hex("010203040506"), at: 0)
        #expect(image[3] == 4)
        #expect(image[4] == nil)
        image.store(hex("0102030405060708"), at: 1)
        #expect(image[7] == 4)
        #expect(image[8] == nil)
        image.store(hex("01020304"), at: 9)
        image.store(hex("01020304"), at: -1)
        #expect(image[36] == nil)
    }

    @Test func `keeps the first reading of a page`() {
        var image = MemoryImage(pageSize: 4, pageCount: 2)
        image.store(hex("01020304"), at: 0)
        image.store(hex("FFFFFFFF 05060708"), at: 0)
        #expect(image.contents(of: [0..<8]) == .bytes(hex("0102030405060708")))
    }
}
