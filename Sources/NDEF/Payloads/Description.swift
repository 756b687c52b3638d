extension DecodedPayload: CustomStringConvertible {
    /// What is said, on one line without control characters: `URI https://example.com`, `Text "hello" (en)`,
    /// `Media text/vcard`.
    public var description: String {
        if let typed { return typed.description }
        return switch self {
        case .empty: "Empty"
        case .media(let type): "Media \(type.escaped)"
        case .absoluteURI(let uri): "Absolute URI \(uri.escaped)"
        case .external(let type): "External \(type.escaped)"
        case .unknown: "Unknown"
        case .failed(let error): "Undecodable (\(error.description.escaped))"
        default: "Undecoded"
        }
    }
}

extension NDEFRecord: CustomStringConvertible {
    /// The record on one line without control characters; where its payload is not shown, with its length:
    /// `URI https://example.com`, `Text "hello" (en)`, `Media text/vcard, 120 bytes`, `Well-known Sp, 24 bytes`.
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
