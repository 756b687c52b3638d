import Testing

@testable import VirtualTags

/// The four short cases and everything that is none of them.
@Suite struct ShortAPDUTests {
    struct Row: Sendable {
        let bytes: String
        let data: String?
        let expected: UInt8?
    }

    static let cases: [Row] = [
        Row(bytes: "FF CA 00 00", data: nil, expected: nil),
        Row(bytes: "FF CA 00 00 00", data: nil, expected: 0),
        Row(bytes: "FF B0 00 04 10", data: nil, expected: 0x10),
        Row(bytes: "FF D6 00 04 04 01 02 03 04", data: "01020304", expected: nil),
        Row(bytes: "FF D6 00 04 04 01 02 03 04 00", data: "01020304", expected: 0),
        Row(bytes: "FF D6 00 04 01 AA FF", data: "AA", expected: 0xFF),
    ]

    @Test(arguments: cases) func `a short case is taken apart`(row: Row) throws {
        let apdu = try #require(ShortAPDU(hex(row.bytes)))
        #expect(apdu.instructionClass == 0xFF)
        #expect(apdu.p1 == 0)
        let body = try #require(apdu.body)
        #expect(body.data.map { hex($0) } == row.data)
        #expect(body.expected == row.expected)
    }

    @Test(arguments: ["", "FF", "FF CA", "FF CA 00"]) func `less than a header is nothing`(bytes: String) {
        #expect(ShortAPDU(hex(bytes)) == nil)
    }

    @Test(arguments: [
        "FF D6 00 04 04 01 02 03", "FF D6 00 04 04 01 02 03 04 00 00", "FF D6 00 04 00 00 04 01 02 03 04",
        "FF B0 00 04 00 00 10", "FF D6 00 04 02 01",
    ])
    func `lengths that contradict each other leave no body`(bytes: String) throws {
        let apdu = try #require(ShortAPDU(hex(bytes)))
        #expect(apdu.body == nil)
    }
}
