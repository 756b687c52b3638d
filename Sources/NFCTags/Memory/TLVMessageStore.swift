import SpoolTags

/// The NDEF message in the TLVs of a tag's data area: found, read and replaced (NFC Forum Type 2 Tag, NDEF detection,
/// read and write procedures; the same holds for Types 1 and 5 and for MIFARE Classic, NXP AN1304).
///
/// A driver opens it on the memory it has read so far, for one operation.
struct TLVMessageStore<Blocks: BlockMemory> {
    /// The memory, as far as it has been read.
    private(set) var memory: LazyMemory<Blocks>
    private let layout: TLVLayout
    private var warnings: [NDEFReadWarning]
    /// Whether another operation has read the memory.
    private var isFromBefore = false
    /// The bytes that did not read back as written because the tag shows others there; nil where all did.
    private var hidden: Range<Int>?

    init(memory: LazyMemory<Blocks>, layout: TLVLayout) {
        self.memory = memory
        self.layout = layout
        warnings = layout.warnings
    }

    /// Why there is no data area that can be read; nil if there is one.
    var fault: String? { layout.fault }

    /// The same for another operation: what is to be changed is read again, and what is in front of it is known.
    func forNextOperation() -> TLVMessageStore {
        var store = self
        store.isFromBefore = true
        return store
    }

    /// Reads the first message, with no more exchanges than it takes to get there and to its end.
    ///
    /// - Throws: ``TagError`` 102 if the tag refuses a block of its data area, or a TLV runs past the area.
    mutating func read() async throws(TagError) -> NDEFReadResult { try await result(wantsMessage: true) }

    /// Status and capacity, without the message. A tag whose message cannot be replaced by one of the same length, because lock
    /// bits are set, is read-only whatever its container declares.
    mutating func status() async throws(TagError) -> NDEFStatusResult {
        if let fault = layout.fault { return NDEFStatusResult(.notSupported(fault)) }
        var scan = try await find(wantsMessage: false)
        try await limit(&scan, needed: scan.area.bounds.upperBound)
        let status = try await isLocked(scan) ? .readOnly : layout.status
        return NDEFStatusResult(try scan.result(status: status, warnings: warnings))
    }

    private mutating func isLocked(_ scan: TLVScan) async throws(TagError) -> Bool {
        guard layout.status == .readWrite, let message = scan.message else { return false }
        let blocks = try scan.writing(blockSize: memory.reader.writeSize).blocks(messageLength: message.length)
        return try await memory.reader.isLocked(blocks, image: memory.image)
    }

    /// The NDEF message TLV without its value; nil if there is none or no data area.
    mutating func messagePlace() async throws(TagError) -> TLV? {
        layout.fault == nil ? try await find(wantsMessage: false).message : nil
    }

    private mutating func result(wantsMessage: Bool) async throws(TagError) -> NDEFReadResult {
        if let fault = layout.fault { return .notSupported(fault) }
        var scan = try await find(wantsMessage: wantsMessage)
        try await limit(&scan, needed: nil)
        return try scan.result(status: layout.status, warnings: warnings)
    }

    /// Takes from the area what the chip does not have for messages. A message there is read all the same.
    private mutating func limit(_ scan: inout TLVScan, needed: Int?) async throws(TagError) {
        guard scan.message != nil else { return }
        let declared = scan.area.bounds.upperBound
        let end = try await memory.reader.messageEnd(declared: declared, needed: needed)
        guard end < declared else { return }
        scan.limit(to: end)
        if needed != nil { warnings.append(.smallerThanDeclared(declared: declared, end: end)) }
    }

    /// Walks the TLVs to the message, from the second possible position if there is none at the first.
    private mutating func find(wantsMessage: Bool) async throws(TagError) -> TLVScan {
        let scan = try await find(in: layout.area, wantsMessage: wantsMessage)
        guard scan.message == nil, let other = layout.alternative else { return scan }
        let second = try await find(in: other, wantsMessage: wantsMessage)
        guard second.message != nil else { return scan }
        warnings.append(.tlvsAtBlock(offset: other.bounds.lowerBound))
        return second
    }

