/// What a record says, in fields: one conforming type per form of record.
///
/// Its `Codable` form holds the fields of the `decoded` object of a record's JSON form, without `kind`; they are enough to
/// make the record again. Its description is a summary on one line, with everything escaped that could drive a
/// terminal.
public protocol NDEFContent: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The name in the JSON form, such as `uri`.
    static var kind: String { get }

    /// The record that says this, in its canonical form.
    ///
    /// - Parameter identifier: the ID field; empty for none.
    func record(identifier: [UInt8]) -> NDEFRecord
}

extension NDEFRecord {
    /// A record that says this.
    ///
    /// - Parameters:
    ///   - content: what the record is to say.
    ///   - identifier: the ID field; empty for none.
    public init(_ content: some NDEFContent, identifier: [UInt8] = []) {
        self = content.record(identifier: identifier)
    }
}

/// A payload whose form is known: one conforming type per record type.
public protocol NDEFTypedPayload: NDEFContent {
    /// The record types whose payloads are of this form. Records are written with the first.
    static var recordTypes: [NDEFRecordType] { get }

    /// Decodes a payload.
    ///
    /// - Parameters:
    ///   - payload: the PAYLOAD field of a record of one of ``recordTypes``.
    ///   - warnings: gains a code for each defect that is tolerated.
    /// - Throws: ``NDEFPayloadError`` where the payload is not of this form.
    init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError)

    /// The PAYLOAD field that holds this value, in its canonical form.
    var payload: [UInt8] { get }
}

extension NDEFTypedPayload {
    /// Decodes a payload and discards the warnings.
    ///
    /// - Throws: ``NDEFPayloadError`` where the payload is not of this form.
    public init(payload: [UInt8]) throws(NDEFPayloadError) {
        var warnings: [NDEFWarning.Code] = []
        try self.init(payload: payload, warnings: &warnings)
    }

    /// A record of the first of ``recordTypes`` with this payload.
    public func record(identifier: [UInt8]) -> NDEFRecord {
        let recordType = Self.recordTypes.first
        return NDEFRecord(
            typeNameFormat: recordType?.typeNameFormat ?? .unknown,
            type: recordType?.type ?? [],
            identifier: identifier,
            payload: payload)
    }
}

/// A payload whose record type other payloads have, too, such as JSON of a certain kind. Those stay content of their media type.
package protocol RecognizedPayload: NDEFTypedPayload {
    /// Whether a payload of the record type is of this form.
    static func recognizes(_ payload: [UInt8]) -> Bool
}

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
        /// The name in messages and in JSON, for example `URI_RFU_PREFIX`.
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
        try Report(code: code.rawValue, message: message).encode(to: encoder)
    }
}
