import ISO7816
import Testing
import TestSupport

@testable import NFCTags

@Suite struct `A change inside a record` {
    struct Wrong: Sendable {
        var record = 0
        var offset = 4
        var old = "0102"
        var new = "0304"
        var stop: RecordUpdate.Stop?
        var steps: [String] = []
        let words: String
    }

    static let wrong = [
        Wrong(record: -1, words: "record -1"), Wrong(offset: -1, words: "byte -1"),
        Wrong(offset: Int.max, words: "not in a message"), Wrong(old: "", new: "", words: "not 0"),
        Wrong(new: "03", words: "have to be as many"), Wrong(steps: ["01"], words: "have to be as many"),
        Wrong(stop: .init(offset: 3, byte: 0xFF), words: "stop at byte 3"),
        Wrong(stop: .init(offset: 6, byte: 0xFF), words: "stop at byte 6"),
        Wrong(stop: .init(offset: Int.min, byte: 0xFF), words: "is not among"),
        Wrong(stop: .init(offset: 5, byte: 0xFF), words: "have to stay the same"),
        Wrong(stop: .init(offset: 4, byte: 0xFF), steps: ["0102"], words: "both a stop and steps"),
        Wrong(steps: Array(repeating: "0102", count: 17), words: "at most 16 steps"),
    ]