    /// Walks the TLVs of an area to the message. One that ends behind the area counts where the area may be longer and the tag has the
    /// bytes up to the end of the message; then the area ends with the last block of it.
    private mutating func find(in area: TLVArea, wantsMessage: Bool) async throws(TagError) -> TLVScan {
        var scan = TLVScan(area: area, obeysControlTLVs: layout.obeysControlTLVs, wantsMessage: wantsMessage)
        try await scan.run(over: &memory)
        guard let end = layout.possibleEnd, case .overrun(.ndefMessage, _, _, _)? = scan.fault else { return scan }
        let longer = TLVArea(bounds: area.bounds.lowerBound..<max(end, area.bounds.upperBound))
        var second = TLVScan(area: longer, obeysControlTLVs: layout.obeysControlTLVs, wantsMessage: wantsMessage)
        do throws(TagError) {
            try await second.run(over: &memory)
            guard let last = second.message?.pieces.last?.upperBound else { return scan }
            try await memory.load(last - 1..<last)
            let size = memory.image.pageSize
            second.limit(to: (last + size - 1) / size * size)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return scan
        }
        return second
    }
}

extension TLVMessageStore {
    /// Replaces the message. No bytes erase it: the data area holds an empty message then.
    ///
    /// - Throws: ``TagError`` as for ``NDEFTag/writeNDEF(_:verifying:overwriting:progress:)``.
    mutating func write(
        _ message: [UInt8], verifying: Bool, overwriting: Bool, progress: TagProgress?
    ) async throws(TagError) {
        if let fault = layout.fault { throw try await noMessage(fault) }
        if let refusal = layout.writeRefusal { throw TagError(.tagNotWritable, refusal) }
        let (writing, extent) = try await place(messageLength: message.count, overwriting: overwriting)
        try await memory.load(extent)
        guard let plan = writing.plan(message, in: memory.image) else {
            throw TagError(.tagResponseError, "the blocks to be written could not be read")
        }
        guard !plan.steps.isEmpty else { return }
        if !overwriting { try await checkContent(under: plan.steps, end: extent.upperBound) }
        try await memory.reader.checkWritable(plan.steps.map(\.block), extent: extent, image: memory.image)
        try await run(plan, verifying: verifying, progress)
    }

    /// Where a message of this length goes.
    ///
    /// - Throws: ``TagError`` 402 where the chip has no room for it, whatever its container declares; 1 where the message that is there may
    ///   be data of another kind.
    private mutating func place(
        messageLength: Int, overwriting: Bool
    ) async throws(TagError) -> (writing: TLVMessageWrite, extent: Range<Int>) {
        var scan = try await find(wantsMessage: false)
        if scan.isWithoutMessage { throw try await noMessage(scan.nothing) }
        if let unknown = scan.unknown, !overwriting {
            throw ForeignData.refusal(
                "a TLV of unknown type \(Hexadecimal.string(unknown.type.rawValue)) at byte \(unknown.offset) is in front of the message: "
                    + "the memory may hold data of another kind")
        }
        let declared = try scan.writing(blockSize: memory.reader.writeSize)
        let wanted = declared.extent(messageLength: messageLength)
        try await limit(&scan, needed: wanted?.upperBound ?? declared.area.bounds.upperBound)
        let writing = try scan.writing(blockSize: memory.reader.writeSize)
        guard let extent = writing.extent(messageLength: messageLength) else {
            let doubt =
                wanted == nil ? "" : "; its container declares more, and what is behind may be locks or configuration"
            throw TagError(
                .tagSizeTooSmall,
                "the message has \(messageLength) bytes, the tag has room for \(writing.capacity)\(doubt)")
        }
        return (writing, extent)
    }

