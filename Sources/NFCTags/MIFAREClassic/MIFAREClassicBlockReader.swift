/// Reads blocks of NFC sectors, which it opens with the public key.
struct MIFAREClassicBlockReader: BlockReader {
    let card: MIFAREClassic

    func read(from page: Int, count: Int) async throws(TagError) -> [UInt8] {
        let sector = MIFAREClassicSize.sector(ofBlock: page)
        guard try await card.isOpen(sector, or: .ndef) else {
            throw TagError(
                .tagResponseError, "sector \(sector) is for NDEF, but does not open with the public key")
        }
        return try await card.read(block: page, count: count)
    }
}
