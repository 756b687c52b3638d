/// A telephone number as a URI, such as `tel:+49-170-1234567` (RFC 3966).
public struct TelephoneURI: Sendable, Hashable {
    /// The number for display: digits, `*`, `#` and the letters A to F, `-`, `.` and brackets between them; in front a
    /// plus sign where it is a global number, which has digits only.
    public let number: String
    /// The extension to dial when connected.
    public let `extension`: String?
    /// Where a local number is valid: a domain, or the start of global numbers such as `+49`.
    public let phoneContext: String?
    /// The other parameters.
    public let parameters: [URIField]

    /// A telephone number. Spaces in the number become `-`.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `TEL_NUMBER` where the number or the extension is invalid, and `TEL_PARAMETER`
    ///   where a parameter has its own field.
    public init(
        _ number: String, extension: String? = nil, phoneContext: String? = nil, parameters: [URIField] = []
    ) throws(NDEFPayloadError) {
        let bytes = number.utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "-") : $0 }
        guard Self.isNumber(bytes[...]), `extension`.map(Self.isExtension) ?? true else {
            throw NDEFPayloadError(.telephoneNumber, "this is not a telephone number")
        }
        guard !parameters.contains(where: { $0.isNamed("ext") || $0.isNamed("phone-context") }) else {
            throw NDEFPayloadError(
                .telephoneParameter, "ext and phone-context have their own fields and cannot be other parameters")
        }
        self.number = String(decoding: bytes, as: UTF8.self)
        self.extension = `extension`
        self.phoneContext = phoneContext
        self.parameters = parameters
    }

    /// The number without what is there for the eye, such as `+491701234567`.
    public var dialable: String {
        String(decoding: number.utf8.filter { !Self.separators.contains($0) }, as: UTF8.self)
    }

    /// The URI, such as `tel:+49-170-1234567;ext=12`.
    public var uri: String {
        let fields = [
            `extension`.map { URIField(name: "ext", value: $0) },
            phoneContext.map { URIField(name: "phone-context", value: $0) },
        ]
        let parameters = fields.compactMap { $0 } + self.parameters
        return parameters.reduce(into: "tel:" + PercentEncoding.encode(number, keeping: "+*()")) { uri, parameter in
            uri += ";" + parameter.encoded(keeping: "[]/:&+$!*'()")
        }
    }

    /// The number in what follows `tel:`; nil where it is not a telephone number.
    init?(parsing rest: ArraySlice<UInt8>) {
        let number = rest.prefix { $0 != UInt8(ascii: ";") }
        var parameters = URIField.list(rest.dropFirst(number.count), separator: UInt8(ascii: ";"))
        let `extension` = parameters.take("ext")
        let phoneContext = parameters.take("phone-context")
        guard
            let telephone = try? TelephoneURI(
                PercentEncoding.decode(number), extension: `extension`, phoneContext: phoneContext,
                parameters: parameters)
        else { return nil }
        self = telephone
    }
}

// MARK: - Characters

extension TelephoneURI {
    private static let separators = Set("-.()".utf8)
    private static let localDigits = Set("0123456789ABCDEFabcdef*#".utf8)

    private static func isNumber(_ bytes: ArraySlice<UInt8>) -> Bool {
        let isGlobal = bytes.first == UInt8(ascii: "+")
        let rest = bytes.dropFirst(isGlobal ? 1 : 0).filter { !separators.contains($0) }
        return !rest.isEmpty && rest.allSatisfy { isGlobal ? DecimalNumber.isDigit($0) : localDigits.contains($0) }
    }

    private static func isExtension(_ text: String) -> Bool {
        let digits = text.utf8.filter { !separators.contains($0) }
        return !digits.isEmpty && digits.allSatisfy(DecimalNumber.isDigit)
    }
}

extension NDEFPayloadError.Code {
    /// The telephone number or its extension is invalid.
    public static let telephoneNumber = Self(rawValue: "TEL_NUMBER")
    /// One of the other parameters of a telephone number has its own field.
    public static let telephoneParameter = Self(rawValue: "TEL_PARAMETER")
}

extension TelephoneURI: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case number, dialable, `extension`, phoneContext, parameters
    }

    /// Writes `number`, `dialable`, and `extension`, `phoneContext` and `parameters` if there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(number, forKey: .number)
        try container.encode(dialable, forKey: .dialable)
        try container.encodeIfPresent(`extension`, forKey: .extension)
        try container.encodeIfPresent(phoneContext, forKey: .phoneContext)
        try container.encodeIfNotEmpty(parameters, forKey: .parameters)
    }

    /// Reads `number`, and `extension`, `phoneContext` and `parameters` where they are there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let number = try container.decode(String.self, forKey: .number)
        let `extension` = try container.decodeIfPresent(String.self, forKey: .extension)
        let phoneContext = try container.decodeIfPresent(String.self, forKey: .phoneContext)
        let parameters = try container.decodeIfPresent([URIField].self, forKey: .parameters) ?? []
        self = try container.accepting(.number) { () throws(NDEFPayloadError) in
            try TelephoneURI(number, extension: `extension`, phoneContext: phoneContext, parameters: parameters)
        }
    }
}

extension TelephoneURI: JSONDescribed {
    package static var jsonSummary: String { "A telephone number." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .number:
                .required(.text, "The number.")
            case .dialable:
                .derived(.text, .written, "The number without separators; ignored in a record to write.")
            case .extension:
                .optional(.text, "The extension.")
            case .phoneContext:
                .optional(.text, "The context of a local number.")
            case .parameters:
                .optional(.list(.object(URIField.self)), "The other parameters.")
            }
        }
    }
}