    private mutating func run(
        _ plan: TearSafeWrite<BlockWrite>, verifying: Bool, _ progress: TagProgress?
    ) async throws(TagError) {
        var done = 0
        try await plan.run(progress: progress) { (step: BlockWrite) async throws(TagError) in
            try await memory.reader.write(step)
            done += 1
            guard verifying else { return }
            try await verify(memory.reader.verification.writes(afterStep: done - 1, of: plan))
        }
        try checkShown()
    }

    /// Reads blocks back and compares. The memory read before is not used.
    ///
    /// - Throws: ``TagError`` 401 if a block differs. A refusal has no status word: it is not one of the write.
    mutating func verify(_ writes: [BlockWrite]) async throws(TagError) {
        guard let last = writes.map(\.block).max() else { return }
        let size = memory.reader.writeSize
        var fresh = memory.emptied()
        let end = last * size / fresh.image.pageSize + 1
        for write in writes.sorted(by: { $0.block < $1.block }) {
            let range = write.block * size..<(write.block + 1) * size
            do throws(TagError) {
                if let page = fresh.image.firstMissingPage(in: range) {
                    try await fresh.fetch(page, count: end - page)
                }
            } catch {
                throw TagError(error.code, "reading back failed: \(error.detail)", response: error.response)
            }
            guard case .bytes(let found) = fresh.image.contents(of: [range]) else {
                throw TagError(.tagResponseError, "reading back failed: block \(write.block) is incomplete")
            }
            let differing = zip(range, zip(found, write.bytes)).filter { $1.0 != $1.1 }.map(\.0)
            if differing.isEmpty { continue }
            if hidden == nil { hidden = (try? await memory.reader.mirroredBytes()) ?? nil }
            guard differing.allSatisfy({ hidden?.contains($0) ?? false }) else {
                throw TagError(.tagUpdateFailure, "block \(write.block) does not read back as written")
            }
        }
        memory.reader = fresh.reader
    }

    /// Reports what was written and cannot be read back.
    ///
    /// - Throws: ``TagError`` 401.
    private func checkShown() throws(TagError) {
        guard let hidden else { return }
        throw TagError(
            .tagUpdateFailure,
            "the new content is on the tag, but its mirror shows the UID or the counter instead of bytes "
                + "\(hidden.lowerBound) to \(hidden.upperBound - 1) of its memory. Read the tag; to read all of it, turn the mirror off",
            leaves: .new)
    }
}

extension TLVMessageStore {
    /// What the memory holds in a known format that is not NDEF. If there is nothing, no more is read than the marks of the formats.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves.
    mutating func content() async throws(TagError) -> TagContent? {
        try await content(marksBefore: marksEnd)
    }

    /// Where marks of formats are looked for ends. Every chip has 64 bytes; what follows is only read where a container declares it, or a
    /// mark has shown what it is.
    private var marksEnd: Int { layout.fault == nil ? layout.area.bounds.upperBound : 64 }

    /// Which content of a known format blocks would overwrite, in words: that of a filament tag, with NDEF or without. What it means to
    /// be changed with the use of the spool does not count.
    ///
    /// - Parameter writes: blocks that hold something else now; they have been read.
    private mutating func contentLost(to writes: [BlockWrite]) async throws(TagError) -> String? {
        do throws(TagError) {
            let size = memory.reader.writeSize
            if let spool = try await spool(marksBefore: marksEnd), changes(writes, spool.extent, except: spool.usage),
                let content = TagContent(spool, blockSize: memory.image.pageSize)
            {
                return "\(content.name) from block \(content.block) on"
            }
            guard let place = try await messagePlace(), let first = writes.map(\.block).min(),
                first * size < place.pieces.last?.upperBound ?? place.offset + 2
            else { return nil }
            return try await read().message.flatMap { SpoolRecord.name(in: $0) }
        } catch {
            // What cannot be read is neither a message nor a mark.
            guard error.code == .tagResponseError else { throw error }
            return nil
        }
    }

