extension DecodedPayload: CustomStringConvertible {
    /// What is said, on one line without control characters: `URI https://example.com`, `Text "hello" (en)`,
    /// `Media image/png`.
    public var description: String {
        if let content { return content.description }
        return switch self {
        case .failed(let error): "Undecodable (\(error.description.escaped))"
        default: "Undecoded"
        }
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
