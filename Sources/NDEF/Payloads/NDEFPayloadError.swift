/// Why a payload is not of the form that its record type asks for, or why no payload can say what was asked for.
///
/// In the JSON form it is `{"code":"URI_RFU_PREFIX","message":"…"}`.
public struct NDEFPayloadError: Error, Sendable, Hashable {
    /// What is wrong.
    public let code: Code
    /// A sentence for people.
    public let message: String

    /// An error of this code with a sentence for people.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The name of a fault; more may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name as it is shown, such as `URI_RFU_PREFIX`.
        public let rawValue: String

        /// The code of that name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension NDEFPayloadError: CustomStringConvertible {
    /// The code and the sentence.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension NDEFPayloadError: Encodable {
    /// Writes `code` and `message`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ReportKey.self)
        try container.encode(code.rawValue, forKey: .code)
        try container.encode(message, forKey: .message)
    }
}
