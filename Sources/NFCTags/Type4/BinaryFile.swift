import ISO7816

/// The file that is selected, read and written in pieces (ISO/IEC 7816-4, READ BINARY and UPDATE BINARY). Above offset
/// 7FFF, where P1 and P2 do not reach, with the odd instruction bytes and an offset data object.
struct BinaryFile: Sendable {
    /// The highest offset that P1 and P2 can carry.
    static let shortOffsetLimit = 0x7FFF
    /// `54 03` and three bytes of offset.
    static let offsetObjectSize = 5

    private let card: ISO7816Stack
    /// The most response data of one command, in bytes.
    let readSize: Int
    /// The most command data of one command, in bytes.
    let writeSize: Int

    init(card: ISO7816Stack, maximumReadSize: Int, maximumWriteSize: Int) {
        self.card = card
        readSize = min(maximumReadSize, card.limits.responseData)
        writeSize = min(maximumWriteSize, card.limits.commandData)
    }

    /// Reads a range in as few commands as the limits allow. A card may give less than was requested, but at least one byte.
    func read(_ range: Range<Int>) async throws(TagError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < range.count {
            bytes += try await read(at: range.lowerBound + bytes.count, count: range.count - bytes.count)
        }
        return bytes
    }

    /// The commands that write bytes from an offset on.
    func updates(_ bytes: [UInt8], at offset: Int) -> [BinaryUpdate] {
        var updates: [BinaryUpdate] = []
        var done = 0
        while done < bytes.count {
            let piece = Array(bytes.dropFirst(done).prefix(pieceSize(at: offset + done)))
            updates.append(BinaryUpdate(offset: offset + done, bytes: piece))
            done += piece.count
        }
        return updates
    }

    /// Sends one of them. Never again, whatever happens.
    func write(_ update: BinaryUpdate) async throws(TagError) {
        let offset = update.offset
        let response =
            offset > Self.shortOffsetLimit
            ? try await card.send(
                0x00, 0xD7, 0x00, 0x00,
                data: Self.offsetObject(offset) + DataObject(tag: 0x53, value: update.bytes).bytes)
            : try await card.send(0x00, 0xD6, Self.high(offset), Self.low(offset), data: update.bytes)
        guard response.statusWord.isSuccess else {
            throw TagError(
                .tagResponseError, "UPDATE BINARY at byte \(offset) refused: \(response.statusWord)",
                response: response)
        }
    }

    /// What one command writes, at least 1 byte.
    private func pieceSize(at offset: Int) -> Int {
        guard offset > Self.shortOffsetLimit else { return max(writeSize, 1) }
        return max(DataObject.valueCount(fitting: writeSize - Self.offsetObjectSize), 1)
    }
}

/// The bytes of a file up to the end of its message.
struct BinaryBytes: BlockReader {
    /// What is read at least, so that the header of a record comes with one command.
    private static let leastRead = 32

    let file: BinaryFile
    /// The end of the message.
    let end: Int

    func read(from page: Int, count: Int) async throws(TagError) -> [UInt8] {
        try await file.read(at: page, count: min(max(count, Self.leastRead), end - page))
    }
}

/// A range of a file, which is written in as few commands as the limits allow.
struct BinaryRange: RecordMedium {
    let file: BinaryFile
    /// Where it begins in the file, in bytes.
    let offset: Int

    /// The smallest range that differs, without the commands in it that would change nothing.
    func writes(from old: [UInt8], to new: [UInt8]) -> [BinaryUpdate] {
        let changed = old.indices.filter { old[$0] != new[$0] }
        guard let first = changed.first, let last = changed.last else { return [] }
        return file.updates(Array(new[first...last]), at: offset + first).filter { update in
            let start = update.offset - offset
            return old[start..<start + update.bytes.count] != update.bytes[...]
        }
    }

    /// A command can write any byte alone.
    func unit(of index: Int) -> Range<Int> { index..<index + 1 }
}

/// One UPDATE BINARY.
struct BinaryUpdate: Sendable, Hashable {
    /// Where in the file, in bytes.
    let offset: Int
    /// What to put there.
    let bytes: [UInt8]
}

extension BinaryFile {
    /// Reads from an offset on with one command: at least 1 byte, at most `count`.
    func read(at offset: Int, count: Int) async throws(TagError) -> [UInt8] {
        let isFar = offset > Self.shortOffsetLimit
        let wanted = min(count, isFar ? max(DataObject.valueCount(fitting: readSize), 1) : readSize)
        let response = isFar ? try await readFar(offset, wanted) : try await readNear(offset, wanted)
        // A card may report that the file ended before Le, and still return the data.
        guard response.statusWord.isSuccess || (response.statusWord == .endOfData && !response.data.isEmpty) else {
            throw TagError(
                .tagResponseError, "READ BINARY at byte \(offset) refused: \(response.statusWord)", response: response)
        }
        let data =
            isFar ? DataObject(bytes: response.data).flatMap { $0.isDiscretionary ? $0.value : nil } : response.data
        guard let data, !data.isEmpty, data.count <= wanted else {
            throw TagError(
                .tagResponseError,
                "READ BINARY at byte \(offset) answered with \(response.data.count) bytes, \(wanted) were requested",
                response: response)
        }
        return data
    }

    /// Whether the card returns a byte of the file. A refusal of any kind means that it does not.
    func has(byte offset: Int) async throws(TagError) -> Bool {
        do throws(TagError) {
            return try await !read(at: offset, count: 1).isEmpty
        } catch {
            guard error.statusWord != nil else { throw error }
            return false
        }
    }

    private func readNear(_ offset: Int, _ count: Int) async throws(TagError) -> ResponseAPDU {
        try await card.send(0x00, 0xB0, Self.high(offset), Self.low(offset), expectedLength: count)
    }

    private func readFar(_ offset: Int, _ count: Int) async throws(TagError) -> ResponseAPDU {
        try await card.send(
            0x00, 0xB1, 0x00, 0x00, data: Self.offsetObject(offset),
            expectedLength: DataObject.headerSize(valueCount: count) + count)
    }

    private static func offsetObject(_ offset: Int) -> [UInt8] {
        DataObject(tag: 0x54, value: [UInt8(truncatingIfNeeded: offset >> 16), high(offset), low(offset)]).bytes
    }

    private static func high(_ offset: Int) -> UInt8 { UInt8(truncatingIfNeeded: offset >> 8) }
    private static func low(_ offset: Int) -> UInt8 { UInt8(truncatingIfNeeded: offset) }
}

extension DataObject {
    /// 53 or 73, which both stand for data of the application's own (ISO/IEC 7816-4).
    fileprivate var isDiscretionary: Bool { tag == 0x53 || tag == 0x73 }
}