    /// Whether writes change bytes of a range, besides some of it.
    private func changes(_ writes: [BlockWrite], _ range: Range<Int>, except allowed: Range<Int>?) -> Bool {
        let size = memory.reader.writeSize
        return writes.contains { write in
            write.bytes.indices.contains { index in
                let place = write.block * size + index
                return range.contains(place) && memory.image[place] != write.bytes[index]
                    && allowed?.contains(place) != true
            }
        }
    }

    private mutating func content(marksBefore end: Int) async throws(TagError) -> TagContent? {
        do throws(TagError) {
            return TagContent(try await spool(marksBefore: end), blockSize: memory.image.pageSize)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return nil
        }
    }

    private mutating func spool(marksBefore end: Int) async throws(TagError) -> SpoolContent? {
        guard let layout = memory.reader.spoolLayout else { return nil }
        while let missing = SpoolContent.missing(in: SpoolMemory(layout, memory.image), marksBefore: end) {
            try await memory.load(missing)
        }
        return SpoolContent.recognised(in: SpoolMemory(layout, memory.image))
    }

    /// Refuses writes over content of a known format, which is behind the message: what else is there may be left of an older message.
    ///
    /// - Parameter end: where the blocks that have been read for the writes end: only a mark that begins there is looked at.
    private mutating func checkContent(under writes: [BlockWrite], end: Int) async throws(TagError) {
        guard let spool = try await spool(marksBefore: end),
            let content = TagContent(spool, blockSize: memory.image.pageSize)
        else { return }
        let size = memory.reader.writeSize
        guard writes.contains(where: { ($0.block * size..<($0.block + 1) * size).overlaps(spool.extent) }) else {
            return
        }
        throw ForeignData.refusal("the message would overwrite \(content.name) from block \(content.block) on")
    }

    /// The error of a tag without a message, with what is there instead where that is recognized.
    private mutating func noMessage(_ reason: String) async throws(TagError) -> TagError {
        // The block that a message would begin in was read for it.
        let found = try await content(marksBefore: 17).map { "; " + ForeignData.description(of: $0) } ?? ""
        return TagError(.unsupportedFeature, reason + found)
    }
}

extension TLVMessageStore {
    /// Changes bytes inside a record. The header of the record, the TLV in front and the container are not written, and what the
    /// container declares about writing does not count.
    ///
    /// - Throws: ``TagError`` as for ``NDEFTag/updateRecord(_:verifying:progress:)``.
    mutating func update(_ update: RecordUpdate, verifying: Bool, progress: TagProgress?) async throws(TagError) {
        if let fault = layout.fault { throw TagError(.unsupportedFeature, fault) }
        let scan = try await find(wantsMessage: false)
        var message = LazyMessage(memory: memory, pieces: try scan.found().pieces, isFromBefore: isFromBefore)
        let places = message.places(of: try await update.locate(in: &message))
        memory = message.memory
        let size = memory.reader.writeSize
        let plan = update.writes(on: try RecordBlocks(places, blockSize: size, image: memory.image))
        let blocks = plan.result.map(\.block)
        try await checkData(blocks, in: scan.area)
        let isChecked = plan.writes.count > 1 || !memory.reader.answersRefusedWrites
        if isChecked { try await memory.reader.checkWritable(blocks, extent: nil, image: memory.image) }
        try await checkMirror(over: blocks)
        let isAtEnd = memory.reader.verification != .eachBlock
        do throws(TagError) {
            try await plan.run(progress: progress) { (write: BlockWrite) async throws(TagError) in
                try await memory.reader.write(write)
                if verifying, !isAtEnd { try await verify([write]) }
            }
        } catch {
            throw isChecked ? error : await refusal(of: blocks) ?? error
        }
        if verifying, isAtEnd {
            try await plan.verify { () async throws(TagError) in try await verify(plan.result) }
        }
        try checkShown()
    }

