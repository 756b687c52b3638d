import Testing
import TestSupport

@testable import VirtualTags

/// Pages as delivered, after the memory maps of the data sheets.
@Suite struct Type2FactoryImageTests {
    struct Pages: Sendable, CustomTestStringConvertible {
        let product: VirtualType2Product
        let pageCount: Int
        /// Pages that are not all zero, by number.
        let pages: [Int: String]
        var testDescription: String { product.name }
    }

    static let common = [0: "041122BF", 1: "33445580", 2: "A2480000"]

    static let images: [Pages] = [
        Pages(
            product: .ntag213, pageCount: 45,
            pages: [
                3: "E1101200", 4: "0103A00C", 5: "340300FE", 40: "000000BD", 41: "040000FF", 42: "00050000",
                43: "FFFFFFFF",
            ]),
        Pages(
            product: .ntag215, pageCount: 135,
            pages: [
                3: "E1103E00", 4: "0300FE00", 130: "000000BD", 131: "040000FF", 132: "00050000", 133: "FFFFFFFF",
            ]),
        Pages(
            product: .ntag216, pageCount: 231,
            pages: [
                3: "E1106D00", 4: "0300FE00", 226: "000000BD", 227: "040000FF", 228: "00050000", 229: "FFFFFFFF",
            ]),
        Pages(
            product: .mf0ul11, pageCount: 20,
            pages: [16: "000000FF", 17: "00050000", 18: "FFFFFFFF"]),
        Pages(
            product: .mf0ul21, pageCount: 41,
            pages: [36: "000000BD", 37: "000000FF", 38: "00050000", 39: "FFFFFFFF"]),
    ]

    @Test(arguments: images) func `every page is as delivered`(image: Pages) throws {
        let tag = try VirtualType2Tag.selected(image.product)
        #expect(tag.memory.count == image.pageCount * 4)
        #expect(image.product.memorySize == tag.memory.count)
        let expected = image.pages.merging(Self.common) { page, _ in page }
        for page in 0..<image.pageCount {
            let bytes = hex(tag.memory.dropFirst(page * 4).prefix(4))
            #expect(bytes == expected[page] ?? "00000000", "page \(page)")
        }
    }

    @Test(arguments: images) func `password and PACK never show`(image: Pages) throws {
        var tag = try VirtualType2Tag.selected(image.product)
        let last = String(image.pageCount - 1, radix: 16)
        let answer = tag.send("3A 00 " + (last.count == 1 ? "0" : "") + last)
        #expect(answer.hasSuffix("0000000000000000"))
        #expect(answer.count == image.pageCount * 8)
        #expect(answer.prefix((image.pageCount - 2) * 8) == hex(tag.memory).prefix((image.pageCount - 2) * 8))
    }

    @Test(arguments: VirtualType2Product.all) func `the default identifier is NXP's and differs by product`(
        product: VirtualType2Product
    ) throws {
        let tag = try VirtualType2Tag(product: product)
        #expect(tag.identifier.count == 7)
        #expect(tag.identifier.first == 0x04)
        let others = try VirtualType2Product.all.filter { $0 != product }.map {
            try VirtualType2Tag(product: $0).identifier
        }
        #expect(!others.contains(tag.identifier))
        #expect(try VirtualType2Tag(product: product).identifier == tag.identifier)
    }

    @Test(arguments: [("", 0), ("04 11 22 33", 4), ("04 11 22 33 44 55 66 77", 8)])
    func `an identifier of another length is refused`(identifier: String, size: Int) {
        #expect(throws: VirtualTagError.wrongIdentifierSize(size: size, expected: 7)) {
            try VirtualType2Tag(product: .ntag213, identifier: hex(identifier))
        }
    }

    @Test func `a whole image is stored unchanged`() throws {
        let original = try VirtualType2Tag.selected(.mf0ul11, message: hex("D0 00 00")).memory
        var changed = original
        changed[3] = 0x00
        var tag = try VirtualType2Tag(product: .mf0ul11, memory: changed)
        tag.activate()
        #expect(tag.memory == changed)
        #expect(tag.send("30 00").hasPrefix("04112200"))
        #expect(hex(tag.identifier) == "04112233445580")
    }

    @Test(arguments: [0, 179, 181, 540]) func `an image of another size is refused`(size: Int) {
        #expect(throws: VirtualTagError.wrongMemorySize(size: size, expected: 180)) {
            try VirtualType2Tag(product: .ntag213, memory: [UInt8](repeating: 0, count: size))
        }
    }

    @Test func `an image includes its signature and counters`() throws {
        let memory = try VirtualType2Tag(product: .mf0ul11).memory
        let signature = [UInt8](1...32)
        var tag = try VirtualType2Tag(
            product: .mf0ul11, memory: memory, signature: signature, counters: [1, 0x01_0203])
        tag.activate()
        #expect(tag.send("3C 00") == hex(signature))
        #expect(tag.send("39 01") == "030201")
        #expect(tag.send("39 02") == "000000")
    }

    @Test func `a wrong signature or counter is refused`() throws {
        let memory = try VirtualType2Tag(product: .mf0ul11).memory
        #expect(throws: VirtualTagError.wrongSignatureSize(size: 31, expected: 32)) {
            try VirtualType2Tag(product: .mf0ul11, memory: memory, signature: [UInt8](repeating: 0, count: 31))
        }
        #expect(throws: VirtualTagError.wrongCounters(count: 4, expected: 3)) {
            try VirtualType2Tag(product: .mf0ul11, memory: memory, counters: [0, 0, 0, 0])
        }
        #expect(throws: VirtualTagError.wrongCounters(count: 1, expected: 3)) {
            try VirtualType2Tag(product: .mf0ul11, memory: memory, counters: [0x100_0000])
        }
    }
}

