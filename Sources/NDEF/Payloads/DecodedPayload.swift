/// What a record says, as far as its form is known. More cases may be added, one per record type.
public enum DecodedPayload: Sendable, Hashable {
    /// A text (well-known type `T`).
    case text(TextRecord)
    /// A URI (well-known type `U`).
    case uri(URIRecord)

    /// The empty record.
    case empty
    /// Content of this media type; the bytes are the record's payload.
    case media(String)
    /// An absolute URI, which is the record's type; the payload is what the URI identifies.
    case absoluteURI(String)
    /// Content of this external type; the bytes are the record's payload.
    case external(String)
    /// Content of unknown type; also the records of reserved type name format.
    case unknown
    /// A well-known type whose form is not known here.
    case undecoded
    /// The type is known, but the payload is not of its form; the record still has the bytes.
    case failed(NDEFPayloadError)

    /// The typed payload of the case, where it has one.
    var typed: (any NDEFTypedPayload)? {
        switch self {
        case .text(let text): text
        case .uri(let uri): uri
        case .empty, .media, .absoluteURI, .external, .unknown, .undecoded, .failed: nil
        }
    }
}

extension NDEFRecord {
    /// What the record says. It is decoded anew at each call.
    public var decoded: DecodedPayload {
        var warnings: [NDEFWarning.Code] = []
        return decode(warnings: &warnings)
    }

    /// What the record says; `warnings` gains a code for each oddity of the payload that is forgiven.
    func decode(warnings: inout [NDEFWarning.Code]) -> DecodedPayload {
        switch typeNameFormat {
        case .empty: .empty
        case .nfcWellKnown: decodeTyped(&warnings) ?? .undecoded
        case .media: decodeTyped(&warnings) ?? .media(typeString)
        case .absoluteURI: .absoluteURI(typeString)
        case .nfcExternal: decodeTyped(&warnings) ?? .external(typeString)
        case .unknown, .reserved: .unknown
        case .unchanged: .undecoded
        }
    }

    private func decodeTyped(_ warnings: inout [NDEFWarning.Code]) -> DecodedPayload? {
        guard let form = PayloadRegistry.form(of: self) else { return nil }
        do throws(NDEFPayloadError) {
            return try form.decode(payload, &warnings)
        } catch {
            return .failed(error)
        }
    }

    /// The type as text, with U+FFFD for what is not UTF-8.
    var typeString: String { String(decoding: type, as: UTF8.self) }
}
