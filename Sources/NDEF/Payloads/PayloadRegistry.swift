/// The typed payloads that are known; a new one is one more line in `all`.
enum PayloadRegistry {
    static let all: [PayloadForm] = [
        PayloadForm(TextRecord.self, DecodedPayload.text),
        PayloadForm(URIRecord.self, DecodedPayload.uri),
    ]

    private static let byRecordType = Dictionary(
        all.flatMap { form in form.recordTypes.map { ($0, form) } }, uniquingKeysWith: { first, _ in first })

    /// The form of the payload of this record, or nil where none is known.
    static func form(of record: NDEFRecord) -> PayloadForm? {
        byRecordType[NDEFRecordType(record.typeNameFormat, record.type)]
    }

    /// The form of that name in JSON, or nil where none is known.
    static func form(ofKind kind: String) -> PayloadForm? {
        all.first { $0.kind == kind }
    }
}

/// One type of typed payload, and the case of ``DecodedPayload`` that holds it.
struct PayloadForm: Sendable {
    let recordTypes: [NDEFRecordType]
    let kind: String
    let decode: @Sendable ([UInt8], inout [NDEFWarning.Code]) throws(NDEFPayloadError) -> DecodedPayload
    let decodeFields: @Sendable (any Decoder) throws -> DecodedPayload

    init<Payload: NDEFTypedPayload>(_: Payload.Type, _ wrap: @escaping @Sendable (Payload) -> DecodedPayload) {
        recordTypes = Payload.recordTypes
        kind = Payload.kind
        decode = { payload, warnings throws(NDEFPayloadError) in
            wrap(try Payload(payload: payload, warnings: &warnings))
        }
        decodeFields = { decoder in wrap(try Payload(from: decoder)) }
    }
}
