import ISO7816

/// The commands of Type 2 chips beyond READ and WRITE, through a reader's pass-through (NTAG213/215/216 data sheet, §10).
struct Type2Native: Sendable {
    let channel: any NativeChannel
    let way: ReaderProfile.NativeWay
    let longestAnswer: Int

    init?(profile: ReaderProfile, channel: some CardChannel) {
        guard let native = profile.nativeChannel(over: channel) else { return nil }
        self.channel = native
        way = profile.nativeWay
        longestAnswer = profile.longestNativeAnswer
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

    /// FAST_READ of whole pages.
    func fastRead(_ pages: ClosedRange<Int>) async throws(TagError) -> [UInt8] {
        guard let first = UInt8(exactly: pages.lowerBound), let last = UInt8(exactly: pages.upperBound) else {
            throw TagError(.tagResponseError, "page \(pages.upperBound) is out of reach")
        }
        let data = try await channel.transceive([0x3A, first, last])
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
