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
    private(set) var native: Type2Native?
    /// Whether the tag has accepted its password and has not been selected again since.
    var isAuthenticated: Bool { hasAuthenticated && repeating?.isAccepted != false }
    private var hasAuthenticated = false
    /// The transport before the password was given, where each session of it begins with the password now.
    private var plainNative: Type2Native?
    /// The transport that gives the password again whenever the tag has been selected again.
    private var repeating: RepeatedPasswordChannel?
    /// The transport below ``repeating``.
    private var forgetfulNative: Type2Native?
    /// Resets the connection, where the reader has no command to select the tag again.
    private let reconnection: CardReconnection?
    /// The pages that FAST_READ may ask for; nil if it is not to be used.
    private var fastReadable: Range<Int>?
    /// Page 0, once it is known: what READ continues with behind the last page it may show.
    private var firstPage: [UInt8]?
    /// The bytes from page 0 that the reader can reach: those of the first sector, without SECTOR_SELECT.
    var reach: Int { (native?.reachesSectors == true ? Self.limit : Self.perSector) * Self.size }

    private let channel: any CardChannel
    /// Le of `FF B0`: what READ of a Type 2 Tag answers, until the reader returns less.
    private var readLength: Int

    init(channel: some CardChannel, profile: ReaderProfile, reconnection: CardReconnection? = nil) {
        self.channel = channel
        self.reconnection = reconnection
        native = Type2Native(profile: profile, channel: channel)
        if let found = native, !found.canReactivate, let reconnection {
            native = Type2Native(
                channel: ReconnectingChannel(channel: found.channel, card: channel, reconnection: reconnection))
        }
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

    /// Selects the tag again, which is mute after it refused a command: by a command of the reader, or else by a reset of the
    /// connection.
    private func reselect() async throws(TagError) {
        if let native {
            if try await native.channel.reactivate(), plainNative == nil, repeating == nil { hasAuthenticated = false }
        } else {
            try await reconnection?.select(over: channel)
        }
    }
}

extension Type2Pages {
    /// Writes one page with `FF D6`, or with WRITE in another sector than the first; never twice.
    func write(_ bytes: [UInt8], to page: Int) async throws(TagError) {
        if let native, page >= Self.perSector { return try await native.sectorWrite(bytes, to: page) }
        if let native, plainNative != nil { return try await native.write(bytes, to: page) }
        let response = try await channel.exchange(.updateBinary(block: page, bytes))
        guard response.statusWord.isSuccess else {
            // The tag is mute now. The refusal is what matters, whether the tag can be selected again or not.
            try? await reselect()
            let hint = response.statusWord == .operationFailed ? "; it may be locked, or need the tag's password" : ""
            throw TagError(
                .tagResponseError, "page \(page) was not written: \(response.statusWord)\(hint)", response: response)
        }
    }

    /// The commands beyond READ and WRITE, without a password in front of them.
    ///
    /// - Throws: ``TagError`` 1.
    func passwordTransport() throws(TagError) -> Type2Native {
        guard let native = plainNative ?? forgetfulNative ?? native else {
            throw TagError(.unsupportedFeature, "the reader cannot send a password to a Type 2 Tag; use another")
        }
        return native
    }

    /// Forgets the password that is sent at the beginning of each session, or after each selection: it is about to change, and no
    /// page needs it any more.
    func dropPassword() {
        if let plainNative { (native, self.plainNative, hasAuthenticated) = (plainNative, nil, false) }
        if let forgetfulNative { (native, self.forgetfulNative, repeating) = (forgetfulNative, nil, nil) }
    }

    /// PWD_AUTH with 4 bytes (NTAG213/215/216 data sheet, 10.7), AUTHENTICATE with 16.
    ///
    /// - Returns: the two bytes PACK; nothing for a key, which the tag has proved to know.
    func authenticate(password: [UInt8]) async throws(TagError) -> [UInt8] {
        let native = try passwordTransport()
        guard [Type2Secret.password.size, AESKeyAuthentication.keySize].contains(password.count) else {
            throw TagError(
                .unsupportedFeature,
                "a password of a Type 2 Tag has 4 bytes, an AES key 16; \(password.count) were given")
        }
        dropPassword()
        hasAuthenticated = false
        let acknowledge = try await native.authenticate(password)
        if let sessions = native.channel as? any SessionChannel {
            plainNative = native
            self.native = Type2Native(channel: PasswordChannel(sessions: sessions, password: password))
        } else {
            let repeating = RepeatedPasswordChannel(channel: native.channel, password: password)
            (forgetfulNative, self.repeating, self.native) = (native, repeating, Type2Native(channel: repeating))
        }
        hasAuthenticated = true
        if password.count == AESKeyAuthentication.keySize { try await checkPlainMessaging() }
        return acknowledge
    }