    @Test(arguments: wrong) func `is refused where its parameters do not fit`(row: Wrong) {
        let error = #expect(throws: TagError.self) {
            try RecordUpdate(
                record: row.record, offset: row.offset, old: hex(row.old), new: hex(row.new), stop: row.stop,
                steps: row.steps.map { hex($0) })
        }
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.detail.contains(row.words) == true, "\(error?.detail ?? "")")
    }

    @Test func `has a limit of bytes`() throws {
        let most = [UInt8](repeating: 1, count: RecordUpdate.sizeLimit)
        _ = try RecordUpdate(record: 0, offset: 0, old: most, new: most)
        #expect(throws: TagError.self) { try RecordUpdate(record: 0, offset: 0, old: most + [1], new: most + [1]) }
    }

    struct Order: Sendable {
        var start = 16
        let old: String
        let new: String
        var stop: RecordUpdate.Stop?
        var steps: [String] = []
        var hole: Range<Int> = 0..<0
        let writes: [String]
    }

    /// Blocks of 4 bytes, AA around the range, which is at byte 2 of the payload; writes as block, colon, bytes.
    static let orders = [
        Order(old: "01020304", new: "01020304", writes: []),
        // One block: one write, whatever was asked for.
        Order(old: "01020304 05", new: "01090304 05", writes: ["4:01090304"]),
        Order(old: "01020304 05", new: "01090304 05", stop: .init(offset: 3, byte: 0xFF), writes: ["4:01090304"]),
        Order(old: "01020304", new: "01090304", steps: ["01FF0304"], writes: ["4:01090304"]),
        Order(start: 18, old: "0102", new: "0192", writes: ["4:AAAA0192"]),
        Order(start: 18, old: "0102 03", new: "0902 09", writes: ["4:AAAA0902", "5:09AAAAAA"]),
        // Ascending.
        Order(
            old: "01020304 05060708 090A0B0C", new: "11020304 05060708 190A0B0C", writes: ["4:11020304", "6:190A0B0C"]),
        // The block of the stop first and last.
        Order(
            old: "01020304 05060708 090A0B0C", new: "01121304 15060708 190A0B0C", stop: .init(offset: 3, byte: 0xFF),
            writes: ["4:01FF0304", "5:15060708", "6:190A0B0C", "4:01121304"]),
        // It need not change itself.
        Order(
            old: "01020304 05060708 090A0B0C", new: "01020304 15060708 190A0B0C", stop: .init(offset: 4, byte: 0xFF),
            writes: ["4:0102FF04", "5:15060708", "6:190A0B0C", "4:01020304"]),
        // The stop is there already, or stays.
        Order(
            old: "01FF0304 05060708", new: "01020304 15060708", stop: .init(offset: 3, byte: 0xFF),
            writes: ["5:15060708", "4:01020304"]),
        Order(
            old: "01020304 05060708", new: "01FF0304 15060708", stop: .init(offset: 3, byte: 0xFF),
            writes: ["4:01FF0304", "5:15060708"]),
        // Steps, each ascending.
        Order(
            old: "01020304 05060708", new: "11020304 15060708", steps: ["A0020304 05060708", "A0020304 15060708"],
            writes: ["4:A0020304", "5:15060708", "4:11020304"]),
        // A hole in the middle of a block keeps its bytes.
        Order(
            old: "01020304", new: "11121314", hole: 18..<19, writes: ["4:1112AA13", "5:14AAAAAA"]),
    ]

    @Test(arguments: orders) func `writes the blocks that differ, in the order that was asked for`(row: Order) throws {
        let old = hex(row.old)
        let places = [row.start..<max(row.start, row.hole.lowerBound)].filter { !$0.isEmpty && !row.hole.isEmpty }
        let rest = max(row.start, row.hole.upperBound)
        let pieces = places + [rest..<rest + old.count - places.joined().count]
        var memory = [UInt8](repeating: 0xAA, count: 48)
        for (place, byte) in zip(pieces.joined(), old) { memory[place] = byte }
        var image = MemoryImage(pageSize: 4, pageCount: 12)
        image.store(memory, at: 0)
        let update = try RecordUpdate(
            record: 0, offset: 2, old: old, new: hex(row.new), stop: row.stop, steps: row.steps.map { hex($0) })
        let plan = update.writes(on: try RecordBlocks(pieces, blockSize: 4, image: image))
        #expect(plan.writes.map { "\($0.block):" + hex($0.bytes) } == row.writes)
    }

    struct Failure: Sendable {
        let at: Int
        let isRefused: Bool
        let leaves: WrittenState
        let words: String
    }

    static let cutFailures = [
        Failure(at: 0, isRefused: true, leaves: .old, words: "holds the old bytes. Read the tag again"),
        Failure(
            at: 0, isRefused: false, leaves: .partial,
            words: "the old bytes, or the old bytes in front of byte 3 and FF there. Read"),
        Failure(
            at: 1, isRefused: true, leaves: .partial, words: "holds the old bytes in front of byte 3 and FF there."),
        Failure(
            at: 1, isRefused: false, leaves: .partial, words: "holds the old bytes in front of byte 3 and FF there."),
        Failure(
            at: 2, isRefused: true, leaves: .partial, words: "holds the old bytes in front of byte 3 and FF there."),
        Failure(at: 2, isRefused: false, leaves: .partial, words: "and FF there, or the new bytes."),
        Failure(at: 3, isRefused: false, leaves: .new, words: "holds the new bytes."),
    ]
    static let stepFailures = [
        Failure(at: 0, isRefused: false, leaves: .partial, words: "the old bytes, or a part of step 1 of 2."),
        Failure(at: 1, isRefused: true, leaves: .partial, words: "holds a part of step 1 of 2."),
        Failure(
            at: 1, isRefused: false, leaves: .partial, words: "a part of step 1 of 2, or the bytes of step 1 of 2."),
        Failure(at: 2, isRefused: false, leaves: .partial, words: "the bytes of step 1 of 2, or the new bytes."),
    ]
    static let plainFailures = [
        Failure(at: 0, isRefused: true, leaves: .old, words: "holds the old bytes."),
        Failure(at: 0, isRefused: false, leaves: .partial, words: "the old bytes, or the new bytes in 1 of 2 blocks"),
        Failure(at: 1, isRefused: false, leaves: .partial, words: "in 1 of 2 blocks and old ones behind, or the new"),
    ]
    static let oneFailures = [
        Failure(at: 0, isRefused: true, leaves: .old, words: "holds the old bytes."),
        Failure(
            at: 0, isRefused: false, leaves: .oldOrNew, words: "the payload of record 7 holds the old bytes, or the new"
        ),
        Failure(at: 1, isRefused: false, leaves: .new, words: "holds the new bytes."),
    ]

    private static func plan(
        _ new: String, stop: RecordUpdate.Stop? = nil, steps: [String] = []
    ) throws -> RecordWrites<BlockWrite> {
        let old = hex("01020304 05060708")
        var image = MemoryImage(pageSize: 4, pageCount: 2)
        image.store(old, at: 0)
        let update = try RecordUpdate(
            record: 7, offset: 2, old: old, new: hex(new), stop: stop, steps: steps.map { hex($0) })
        return update.writes(on: try RecordBlocks([0..<8], blockSize: 4, image: image))
    }

    /// Runs a plan whose write `at` fails, or whose reading back fails behind the last.
    private static func fail(_ plan: RecordWrites<BlockWrite>, _ row: Failure) async -> TagError? {
        await tagError {
            var done = 0
            let gone = TagError(.tagConnectionLost, "gone")
            let refused = TagError(.tagResponseError, "no", statusWord: StatusWord(rawValue: 0x6982))
            try await plan.run(progress: nil) { (_: BlockWrite) async throws(TagError) in
                if done == row.at { throw row.isRefused ? refused : gone }
                done += 1
            }
            try await plan.verify { () async throws(TagError) in throw gone }
        }
    }

    private static func expect(_ rows: [Failure], _ plan: RecordWrites<BlockWrite>) async {
        for row in rows {
            let error = await fail(plan, row)
            #expect(error?.leaves == row.leaves, "\(row)")
            #expect(error?.detail.contains(row.words) == true, "\(error?.detail ?? "")")
            #expect(error?.code == (row.isRefused ? .tagUpdateFailure : .tagConnectionLost))
        }
    }

    @Test func `reports what the record may hold after a failure`() async throws {
        let stop = RecordUpdate.Stop(offset: 3, byte: 0xFF)
        await Self.expect(Self.cutFailures, try Self.plan("01120304 15060708", stop: stop))
        await Self.expect(Self.stepFailures, try Self.plan("01020304 15060708", steps: ["A1020304 15060708"]))
        await Self.expect(Self.plainFailures, try Self.plan("11020304 15060708"))
        await Self.expect(Self.oneFailures, try Self.plan("11020304 05060708"))
    }

    @Test(
        arguments: [
            (0x6982, nil, WrittenState.old), (0x6700, nil, .old), (0x6A81, nil, .old), (0x6E00, nil, .old),
            (0x6300, nil, .oldOrNew), (0x6300, "6300", .oldOrNew), (0x6400, "6400", .oldOrNew),
            (0x6401, "6401", .oldOrNew),
            (0x6581, "6581", .oldOrNew), (0x6500, nil, .oldOrNew), (0x6F00, nil, .oldOrNew), (0x6200, nil, .oldOrNew),
            // Error codes of ISO/IEC 15693: locked, unknown, not programmed.
            (0x6412, "0112", .old), (0x640F, "010F", .old), (0x6413, "0113", .oldOrNew),
        ] as [(UInt16, String?, WrittenState)])
    func `is unchanged only where the answer shows it`(
        word: UInt16, response: String?, leaves: WrittenState
    ) async throws {
        let plan = try Self.plan("11020304 05060708")
        let error = await tagError {
            try await plan.run(progress: nil) { (_: BlockWrite) async throws(TagError) in
                throw TagError(
                    .tagResponseError, "no", response: response.map { hex($0) }, statusWord: StatusWord(rawValue: word))
            }
        }
        #expect(error?.leaves == leaves)
    }

    @Test func `that does not read back is neither the old bytes nor the new ones`() async throws {
        let plan = try Self.plan("11020304 05060708")
        let error = await tagError {
            try await plan.verify { () async throws(TagError) in throw TagError(.tagUpdateFailure, "differs") }
        }
        #expect(error?.leaves == .partial)
        #expect(error?.detail.contains("holds bytes that do not read back as written") == true)
    }
}

