import Testing
import TestSupport

@testable import NFCTags

/// A data area from byte 16 on, as memory that can be written block by block.
private struct Memory {
    let area: TLVArea
    let blockSize: Int
    var bytes: [UInt8]

    var image: MemoryImage {
        var image = MemoryImage(pageSize: blockSize, pageCount: bytes.count / blockSize)
        image.store(bytes, at: 0)
        return image
    }

    /// The message that a reader finds; nil if there is no message TLV or something else is wrong.
    var message: [UInt8]? {
        var walker = TLVWalker(area: TLVArea(bounds: area.bounds))
        while case .found(let tlv) = walker.next(in: image) {
            if tlv.type == .ndefMessage { return tlv.value }
        }
        return nil
    }

    mutating func perform(_ write: BlockWrite) {
        let start = write.block * blockSize
        bytes.replaceSubrange(start..<start + blockSize, with: write.bytes)
    }
}

@Suite struct `Planning the write of a message` {
    struct Row: Sendable {
        var before: String
        var message: String
        var size = 48
        var invalidate: [String] = []
        var data: [String] = []
        var commit: [String] = []
    }

    /// Areas from page 4 on, pages of 4 bytes; writes as page, colon, bytes.
    static let rows: [Row] = [
        // One page changes at once.
        Row(before: "0300FE00", message: "D0", commit: ["4:0301D0FE"]),
        Row(before: "0301D0FE", message: "", commit: ["4:0300FE00"]),
        // The same message again.
        Row(before: "0303D00000 FE0000", message: "D00000"),
        // An empty area needs no invalidation.
        Row(before: "0300FE00 00000000", message: "D10100 55", data: ["5:0055FE00"], commit: ["4:0304D101"]),
        Row(
            before: "0304D1010055FE00", message: "D5000101", invalidate: ["4:0300D101"], data: ["5:0101FE00"],
            commit: ["4:0304D500"]),
        // Data that stays is not written; only the length and the first page.
        Row(before: "0304D1010055FE00", message: "D2010055", commit: ["4:0304D201"]),
        // One block behind a header that stays.
        Row(before: "0304D10100 55FE00", message: "D1010066", commit: ["5:0066FE00"]),
        Row(before: "0304D1010055FE00", message: "D1020055", commit: ["4:0304D102"]),
        Row(
            before: "0308D101 00550000 0000FE00", message: "D101006600000001",
            invalidate: ["4:0300D101"], data: ["5:00660000", "6:0001FE00"], commit: ["4:0308D101"]),
        // The length field of three bytes is not the header of this message.
        Row(
            before: "03FF0004 D1010055 FE000000", message: "D1010055", invalidate: ["4:03000004"],
            data: ["5:0055FE00"], commit: ["4:0304D101"]),
        // Behind a Lock Control TLV; type and length are in different pages.
        Row(
            before: "0103A00C 34000003 00FE0000", message: "D0AABB", data: ["7:FE000000"],
            commit: ["6:03D0AABB"]),
    ]

