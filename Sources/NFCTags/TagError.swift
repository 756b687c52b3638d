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

    /// What the client lacks, if something was refused for want of a grant.
    package var refusal: Refusal?

    /// What is wrong if it is not the tag: a parameter of the request, such as `params.profile`, or a file of the configuration.
    package var path: String?

    /// The name of the profile of tags by which something was done; nil if none was chosen.
    package var profile: String?

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

extension TagError {
    /// The error of a parameter of the request, or of a file of the configuration.
    package func about(_ path: String?) -> TagError {
        var error = self
        error.path = path
        return error
    }

    /// Whether the tag or the reader answered, with a refusal.
    var isRefusal: Bool { code == .tagResponseError && statusWord.map { !$0.isSuccess } == true }

    /// Whether the answer shows that a command which writes was not carried out: a checking error (ISO/IEC 7816-4, 5.6: 67 to 6E), or an
    /// error code of ISO/IEC 15693 other than 13, which is given after programming. Everything else leaves it open: 63 00 of a reader is
    /// a missing answer too, 64 and 65 are errors of the execution.
    var changedNothing: Bool {
        switch statusWord?.sw1 {
        case 0x64?: iso15693.map { $0 != .notProgrammed } ?? false
        case let sw1?: (0x67...0x6E).contains(sw1)
        case nil: false
        }
    }
}

extension TagError: CustomStringConvertible {
    /// CoreNFC's text followed by the detail.
    public var description: String { "\(code): \(detail)" }
}

/// What was refused because no grant allows it, in words of nfcd's configuration. It holds no data of a tag.
package struct Refusal: Sendable, Hashable {
    /// What was refused, such as `WRITE, which sets lock bits in page 2`; nil: the command as a whole.
    package let subject: String?
    /// What is missing, as a key of a `[[grant]]`: `capabilities = ["lock"]`.
    package let missing: String
    /// The reader that it is about; nil: any, or none.
    package var reader: String?
    /// The lines of a `[[grant]]` that allows it, without the user.
    package let grant: [String]

    /// A refusal.
    package init(_ subject: String?, missing: String, on reader: String?, grant: [String]) {
        (self.subject, self.missing, self.reader, self.grant) = (subject, missing, reader, grant)
    }
}
