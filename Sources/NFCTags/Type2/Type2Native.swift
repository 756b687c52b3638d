import ISO7816

/// The commands of Type 2 chips beyond READ and WRITE, through a reader's pass-through (NTAG213/215/216 data sheet, §10).
struct Type2Native: Sendable {
    let channel: any NativeChannel

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

    /// PWD_AUTH: the two bytes PACK.
    ///
    /// - Throws: ``TagError`` 102 when the password is wrong; the tag is selected again then, if the reader can.
    func authenticate(_ password: [UInt8]) async throws(TagError) -> [UInt8] {
        do throws(TagError) {
            let answer = try await channel.transceive([0x1B] + password)
            guard answer.count == 2 else {
                throw TagError(.tagResponseError, "PWD_AUTH answered with \(answer.count) bytes", response: answer)
            }
            return answer
        } catch {
            guard error.code == .tagResponseError else { throw error }
            _ = try await channel.reactivate()
            throw TagError(.tagResponseError, "the password is not accepted", response: error.response)
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
