import NDEFProperties
import TestSupport
import Testing

@testable import NDEF

@Suite("OpenPrintTag, differences")
struct OpenPrintTagDifferenceTests {
    /// Meta and main, in front of an aux region.
    private static let front: [UInt8] = [0xA1, 0x02, 0x06, 0xA0, 0x00, 0x00]

    /// The aux regions after each write that a driver makes.
    ///
    /// - Parameter offset: where the region starts, counted from the start of a block.
    private static func states(_ old: [UInt8], _ new: [UInt8], block: Int, offset: Int = 0) throws -> [[UInt8]] {
        let record = try OpenPrintTagRecord(payload: front + old)
        let states = try record.states(
            to: OpenPrintTagRecord(payload: front + new), blockSize: block,
            offset: (offset + block * front.count - front.count) % block)
        #expect(states.allSatisfy { $0.starts(with: front) })
        return states.map { Array($0.dropFirst(front.count)) }
    }

    /// What a reader sees of each region: a driver leaves other bytes behind the end of a section than the model.
    private static func sections(_ states: [[UInt8]]) -> [[UInt8]] {
        states.map { state in Array(state.prefix((try? OpenPrintTagMap(state).length) ?? state.count)) }
    }

    /// The region after each of these writes: an offset in it, and bytes.
    private static func states(_ old: [UInt8], after writes: [(offset: Int, bytes: [UInt8])]) -> [[UInt8]] {
        var state = old
        return writes.map { write in
            state.replaceSubrange(write.offset..<write.offset + write.bytes.count, with: write.bytes)
            return state
        }
    }

