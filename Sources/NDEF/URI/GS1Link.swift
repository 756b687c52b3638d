/// What a GS1 Digital Link says: a product, and its variant, batch and serial number (GS1 Digital Link: URI Syntax 1.1, without
/// compression).
///
/// The path of a web address ends with `/01/` and the product's number (GTIN), then those of `/22/`, `/10/` and `/21/` that are there, in
/// this order. The query, which may say more, is not looked at.
public struct GS1Link: Hashable, Sendable {
    /// The Global Trade Item Number, padded with zeros to 14 digits; its check digit is right.
    public let gtin: String
    /// The consumer product variant (22).
    public let variant: String?
    /// The batch or lot (10).
    public let lot: String?
    /// The serial number (21).
    public let serial: String?

    /// What this URI says; nil where it is not such a link.
    init?(_ uri: String) {
        // Most URIs are not, which shows at once.
        guard uri.contains("/01/"), let parts = URIParts(uri), ["http", "https"].contains(parts.scheme) else {
            return nil
        }
        let address = String(decoding: parts.rest, as: UTF8.self)
        let path = address.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
        guard let link = path.indices.dropFirst().lazy.compactMap({ Self(path[$0...]) }).first else { return nil }
        self = link
    }

    /// What the end of a path says.
    private init?(_ path: ArraySlice<Substring>) {
        guard path.first == "01", let gtin = path.dropFirst().first.flatMap({ Self.gtin($0) }) else { return nil }
        var rest = path.dropFirst(2)
        var values: [String: String] = [:]
        for identifier in ["22", "10", "21"] where rest.first.map({ $0 == identifier }) ?? false {
            guard let value = rest.dropFirst().first.flatMap({ Self.value($0) }) else { return nil }
            values[identifier] = value
            rest = rest.dropFirst(2)
        }
        guard rest.isEmpty else { return nil }
        self.gtin = gtin
        variant = values["22"]
        lot = values["10"]
        serial = values["21"]
    }

    /// The number of 8, 12, 13 or 14 digits in 14 digits, if its check digit is right.
    private static func gtin(_ text: Substring) -> String? {
        let digits = text.utf8.map { Int($0) - 0x30 }
        guard [8, 12, 13, 14].contains(digits.count), digits.allSatisfy((0...9).contains) else { return nil }
        // The digits count three times and once by turns, from the last but one on.
        let sum = digits.reversed().enumerated().reduce(0) { $0 + ($1.offset.isMultiple(of: 2) ? 1 : 3) * $1.element }
        guard sum.isMultiple(of: 10) else { return nil }
        return String(repeating: "0", count: 14 - digits.count) + text
    }

    /// A value of at most 20 printable characters of ASCII, percent-encoding undone.
    private static func value(_ text: Substring) -> String? {
        let bytes = Array(text.utf8)[...].resolvingEscapes(UInt8(ascii: "%"))
        guard (1...20).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension URIRecord {
    /// The product that the URI leads to, if it is a GS1 Digital Link.
    public var gs1: GS1Link? { GS1Link(uri) }
}

extension GS1Link: Encodable, JSONDescribed {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case gtin = "01"
        case variant = "22"
        case lot = "10"
        case serial = "21"
    }

    /// Writes the numbers under their application identifiers.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(gtin, forKey: .gtin)
        try container.encodeIfPresent(variant, forKey: .variant)
        try container.encodeIfPresent(lot, forKey: .lot)
        try container.encodeIfPresent(serial, forKey: .serial)
    }

    package static var jsonSummary: String {
        "The product, and its variant, lot and serial number, of a GS1 Digital Link."
    }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .gtin: .written(.pattern("^[0-9]{14}$"), "The number of the product (GTIN), in 14 digits.")
            case .variant: .optional(.text, "The variant.")
            case .lot: .optional(.text, "The batch or lot.")
            case .serial: .optional(.text, "The serial number.")
            }
        }
    }
}
