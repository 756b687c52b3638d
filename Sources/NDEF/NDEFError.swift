/// Why the structure of a message cannot be decoded or encoded.
///
/// In the JSON form it is `{"code":"TRUNCATED_PAYLOAD","message":"…"}`.
public struct NDEFError: Error, Sendable, Hashable {
    /// What is wrong.
    public let code: Code
    /// The record concerned, counted from 0, where it is one record; chunks of a record share its number.
    public let recordIndex: Int?
    /// Where the faulty physical record starts, in bytes from the start of the message; nil when encoding.
    public let byteOffset: Int?
    /// A sentence for people that says where and why. Records are counted from 1 here.
    public let message: String

    init(_ code: Code, recordIndex: Int? = nil, byteOffset: Int? = nil, _ reason: String) {
        self.code = code
        self.recordIndex = recordIndex
        self.byteOffset = byteOffset
        self.message = located(reason, recordIndex: recordIndex, byteOffset: byteOffset)
    }

    /// The name of a fault; more may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name in messages and in JSON, for example `TRUNCATED_PAYLOAD`.
        public let rawValue: String

        /// The code of that name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension NDEFError: CustomStringConvertible {
    /// The code and the sentence.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension NDEFError: Encodable {
    /// Writes `code` and `message`.
    public func encode(to encoder: any Encoder) throws {
        try Report(code: code.rawValue, message: message).encode(to: encoder)
    }
}

extension NDEFError.Code {
    /// There are no bytes.
    public static let emptyInput = Self(rawValue: "EMPTY_INPUT")
    /// The first record does not have MB.
    public static let mbMissing = Self(rawValue: "MB_MISSING")
    /// A later record has MB.
    public static let mbRepeated = Self(rawValue: "MB_REPEATED")
    /// The bytes end at the end of a record, but none had ME.
    public static let meMissing = Self(rawValue: "ME_MISSING")
    /// Bytes follow the record that has ME.
    public static let trailingData = Self(rawValue: "TRAILING_DATA")
    /// The flags and lengths of a record run past the end.
    public static let truncatedHeader = Self(rawValue: "TRUNCATED_HEADER")
    /// The TYPE of a record runs past the end.
    public static let truncatedType = Self(rawValue: "TRUNCATED_TYPE")
    /// The ID of a record runs past the end.
    public static let truncatedID = Self(rawValue: "TRUNCATED_ID")
    /// The PAYLOAD of a record runs past the end.
    public static let truncatedPayload = Self(rawValue: "TRUNCATED_PAYLOAD")
    /// CF and ME are set in one record.
    public static let cfWithME = Self(rawValue: "CF_WITH_ME")
    /// A chunk after the first has a TNF other than 6.
    public static let chunkTNFNotUnchanged = Self(rawValue: "CHUNK_TNF_NOT_UNCHANGED")
    /// A chunk after the first has a TYPE.
    public static let chunkTypeLength = Self(rawValue: "CHUNK_TYPE_LENGTH")
    /// A chunk after the first has IL.
    public static let chunkIL = Self(rawValue: "CHUNK_IL")
    /// The message ends before the last chunk of a record.
    public static let chunkUnterminated = Self(rawValue: "CHUNK_UNTERMINATED")
    /// TNF 6 where no chunk came before; also when encoding, as records are written whole.
    public static let unchangedWithoutChunk = Self(rawValue: "UNCHANGED_WITHOUT_CHUNK")
    /// TNF 0 with a type, an identifier or a payload; also when encoding.
    public static let emptyRecordNotEmpty = Self(rawValue: "EMPTY_RECORD_NOT_EMPTY")
    /// TNF 5 with a TYPE; also when encoding.
    public static let unknownWithType = Self(rawValue: "UNKNOWN_WITH_TYPE")
    /// A limit of ``NDEFLimits`` is exceeded.
    public static let limitExceeded = Self(rawValue: "LIMIT_EXCEEDED")

    /// A record to be encoded has a type of more than 255 bytes.
    public static let typeTooLong = Self(rawValue: "TYPE_TOO_LONG")
    /// A record to be encoded has an identifier of more than 255 bytes.
    public static let identifierTooLong = Self(rawValue: "ID_TOO_LONG")
    /// A record to be encoded has a payload of more than 2³² − 1 bytes.
    public static let payloadTooLong = Self(rawValue: "PAYLOAD_TOO_LONG")
}

/// A sentence with the place it speaks of in front: `record 2 at byte 17: …`. Records are counted from 1 for people.
func located(_ sentence: String, recordIndex: Int?, byteOffset: Int?) -> String {
    switch (recordIndex, byteOffset) {
    case (let index?, let offset?): "record \(index + 1) at byte \(offset): \(sentence)"
    case (let index?, nil): "record \(index + 1): \(sentence)"
    case (nil, let offset?): "at byte \(offset): \(sentence)"
    case (nil, nil): sentence
    }
}

/// The JSON form of errors and warnings: `{"code":"TRUNCATED_PAYLOAD","message":"…"}`.
struct Report: Encodable {
    let code: String
    let message: String
}