    /// Refuses blocks in which the tag shows its UID or its counter: what it hides there would be overwritten with what it shows.
    private mutating func checkMirror(over blocks: [Int]) async throws(TagError) {
        let size = memory.reader.writeSize
        let ranges = blocks.map { $0 * size..<($0 + 1) * size }
        // A mirror shows hexadecimal digits, and an x between UID and counter.
        let shown = Set("0123456789ABCDEFx".utf8)
        guard ranges.joined().contains(where: { memory.image[$0].map(shown.contains) ?? false }),
            let mirror = try await memory.reader.mirroredBytes(), ranges.contains(where: mirror.overlaps)
        else { return }
        throw TagError(
            .tagNotWritable,
            "the mirror of the tag shows its UID or its counter in bytes \(mirror.lowerBound) to \(mirror.upperBound - 1) of its memory, "
                + "where the change belongs. Turn the mirror off first; nothing was written")
    }

    /// Refuses blocks that are not for data.
    private mutating func checkData(_ blocks: [Int], in area: TLVArea) async throws(TagError) {
        guard let last = blocks.last else { return }
        let end = (last + 1) * memory.reader.writeSize
        let dataEnd = try await memory.reader.messageEnd(declared: area.bounds.upperBound, needed: end)
        guard last * memory.reader.writeSize < dataEnd else {
            throw TagError(.tagNotWritable, "block \(last) is not known to be one for data; nothing was written")
        }
    }

    /// Why the tag did not take the only write; nil if that is not known.
    private mutating func refusal(of blocks: [Int]) async -> TagError? {
        do throws(TagError) {
            try await memory.reader.checkWritable(blocks, extent: nil, image: memory.image)
            return nil
        } catch {
            return error.code == .tagNotWritable ? error : nil
        }
    }
}

extension TLVMessageStore {
    /// The bytes of a range of memory.
    mutating func bytes(_ range: Range<Int>) async throws(TagError) -> [UInt8] {
        try await memory.load(range)
        return memory.bytes(range)
    }

    /// Reads the blocks that writes will change, so that ``put(_:)`` can compare them.
    mutating func load(_ writes: [BlockWrite]) async throws(TagError) {
        guard let first = writes.map(\.block).min(), let last = writes.map(\.block).max() else { return }
        let size = memory.reader.writeSize
        try await memory.load(first * size..<(last + 1) * size)
    }

    /// Writes blocks in their order, except those that have their content already. They are not a message, so an error does not
    /// state what is left.
    func put(_ writes: [BlockWrite], _ context: String? = nil) async throws(TagError) {
        var blocks = memory.reader
        for write in writes where !holds(write) {
            try await changingTag(context) { () async throws(TagError) in try await blocks.write(write) }
        }
    }

    /// Whether the memory, as far as it has been read, has the content of a write.
    private func holds(_ write: BlockWrite) -> Bool {
        let size = memory.reader.writeSize
        return memory.image.contents(of: [write.block * size..<(write.block + 1) * size]) == .bytes(write.bytes)
    }
}

extension TLVMessageStore {
    /// Replaces blocks of the memory. One block that differs is one write. Otherwise the first block that holds data is cleared before the
    /// others and written after them: until then, the tag has no message.
    ///
    /// - Parameters:
    ///   - wanted: the content of blocks, by number.
    ///   - first: the first block that holds data.
    ///   - cleared: what it holds meanwhile.
    ///   - overwriting: whether content of a known format may be overwritten.
    /// - Returns: how many blocks had another content.
    /// - Throws: ``TagError``, before anything is written: 1 for such content, 400 if a block is locked. Then 401, or 100.
    mutating func replace(
        _ wanted: [Int: [UInt8]], first: Int, cleared: [UInt8], overwriting: Bool, progress: TagProgress?
    ) async throws(TagError) -> Int {
        let writes = wanted.map { BlockWrite(block: $0, bytes: $1) }.sorted { $0.block < $1.block }
        try await load(writes)
        let changed = writes.filter { !holds($0) }
        guard !changed.isEmpty else { return 0 }
        if !overwriting, let content = try await contentLost(to: changed) {
            throw ForeignData.refusal("the blocks would overwrite \(content)")
        }
        var plan = TearSafeWrite<BlockWrite>()
        if changed.count == 1 {
            try await memory.reader.checkWritable(changed.map(\.block), extent: nil, image: memory.image)
            plan.commit = changed
            try await run(plan, verifying: true, progress)
            return 1
        }
        let size = memory.reader.writeSize
        let extent = first * size..<(writes[writes.count - 1].block + 1) * size
        try await memory.load(extent)
        guard case .bytes(let found) = memory.image.contents(of: [first * size..<(first + 1) * size]) else {
            throw TagError(.tagResponseError, "block \(first) could not be read")
        }
        let others = changed.filter { $0.block != first }
        let final = BlockWrite(block: first, bytes: wanted[first] ?? found)
        try await memory.reader.checkWritable(changed.map(\.block) + [first], extent: extent, image: memory.image)
        if !others.isEmpty, found != cleared { plan.invalidate = [BlockWrite(block: first, bytes: cleared)] }
        plan.data = others
        if (plan.invalidate.isEmpty ? found : cleared) != final.bytes { plan.commit = [final] }
        try await run(plan, verifying: true, progress)
        return changed.count
    }
}

