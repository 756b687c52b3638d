import Testing

@testable import VirtualTags

/// Where an NDEF message goes and how large it may be.
@Suite struct Type2MessageTests {
    struct Placement: Sendable {
        let product: Type2Product
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

    @Test(arguments: placements) func `a message stands in its own TLV`(row: Placement) throws {
        let tag = try Type2Tag(product: row.product, ndefMessage: hex(row.message))
        let expected = hex(row.expected)
        #expect(hex(tag.memory.dropFirst(12).prefix(expected.count)) == hex(expected))
    }

    static let capacities: [(Type2Product, Int)] = [
        (.ntag213, 137), (.ntag215, 492), (.ntag216, 868), (.mf0ul11, 46), (.mf0ul21, 121),
        (.ntag203, 137), (.ntag210, 46), (.ntag212, 121), (.ultralight, 46), (.ultralightC, 137),
    ]

    @Test(arguments: capacities) func `the largest message fits and leaves special pages alone`(
        product: Type2Product, capacity: Int
    ) throws {
        #expect(product.messageCapacity == capacity)
        let message = [UInt8](repeating: 0x5A, count: capacity)
        let tag = try Type2Tag(product: product, ndefMessage: message)
        let blank = try Type2Tag(product: product, ndefMessage: [])
        let areaEnd = 16 + product.dataAreaSize
        #expect(tag.memory.count == product.memorySize)
        #expect(tag.memory.dropFirst(areaEnd) == blank.memory.dropFirst(areaEnd))
        #expect(Array(tag.memory.prefix(areaEnd).suffix(capacity)) == message)
    }

    @Test(arguments: capacities) func `one byte more does not fit`(product: Type2Product, capacity: Int) {
        #expect(throws: VirtualTagError.messageTooLarge(size: capacity + 1, capacity: capacity)) {
            try Type2Tag(product: product, ndefMessage: [UInt8](repeating: 0, count: capacity + 1))
        }
    }

    @Test(arguments: [(254, "03FE"), (255, "03FF00FF"), (256, "03FF0100")])
    func `the length takes three bytes above 254`(size: Int, header: String) throws {
        let tag = try Type2Tag(product: .ntag216, ndefMessage: [UInt8](repeating: 0xAA, count: size))
        let area = tag.memory.dropFirst(16)
        #expect(hex(area.prefix(header.count / 2)) == header)
        let behind = area.dropFirst(header.count / 2).dropFirst(size)
        #expect(hex(behind.prefix(2)) == "FE00")
    }

    @Test(arguments: [Type2Product.mf0ul11, .mf0ul21]) func `without a message Ultralight EV1 is blank`(
        product: Type2Product
    ) throws {
        let tag = try Type2Tag(product: product)
        #expect(tag.memory.dropFirst(12).prefix(product.dataAreaSize + 4).allSatisfy { $0 == 0 })
    }
}
