// Taking URIs apart and building them, byte by byte (RFC 3986).

/// A URI cut at its first colon.
struct URIParts {
    /// The scheme in lower case.
    let scheme: String
    /// What follows the colon.
    let rest: ArraySlice<UInt8>

    init?(_ uri: String) {
        let bytes = Array(uri.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        rest = bytes[(colon + 1)...]
    }
}

/// Percent-encoding (RFC 3986, §2.1).
package enum PercentEncoding {
    /// The decoded text. A percent sign without two digits is kept; the whole text is kept where the decoded
    /// bytes are not UTF-8.
    package static func decode(_ encoded: ArraySlice<UInt8>) -> String {
        let decoded = encoded.resolvingEscapes(UInt8(ascii: "%"))
        return String(utf8: decoded[...]) ?? String(decoding: encoded, as: UTF8.self)
    }

    /// The text with all but unreserved characters (RFC 3986, §2.3) and `others` encoded.
    static func encode(_ text: String, keeping others: String = "") -> String {
        let kept = unreserved.union(others.utf8)
        let encoded = text.utf8.flatMap { byte in
            kept.contains(byte) ? [byte] : [UInt8(ascii: "%")] + [byte].hexadecimal.utf8
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static let unreserved = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
}

/// A name with a value in a URI, as in `?body=Hello` or `;ext=12`. In JSON it is `{"name":"ext","value":"12"}`.
public struct URIField: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The value; nil if there is no equals sign.
    public let value: String?

    /// A field of that name.
    public init(name: String, value: String? = nil) {
        self.name = name
        self.value = value
    }
}

extension URIField {
    /// The fields between these separators, percent-decoded; empty ones are left out.
    static func list(_ bytes: ArraySlice<UInt8>, separator: UInt8) -> [URIField] {
        bytes.split(separator: separator).map(URIField.init)
    }

    /// The percent-decoded field in these bytes.
    init(_ field: ArraySlice<UInt8>) {
        let sides = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        name = sides.first.map(PercentEncoding.decode) ?? ""
        value = sides.count == 2 ? sides.last.map(PercentEncoding.decode) : nil
    }

    func isNamed(_ name: String) -> Bool { self.name.lowercased() == name }

    func encoded(keeping others: String = "") -> String {
        let name = PercentEncoding.encode(self.name)
        return value.map { "\(name)=\(PercentEncoding.encode($0, keeping: others))" } ?? name
    }
}

extension [URIField] {
    /// Takes the value of the first field of that name, in whatever case, that has one.
    mutating func take(_ name: String) -> String? {
        firstIndex { $0.value != nil && $0.isNamed(name) }.flatMap { remove(at: $0).value }
    }
}

extension URIField: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case name, value
    }

    /// Writes `name`, and `value` if there is one.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(value, forKey: .value)
    }

    /// Reads `name`, and `value` where it is there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try container.decode(String.self, forKey: .name),
            value: try container.decodeIfPresent(String.self, forKey: .value))
    }
}

extension URIField: JSONDescribed {
    package static var jsonSummary: String { "A field of a URI." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .name:
                .required(.text, "The name.")
            case .value:
                .optional(.text, "The value; absent if there is none.")
            }
        }
    }
}
