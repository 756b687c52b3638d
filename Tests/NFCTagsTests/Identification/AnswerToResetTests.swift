import Testing
import TestSupport

@testable import NFCTags

@Suite struct `An answer to reset` {
    static let ntag = "3B8F8001804F0CA0000003060300030000000068"

    @Test func `of a storage card is parsed`() throws {
        let answer = try AnswerToReset(hex(Self.ntag))
        #expect(answer.historicalBytes == hex("804F0CA00000030603000300000000"))
        #expect(answer.interfaceBytes == [.init(td: 0x80), .init(td: 0x01)])
        #expect(answer.warnings.isEmpty)
        #expect(answer.bytes == hex(Self.ntag))
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var bytes: String
        var historical: String
        var protocols: [UInt8]
        var testDescription: String { bytes }
    }

    static let rows: [Row] = [
        Row(bytes: "3B00", historical: "", protocols: []),
        Row(bytes: "3F021450", historical: "1450", protocols: []),
        // TA1, TB1 and TC1 without a TD1.
        Row(bytes: "3B72 110000 4142", historical: "4142", protocols: []),
        // T=1 with TA3 and TB3.
        Row(bytes: "3BF0 11000081 31 FE 45 0A", historical: "", protocols: [1, 1]),
        // T=15 announces a check byte too.
        Row(bytes: "3B80 1F 02 9D", historical: "", protocols: [15]),
        Row(bytes: "3B80800101", historical: "", protocols: [0, 1]),
        Row(bytes: "3B8180018080", historical: "80", protocols: [0, 1]),
    ]

    @Test(arguments: rows)
    func `the TD chain and the historical bytes are parsed`(row: Row) throws {
        let answer = try AnswerToReset(hex(row.bytes))
        #expect(answer.historicalBytes == hex(row.historical))
        #expect(answer.interfaceBytes.compactMap { $0.td.map { $0 & 0x0F } } == row.protocols)
    }

    @Test func `every interface byte is assigned to its level`() throws {
        let answer = try AnswerToReset(hex("3BF0 11 22 33 80 71 44 55 66 00"))
        #expect(answer.interfaceBytes.first == .init(ta: 0x11, tb: 0x22, tc: 0x33, td: 0x80))
        #expect(answer.interfaceBytes.dropFirst().first == .init(td: 0x71))
        #expect(answer.interfaceBytes.last == .init(ta: 0x44, tb: 0x55, tc: 0x66))
    }

    static let refused: [(bytes: String, error: AnswerToResetError)] = [
        ("", .empty),
        ("3B", .truncated("T0")),
        ("00", .unknownInitialCharacter(0x00)),
        ("FF00", .unknownInitialCharacter(0xFF)),
        ("3B10", .truncated("TA1")),
        ("3B20", .truncated("TB1")),
        ("3B40", .truncated("TC1")),
        ("3B80", .truncated("TD1")),
        ("3B8080", .truncated("TD2")),
        ("3B808080", .truncated("TD3")),
        ("3B01", .truncated("the last of 1 historical bytes")),
        ("3B8F8001804F0CA00000030603", .truncated("the last of 15 historical bytes")),
    ]

    @Test(arguments: refused)
    func `a malformed one is refused with the reason`(bytes: String, error: AnswerToResetError) {
        #expect(throws: error) { try AnswerToReset(hex(bytes)) }
        #expect(!error.description.isEmpty)
    }

    @Test func `33 bytes are the most`() throws {
        let longest = hex("3B0F") + Array(repeating: 0x20, count: 31)
        #expect(try AnswerToReset(longest).warnings == [.trailingBytes(16)])
        #expect(throws: AnswerToResetError.tooLong(34)) { try AnswerToReset(longest + [0x20]) }
        #expect(throws: AnswerToResetError.tooLong(1000)) { try AnswerToReset(Array(repeating: 0x3B, count: 1000)) }
    }

    @Test func `an endless chain of TD bytes ends with the bytes`() {
        #expect(throws: AnswerToResetError.truncated("TD32")) {
            try AnswerToReset([0x3B] + Array(repeating: 0x80, count: 32))
        }
    }

    static let warned: [(bytes: String, warning: AnswerToReset.Warning)] = [
        ("3B8F8001804F0CA0000003060300030000000069", .checkByteWrong(found: 0x69, expected: 0x68)),
        ("3B8F8001804F0CA00000030603000300000000", .checkByteMissing),
        ("3B8F8001804F0CA0000003060300030000000068AABB", .trailingBytes(2)),
        ("3B00AA", .trailingBytes(1)),
    ]

    @Test(arguments: warned)
    func `a wrong end is only a warning`(bytes: String, warning: AnswerToReset.Warning) throws {
        let answer = try AnswerToReset(hex(bytes))
        #expect(answer.warnings == [warning])
        #expect(!warning.description.isEmpty)
    }

    @Test func `random bytes never trap`() {
        var generator = SplitMix(seed: 3)
        for _ in 0..<20_000 {
            var bytes = generator.bytes(count: Int.random(in: 0...36, using: &generator))
            if !bytes.isEmpty { bytes[0] = 0x3B }
            guard let answer = try? AnswerToReset(bytes) else { continue }
            #expect(answer.historicalBytes.count <= 15)
            _ = TagTechnology(answer)
        }
    }
}