/// Where an NDEF message goes and how large it may be.
@Suite struct Type2MessageTests {
    struct Placement: Sendable {
        let product: VirtualType2Product
        let message: String
        /// The memory from page 3 on.
        let expected: String
    }

    static let placements: [Placement] = [
        Placement(product: .ntag213, message: "", expected: "E1101200 0103A00C 340300FE 00000000"),
        Placement(product: .ntag213, message: "D00000", expected: "E1101200 0103A00C 340303D0 0000FE00"),
        Placement(product: .ntag215, message: "D1010155 04", expected: "E1103E00 0305D101 015504FE 00000000"),
        Placement(product: .ntag216, message: "D00000", expected: "E1106D00 0303D000 00FE0000"),
        Placement(product: .mf0ul11, message: "", expected: "E1100600 0300FE00 00000000"),
        Placement(product: .mf0ul21, message: "D00000", expected: "E1101000 0103900A 340303D0 0000FE00"),
        Placement(product: .ntag203, message: "", expected: "E1101200 0103A010 440300FE 00000000"),
        Placement(product: .ntag210, message: "", expected: "E1100600 0300FE00 00000000"),
        Placement(product: .ntag212, message: "", expected: "E1101000 0103900A 340300FE 00000000"),
        Placement(product: .ultralight, message: "D00000", expected: "E1100600 0303D000 00FE0000"),
        Placement(product: .ultralightC, message: "", expected: "E1101200 0103A010 440300FE 00000000"),
    ]

    @Test(arguments: placements) func `a message is in its own TLV`(row: Placement) throws {
        let tag = try VirtualType2Tag(product: row.product, ndefMessage: hex(row.message))
        let expected = hex(row.expected)
        #expect(hex(tag.memory.dropFirst(12).prefix(expected.count)) == hex(expected))
    }

    static let capacities: [(VirtualType2Product, Int)] = [
        (.ntag213, 137), (.ntag215, 492), (.ntag216, 868), (.mf0ul11, 46), (.mf0ul21, 121),
        (.ntag203, 137), (.ntag210, 46), (.ntag212, 121), (.ultralight, 46), (.ultralightC, 137),
    ]

    @Test(arguments: capacities) func `the largest message fits and leaves special pages alone`(
        product: VirtualType2Product, capacity: Int
    ) throws {
        #expect(product.messageCapacity == capacity)
        let message = [UInt8](repeating: 0x5A, count: capacity)
        let tag = try VirtualType2Tag(product: product, ndefMessage: message)
        let blank = try VirtualType2Tag(product: product, ndefMessage: [])
        let areaEnd = 16 + product.dataAreaSize
        #expect(tag.memory.count == product.memorySize)
        #expect(tag.memory.dropFirst(areaEnd) == blank.memory.dropFirst(areaEnd))
        #expect(Array(tag.memory.prefix(areaEnd).suffix(capacity)) == message)
    }

    @Test(arguments: capacities) func `one byte more does not fit`(product: VirtualType2Product, capacity: Int) {
        #expect(throws: VirtualTagError.messageTooLarge(size: capacity + 1, capacity: capacity)) {
            try VirtualType2Tag(product: product, ndefMessage: [UInt8](repeating: 0, count: capacity + 1))
        }
    }

    @Test(arguments: [(254, "03FE"), (255, "03FF00FF"), (256, "03FF0100")])
    func `the length takes three bytes above 254`(size: Int, header: String) throws {
        let tag = try VirtualType2Tag(product: .ntag216, ndefMessage: [UInt8](repeating: 0xAA, count: size))
        let area = tag.memory.dropFirst(16)
        #expect(hex(area.prefix(header.count / 2)) == header)
        let behind = area.dropFirst(header.count / 2).dropFirst(size)
        #expect(hex(behind.prefix(2)) == "FE00")
    }

    @Test(arguments: [VirtualType2Product.mf0ul11, .mf0ul21]) func `without a message Ultralight EV1 is blank`(
        product: VirtualType2Product
    ) throws {
        let tag = try VirtualType2Tag(product: product)
        #expect(tag.memory.dropFirst(12).prefix(product.dataAreaSize + 4).allSatisfy { $0 == 0 })
    }
}
