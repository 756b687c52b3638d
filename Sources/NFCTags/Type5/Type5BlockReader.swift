/// Reads blocks one at a time, or several where the tag can.
struct Type5BlockReader: BlockReader {
    let transport: any Type5Transport
    let blockSize: Int
    /// The block in front of which several may be read at once; nil where only single ones are.
    var multipleEnd: Int?

    mutating func read(from page: Int, count: Int) async throws(TagError) -> [UInt8] {
        let wanted = several(page, count)
        do throws(TagError) {
            return try await checked(page, wanted)
        } catch {
            // One block at a time, where the tag refuses several after all.
            guard wanted > 1, error.iso15693 != nil else { throw error }
            multipleEnd = nil
            return try await checked(page, 1)
        }
    }

    /// At least 16 bytes, as far as the area reaches.
    private func several(_ page: Int, _ count: Int) -> Int {
        guard let multipleEnd else { return 1 }
        return max(1, min(max(count, 16 / blockSize), transport.readLimit / blockSize, multipleEnd - page))
    }

    private func checked(_ page: Int, _ wanted: Int) async throws(TagError) -> [UInt8] {
        let bytes = try await transport.read(block: page, count: wanted, size: blockSize)
        guard !bytes.isEmpty, bytes.count.isMultiple(of: blockSize), bytes.count <= wanted * blockSize
        else { throw TagError(.tagResponseError, "block \(page) answered with \(bytes.count) bytes", response: bytes) }
        return bytes
    }
}
