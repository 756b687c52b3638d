import ISO7816

/// Reads Type 2 pages with `FF B0` (PC/SC Part 3, Read Binary): 16 bytes at a time, or as few as the reader gives.
struct StorageCardReader<Channel: CardChannel>: BlockReader {
    /// Bytes per page of a Type 2 Tag.
    static var pageSize: Int { 4 }

    let channel: Channel
    /// Le: what READ of a Type 2 Tag answers, until the reader shows that it gives less.
    private var blockSize: Int

    init(channel: Channel, blockSize: Int = 16) {
        self.channel = channel
        self.blockSize = blockSize
    }

    mutating func read(from page: Int, count: Int) async throws(TagError) -> [UInt8] {
        guard (0...0xFFFF).contains(page) else {
            throw TagError(.tagResponseError, "page \(page) is out of reach")
        }
        var response = try await ask(page)
        if let offered = offeredBlockSize(response.statusWord), offered != blockSize {
            blockSize = offered
            response = try await ask(page)
        }
        return try accept(response, from: page)
    }

    private func ask(_ page: Int) async throws(TagError) -> ResponseAPDU {
        try await channel.exchange(
            CommandAPDU(
                cla: 0xFF, ins: 0xB0, p1: UInt8(truncatingIfNeeded: page >> 8), p2: UInt8(truncatingIfNeeded: page),
                le: UInt8(truncatingIfNeeded: blockSize)))
    }

    /// The Le that a refusal asks for: the one in 6CXX; a single page where the reader only says that it is wrong.
    private func offeredBlockSize(_ statusWord: StatusWord) -> Int? {
        if let length = statusWord.correctLength {
            return length % Self.pageSize == 0 && length < 256 ? length : nil
        }
        return statusWord == .wrongLength ? Self.pageSize : nil
    }

    private mutating func accept(_ response: ResponseAPDU, from page: Int) throws(TagError) -> [UInt8] {
        guard response.statusWord.isSuccess || response.statusWord == .endOfData else {
            throw TagError(.tagResponseError, "page \(page) refused: \(response.statusWord)", response: response)
        }
        let count = response.data.count
        guard count > 0, count <= blockSize, count % Self.pageSize == 0 else {
            throw TagError(
                .tagResponseError, "page \(page) answered with \(count) bytes, \(blockSize) were asked for",
                response: response)
        }
        blockSize = count
        return response.data
    }
}
