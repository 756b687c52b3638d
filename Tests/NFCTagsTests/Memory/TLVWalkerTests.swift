import Foundation
import Testing
import TestSupport

@testable import NFCTags

@Suite struct `Walking over TLVs` {
    static let areas: [(area: String, outline: String)] = [
        ("", ""),
        ("00", ""),
        ("FE", ""),
        ("0300", "3@16:0"),
        ("0300FE", "3@16:0"),
        ("0300FE00", "3@16:0"),
        ("0302AABBFE", "3@16:2"),
        ("0302AABB", "3@16:2"),
        ("000000 0302AABB FE", "3@19:2"),
        ("0103A00C34 0300 FE", "1@16:3 3@21:0"),
        ("0103A00C34 0203B00134 0301D0 FE", "1@16:3 2@21:3 3@26:1"),
        // What follows a terminator does not count.
        ("FE 0302AABB", ""),
        ("0301AA FE 0301BB", "3@16:1"),
        // Proprietary and unknown ones are passed over by their length.
        ("FD02AABB 0301CC FE", "253@16:2 3@20:1"),
        ("FDFF0002AABB 0301CC FE", "253@16:2 3@22:1"),
        ("41020103 0301CC FE", "65@16:2 3@20:1"),
        ("7A00 0301CC FE", "122@16:0 3@18:1"),
        ("FF01AA 0301CC FE", "255@16:1 3@19:1"),
        // A terminator inside of a value is data.
        ("0302FEFE 0301BB FE", "3@16:2 3@20:1"),
        // Three bytes for a short length.
        ("03FF0001 AA FE", "3@16:1"),
        ("03FF0000 FE", "3@16:0"),
        // Wrong lengths of control TLVs.
        ("0102A00C 0301AA FE", "1@16:2 3@20:1"),
        ("0200 0301AA FE", "2@16:0 3@18:1"),
        // Several messages.
        ("0301AA 0302BBCC FE", "3@16:1 3@19:2"),
    ]

    @Test(arguments: areas)
    func `finds every TLV`(area: String, outline: String) {
        let walk = TLVWalk(hex(area))
        #expect(walk.outline == outline)
        #expect(walk.fault == nil)
    }

    static let values: [(area: String, values: [String])] = [
        ("0302AABB FE", ["AABB"]),
        ("0103A00C34 0301D0 FE", ["A00C34", "D0"]),
        ("FD02AABB 0301CC 0301DD FE", ["", "CC", ""]),
        ("0102A00C 0301AA FE", ["", "AA"]),
    ]

    @Test(arguments: values)
    func `reads the values of control TLVs and of the first message`(area: String, values: [String]) {
        #expect(TLVWalk(hex(area)).found.map(\.value) == values.map(hex))
    }

    @Test func `a long length is most significant byte first`() {
        let message = Images.message(count: 300)
        let walk = TLVWalk(hex("03FF012C") + message + hex("FE"))
        #expect(walk.found.first?.value == message)
        #expect(walk.found.first?.pieces == [20..<320])
    }

