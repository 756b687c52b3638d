import ISO7816

/// How the bytes of a record are written on a tag.
protocol RecordMedium {
    /// One command that writes.
    associatedtype Write: Sendable

    /// The commands that change bytes into others, ascending; none where they are the same.
    func writes(from old: [UInt8], to new: [UInt8]) -> [Write]
    /// The bytes that are always written together with one.
    func unit(of index: Int) -> Range<Int>
}

extension RecordUpdate {
    /// The writes of the change: one where one is enough, else by the stop, by the steps, or ascending.
    func writes<Medium: RecordMedium>(on medium: Medium) -> RecordWrites<Medium.Write> {
        var plan = RecordWrites<Medium.Write>(record: record)
        if medium.writes(from: old, to: touched).count <= 1 {
            plan.append(medium.writes(from: old, to: new)) { _, _ in .new }
        } else if let stop {
            let index = stop.offset - offset
            var (cut, hidden) = (old, new)
            cut[index] = stop.byte
            for place in medium.unit(of: index) { hidden[place] = cut[place] }
            for (before, after) in [(old, cut), (cut, hidden), (hidden, new)] {
                plan.append(medium.writes(from: before, to: after)) { _, _ in .cut(stop) }
            }
        } else {
            let contents = [old] + steps + [new]
            for (step, (before, after)) in zip(1..., zip(contents, contents.dropFirst())) {
                plan.append(medium.writes(from: before, to: after)) {
                    .step(step, of: contents.count - 1, writes: $0, count: $1)
                }
            }
        }
        plan.end()
        return plan
    }

    /// Bytes that differ from the old ones wherever the new ones or those of a step do.
    private var touched: [UInt8] {
        old.indices.map { index in
            (steps + [new]).contains { $0[index] != old[index] } ? ~old[index] : old[index]
        }
    }
}

extension RecordUpdate {
    /// What a memory of blocks holds after each write of the change, for checks of what a tear leaves.
    ///
    /// - Parameters:
    ///   - memory: whole blocks with the payload of one record.
    ///   - offset: where the payload starts.
    /// - Throws: ``TagError`` 102 where the payload is not in the memory.
    package func states(of memory: [UInt8], blockSize: Int, payloadAt offset: Int) throws(TagError) -> [[UInt8]] {
        var image = MemoryImage(pageSize: blockSize, pageCount: memory.count / blockSize)
        image.store(memory, at: 0)
        let place = offset + self.offset..<offset + self.offset + old.count
        var state = memory
        return writes(on: try RecordBlocks([place], blockSize: blockSize, image: image)).writes.map { write in
            state.replaceSubrange(write.block * blockSize..<(write.block + 1) * blockSize, with: write.bytes)
            return state
        }
    }
}

/// What the range of a record holds while it is changed.
enum RecordContent: Sendable, Hashable {
    case old
    case new
    /// The old bytes in front of the stop, and the stop.
    case cut(RecordUpdate.Stop)
    /// So many of the writes of a step; the last step leads to the new bytes.
    case step(Int, of: Int, writes: Int, count: Int)
    /// It does not read back as written.
    case other
}

extension RecordContent: CustomStringConvertible {
    /// A clause that follows "the payload holds".
    var description: String {
        switch self {
        case .old: "the old bytes"
        case .new: "the new bytes"
        case .cut(let stop):
            "the old bytes in front of byte \(stop.offset) and \(Hexadecimal.string(stop.byte)) there"
        case .step(1, of: 1, let writes, let count):
            "the new bytes in \(writes) of \(count) blocks and old ones behind"
        case .step(let step, let steps, let writes, let count):
            writes == count ? "the bytes of step \(step) of \(steps)" : "a part of step \(step) of \(steps)"
        case .other: "bytes that do not read back as written"
        }
    }
}

/// The writes of a change inside a record in their order, and what the record holds after each.
struct RecordWrites<Write: Sendable>: Sendable {
    private let record: Int
    private var steps: [(write: Write, content: RecordContent)] = []

    fileprivate init(record: Int) { self.record = record }

    /// All writes.
    var writes: [Write] { steps.map(\.write) }

    /// Performs the writes one after the other.
    ///
    /// - Parameter perform: one write, never twice. It throws 401 where it reads back something else.
    /// - Throws: ``TagError`` 401 when a write is refused, 100 and others as `perform` throws them; the detail states what the record
    ///   holds now.
    func run(
        progress: TagProgress?, _ perform: (Write) async throws(TagError) -> Void
    ) async throws(TagError) {
        for (index, step) in steps.enumerated() {
            do throws(TagError) {
                try await perform(step.write)
            } catch {
                throw error.whileUpdating(record, holding: contents(afterFailureAt: index, error))
            }
            progress?(index + 1, steps.count)
        }
    }

