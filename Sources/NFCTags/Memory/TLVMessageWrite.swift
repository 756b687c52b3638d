/// Plans how a message gets into the NDEF message TLV of a data area, block by block (NFC Forum Type 2 Tag, write
/// procedure; the same holds for Types 1 and 5 and for MIFARE Classic).
///
/// The block with the first length byte decides: with 00 there, the area holds no message, whatever else changes. It is
/// written first, to mark this, and last, with the new length.
struct TLVMessageWrite: Sendable {
    /// The data area, with the holes that must not be written.
    let area: TLVArea
    /// Where the type byte 03 stands, in bytes from the start of memory.
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

    /// The writes that put a message in place of the present content; none where it is the same.
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

    /// Where the bytes of that content go; without a place for the terminator if there is no room.
    private func positions(messageLength: Int) -> [Int] {
        let count = 1 + (messageLength < 0xFF ? 1 : 3) + messageLength + 1
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