    static let faults: [(area: String, before: String, fault: TLVFault, words: String)] = [
        (
            "0305AABB", "", .overrun(.ndefMessage, offset: 16, declared: 5, available: 2),
            "TLV overrun: the NDEF message TLV at byte 16 declares 5 bytes, 2 are left"
        ),
        (
            "0301", "", .overrun(.ndefMessage, offset: 16, declared: 1, available: 0),
            "TLV overrun: the NDEF message TLV at byte 16 declares 1 bytes, 0 are left"
        ),
        (
            "0301AA 03FFFFFF", "3@16:1", .overrun(.ndefMessage, offset: 19, declared: 65_535, available: 0),
            "TLV overrun: the NDEF message TLV at byte 19 declares 65535 bytes, 0 are left"
        ),
        (
            "0103A00C34 42FEAA", "1@16:3", .overrun(TLVType(rawValue: 0x42), offset: 21, declared: 254, available: 1),
            "TLV overrun: the TLV of type 42 at byte 21 declares 254 bytes, 1 are left"
        ),
        (
            "0103A00C", "", .overrun(.lockControl, offset: 16, declared: 3, available: 2),
            "TLV overrun: the Lock Control TLV at byte 16 declares 3 bytes, 2 are left"
        ),
        (
            "FD03AABB", "", .overrun(.proprietary, offset: 16, declared: 3, available: 2),
            "TLV overrun: the proprietary TLV at byte 16 declares 3 bytes, 2 are left"
        ),
        (
            "0203", "", .overrun(.memoryControl, offset: 16, declared: 3, available: 0),
            "TLV overrun: the Memory Control TLV at byte 16 declares 3 bytes, 0 are left"
        ),
        (
            "000003", "", .lengthTruncated(.ndefMessage, offset: 18),
            "TLV overrun: the data area ends inside the length of the NDEF message TLV at byte 18"
        ),
        (
            "0301AA03FF", "3@16:1", .lengthTruncated(.ndefMessage, offset: 19),
            "TLV overrun: the data area ends inside the length of the NDEF message TLV at byte 19"
        ),
        (
            "03FF00", "", .lengthTruncated(.ndefMessage, offset: 16),
            "TLV overrun: the data area ends inside the length of the NDEF message TLV at byte 16"
        ),
    ]

    @Test(arguments: faults)
    func `a length past the area ends the walk and keeps the TLVs before`(
        area: String, before: String, fault: TLVFault, words: String
    ) {
        let walk = TLVWalk(hex(area))
        #expect(walk.outline == before)
        #expect(walk.fault == fault)
        #expect(fault.description == words)
    }

    @Test func `bytes behind the area do not count`() {
        let walk = TLVWalk(hex("0304AABBCCDDFE"), size: 4)
        #expect(walk.fault == .overrun(.ndefMessage, offset: 16, declared: 4, available: 2))
    }
}

@Suite struct `Lock and reserved bytes among TLVs` {
    /// Areas from byte 16 on; EE stands for bytes that are skipped. Positions count in units of 16 bytes.
    static let areas: [(name: String, area: String, message: String, pieces: [Range<Int>])] = [
        (
            "inside of the value", "0203 1802 04 0306 D0 EEEE D1D2D3D4D5 FE",
            "D0D1D2D3D4D5", [23..<24, 26..<31]
        ),
        (
            "lock bits inside of the value", "0103 1809 04 0306 D0 EEEE D1D2D3D4D5 FE",
            "D0D1D2D3D4D5", [23..<24, 26..<31]
        ),
        ("before the type", "0203 1503 04 EEEEEE 0302 D0D1 FE", "D0D1", [26..<28]),
        ("among filler", "0203 1602 04 00 EEEE 00 0302 D0D1 FE", "D0D1", [27..<29]),
        ("between type and length", "0203 1602 04 03 EEEE 02 D0D1 FE", "D0D1", [25..<27]),
        ("inside of a long length", "0203 1802 04 03FF00 EEEE 02 D0D1 FE", "D0D1", [27..<29]),
        ("inside of an unknown value", "0203 1802 04 7703 AA EEEE AAAA 0301 D0 FE", "D0", [30..<31]),
        ("behind the value", "0203 1902 04 0302 D0D1 EEEE FE", "D0D1", [23..<25]),
        (
            "twice", "0203 1D01 04 0203 1E02 04 0302 D0 EEEEEE D1 FE",
            "D0D1", [28..<29, 32..<33]
        ),
    ]

    @Test(arguments: areas)
    func `are skipped`(name: String, area: String, message: String, pieces: [Range<Int>]) throws {
        let walk = TLVWalk(hex(area))
        let tlv = try #require(walk.found.first { $0.type == .ndefMessage })
        #expect(tlv.value == hex(message), "\(name)")
        #expect(tlv.pieces == pieces, "\(name)")
        #expect(walk.fault == nil, "\(name)")
    }