/// The data area of a tag and what may be done with it, as its header or capability container declares.
struct TLVLayout: Sendable {
    /// Why there is no data area that can be read; nil if there is one.
    private(set) var fault: String?
    /// Where the TLVs are.
    let area: TLVArea
    /// Whether Lock Control and Memory Control TLVs exclude bytes from the area, as on Types 1 and 2.
    var obeysControlTLVs = false
    /// Where the area ends if the memory reaches that far; nil where the end is known.
    var possibleEnd: Int?
    /// Where the TLVs of some makers' tags are, where the area has no message.
    var alternative: TLVArea?
    /// Whether the message can be written.
    var status = NDEFStatus.readWrite
    /// Why the message cannot be written now; nil if it can. A password may lift it, the status stays.
    var writeRefusal: String?
    /// What is unusual about the container.
    var warnings: [NDEFReadWarning] = []

    /// A data area that can be read and written.
    init(area: TLVArea) { self.area = area }

    /// No data area that can be read, with the reason.
    static func absent(_ reason: String) -> TLVLayout {
        var layout = TLVLayout(area: TLVArea(bounds: 0..<0))
        layout.fault = reason
        return layout
    }

    /// A scan of the area for the message.
    func scan(wantsMessage: Bool) -> TLVScan {
        TLVScan(area: area, obeysControlTLVs: obeysControlTLVs, wantsMessage: wantsMessage)
    }
}

/// The blocks of a tag's memory as ``TLVMessageStore`` reads, checks and writes them.
protocol BlockMemory: BlockReader {
    /// Bytes that one write takes; block numbers of writes count in it.
    var writeSize: Int { get }
    /// When written blocks are read back.
    var verification: WriteVerification { get }
    /// Which formats of spools the memory may hold besides a message; nil if none is known for it.
    var spoolLayout: SpoolMemory.Layout? { get }
    /// Whether a write to a locked block is answered with an error and changes nothing, so that a single write shows what a question
    /// before it would.
    var answersRefusedWrites: Bool { get }

    /// Where the memory for a message ends on the chip that is there, in bytes from the start of memory, whatever its container
    /// declares: lock bytes, counters, configuration and keys follow it.
    ///
    /// - Parameters:
    ///   - declared: the end of the data area that the container declares.
    ///   - needed: the end of what is wanted of it: the tag is not asked where that much is certain. Nil where the end is only shown:
    ///     then it is what is known without a command.
    /// - Returns: `declared`, or less.
    mutating func messageEnd(declared: Int, needed: Int?) async throws(TagError) -> Int

    /// Refuses blocks that are locked, or need a key that is not known. Called before the first one is written.
    ///
    /// - Parameters:
    ///   - blocks: the blocks that will change.
    ///   - extent: the bytes of memory with the whole message, in whole blocks: a lock there counts where a tag is read-only as a whole.
    ///     Nil where only the blocks count.
    ///   - image: the memory, as far as it has been read.
    /// - Throws: ``TagError`` 400.
    mutating func checkWritable(
        _ blocks: [Int], extent: Range<Int>?, image: MemoryImage
    ) async throws(TagError)