/// Bytes in pages of 4 that are read one page at a time.
private struct Pages: BlockReader {
    let bytes: [UInt8]
    var reads: [Int] = []

    mutating func read(from page: Int, count: Int) async throws(TagError) -> [UInt8] {
        reads.append(page)
        return Array(bytes.dropFirst(page * 4).prefix(4))
    }
}

@Suite struct `Locating the bytes of a record` {
    struct Row: Sendable {
        let message: String
        var record = 0
        var offset = 0
        let old: String
        /// Where it is in the message; nil for an error.
        var found: Int?
        var code: NFCErrorCode?
        var words = ""
    }

    /// Short and long, with type and ID or without.
    static let rows = [
        Row(message: "D10103 54 010203", old: "010203", found: 4),
        Row(message: "D10103 54 010203", offset: 2, old: "03", found: 6),
        Row(message: "D9010302 54 4142 010203", offset: 1, old: "02", found: 8),
        Row(message: "C101 00000003 54 010203", old: "01", found: 7),
        Row(message: "C901 00000003 01 54 41 010203", old: "01", found: 9),
        Row(message: "950002 0102 15 0002 0304 550001 05", record: 1, old: "0304", found: 8),
        Row(message: "950002 0102 15 0002 0304 550001 05", record: 2, old: "05", found: 13),
        Row(message: "8900 00000002 01 41 0102 500000 0000", record: 0, old: "0102", found: 8),
        // Not what the client has read.
        Row(
            message: "D10103 54 010203", old: "0102 09", code: .tagUpdateFailure,
            words: "byte 2 of the payload of record 0 is 03, not 09"),
        Row(message: "D10103 54 010203", offset: 2, old: "0304", code: .tagUpdateFailure, words: "has 3 bytes, not 4"),
        Row(
            message: "D10103 54 010203", record: 1, old: "01", code: .tagUpdateFailure,
            words: "record 1 does not exist, the message has 1"),
        Row(message: "900000 500000", record: 1, old: "01", code: .tagUpdateFailure, words: "has 0 bytes, not 1"),
        Row(message: "", old: "01", code: .zeroLengthMessage, words: "no message"),
        // Chunks: the first one, and one that continues it.
        Row(
            message: "B10103 54 010203 560001 04", old: "01", code: .unsupportedFeature, words: "record 0 is in chunks"),
        Row(message: "B10103 54 010203 560001 04", record: 1, old: "01", code: .unsupportedFeature, words: "in chunks"),
        Row(
            message: "950001 01 560001 04", record: 1, old: "04", code: .unsupportedFeature,
            words: "record 1 is in chunks"),
        // Damaged.
        Row(message: "510103 54 010203", old: "01", code: .tagResponseError, words: "damaged at its byte 0"),
        Row(
            message: "950001 01 D50001 02", record: 1, old: "02", code: .tagResponseError,
            words: "damaged at its byte 4"),
        Row(message: "D10104 54 010203", old: "01", code: .tagResponseError, words: "damaged"),
        Row(message: "C101 FFFFFFFF 54 010203", old: "01", code: .tagResponseError, words: "damaged"),
        Row(message: "950001 01", record: 1, old: "02", code: .tagResponseError, words: "damaged at its byte 4"),
        Row(message: "950001 01 15", record: 1, old: "02", code: .tagResponseError, words: "damaged at its byte 4"),
        Row(message: "D1", old: "02", code: .tagResponseError, words: "damaged at its byte 0"),
    ]