    @Test func `do not count as room for a value`() {
        let walk = TLVWalk(hex("0203 1904 04 0304 D0D1 EEEEEEEE D2"))
        #expect(walk.fault == .overrun(.ndefMessage, offset: 21, declared: 4, available: 3))
    }

    @Test func `count only from their control TLV on`() throws {
        // The reserved bytes are those of the message in front of the control TLV.
        let walk = TLVWalk(hex("0302 D0D1 0203 1202 04 FE"))
        #expect(walk.found.first?.value == hex("D0D1"))
        #expect(walk.outline == "3@16:2 2@20:3")
    }

    @Test func `behind the area change nothing`() {
        #expect(TLVWalk(hex("0103A00C34 0302D0D1 FE")).found.last?.value == hex("D0D1"))
    }

    @Test func `that fill the rest of the area leave no room`() {
        let walk = TLVWalk(hex("0203 1500 04 0302D0D1FE"))
        #expect(walk.outline == "2@16:3")
        #expect(walk.fault == nil)
    }
}

/// TLV areas of real tags and of other projects' tests, read from the shared vectors if they are available.
@Suite struct `Shared TLV areas` {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        struct Decoded: Decodable, Sendable {
            struct Block: Decodable, Sendable {
                var t: UInt8
                var len: Int?
                var value: String?
            }

            var tlvs: [Block]?
        }

        var id: String
        var kind: String
        var hex: String
        var expect: String
        var decoded: Decoded?

        var testDescription: String { id }
    }

    static let rows: [Row] = {
        let file = `Shared tag images`.folder.appendingPathComponent("ndef.jsonl")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        let rows = text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
        return rows.filter { $0.kind == "tlv" }
    }()

    @Test(.enabled(if: !rows.isEmpty, "ndef.jsonl is missing; set NFCD_VECTORS to its folder"))
    func `there are valid and invalid rows`() {
        #expect(Self.rows.count > 14)
        #expect(Self.rows.contains { $0.expect == "error" })
    }

    @Test(arguments: rows.filter { $0.expect == "ok" })
    func `an area is walked to its end`(row: Row) throws {
        let area = hex(row.hex)
        let walk = TLVWalk(area)
        #expect(walk.fault == nil)
        // Fillers and the terminator have no length and are passed over.
        let expected = try #require(row.decoded?.tlvs).filter { $0.len != nil }
        try #require(walk.found.count == expected.count)
        for (tlv, expected) in zip(walk.found, expected) {
            #expect(tlv.type.rawValue == expected.t)
            #expect(tlv.length == expected.len)
            let value = tlv.pieces.flatMap { area[($0.lowerBound - 16)..<($0.upperBound - 16)] }
            #expect(try value == hex(#require(expected.value)))
        }
    }

    @Test(arguments: rows.filter { $0.expect == "error" })
    func `no message is found in an area without one`(row: Row) {
        let walk = TLVWalk(hex(row.hex))
        #expect(!walk.found.contains { $0.type == .ndefMessage })
    }
}

/// What a walk over a whole area gives, the area starting at byte 16.
struct TLVWalk {
    var found: [TLV] = []
    var fault: TLVFault?

    init(_ area: [UInt8], size: Int? = nil) {
        let padded = area + Array(repeating: 0, count: 3 - (area.count + 3) % 4)
        var memory = MemoryImage(pageSize: 4, pageCount: 4 + padded.count / 4)
        memory.store(padded, at: 4)
        var walker = TLVWalker(area: TLVArea(bounds: 16..<16 + (size ?? area.count)))
        while true {
            switch walker.next(in: memory) {
            case .found(let tlv): found.append(tlv)
            case .fault(let fault):
                self.fault = fault
                return
            case .finished, .needs: return
            }
        }
    }

    /// Type, offset and length of everything found.
    var outline: String {
        found.map { "\($0.type.rawValue)@\($0.offset):\($0.length)" }.joined(separator: " ")
    }
}
