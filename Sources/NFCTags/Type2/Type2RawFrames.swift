import ISO7816

/// Raw frames to a Type 2 Tag, also through readers that show neither an ACK nor a NAK: the 4 bits of both are reported as
/// the same failure. The effect of the command decides then.
public struct Type2RawFrames: Sendable {
    private let channel: any NativeChannel

    /// Frames over a transport.
    public init(channel: any NativeChannel) { self.channel = channel }

    /// Sends one frame. A WRITE or INCR_CNT whose answer the reader hides is followed by a read.
    ///
    /// - Returns: the tag's answer; `0A` for an ACK, shown by the reader or by the effect.
    /// - Throws: ``TagError`` 102 if the tag refuses or does not answer, or its answer cannot be known; else as
    ///   ``NativeChannel/transceive(_:)``.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        do throws(TagError) {
            return try await channel.transceive(frame)
        } catch {
            guard error.code == .tagResponseError, !channel.showsAcknowledge else { throw error }
            switch (frame.first, frame.count) {
            case (Self.write, 6): try await checkWrite(frame, error)
            // A counter that is at its limit refuses, and the tag is mute.
            case (Self.incrementCounter, 6): _ = try await read([Self.readCounter, frame[1]], after: frame, error)
            case (Self.compatibilityWrite, _), (Self.sectorSelect, _):
                // The tag waits for the second part, so no read can be sent in between.
                throw error.of(frame, "this reader does not show whether the tag accepted it")
            default: throw error
            }
            return [Self.acknowledge]
        }
    }

    private static let write: UInt8 = 0xA2
    private static let read: UInt8 = 0x30
    private static let incrementCounter: UInt8 = 0xA5
    private static let readCounter: UInt8 = 0x39
    private static let compatibilityWrite: UInt8 = 0xA0
    private static let sectorSelect: UInt8 = 0xC2
    private static let acknowledge: UInt8 = 0x0A

    private func checkWrite(_ frame: [UInt8], _ error: TagError) async throws(TagError) {
        let page = frame[1]
        let answer = try await read([Self.read, page], after: frame, error)
        guard Self.shows(Array(frame.dropFirst(2)), of: page, answer) else {
            let content = Hexadecimal.string(answer.prefix(Type2Pages.size))
            throw error.of(frame, "page \(page) reads \(content) afterwards")
        }
    }

    /// The answer to a read. A tag that refused a command is mute until it is selected again (NTAG213/215/216 data sheet, 8.4).
    private func read(
        _ reading: [UInt8], after frame: [UInt8], _ error: TagError
    ) async throws(TagError) -> [UInt8] {
        do throws(TagError) {
            return try await channel.transceive(reading)
        } catch let other {
            guard other.code == .tagResponseError else { throw other }
            throw error.of(frame, "the tag refused it")
        }
    }

    /// Whether READ of a page shows that data was written to it.
    private static func shows(_ data: [UInt8], of page: UInt8, _ answer: [UInt8]) -> Bool {
        guard answer.count == 16 else { return false }
        let content = answer.prefix(Type2Pages.size)
        // Lock bits and the capability container can only be set. Byte 3 of a page of dynamic lock bytes reads BD.
        let isSet = zip(content, data).map { $0 | $1 == $0 }
        switch page {
        case 2: return isSet[2] && isSet[3]
        case 3: return !isSet.contains(false)
        default: break
        }
        if content.elementsEqual(data) || content.last == 0xBD && !isSet.prefix(3).contains(false) { return true }
        // The password and its acknowledge read as zeros, and READ continues with page 0 behind them.
        return content.allSatisfy { $0 == 0 } && (isPageZero(answer[8...]) || isPageZero(answer[4...]))
    }

    /// Whether bytes begin with those of page 0: three of the identifier and their check byte, after the cascade tag 88.
    private static func isPageZero(_ bytes: ArraySlice<UInt8>) -> Bool {
        let page = Array(bytes.prefix(Type2Pages.size))
        return page[0] != 0 && 0x88 ^ page[0] ^ page[1] ^ page[2] == page[3]
    }
}

extension TagError {
    /// The same failure with another reason.
    fileprivate func of(_ frame: [UInt8], _ reason: String) -> TagError {
        TagError(code, "\(CommandText.frame(frame)): \(reason)", response: response, statusWord: statusWord)
    }
}
