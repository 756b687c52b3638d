import Foundation
import Testing

@testable import NFCTags

/// TLV areas of real tags and of other projects' tests, read from the shared vectors where they are at hand.
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

    @Test(.enabled(if: !rows.isEmpty, "ndef.jsonl is not at hand, set NFCD_VECTORS to its folder"))
    func `there are rows of both verdicts`() {
        #expect(Self.rows.count > 14)
        #expect(Self.rows.contains { $0.expect == "error" })
    }

    @Test(arguments: rows.filter { $0.expect == "ok" })
    func `an area is walked over to its end`(row: Row) throws {
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
    func `an area without a message has none to find`(row: Row) {
        let walk = TLVWalk(hex(row.hex))
        #expect(!walk.found.contains { $0.type == .ndefMessage })
    }
}