    /// Reads back after all writes.
    ///
    /// - Parameter readBack: throws 401 where anything differs. It is not called where nothing was written.
    /// - Throws: ``TagError`` 401, or 100, with what the record holds now.
    func verify(_ readBack: () async throws(TagError) -> Void) async throws(TagError) {
        guard !steps.isEmpty else { return }
        do throws(TagError) {
            try await readBack()
        } catch {
            throw error.whileUpdating(record, holding: error.code == .tagUpdateFailure ? [.other] : [.new])
        }
    }

    /// What the record may hold when a write failed. One that was refused has changed nothing; every other one may have.
    private func contents(afterFailureAt index: Int, _ error: TagError) -> [RecordContent] {
        if error.code == .tagUpdateFailure { return [.other] }
        let before = index == 0 ? RecordContent.old : steps[index - 1].content
        let after = steps[index].content
        return error.changedNothing || before == after ? [before] : [before, after]
    }

    fileprivate mutating func append(_ writes: [Write], content: (_ done: Int, _ count: Int) -> RecordContent) {
        for (index, write) in writes.enumerated() { steps.append((write, content(index + 1, writes.count))) }
    }

    /// After the last write, the record holds the new bytes.
    fileprivate mutating func end() {
        if !steps.isEmpty { steps[steps.count - 1].content = .new }
    }
}

extension TagError {
    /// The same error as it happened while a record was changed: a wrong or missing answer (102) becomes 401.
    fileprivate func whileUpdating(_ record: Int, holding contents: [RecordContent]) -> TagError {
        let words = contents.map(\.description).joined(separator: ", or ")
        return TagError(
            code == .tagResponseError ? .tagUpdateFailure : code,
            "\(detail); the payload of record \(record) holds \(words). Read the tag again", response: response,
            statusWord: statusWord, leaves: WrittenState(contents))
    }
}

extension WrittenState {
    /// What one of several contents of a record is.
    fileprivate init(_ contents: [RecordContent]) {
        switch contents {
        case [.old]: self = .old
        case [.new]: self = .new
        case [.old, .new]: self = .oldOrNew
        default: self = .partial
        }
    }
}

/// The bytes of a record in the blocks of a memory.
struct RecordBlocks: RecordMedium {
    /// A block that holds some of them.
    private struct Unit {
        let block: Int
        /// The whole block as it is now.
        let bytes: [UInt8]
        /// The first of the bytes.
        let first: Int
        /// Where the bytes are in the block.
        var offsets: [Int] = []
        var indices: Range<Int> { first..<first + offsets.count }
    }

    private var units: [Unit] = []

    /// Blocks as far as they have been read.
    ///
    /// - Parameters:
    ///   - places: where the bytes are, from the start of memory.
    ///   - blockSize: how many bytes are written at once.
    /// - Throws: ``TagError`` 102 if a block has not been read.
    init(_ places: [Range<Int>], blockSize: Int, image: MemoryImage) throws(TagError) {
        for (index, position) in places.joined().enumerated() {
            let block = position / blockSize
            if units.last?.block != block {
                guard case .bytes(let bytes) = image.contents(of: [block * blockSize..<(block + 1) * blockSize]),
                    bytes.count == blockSize
                else { throw TagError(.tagResponseError, "block \(block) could not be read") }
                units.append(Unit(block: block, bytes: bytes, first: index))
            }
            units[units.count - 1].offsets.append(position % blockSize)
        }
    }

    func writes(from old: [UInt8], to new: [UInt8]) -> [BlockWrite] {
        units.filter { old[$0.indices] != new[$0.indices] }.map { unit in
            var bytes = unit.bytes
            for (offset, byte) in zip(unit.offsets, new[unit.indices]) { bytes[offset] = byte }
            return BlockWrite(block: unit.block, bytes: bytes)
        }
    }

    func unit(of index: Int) -> Range<Int> {
        units.first { $0.indices.contains(index) }?.indices ?? index..<index + 1
    }
}

extension RecordWrites<BlockWrite> {
    /// What the blocks hold at the end.
    var result: [BlockWrite] {
        let last = Dictionary(writes.map { ($0.block, $0) }, uniquingKeysWith: { $1 })
        return last.values.sorted { $0.block < $1.block }
    }
}
