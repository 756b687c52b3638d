/// A response APDU: response data and the status word SW1-SW2 behind it (ISO/IEC 7816-4).
public struct ResponseAPDU: Sendable, Hashable {
    /// The response data field, possibly empty.
    public let data: [UInt8]
    /// SW1-SW2.
    public let statusWord: StatusWord

    /// Makes a response from its two parts.
    public init(data: [UInt8] = [], statusWord: StatusWord) {
        self.data = data
        self.statusWord = statusWord
    }

    /// Splits a raw response; only the last two bytes are the status word, `9000` may occur inside the data.
    ///
    /// - Throws: ``ResponseAPDUError/statusWordMissing(_:)`` for fewer than two bytes.
    public init(bytes: [UInt8]) throws(ResponseAPDUError) {
        let trailer = bytes.suffix(2)
        guard trailer.count == 2, let sw1 = trailer.first, let sw2 = trailer.last else {
            throw .statusWordMissing(bytes)
        }
        self.init(data: Array(bytes.dropLast(2)), statusWord: StatusWord(sw1: sw1, sw2: sw2))
    }

    /// Data followed by SW1 and SW2.
    public var bytes: [UInt8] { data + [statusWord.sw1, statusWord.sw2] }
}

/// Why bytes are not a response APDU (ISO/IEC 7816-4).
public enum ResponseAPDUError: Error, Sendable, Hashable {
    /// Fewer than two bytes; the bytes there were.
    case statusWordMissing([UInt8])
}

extension ResponseAPDUError: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .statusWordMissing(let bytes) where bytes.isEmpty: "the response is empty, not even a status word"
        case .statusWordMissing(let bytes):
            "a response has at least the two bytes of the status word, this one is \(Hexadecimal.string(bytes))"
        }
    }
}
