/// A powered tag behind a reader: one command APDU out, the whole response (data and status word) back.
public protocol CardChannel: Sendable {
    /// Sends one encoded command APDU and returns the raw response: data, SW1, SW2.
    ///
    /// Runs on the caller's executor. A status word other than 9000 is a response, not an error.
    /// - Throws: ``CardChannelError`` when there is no response at all.
    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8]
}

/// Why a command brought no response.
public enum CardChannelError: Error, Sendable, Hashable {
    /// The tag left the field, or was reset by somebody else.
    case tagLost
    /// Nothing came back in time.
    case timedOut
    /// The reader or the service behind it is gone or stopped working.
    case readerFailed
    /// Another program holds the card.
    case busy
    /// Any other failure, with the transport's own code and words.
    case transport(code: UInt32, message: String)
}

extension CardChannelError: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .tagLost: "the tag left the field"
        case .timedOut: "the tag did not answer in time"
        case .readerFailed: "the reader stopped working"
        case .busy: "another program holds the card"
        case .transport(let code, let message): "\(message) (0x\(hexadecimal(code)))"
        }
    }

    private func hexadecimal(_ code: UInt32) -> String {
        let digits = String(code, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
}
