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
        /// The name as it is shown, such as `TRUNCATED_PAYLOAD`.
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
        var container = encoder.container(keyedBy: ReportKey.self)
        try container.encode(code.rawValue, forKey: .code)
        try container.encode(message, forKey: .message)
    }
}
