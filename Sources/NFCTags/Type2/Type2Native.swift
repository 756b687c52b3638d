import ISO7816

/// The commands of Type 2 chips beyond READ and WRITE, through a reader's pass-through (NTAG213/215/216 data sheet, §10).
struct Type2Native: Sendable {
    let channel: any NativeChannel

    init?(profile: ReaderProfile, channel: some CardChannel) {
        guard let native = profile.nativeChannel(over: channel) else { return nil }
        self.channel = native
    }

    /// GET_VERSION, nil where the tag does not know it; it is selected again then, if the reader can.
    func version() async throws(TagError) -> Type2Version? {
        do throws(TagError) {
            return Type2Version(try await channel.transceive([0x60]))
        } catch {
            guard error.code == .tagResponseError else { throw error }
            _ = try await channel.reactivate()
            return nil
        }
    }

    /// The most pages that are worth reading at once.
    var pagesAtOnce: Int { pagesPerFrame * channel.framesInTurn }

    /// How many exchanges with the reader it takes to read so many pages with FAST_READ.
    func exchanges(pages: Int) -> Int {
        let frames = (max(pages, 1) + pagesPerFrame - 1) / pagesPerFrame
        return frames + channel.overhead
    }

    private var pagesPerFrame: Int { max(1, channel.longestAnswer / Type2Tag.pageSize) }

    /// FAST_READ of whole pages, in as many frames as it takes.
    func fastRead(_ pages: ClosedRange<Int>) async throws(TagError) -> [UInt8] {
        guard pages.lowerBound >= 0, pages.upperBound <= 0xFF else {
            throw TagError(.tagResponseError, "page \(pages.upperBound) is out of reach")
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
        guard data.count == pages.count * Type2Tag.pageSize else {
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

    /// READ_CNT: 24 bits, least significant byte first; nil where the tag refuses.
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
        let size = Type2Tag.sectorSize
        let sector = pages.lowerBound / size
        let local = pages.lowerBound - sector * size...pages.upperBound - sector * size
        return try joined(try await transceive(inSector: sector, reads(local)), local)
    }

    /// WRITE of one page, never twice. The reader tells whether it was acknowledged.
    func sectorWrite(_ bytes: [UInt8], to page: Int) async throws(TagError) {
        let frame = [0xA2, UInt8(truncatingIfNeeded: page % Type2Tag.sectorSize)] + bytes
        guard try await transceive(inSector: page / Type2Tag.sectorSize, [frame]) == [[0x0A]] else {
            throw TagError(.tagResponseError, "page \(page) was not acknowledged")
        }
    }

    private func transceive(inSector sector: Int, _ frames: [[UInt8]]) async throws(TagError) -> [[UInt8]] {
        guard let channel = channel as? any SectorChannel, let sector = UInt8(exactly: sector) else {
            throw TagError(.unsupportedFeature, "the reader gives no way to sector \(sector) of the tag")
        }
        return try await channel.transceive(inSector: sector, frames)
    }
}
