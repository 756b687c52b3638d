import ISO7816

/// The pages of a Type 2 Tag behind a reader: read with `FF B0`, with FAST_READ where tag and reader support it and it takes
/// fewer exchanges, written with `FF D6`. Keeps what it has detected of both.
final class Type2Pages: BlockReader {
    /// Bytes per page.
    static let size = 4
    /// Pages per sector; only the first can be reached without SECTOR_SELECT.
    static let perSector = 256
    /// The header and the largest data area a capability container can declare, in pages.
    static let limit = 4 + 255 * 8 / 4
    /// Pages to ask for where fewer are wanted: a short message comes with the header that way.
    private static let firstStretch = 16

    /// The commands beyond READ and WRITE; nil if the reader has no pass-through.
    let native: Type2Native?
    /// Whether the tag has accepted its password and has not been selected again since.
    private(set) var isAuthenticated = false
    /// The pages that FAST_READ may ask for; nil if it is not to be used.
    private var fastReadable: Range<Int>?
    /// Page 0, once it is known: what READ continues with behind the last page it may show.
    private var firstPage: [UInt8]?
    private let channel: any CardChannel
    /// Le of `FF B0`: what READ of a Type 2 Tag answers, until the reader returns less.
    private var readLength: Int

    init(channel: some CardChannel, profile: ReaderProfile) {
        self.channel = channel
        native = Type2Native(profile: profile, channel: channel)
        readLength = profile.longestStorageRead
    }

    /// Reads pages, with the fewest exchanges that are known to work.
    func read(from page: Int, count: Int) async throws(TagError) -> [UInt8] {
        try await read(from: page, count: count, fast: fastReadable)
    }

    /// Reads pages; `fast` are those that FAST_READ may ask for here.
    private func read(from page: Int, count: Int, fast: Range<Int>?) async throws(TagError) -> [UInt8] {
        if page >= Self.perSector { return try await sectorRead(from: page, count: count) }
        guard let native, let pages = native.stretch(from: page, count: count, in: fast, atLeast: Self.firstStretch)
        else {
            return try await plainRead(from: page)
        }
        do throws(TagError) {
            return try await native.fastRead(pages)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            // A protected page among them, or a tag or reader without the command: READ shows which.
            fastReadable = nil
            try await reselect()
            return try await plainRead(from: page)
        }
    }

    /// Reads pages of a memory of `end` pages, all of which FAST_READ may ask for.
    func readAll(from page: Int, upTo end: Int) async throws(TagError) -> [UInt8] {
        try await read(from: page, count: end - page, fast: fastReadable == nil ? nil : 0..<end)
    }

    /// Reads with `FF B0`, without the copy of page 0 that READ continues with. A refusal leaves the tag mute.
    func plainRead(from page: Int) async throws(TagError) -> [UInt8] { beforeRollOver(try await rawRead(from: page)) }

    /// Reads with `FF B0`, with what the tag shows behind its last page.
    func rawRead(from page: Int) async throws(TagError) -> [UInt8] {
        do throws(TagError) {
            let data = try await storageRead(page)
            // What READ shows behind the last page of a sector is not the next one.
            return Array(data.prefix((Self.perSector - page) * Self.size))
        } catch {
            if error.statusWord == .operationFailed { try await reselect() }
            throw error
        }
    }

    /// Pages of the data area, no more than are wanted: those behind it may not exist.
    private func sectorRead(from page: Int, count: Int) async throws(TagError) -> [UInt8] {
        guard let native else { throw TagError(.unsupportedFeature, "the reader cannot reach page \(page)") }
        let end = min(page + max(count, 1), (page / Self.perSector + 1) * Self.perSector)
        return try await native.sectorRead(page...end - 1)
    }

    /// The pages in front of a copy of page 0. READ continues there at the end of the memory and in front of a page that
    /// needs a password; should it be data that looks the same, the next read gets it.
    private func beforeRollOver(_ data: [UInt8]) -> [UInt8] {
        guard let firstPage, firstPage.contains(where: { $0 != 0 }) else { return data }
        for start in stride(from: Self.size, to: data.count, by: Self.size) where data[start...].starts(with: firstPage)
        {
            return Array(data.prefix(start))
        }
        return data
    }

