/// A payload whose form is known: one conforming type per record type.
public protocol NDEFTypedPayload: NDEFContent {
    /// The record types whose payloads are of this form. Records are written with the first.
    static var recordTypes: [NDEFRecordType] { get }

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
