/// Something odd in a message or payload that was accepted all the same.
///
/// In the JSON form it is `{"code":"TNF_RESERVED","message":"…"}`.
public struct NDEFWarning: Sendable, Hashable {
    /// What is odd.
    public let code: Code
    /// The record concerned, counted from 0.
    public let recordIndex: Int
    /// Where the record starts, in bytes from the start of the message; nil for remarks about a payload.
    public let byteOffset: Int?

    init(_ code: Code, recordIndex: Int, byteOffset: Int?) {
        self.code = code
        self.recordIndex = recordIndex
        self.byteOffset = byteOffset
    }

    /// A sentence for people that says where and what. Records are counted from 1 here.
    public var message: String {
        located(code.sentence, recordIndex: recordIndex, byteOffset: byteOffset)
    }

    /// The name of a remark; more may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name as it is shown, such as `TNF_RESERVED`.
        public let rawValue: String

        /// The code of that name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension NDEFWarning: CustomStringConvertible {
    /// The code and the sentence.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension NDEFWarning: Encodable {
    /// Writes `code` and `message`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ReportKey.self)
        try container.encode(code.rawValue, forKey: .code)
        try container.encode(message, forKey: .message)
    }
}
