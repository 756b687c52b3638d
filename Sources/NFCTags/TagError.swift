public import ISO7816

/// A failure with a tag, with its code of CoreNFC's `NFCReaderError.Code`.
public struct TagError: Error, Sendable, Hashable {
    /// The code that clients receive.
    public let code: NFCErrorCode
    /// What failed, on what, and what to do.
    public let detail: String
    /// The raw answer of the tag or reader, status word included, if there was one.
    public let response: [UInt8]?
    /// The status word of that answer, if it has one.
    public let statusWord: StatusWord?

    /// What is on the tag after an interrupted write.
    public let leaves: WrittenState?

    /// Makes an error; `response` is the raw answer including its status word.
    public init(
        _ code: NFCErrorCode, _ detail: String, response: [UInt8]? = nil, statusWord: StatusWord? = nil,
        leaves: WrittenState? = nil
    ) {
        self.code = code
        self.detail = detail
        self.response = response
        self.statusWord = statusWord
        self.leaves = leaves
    }

    /// SW1 and SW2 of that answer.
    public var statusBytes: [UInt8]? { statusWord.map { [$0.sw1, $0.sw2] } }

    /// An error about a complete response.
    init(_ code: NFCErrorCode, _ detail: String, response: ResponseAPDU) {
        self.init(code, detail, response: response.bytes, statusWord: response.statusWord)
    }
}

extension TagError: CustomStringConvertible {
    /// CoreNFC's text followed by the detail.
    public var description: String { "\(code): \(detail)" }
}