    /// Refuses a MIFARE Ultralight AES with secure messaging: it answers no plain command after its key, not even READ of
    /// page 0.
    private func checkPlainMessaging() async throws(TagError) {
        do throws(TagError) {
            _ = try await rawRead(from: 0)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            throw TagError(
                .unsupportedFeature, "the tag uses secure messaging (SEC_MSG_ACT), which nfcd does not support")
        }
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
        if let native, plainNative != nil { return try await native.read(page) }
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

/// The commands of Type 2 chips beyond READ and WRITE, through a reader's pass-through (NTAG213/215/216 data sheet, §10).
struct Type2Native: Sendable {
    let channel: any NativeChannel

    init(channel: any NativeChannel) { self.channel = channel }

    init?(profile: ReaderProfile, channel: some CardChannel) {
        guard let native = profile.nativeChannel(over: channel) else { return nil }
        self.channel = native
    }

    /// GET_VERSION, nil if the tag does not support it; the tag is then selected again, if the reader can.
    func version() async throws(TagError) -> Type2Version? {
        do throws(TagError) {
            return Type2Version(try await channel.transceive([0x60]))
        } catch {
            guard error.code == .tagResponseError else { throw error }
            _ = try await channel.reactivate()
            return nil
        }
    }

    /// Whether the reader can select a tag again that a refused command has made mute.
    var canReactivate: Bool { channel.canReactivate }
    /// Whether a frame takes one exchange, and a refused one does no harm.
    var isCheap: Bool { canReactivate && channel.overhead == 0 }

    /// The pages to read at once with FAST_READ; nil if `FF B0` takes no more exchanges.
    ///
    /// Where frames have to be in a session, or a refusal cannot be recovered from, it has to save at least four exchanges.
    /// - Parameters:
    ///   - page: the first page.
    ///   - count: how many pages are wanted.
    ///   - fast: the pages that FAST_READ may ask for; nil for none.
    ///   - minimum: how many pages to read if that costs no further exchange.
    func stretch(from page: Int, count: Int, in fast: Range<Int>?, atLeast minimum: Int) -> ClosedRange<Int>? {
        guard let fast, fast.contains(page) else { return nil }
        let wanted = isCheap ? max(count, minimum) : count
        let end = min(page + min(wanted, pagesPerFrame * channel.framesInTurn), fast.upperBound)
        let reads = isCheap ? 1 : max(4, exchanges(pages: end - page))
        return end - page > 4 * reads ? page...end - 1 : nil
    }

    /// How many exchanges with the reader FAST_READ takes for a number of pages.
    private func exchanges(pages: Int) -> Int {
        let frames = (max(pages, 1) + pagesPerFrame - 1) / pagesPerFrame
        return frames + channel.overhead
    }

    private var pagesPerFrame: Int { max(1, channel.longestAnswer / Type2Pages.size) }

    /// FAST_READ of whole pages, in as many frames as it takes.
    func fastRead(_ pages: ClosedRange<Int>) async throws(TagError) -> [UInt8] {
        guard pages.lowerBound >= 0, pages.upperBound <= 0xFF else {
            throw TagError(.tagResponseError, "page \(pages.upperBound) cannot be addressed")
        }
        return try joined(try await channel.transceive(inTurn: reads(pages)), pages)
    }

    private func reads(_ pages: ClosedRange<Int>) -> [[UInt8]] {
        stride(from: pages.lowerBound, through: pages.upperBound, by: pagesPerFrame).map { first in
            let last = min(first + pagesPerFrame - 1, pages.upperBound)
            return [0x3A, UInt8(truncatingIfNeeded: first), UInt8(truncatingIfNeeded: last)]
        }
    }

    private func joined(_ answers: [[UInt8]], _ pages: ClosedRange<Int>) throws(TagError) -> [UInt8] {
        let data = answers.flatMap { $0 }
        guard data.count == pages.count * Type2Pages.size else {
            throw TagError(
                .tagResponseError, "FAST_READ of \(pages.count) pages answered with \(data.count) bytes", response: data
            )
        }
        return data
    }

    /// READ_SIG: the 32 bytes of the originality signature.
    func signature() async throws(TagError) -> [UInt8]? {
        try await optional([0x3C, 0x00], count: 32)
    }

    /// READ_CNT: 24 bits, least significant byte first; nil if the tag refuses.
    func counter(_ number: Int) async throws(TagError) -> Int? {
        let bytes = try await optional([0x39, UInt8(truncatingIfNeeded: number)], count: 3)
        return bytes.map { $0.reversed().reduce(0) { $0 << 8 | Int($1) } }
    }

    /// READ: four pages.
    func read(_ page: Int) async throws(TagError) -> [UInt8] {
        let answer = try await channel.transceive([0x30, UInt8(truncatingIfNeeded: page)])
        guard answer.count == 4 * Type2Pages.size else {
            throw TagError(.tagResponseError, "page \(page) answered with \(answer.count) bytes", response: answer)
        }
        return answer
    }

    /// WRITE of one page, never twice.
    func write(_ bytes: [UInt8], to page: Int) async throws(TagError) {
        let answer = try await channel.transceive([0xA2, UInt8(truncatingIfNeeded: page)] + bytes)
        guard answer == [0x0A] else {
            throw TagError(.tagResponseError, "page \(page) was not acknowledged", response: answer)
        }
    }

    /// Gives the tag its password or key.
    ///
    /// - Returns: PACK; nothing for a key.
    /// - Throws: ``TagError`` 102 when it is wrong; the tag is selected again then, if the reader can.
    func authenticate(_ password: [UInt8]) async throws(TagError) -> [UInt8] {
        let channel = channel
        do throws(TagError) {
            guard let sessions = channel as? any SessionChannel else {
                return try await Type2Authentication(password: password).run { frame throws(TagError) in
                    try await channel.transceive(frame)
                }
            }
            return try await sessions.inSession { () throws(TagError) in
                try await Type2Authentication(password: password).run { frame throws(TagError) in
                    try await sessions.exchange(frame)
                }
            }
        } catch {
            guard error.code == .tagResponseError else { throw error }
            _ = try await channel.reactivate()
            throw error
        }
    }

    private func optional(_ frame: [UInt8], count: Int) async throws(TagError) -> [UInt8]? {
        do throws(TagError) {
            let answer = try await channel.transceive(frame)
            return answer.count == count ? answer : nil
        } catch {
            guard error.code == .tagResponseError else { throw error }
            _ = try await channel.reactivate()
            return nil
        }
    }
}

/// The sectors behind the first one. Their pages are counted on: sector 1 begins with page 256.
extension Type2Native {
    /// Whether the reader gets there.
    var reachesSectors: Bool { channel is any SectorChannel }

    /// FAST_READ of pages that lie in one sector.
    func sectorRead(_ pages: ClosedRange<Int>) async throws(TagError) -> [UInt8] {
        let size = Type2Pages.perSector
        let sector = pages.lowerBound / size
        let local = pages.lowerBound - sector * size...pages.upperBound - sector * size
        return try joined(try await transceive(inSector: sector, reads(local)), local)
    }

    /// WRITE of one page, never twice. The reader reports whether it was acknowledged.
    func sectorWrite(_ bytes: [UInt8], to page: Int) async throws(TagError) {
        let frame = [0xA2, UInt8(truncatingIfNeeded: page % Type2Pages.perSector)] + bytes
        guard try await transceive(inSector: page / Type2Pages.perSector, [frame]) == [[0x0A]] else {
            throw TagError(.tagResponseError, "page \(page) was not acknowledged")
        }
    }

    private func transceive(inSector sector: Int, _ frames: [[UInt8]]) async throws(TagError) -> [[UInt8]] {
        guard let channel = channel as? any SectorChannel, let sector = UInt8(exactly: sector) else {
            throw TagError(.unsupportedFeature, "the reader cannot reach sector \(sector) of the tag")
        }
        return try await channel.transceive(inSector: sector, frames)
    }
}
