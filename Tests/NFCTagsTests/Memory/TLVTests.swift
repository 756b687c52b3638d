import Testing
import TestSupport

@testable import NFCTags

@Suite struct `A data area with holes` {
    @Test func `without holes is one piece`() {
        let area = TLVArea(bounds: 16..<64)
        #expect(area.data(from: 16) == [16..<64])
        #expect(area.data(from: 0) == [16..<64])
        #expect(area.data(from: 64).isEmpty)
        #expect(area.data(from: 1000).isEmpty)
        #expect(area.count(from: 20) == 44)
    }

    struct Row: Sendable {
        var holes: [Range<Int>]
        var skipped: [Range<Int>]
        var data: [Range<Int>]
    }

    static let rows: [Row] = [
        Row(holes: [24..<28], skipped: [24..<28], data: [16..<24, 28..<48]),
        Row(holes: [32..<36, 24..<28], skipped: [24..<28, 32..<36], data: [16..<24, 28..<32, 36..<48]),
        Row(holes: [24..<28, 28..<32], skipped: [24..<32], data: [16..<24, 32..<48]),
        Row(holes: [24..<30, 26..<34], skipped: [24..<34], data: [16..<24, 34..<48]),
        Row(holes: [24..<26, 30..<32, 20..<40], skipped: [20..<40], data: [16..<20, 40..<48]),
        Row(holes: [0..<20], skipped: [16..<20], data: [20..<48]),
        Row(holes: [40..<100], skipped: [40..<48], data: [16..<40]),
        Row(holes: [0..<16, 48..<50, 500..<900], skipped: [], data: [16..<48]),
        Row(holes: [20..<20], skipped: [], data: [16..<48]),
        Row(holes: [0..<1000], skipped: [16..<48], data: []),
    ]

    @Test(arguments: rows)
    func `skips them`(row: Row) {
        var area = TLVArea(bounds: 16..<48)
        for hole in row.holes { area.skip(hole) }
        #expect(area.skipped == row.skipped)
        #expect(area.data(from: 16) == row.data)
        #expect(area.count(from: 16) == row.data.reduce(0) { $0 + $1.count })
    }

    @Test func `returns the requested number of bytes, across holes`() {
        var area = TLVArea(bounds: 16..<48)
        area.skip(20..<24)
        area.skip(28..<40)
        #expect(area.data(from: 18, count: 0) == [])
        #expect(area.data(from: 18, count: 2) == [18..<20])
        #expect(area.data(from: 18, count: 3) == [18..<20, 24..<25])
        #expect(area.data(from: 18, count: 7) == [18..<20, 24..<28, 40..<41])
        #expect(area.data(from: 21, count: 1) == [24..<25])
        #expect(area.data(from: 18, count: 14) == [18..<20, 24..<28, 40..<48])
        #expect(area.data(from: 18, count: 15) == nil)
        #expect(area.data(from: 48, count: 1) == nil)
    }

    /// R, the bytes from T to the end, and the capacity max(min(R - 2, 254), R - 4).
    static let capacities = [
        (0, 0), (1, 0), (2, 0), (3, 1), (48, 46), (144, 142), (255, 253), (256, 254), (257, 254), (258, 254),
        (259, 255), (260, 256), (496, 492), (872, 868), (2040, 2036),
    ]

    @Test(arguments: capacities)
    func `the capacity leaves room for type and length`(rest: Int, capacity: Int) {
        #expect(TLVArea(bounds: 16..<16 + rest).messageCapacity(typeAt: 16) == capacity)
    }

    @Test func `holes and bytes before the message do not count as capacity`() {
        var area = TLVArea(bounds: 16..<160)
        area.skip(80..<84)
        #expect(area.messageCapacity(typeAt: 21) == 133)
        #expect(area.messageCapacity(typeAt: 160) == 0)
    }
}

@Suite struct `A control TLV` {
    static let rows: [(type: TLVType, value: String, area: Range<Int>?)] = [
        // NTAG213: 12 bits behind page 39, pages of 16 bytes as unit.
        (.lockControl, "A00C34", 160..<162),
        // Ultralight C and NTAG203: 16 bits.
        (.lockControl, "A01044", 160..<162),
        // NTAG212.
        (.lockControl, "900A34", 144..<146),
        // Topaz 512: lock bytes 122 and 123..., reserved bytes 120 to 121.
        (.lockControl, "F23033", 122..<128),
        (.memoryControl, "F00203", 120..<122),
        (.lockControl, "A00034", 160..<192),
        (.memoryControl, "A00034", 160..<416),
        (.memoryControl, "A00134", 160..<161),
        (.lockControl, "A00134", 160..<161),
        (.lockControl, "A00934", 160..<162),
        (.memoryControl, "1F0400", 16..<20),
        (.memoryControl, "FFFF0F", 491_535..<491_790),
        (.memoryControl, "000100", 0..<1),
        (.lockControl, "A00C", nil),
        (.lockControl, "", nil),
        (.lockControl, "A00C3400", nil),
        (.ndefMessage, "A00C34", nil),
    ]

    @Test(arguments: rows)
    func `addresses bytes by page, offset, size and page unit`(type: TLVType, value: String, area: Range<Int>?) {
        #expect(ControlTLV.area(of: type, value: hex(value)) == area)
    }
}
