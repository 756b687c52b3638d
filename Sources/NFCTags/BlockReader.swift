/// Reads the pages of a tag's memory, in whatever way a reader allows: `FF B0`, or native commands through a
/// pass-through.
public protocol BlockReader: Sendable {
    /// Reads from `page` on in one exchange.
    ///
    /// - Parameters:
    ///   - page: the first page, 4 bytes each for a Type 2 Tag.
    ///   - count: how many pages are wanted, at least 1. More or fewer may come back, but at least one.
    /// - Returns: whole pages.
    /// - Throws: ``TagError``; a refusal carries its status word.
    mutating func read(from page: Int, count: Int) async throws(TagError) -> [UInt8]
}
