import ISO7816

/// Reads pages with `FF B0`, or with FAST_READ where tag and reader allow and it takes fewer exchanges.
struct Type2PageReader: BlockReader {
    /// The pages FAST_READ may ask for, nil where it is not to be used.
    var fastReadable: Range<Int>?
    /// Page 0, once it is known: what READ goes on with behind the last page it may show.
    var firstPage: [UInt8]?
    /// Whether the tag was selected again, and forgot what it had in volatile memory.
    var hasReselected = false

    private var storage: any BlockReader
    private let native: Type2Native?
    /// Pages to ask for where fewer are wanted: a short message comes with the header that way.
    private static let firstStretch = 16

    init(storage: any BlockReader, native: Type2Native?) {
        self.storage = storage
        self.native = native
    }

    mutating func read(from page: Int, count: Int) async throws(TagError) -> [UInt8] {
        if page >= Type2Tag.sectorSize { return try await sectorRead(from: page, count: count) }
        guard let native, let pages = stretch(from: page, count: count, native) else {
            return try await plainRead(from: page, count: count)
        }
        do throws(TagError) {
            return try await native.fastRead(pages)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            // A protected page among them, or a tag or reader without it: READ tells which.
            fastReadable = nil
            try await reselect()
            return try await plainRead(from: page, count: count)
        }
    }

    /// `FF B0`. A refusal leaves the tag mute.
    private mutating func plainRead(from page: Int, count: Int) async throws(TagError) -> [UInt8] {
        do throws(TagError) {
            let data = try await storage.read(from: page, count: count)
            // What READ shows behind the last page of a sector is not the next one.
            return beforeRollOver(Array(data.prefix((Type2Tag.sectorSize - page) * Type2Tag.pageSize)))
        } catch {
            if error.statusWord == .operationFailed { try await reselect() }
            throw error
        }
    }

    /// Pages of the data area, no more than are wanted: those behind it may not exist.
    private func sectorRead(from page: Int, count: Int) async throws(TagError) -> [UInt8] {
        guard let native else {
            throw TagError(.unsupportedFeature, "the reader gives no way to page \(page)")
        }
        let end = min(page + max(count, 1), (page / Type2Tag.sectorSize + 1) * Type2Tag.sectorSize)
        return try await native.sectorRead(page...end - 1)
    }

    /// What stands in front of a copy of page 0. READ starts over there at the end of the memory and in front of a page that
    /// needs a password; should it be data that looks the same, the next read gets it.
    private func beforeRollOver(_ data: [UInt8]) -> [UInt8] {
        guard let firstPage, firstPage.contains(where: { $0 != 0 }) else { return data }
        let size = Type2Tag.pageSize
        for start in stride(from: size, to: data.count, by: size) where data[start...].starts(with: firstPage) {
            return Array(data.prefix(start))
        }
        return data
    }

    private mutating func reselect() async throws(TagError) {
        guard let native else { return }
        hasReselected = try await native.channel.reactivate() || hasReselected
    }

    /// What to ask for at once; nil where `FF B0` does as well.
    ///
    /// Where frames have to be in a session, or a refusal could not be made good, it has to be worth the exchanges, four at
    /// least.
    private func stretch(from page: Int, count: Int, _ native: Type2Native) -> ClosedRange<Int>? {
        guard let fastReadable, fastReadable.contains(page) else { return nil }
        let isCheap = native.channel.canReactivate && native.channel.overhead == 0
        let wanted = isCheap ? max(count, Self.firstStretch) : count
        let end = min(page + min(wanted, native.pagesAtOnce), fastReadable.upperBound)
        let reads = isCheap ? 1 : max(4, native.exchanges(pages: end - page))
        return end - page > 4 * reads ? page...end - 1 : nil
    }
}

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