    /// Whether lock bits forbid to write one of these blocks, as far as that can be determined.
    ///
    /// - Parameter image: the memory, as far as it has been read.
    mutating func isLocked(_ blocks: [Int], image: MemoryImage) async throws(TagError) -> Bool

    /// Writes one block, never twice.
    mutating func write(_ write: BlockWrite) async throws(TagError)

    /// The bytes of memory instead of which the tag shows others, such as its UID; nil if there are none.
    mutating func mirroredBytes() async throws(TagError) -> Range<Int>?
}

extension BlockMemory {
    func mirroredBytes() async throws(TagError) -> Range<Int>? { nil }
    var spoolLayout: SpoolMemory.Layout? { nil }
    var answersRefusedWrites: Bool { false }
}

/// When the blocks of a write are read back.
enum WriteVerification: Sendable {
    /// Each one after it was written, while its sector is open.
    case eachBlock
    /// The data before the message becomes visible, the rest at the end.
    case beforeCommit
    /// All at the end, on tags whose answers repeat what they have stored.
    case atEnd

    /// The blocks to read back after a step.
    func writes(afterStep index: Int, of plan: TearSafeWrite<BlockWrite>) -> [BlockWrite] {
        let isLast = index == plan.steps.count - 1
        let isBeforeCommit = !plan.commit.isEmpty && index == plan.steps.count - plan.commit.count - 1
        switch self {
        case .eachBlock: return [plan.steps[index]]
        case .beforeCommit where isBeforeCommit: return plan.data
        case .beforeCommit where isLast && !plan.commit.isEmpty: return plan.commit
        case .beforeCommit, .atEnd: return isLast ? plan.result : []
        }
    }
}

extension TearSafeWrite {
    /// The steps whose content stays.
    fileprivate var result: [Step] { commit.isEmpty ? invalidate + data : data + commit }
}

/// Plans how a message gets into the NDEF message TLV of a data area, block by block (NFC Forum Type 2 Tag, write
/// procedure; the same holds for Types 1 and 5 and for MIFARE Classic).
///
/// The block with the first length byte decides: with 00 there, the area holds no message, whatever else changes. It is
/// written first, to mark this, and last, with the new length. Where type and length stay and one block differs, only that is written.
struct TLVMessageWrite: Sendable {
    /// The data area, with the holes that must not be written.
    let area: TLVArea
    /// Where the type byte 03 is, in bytes from the start of memory.
    let typeAt: Int
    /// Bytes that are written at once.
    let blockSize: Int

    /// The largest message that fits, in bytes.
    var capacity: Int { area.messageCapacity(typeAt: typeAt) }

    /// The whole blocks that hold the TLV of a message of this length and the terminator behind it, in bytes from the start
    /// of memory; nil if it does not fit. They have to be in the image before ``plan(_:in:)``.
    func extent(messageLength: Int) -> Range<Int>? {
        guard messageLength <= capacity, let last = positions(messageLength: messageLength).last else { return nil }
        return typeAt / blockSize * blockSize..<(last / blockSize + 1) * blockSize
    }

    /// The blocks that hold the TLV of a message of this length, without those that are all hole; in their order.
    func blocks(messageLength: Int) -> [Int] {
        Set(positions(messageLength: messageLength).map { $0 / blockSize }).sorted()
    }

