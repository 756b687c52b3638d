/// A payload whose form is known: one conforming type per record type.
///
/// Its `Codable` form holds the fields of the `decoded` object of a record's JSON form, without `kind`. Its description
/// tells what it holds on one line, with everything escaped that could drive a terminal.
public protocol NDEFTypedPayload: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The record types whose payloads are of this form. Records are written with the first.
    static var recordTypes: [NDEFRecordType] { get }

    /// The name in the JSON form, such as `uri`.
    static var kind: String { get }

    /// Decodes a payload.
    ///
    /// - Parameters:
    ///   - payload: the PAYLOAD field of a record of one of ``recordTypes``.
    ///   - warnings: gains a code for each oddity that is forgiven.
    /// - Throws: ``NDEFPayloadError`` where the payload is not of this form.
    init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError)

    /// The PAYLOAD field that holds this value, in its canonical form.
    var payload: [UInt8] { get }
}

extension NDEFTypedPayload {
    /// Decodes a payload without telling of the oddities that are forgiven.
    ///
    /// - Throws: ``NDEFPayloadError`` where the payload is not of this form.
    public init(payload: [UInt8]) throws(NDEFPayloadError) {
        var warnings: [NDEFWarning.Code] = []
        try self.init(payload: payload, warnings: &warnings)
    }
}

extension NDEFRecord {
    /// A record that holds a typed payload.
    ///
    /// - Parameters:
    ///   - typed: what the record is to say.
    ///   - identifier: the ID field; empty for none.
    public init<Payload: NDEFTypedPayload>(_ typed: Payload, identifier: [UInt8] = []) {
        let recordType = Payload.recordTypes.first
        self.init(
            typeNameFormat: recordType?.typeNameFormat ?? .unknown,
            type: recordType?.type ?? [],
            identifier: identifier,
            payload: typed.payload)
    }
}
