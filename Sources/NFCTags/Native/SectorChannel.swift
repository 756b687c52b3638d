import ISO7816

/// A pass-through that gets at the other sectors of a Type 2 Tag, each of 256 pages (NFC Forum Type 2 Tag, SECTOR_SELECT).
///
/// It takes a reader that tells an acknowledge from a refusal, and silence from both: otherwise a page of sector 0 might be
/// taken for one of the sector meant.
protocol SectorChannel: NativeChannel {
    /// Sends frames one after another with a sector selected, and leaves the tag in sector 0.
    ///
    /// - Throws: ``TagError`` 102 where the tag has no such sector or refuses a frame, 100 when it left.
    func transceive(inSector sector: UInt8, _ frames: [[UInt8]]) async throws(TagError) -> [[UInt8]]
}

extension TransparentChannel: SectorChannel {
    func transceive(inSector sector: UInt8, _ frames: [[UInt8]]) async throws(TagError) -> [[UInt8]] {
        try await inSession { () async throws(TagError) -> [[UInt8]] in
            do throws(TagError) {
                try await select(sector)
                var answers: [[UInt8]] = []
                for frame in frames { answers.append(try await exchange(frame)) }
                try await select(0)
                return answers
            } catch {
                // Without its field the tag forgets the sector. The first failure is the one to tell.
                _ = try? await send(p2: 0x00, [0x83, 0x00])
                _ = try? await send(p2: 0x00, [0x84, 0x00])
                throw error
            }
        }
    }

    /// `C2 FF` is acknowledged; then the sector and three bytes 00, which silence accepts.
    private func select(_ sector: UInt8) async throws(TagError) {
        guard try await exchange([0xC2, 0xFF]) == [0x0A] else {
            throw TagError(.tagResponseError, "SECTOR_SELECT was not acknowledged")
        }
        let answer: [UInt8]
        do throws(TagError) {
            answer = try await exchange([sector, 0x00, 0x00, 0x00])
        } catch {
            // No answer of the tag.
            guard error.statusWord == StatusWord(rawValue: 0x6401) else { throw error }
            return
        }
        throw TagError(.tagResponseError, "the tag has no sector \(sector)", response: answer)
    }
}