    private func reselect() async throws(TagError) {
        if try await native?.channel.reactivate() == true { isAuthenticated = false }
    }
}

extension Type2Pages {
    /// Writes one page with `FF D6`, or with WRITE in another sector than the first; never twice.
    func write(_ bytes: [UInt8], to page: Int) async throws(TagError) {
        if let native, page >= Self.perSector { return try await native.sectorWrite(bytes, to: page) }
        let response = try await channel.exchange(.updateBinary(block: page, bytes))
        guard response.statusWord.isSuccess else {
            // The tag is mute now. The refusal is what matters, whether the tag can be selected again or not.
            try? await reselect()
            throw TagError(
                .tagResponseError, "page \(page) was not written: \(response.statusWord)", response: response)
        }
    }

    /// PWD_AUTH (NTAG213/215/216 data sheet, 10.7): the two bytes PACK.
    func authenticate(password: [UInt8]) async throws(TagError) -> [UInt8] {
        guard let native else {
            throw TagError(.unsupportedFeature, "the reader cannot send a password to a Type 2 Tag")
        }
        guard password.count == 4 else {
            throw TagError(.unsupportedFeature, "a password of a Type 2 Tag has 4 bytes, not \(password.count)")
        }
        isAuthenticated = false
        let acknowledge = try await native.authenticate(password)
        isAuthenticated = true
        return acknowledge
    }

    /// The identifier that the reader reports (`FF CA`).
    func identifier() async throws(TagError) -> [UInt8] {
        try await IdentifierReader(channel: channel, technology: .type2).read()
    }

    /// Allows FAST_READ for the pages of a product that has it.
    func allowFastRead(of product: Type2Product) { fastReadable = 0..<product.readablePages }

    /// Adjusts reading to the header: FAST_READ stays inside the data area, as pages behind it may be protected.
    ///
    /// - Parameter isVersionKnown: whether the tag was asked for its version. Where it was not, the size of the container
    ///   may show that the chip has FAST_READ.
    func adjust(to header: Type2Header, isVersionKnown: Bool) {
        firstPage = header.hasIdentifier ? Array(header.bytes.prefix(Self.size)) : nil
        guard header.container.isValid, native != nil else { return }
        let area = 0..<min(header.container.dataArea.upperBound / Self.size, Self.perSector)
        if let range = fastReadable {
            fastReadable = range.clamped(to: area)
        } else if !isVersionKnown, Type2Product.hasFastRead(with: header.container) {
            fastReadable = area
        }
    }

    /// `FF B0`: 16 bytes at a time, or fewer if the reader returns fewer.
    private func storageRead(_ page: Int) async throws(TagError) -> [UInt8] {
        var response = try await channel.readBinary(page, length: readLength)
        if let offered = offeredLength(response.statusWord), offered != readLength {
            readLength = offered
            response = try await channel.readBinary(page, length: readLength)
        }
        if response.statusWord != .endOfData { try response.accepted("page \(page)") }
        let count = response.data.count
        guard count > 0, count <= readLength, count % Self.size == 0 else {
            throw TagError(
                .tagResponseError, "page \(page) answered with \(count) bytes, \(readLength) were requested",
                response: response)
        }
        readLength = count
        return response.data
    }

    /// The Le that a refusal asks for: the one in 6CXX; a single page where the reader only reports that it is wrong.
    private func offeredLength(_ statusWord: StatusWord) -> Int? {
        if let length = statusWord.correctLength { return length % Self.size == 0 && length < 256 ? length : nil }
        return statusWord == .wrongLength ? Self.size : nil
    }
}

/// The same pages, read with `FF B0` alone: lock and configuration pages, which FAST_READ may be refused for.
struct Type2PlainPages: BlockReader {
    let pages: Type2Pages

    func read(from page: Int, count: Int) async throws(TagError) -> [UInt8] { try await pages.plainRead(from: page) }
}
