/// A defect in a message or payload that was tolerated.
///
/// In the JSON form it is `{"code":"TNF_RESERVED","message":"…"}`.
public struct NDEFWarning: Sendable, Hashable {
    /// The kind of defect.
    public let code: Code
    /// The record concerned, counted from 0.
    public let recordIndex: Int
    /// Where the record starts, in bytes from the start of the message; nil for a warning about a payload.
    public let byteOffset: Int?

    init(_ code: Code, recordIndex: Int, byteOffset: Int?) {
        self.code = code
        self.recordIndex = recordIndex
        self.byteOffset = byteOffset
    }

    /// The explanation with its place, for people. Records are counted from 1 here.
    public var message: String {
        located(code.sentence, recordIndex: recordIndex, byteOffset: byteOffset)
    }

    /// The name of a warning, with the sentence that explains it; more may be added. The codes of a record type are declared
    /// with the type.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name in messages and in JSON, for example `TNF_RESERVED`.
        public let rawValue: String
        /// The explanation, for people.
        package let sentence: String

        /// The code of that name, without an explanation.
        public init(rawValue: String) { self.init(rawValue, rawValue) }

        init(_ rawValue: String, _ sentence: String) {
            self.rawValue = rawValue
            self.sentence = sentence
        }

        /// Two codes are equal if they have the same name.
        public static func == (one: Self, other: Self) -> Bool { one.rawValue == other.rawValue }

        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    }
}

extension NDEFWarning: CustomStringConvertible {
    /// The code and the sentence.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension NDEFWarning: Encodable {
    /// Writes `code` and `message`.
    public func encode(to encoder: any Encoder) throws {
        try Report(code: code.rawValue, message: message).encode(to: encoder)
    }
}

extension NDEFWarning.Code {
    /// TNF 7: the record is delivered with its bytes, as one of unknown type.
    public static let tnfReserved = Self(
        "TNF_RESERVED", "the type name format is 7 (reserved); the record is treated as unknown")
    /// TNF 1 without a TYPE.
    public static let typeLengthZeroTNF1 = Self("TYPE_LENGTH_ZERO_TNF1", "a well-known record has no type")
    /// TNF 2 without a TYPE.
    public static let typeLengthZeroTNF2 = Self("TYPE_LENGTH_ZERO_TNF2", "a media record has no type")
    /// TNF 3 without a TYPE.
    public static let typeLengthZeroTNF3 = Self(
        "TYPE_LENGTH_ZERO_TNF3", "an absolute URI record has no URI in its type")
    /// TNF 4 without a TYPE.
    public static let typeLengthZeroTNF4 = Self("TYPE_LENGTH_ZERO_TNF4", "an external record has no type")
    /// IL is set, and the identifier length is 0.
    public static let ilWithEmptyID = Self("IL_WITH_EMPTY_ID", "the flag IL is set, but the identifier is empty")
    /// SR is clear, and the payload is below 256 bytes; of a chunked record the first chunk counts.
    public static let longFormForShortPayload = Self(
        "LONG_FORM_FOR_SHORT_PAYLOAD", "a payload below 256 bytes has a four-byte length")
    /// A record inside a payload has an identifier, which is not kept.
    public static let innerIdentifierIgnored = Self(
        "INNER_ID_IGNORED", "a record inside the payload has an identifier, which is not kept")

    /// The code for a record of this format that has no type, or nil where none is needed.
    static func typeLengthZero(_ format: TypeNameFormat) -> Self? {
        switch format {
        case .nfcWellKnown: .typeLengthZeroTNF1
        case .media: .typeLengthZeroTNF2
        case .absoluteURI: .typeLengthZeroTNF3
        case .nfcExternal: .typeLengthZeroTNF4
        case .empty, .unknown, .unchanged, .reserved: nil
        }
    }
}
