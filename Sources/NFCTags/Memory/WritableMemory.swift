/// A tag whose memory can be written block by block, besides its message.
public protocol WritableMemory: NDEFTag {
    /// Replaces blocks of the memory that hold data, verifies them, and leaves those that have their content already. Lock bits,
    /// one-time bits, configuration and keys are never among them.
    ///
    /// Wherever it is interrupted, the tag holds the old message, none, or the new content.
    /// - Parameters:
    ///   - blocks: the content of pages or blocks, by number.
    ///   - overwriting: whether content of a known format may be overwritten: that of a filament tag, with NDEF or without, or of an
    ///     item of a library. What such content means to be changed with use, as the remaining amount on a TigerTag, always may.
    ///   - progress: receives every step of the write.
    /// - Returns: how many blocks had another content.
    /// - Throws: ``TagError``, before anything is written: 1 if a block is not one of data or has another size, the product is
    ///   not known, or such content would be overwritten and `overwriting` is false; 400 if a block is locked or needs a password.
    ///   Then 401, or 100, with ``TagError/leaves``.
    func writeMemory(
        _ blocks: [Int: [UInt8]], overwriting: Bool, progress: TagProgress?
    ) async throws(TagError) -> Int

    /// What writing blocks does to the tag as a whole: more than changing data where the capability container is among them.
    ///
    /// - Throws: ``TagError`` where the tag cannot be read.
    func effect(ofWriting blocks: [Int: [UInt8]]) async throws(TagError) -> CommandEffect
}

extension WritableMemory {
    /// ``writeMemory(_:overwriting:progress:)`` over no content of a known format.
    public func writeMemory(_ blocks: [Int: [UInt8]], progress: TagProgress?) async throws(TagError) -> Int {
        try await writeMemory(blocks, overwriting: false, progress: progress)
    }

    /// The container of most tags is not among the blocks that can be replaced.
    public func effect(ofWriting blocks: [Int: [UInt8]]) async throws(TagError) -> CommandEffect { .write }
}

/// Checks that blocks hold data, and their size.
///
/// - Throws: ``TagError`` 1.
func checkData(
    _ blocks: [Int: [UInt8]], in range: Range<Int>, size: Int, of name: String
) throws(TagError) {
    for (number, bytes) in blocks.sorted(by: { $0.key < $1.key }) {
        guard range.contains(number) else {
            throw TagError(
                .unsupportedFeature,
                "block \(number) of \(name) cannot be replaced; blocks \(range.lowerBound) to \(range.upperBound - 1) hold data"
            )
        }
        guard bytes.count == size else {
            throw TagError(.unsupportedFeature, "block \(number) of \(name) has \(size) bytes, not \(bytes.count)")
        }
    }
}
