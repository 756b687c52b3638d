/// One record of an NDEF message, chunks already put together (NFC Forum NDEF 1.0, §3.2).
///
/// The four fields are kept as they were found. What the payload means is ``decoded``.
public struct NDEFRecord: Sendable, Hashable {
    /// How ``type`` is to be read (TNF).
    public var typeNameFormat: TypeNameFormat
    /// The TYPE field; at most 255 bytes can be encoded.
    public var type: [UInt8]
    /// The ID field, a URI reference by which other records may refer to this one; empty when there is none.
    /// At most 255 bytes can be encoded.
    public var identifier: [UInt8]
    /// The PAYLOAD field; at most 2³² − 1 bytes can be encoded.
    public var payload: [UInt8]

    /// A record of these fields. Nothing is checked before the record is encoded.
    public init(
        typeNameFormat: TypeNameFormat,
        type: [UInt8] = [],
        identifier: [UInt8] = [],
        payload: [UInt8] = []
    ) {
        self.typeNameFormat = typeNameFormat
        self.type = type
        self.identifier = identifier
        self.payload = payload
    }
}

extension NDEFRecord: CustomStringConvertible {
    /// The record on one line without control characters; where its payload is not shown, with its length:
    /// `URI https://example.com`, `Text "hello" (en)`, `Media image/png, 120 bytes`, `Well-known Zz, 24 bytes`.
    public var description: String {
        let length = counted(payload.count, "byte")
        let decoded = self.decoded
        return switch decoded {
        case .undecoded: "\(title), \(length)"
        case .failed: "\(title), \(length): \(decoded)"
        case .media, .absoluteURI, .external, .unknown: "\(decoded), \(length)"
        default: decoded.description
        }
    }

    private var title: String {
        let format =
            switch typeNameFormat {
            case .nfcWellKnown: "Well-known"
            case .media: "Media"
            case .nfcExternal: "External"
            default: typeNameFormat.description
            }
        return type.isEmpty ? format : "\(format) \(typeString.escaped)"
    }
}

extension NDEFRecord {
    enum CodingKeys: String, CodingKey {
        case typeNameFormat, type, identifier, payload, decoded, decodeError
    }
}

extension NDEFRecord: Encodable {
    /// Writes the four fields, bytes as upper-case hexadecimal digits; with `decoded` where the form of the payload is
    /// known, or `decodeError` where the payload is not of that form.
    public func encode(to encoder: any Encoder) throws {
        try encodeFields(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        let decoded = self.decoded
        if case .failed(let error) = decoded { try container.encode(error, forKey: .decodeError) }
        if let content = decoded.content { try container.encode(DecodedForm(content: content), forKey: .decoded) }
    }

    /// Writes the four fields alone.
    func encodeFields(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(typeNameFormat, forKey: .typeNameFormat)
        try container.encode(hexadecimal: type, forKey: .type)
        try container.encode(hexadecimal: identifier, forKey: .identifier)
        try container.encode(hexadecimal: payload, forKey: .payload)
    }
}

extension NDEFRecord: Decodable {
    /// Reads a record given raw, by `typeNameFormat` and any of `type`, `identifier` and `payload` (hexadecimal digits of
    /// either case; empty where missing), or given by `decoded` alone, to which an `identifier` may be added.
    ///
    /// Where both are given, the raw fields win and `decoded` is not looked at.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let format = try container.decodeIfPresent(TypeNameFormat.self, forKey: .typeNameFormat)
        let type = try container.decodeHexadecimalIfPresent(forKey: .type)
        let identifier = try container.decodeHexadecimalIfPresent(forKey: .identifier) ?? []
        let payload = try container.decodeHexadecimalIfPresent(forKey: .payload)

        if let format {
            self.init(typeNameFormat: format, type: type ?? [], identifier: identifier, payload: payload ?? [])
            return
        }
        guard type == nil, payload == nil,
            let form = try container.decodeIfPresent(DecodedForm.self, forKey: .decoded)
        else {
            let reason = "a record needs typeNameFormat, or decoded alone"
            throw DecodingError.keyNotFound(
                CodingKeys.typeNameFormat, .init(codingPath: container.codingPath, debugDescription: reason))
        }
        self = NDEFRecord(form.content, identifier: identifier)
        guard typeNameFormat != .empty || identifier.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: .identifier, in: container, debugDescription: "an empty record has no identifier")
        }
    }
}