    @Test(
        arguments: [
            ("BF0005FF 00000000", "BF0005FF 00000000", 4, 0, []),
            ("BF0005FF 00000000", "BF0006FF 00000000", 4, 0, ["0 BF0006FF"]),
            ("BF001902 BCFF0000", "BF001902 C9FF0000", 4, 0, ["4 C9FF0000"]),
            // Cut in front of the first pair that changes.
            ("BF0018FF FF000000", "BF001901 00FF0000", 4, 0, ["0 BFFF1901", "4 00FF0000", "0 BF001901"]),
            (
                "BF016161 001863FF 00000000", "BF016161 00190100 FF000000", 4, 0,
                ["4 FF190100", "8 FF000000", "4 00190100"]
            ),
            // In the block in front of the first byte that changes.
            (
                "BF016161 04626161 0005FFFF", "BF016161 04626262 0006FFFF", 4, 0,
                ["4 FF626262", "8 0006FFFF", "4 04626262"]
            ),
            (
                "BF016661 61616161 610500FF", "BF016661 61626161 620500FF", 4, 0,
                ["0 BFFF6661", "4 61626161", "8 620500FF", "0 BF016661"]
            ),
            // The old section ends there already.
            ("BF0005FF 00000000", "BF000501 6161FF00", 4, 0, ["4 6161FF00", "0 BF000501"]),
            ("A0000000 00000000", "BF001864 FF000000", 4, 0, ["4 FF000000", "0 BF001864"]),
            // A definite map is emptied.
            ("A1001863 00000000", "A1001901 00000000", 4, 0, ["0 A1001901"]),
            ("A2001863 01616100", "A2001901 00016161", 4, 0, ["0 A0001901", "4 00016161", "0 A2001901"]),
            ("A1000500 00000000", "BF000501 6161FF00", 4, 0, ["0 A0000501", "4 6161FF00", "0 BF000501"]),
            // The first value of a key that comes again is not left alone.
            (
                "BF016161 001863 016162FF 00", "BF016161 00190100 016162FF", 4, 0,
                ["0 BFFF6161", "4 00190100", "8 016162FF", "0 BF016161"]
            ),
            // What cannot be read is emptied.
            ("BF001863 00000000", "BF000005 FF000000", 4, 0, ["0 A0000005", "4 FF000000", "0 BF000005"]),
            // The blocks of the tag count, and not those of the region.
            ("BF0018FF FF000000", "BF001901 00FF0000", 4, 2, ["2 190100FF"]),
            ("BF0018FF FF000000", "BF001901 00FF0000", 8, 0, ["0 BF00190100FF0000"]),
            ("BF0018FF FF000000", "BF001901 00FF0000", 16, 12, ["0 BFFF1901", "4 00FF0000", "0 BF001901"]),
            ("BF0018FF FF000000", "BF001901 00FF0000", 4, 1, ["0 BFFF19", "3 0100FF00", "0 BF0019"]),
        ] as [(String, String, Int, Int, [String])])
    func `several blocks are written so that each write leaves a section`(
        _ old: String, _ new: String, _ block: Int, _ offset: Int, _ writes: [String]
    ) throws {
        let (old, new) = (try bytes(old), try bytes(new))
        let expected = try writes.map { text -> (Int, [UInt8]) in
            let parts = text.split(separator: " ").map(String.init)
            return (try #require(Int(parts[0])), try bytes(parts[1]))
        }
        let states = try Self.states(old, new, block: block, offset: offset)
        #expect(Self.sections(states) == Self.sections(Self.states(old, after: expected)))
        #expect(states.last ?? old == new)
    }

    @Test(
        .enabled(if: !SpoolVectors.rows.isEmpty, SpoolVectors.missing),
        arguments: SpoolVectors.rows("openprinttag.tear"))
    func `the writes are those of the model that was tried with cbor2`(_ row: SpoolRow) throws {
        guard case .number(let block)? = row.given["block"],
            case .array(let writes)? = row.expect["FF cut"]?["writes"]
        else { throw Missing() }
        let expected = try writes.map { write -> (Int, [UInt8]) in
            guard case .array(let parts) = write, case .number(let number)? = parts.first else { throw Missing() }
            return (Int(number * block), try bytes(#require(parts.last?.string)))
        }
        let (old, new) = (try row.givenBytes("old"), try row.givenBytes("new"))
        let states = try Self.states(old, new, block: Int(block))
        #expect(Self.sections(states) == Self.sections(Self.states(old, after: expected)))
        #expect(states.last ?? old == new)
    }

    private struct Missing: Error {}

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `whatever the section, each write leaves one that can be read`(_ seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        for _ in 0..<25 {
            let payload = generator.openPrintTag()
            let record = try OpenPrintTagRecord(payload: payload)
            #expect(record.aux?.usedSize != nil)
            #expect(record.brokenUpdatePromises == [], "\(payload.hexadecimal)")
        }
    }

    @Test func `whatever the seeds of the fuzzer become, each write leaves a section that can be read`() throws {
        for seed in try #require(Seeds.payloads("openPrintTagUpdate")) {
            #expect(try OpenPrintTagRecord(payload: seed).brokenUpdatePromises == [])
            for index in seed.indices {
                for byte: UInt8 in [0x00, 0x01, 0xFF, seed[index] ^ 0x20] {
                    var payload = seed
                    payload[index] = byte
                    guard let record = try? OpenPrintTagRecord(payload: payload) else { continue }
                    #expect(record.brokenUpdatePromises == [], "\(payload.hexadecimal)")
                }
            }
        }
    }

    @Test func `main and aux are written one after the other`() throws {
        let old = try OpenPrintTagRecord(payload: bytes("A1 02 0A BF 08 00 FF 00 00 00 BF 00 05 FF"))
        let new = try old.changing(.main, ["material_class": .set(.item(1))]).changing(
            .aux, ["consumed_weight": .set(.number(6))])
        let differences = try old.differences(to: new)
        #expect(differences.map(\.offset) == [4, 11])
        #expect(differences.map(\.new) == [[0x08, 0x01], [0x00, 0x06]])
    }

    @Test(arguments: [
        "A1 02 06 A0 00 00 A0 00 00", "A1 02 05 A0 00 A0 00 00 00", "A1 02 05 A0 00 A0 00",
    ])
    func `anything but other fields of the same payload is refused`(_ digits: String) throws {
        let old = try OpenPrintTagRecord(payload: bytes("A1 02 05 A0 00 A0 00 00"))
        let new = try OpenPrintTagRecord(payload: bytes(digits))
        let error = #expect(throws: NDEFPayloadError.self) { try old.differences(to: new) }
        #expect(error?.code == .openPrintTagNotAnUpdate)
    }
}

extension SplitMix {
    /// A payload with an aux section of random fields, in any order and form.
    fileprivate mutating func openPrintTag() -> [UInt8] {
        var pairs: [[UInt8]] = [
            [0x00] + number(), [0x01, 0x63] + bytes(3...3).map { $0 & 0x7F }, [0x06] + number(),
            [0x19, 0xFF, 0x78] + number(), [0x04, 0x60], [0x18, 0x01, 0x61, 0x62],
        ]
        pairs.shuffle(using: &self)
        pairs = Array(pairs.prefix(Int.random(in: 0...pairs.count, using: &self)))
        let content = pairs.flatMap { $0 }
        let isDefinite = Bool.random(using: &self)
        let section = isDefinite ? [0xA0 | UInt8(pairs.count)] + content : [0xBF] + content + [0xFF]
        return [0xA1, 0x02, 0x06, 0xA0, 0x00, 0x00] + section + bytes(12...24)
    }

    private mutating func number() -> [UInt8] {
        let forms: [[UInt8]] = [
            [0x05], [0x18, 0xFF], [0x19, 0x01, 0x2C], [0x1A, 0, 0, 0, 5], [0xF9, 0x4A, 0x40], [0xFA, 0x41, 0x48, 0, 0],
        ]
        return forms.randomElement(using: &self) ?? [0x00]
    }
}