    @Test(arguments: rows)
    func `writes the block with the length first and last`(row: Row) throws {
        let start = hex(row.before).firstIndex(of: 3).map { index in
            hex(row.before).prefix(2) == [1, 3] ? 7 : index
        }
        var bytes = [UInt8](repeating: 0, count: 16) + hex(row.before)
        bytes += [UInt8](repeating: 0, count: 16 + row.size - bytes.count)
        let area = TLVArea(bounds: 16..<16 + row.size)
        let memory = Memory(area: area, blockSize: 4, bytes: bytes)
        let write = TLVMessageWrite(area: area, typeAt: 16 + (try #require(start)), blockSize: 4)
        let plan = try #require(write.plan(hex(row.message), in: memory.image))
        #expect(plan.invalidate.map(outline) == row.invalidate)
        #expect(plan.data.map(outline) == row.data)
        #expect(plan.commit.map(outline) == row.commit)
    }

    private func outline(_ write: BlockWrite) -> String {
        "\(write.block):" + hex(write.bytes)
    }

    @Test(arguments: [4, 8, 16], 0..<60 as Range<UInt64>)
    func `leaves the old message, none or the new one wherever it is interrupted`(blockSize: Int, seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let size = Int.random(in: 3...100, using: &generator) * 8
        let area = TLVArea(bounds: 16..<16 + size)
        var memory = Memory(
            area: area, blockSize: blockSize,
            bytes: (0..<(16 + size + blockSize - (size % blockSize))).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            })
        let fillers = Int.random(in: 0...min(6, size - 8), using: &generator)
        for index in 0..<fillers { memory.bytes[16 + index] = 0 }
        memory.bytes[16 + fillers] = 3
        memory.bytes[17 + fillers] = 0
        let write = TLVMessageWrite(area: area, typeAt: 16 + fillers, blockSize: blockSize)
        var old: [UInt8] = []
        for _ in 0..<6 {
            let length =
                [0, 1, 254, 255, 256, write.capacity, Int.random(in: 0...write.capacity, using: &generator)]
                .filter { $0 <= write.capacity }.randomElement(using: &generator) ?? 0
            let new = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let plan = try #require(write.plan(new, in: memory.image))
            for step in plan.steps {
                memory.perform(step)
                #expect([old, [], new].contains(memory.message))
            }
            #expect(memory.message == new)
            #expect(write.plan(new, in: memory.image)?.steps == [])
            old = new
        }
    }

    @Test func `skips holes and does not change them`() throws {
        var area = TLVArea(bounds: 16..<64)
        area.skip(22..<26)
        var memory = Memory(area: area, blockSize: 4, bytes: [UInt8](repeating: 0xEE, count: 64))
        memory.bytes[16] = 3
        memory.bytes[17] = 0
        let write = TLVMessageWrite(area: area, typeAt: 16, blockSize: 4)
        let plan = try #require(write.plan([1, 2, 3, 4, 5, 6], in: memory.image))
        for step in plan.steps { memory.perform(step) }
        #expect(
            memory.bytes[16..<32]
                == [3, 6, 1, 2, 3, 4, 0xEE, 0xEE, 0xEE, 0xEE, 5, 6, 0xFE, 0, 0, 0])
    }

    @Test func `refuses what does not fit, and what has not been read`() {
        let area = TLVArea(bounds: 16..<64)
        let write = TLVMessageWrite(area: area, typeAt: 16, blockSize: 4)
        var image = MemoryImage(pageSize: 4, pageCount: 16)
        image.store([UInt8](repeating: 0, count: 64), at: 0)
        #expect(write.capacity == 46)
        #expect(write.plan([UInt8](repeating: 1, count: 47), in: image) == nil)
        #expect(write.plan([UInt8](repeating: 1, count: 46), in: image) != nil)
        #expect(write.plan([1], in: MemoryImage(pageSize: 4, pageCount: 16)) == nil)
    }
}

@Suite struct `What an interrupted write leaves` {
    static let write = TearSafeWrite(invalidate: [0], data: [1, 2], commit: [3])
    static let rows: [(failing: Int, refused: WrittenState, unanswered: WrittenState)] = [
        (0, .old, .oldOrEmpty), (1, .empty, .empty), (2, .empty, .empty), (3, .empty, .emptyOrNew),
    ]

    @Test(arguments: rows)
    func `depends on the step that failed`(row: (failing: Int, refused: WrittenState, unanswered: WrittenState)) {
        #expect(Self.write.state(afterFailureAt: row.failing, wasRefused: true) == row.refused)
        #expect(Self.write.state(afterFailureAt: row.failing, wasRefused: false) == row.unanswered)
    }

    @Test func `is the old or the new message if one step writes it`() {
        let write = TearSafeWrite(commit: [0])
        #expect(write.state(afterFailureAt: 0, wasRefused: true) == .old)
        #expect(write.state(afterFailureAt: 0, wasRefused: false) == .oldOrNew)
    }

    @Test func `is reported with the error`() async throws {
        let error = await #expect(throws: TagError.self) {
            try await Self.write.run { (step: Int) async throws(TagError) in
                if step == 2 { throw TagError(.tagConnectionLost, "gone") }
            }
        }
        #expect(error?.code == .tagConnectionLost)
        #expect(error?.leaves == .empty)
        #expect(error?.detail == "gone; the tag holds no message")
    }
}