    /// The writes that put a message instead of the present content; none where it is the same.
    ///
    /// - Returns: nil if the message does not fit or a block of its extent is not in the image.
    func plan(_ message: [UInt8], in image: MemoryImage) -> TearSafeWrite<BlockWrite>? {
        guard let extent = extent(messageLength: message.count) else { return nil }
        let positions = positions(messageLength: message.count)
        let lengthAt = positions[1]
        let before = extent.compactMap { image[$0] }
        guard before.count == extent.count else { return nil }

        var after = before
        for (position, byte) in zip(positions, Self.content(message)) { after[position - extent.lowerBound] = byte }
        clearRest(of: &after, behind: positions[positions.count - 1], from: extent.lowerBound)
        var empty = before
        empty[lengthAt - extent.lowerBound] = 0

        let changed = stride(from: extent.lowerBound, to: extent.upperBound, by: blockSize).filter { start in
            slice(after, at: start, extent) != slice(before, at: start, extent)
        }
        let deciding = lengthAt / blockSize * blockSize
        let others = changed.filter { $0 != deciding }
        var write = TearSafeWrite<BlockWrite>()
        // One block behind a header that stays: the old message becomes the new one with it.
        let header = positions.prefix(Self.headerSize(messageLength: message.count))
        if changed.count == 1, header.allSatisfy({ after[$0 - extent.lowerBound] == before[$0 - extent.lowerBound] }) {
            write.commit = [block(after, at: changed[0], extent)]
            return write
        }
        // One block changes at once, so there is nothing to take away first.
        if !others.isEmpty, slice(empty, at: deciding, extent) != slice(before, at: deciding, extent) {
            write.invalidate = [block(empty, at: deciding, extent)]
        }
        write.data = others.map { block(after, at: $0, extent) }
        let current = write.invalidate.isEmpty ? before : empty
        if slice(after, at: deciding, extent) != slice(current, at: deciding, extent) {
            write.commit = [block(after, at: deciding, extent)]
        }
        return write
    }
}

extension TLVMessageWrite {
    /// Type, length, message, and the terminator that there may be room for.
    private static func content(_ message: [UInt8]) -> [UInt8] {
        let length: [UInt8] =
            message.count < 0xFF
            ? [UInt8(truncatingIfNeeded: message.count)]
            : [0xFF, UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)]
        return [TLVType.ndefMessage.rawValue] + length + message + [TLVType.terminator.rawValue]
    }

    /// The bytes of type and length.
    private static func headerSize(messageLength: Int) -> Int { messageLength < 0xFF ? 2 : 4 }

    /// Where the bytes of that content go; without a place for the terminator if there is no room.
    private func positions(messageLength: Int) -> [Int] {
        let count = Self.headerSize(messageLength: messageLength) + messageLength + 1
        let pieces = area.data(from: typeAt, count: count) ?? area.data(from: typeAt, count: count - 1) ?? []
        return pieces.flatMap { Array($0) }
    }

    /// Zeroes the data bytes behind the last one in its block; holes are not changed.
    private func clearRest(of bytes: inout [UInt8], behind last: Int, from start: Int) {
        let end = (last / blockSize + 1) * blockSize
        for piece in area.data(from: last + 1) {
            for position in piece.clamped(to: last + 1..<max(end, last + 1)) { bytes[position - start] = 0 }
        }
    }

    private func slice(_ bytes: [UInt8], at start: Int, _ extent: Range<Int>) -> ArraySlice<UInt8> {
        bytes[start - extent.lowerBound..<start - extent.lowerBound + blockSize]
    }

    private func block(_ bytes: [UInt8], at start: Int, _ extent: Range<Int>) -> BlockWrite {
        BlockWrite(block: start / blockSize, bytes: Array(slice(bytes, at: start, extent)))
    }
}

/// One block to be written.
struct BlockWrite: Sendable, Hashable {
    /// The number of the page or block.
    let block: Int
    /// Its bytes, exactly one block.
    let bytes: [UInt8]
}

extension BlockWrite {
    /// Content in blocks of `size` bytes, padded with zeros.
    ///
    /// - Parameter offset: where the content is to start, in bytes from the start of memory; a multiple of `size`.
    static func blocks(of content: [UInt8], at offset: Int, size: Int) -> [BlockWrite] {
        stride(from: 0, to: content.count, by: size).map { start in
            let bytes = Array(content[start..<min(start + size, content.count)])
            return BlockWrite(
                block: (offset + start) / size, bytes: bytes + [UInt8](repeating: 0, count: size - bytes.count))
        }
    }
}