    @Test(arguments: rows) func `walks over the headers in front`(row: Row) async throws {
        let message = hex(row.message)
        let update = try RecordUpdate(
            record: row.record, offset: row.offset, old: hex(row.old), new: hex(row.old).map { ~$0 })
        for hole in [0, 1, 5] {
            // Two bytes of another kind in front, and a hole in the message.
            let first = 2..<2 + min(hole, message.count)
            let second = first.upperBound + 3..<first.upperBound + 3 + message.count - first.count
            let gap = [UInt8](repeating: 0xEE, count: 3)
            let memory = [0xEE, 0xEE] + message.prefix(first.count) + gap + message.dropFirst(first.count) + gap + gap
            var lazy = LazyMessage(
                memory: LazyMemory(reader: Pages(bytes: memory), pageSize: 4, pageCount: memory.count / 4),
                pieces: [first, second].filter { !$0.isEmpty })
            do throws(TagError) {
                let range = try await update.locate(in: &lazy)
                #expect(range.lowerBound == row.found && range.count == hex(row.old).count)
                #expect(lazy.places(of: range).joined().map { memory[$0] } == hex(row.old))
            } catch {
                #expect(error.code == row.code)
                #expect(error.detail.contains(row.words) && !row.words.isEmpty, "\(error.detail)")
            }
        }
    }

    @Test func `reads headers and the bytes, and nothing in between`() async throws {
        let message = hex("850000000064") + [UInt8](repeating: 1, count: 100) + hex("550064") + [UInt8](0..<100)
        let update = try RecordUpdate(record: 1, offset: 50, old: [50, 51], new: [1, 1])
        var lazy = LazyMessage(
            memory: LazyMemory(reader: Pages(bytes: message + [0, 0, 0]), pageSize: 4, pageCount: 53),
            pieces: [0..<message.count])
        #expect(try await update.locate(in: &lazy) == 159..<161)
        #expect(lazy.memory.reader.reads == [0, 1, 26, 27, 39, 40])
    }
}
