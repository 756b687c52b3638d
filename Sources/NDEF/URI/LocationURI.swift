/// A place on Earth as a URI, such as `geo:48.2010,16.3695,183;u=10` (RFC 5870).
public struct LocationURI: Sendable, Hashable {
    /// Degrees north of the equator, −90 to 90 in WGS 84; the first coordinate in another reference system.
    public let latitude: Double
    /// Degrees east of Greenwich, −180 to 180 in WGS 84; the second coordinate in another reference system.
    public let longitude: Double
    /// Metres above the reference ellipsoid in WGS 84; the third coordinate in another reference system.
    public let altitude: Double?
    /// The reference system in lower case: letters, digits and hyphens; `wgs84` where the URI names none.
    public let crs: String
    /// How far off the place may be, in metres; not negative.
    public let uncertainty: Double?
    /// What to look for there (`?q=` of Android): an address, a name, or coordinates with a label in brackets behind them.
    public let query: String?
    /// The other parameters.
    public let parameters: [URIField]
    /// The other fields after the question mark, such as the zoom level `z` of Android.
    public let otherFields: [URIField]

    /// A place.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `GEO_RANGE` for a number that is out of its range or not finite, and
    ///   `GEO_PARAMETER` where the reference system is not a name, or a parameter or field has its own field here.
    public init(
        latitude: Double, longitude: Double, altitude: Double? = nil, crs: String = "wgs84",
        uncertainty: Double? = nil, query: String? = nil, parameters: [URIField] = [], otherFields: [URIField] = []
    ) throws(NDEFPayloadError) {
        let crs = crs.lowercased()
        guard !crs.isEmpty, crs.utf8.allSatisfy(Self.labelCharacters.contains),
            !parameters.contains(where: { $0.isNamed("crs") || $0.isNamed("u") }),
            !otherFields.contains(where: { $0.isNamed("q") })
        else { throw NDEFPayloadError(.locationParameter, "the reference system or a parameter is not valid") }
        let limits = crs == Self.earth ? (90.0, 180.0) : (.greatestFiniteMagnitude, .greatestFiniteMagnitude)
        guard latitude.magnitude <= limits.0, longitude.magnitude <= limits.1, altitude?.isFinite ?? true,
            uncertainty.map({ $0 >= 0 && $0.isFinite }) ?? true
        else { throw NDEFPayloadError(.locationRange, "a coordinate or the uncertainty is out of range") }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.crs = crs
        self.uncertainty = uncertainty
        self.query = query
        self.parameters = parameters
        self.otherFields = otherFields
    }

    /// The label that Android shows: the text in brackets after coordinates in ``query``.
    public var label: String? {
        let bytes = Array((query ?? "").utf8)
        guard let open = bytes.firstIndex(of: UInt8(ascii: "(")), bytes.last == UInt8(ascii: ")"),
            Self.coordinates(bytes[..<open]) != nil
        else { return nil }
        return String(decoding: bytes[(open + 1)...].dropLast(), as: UTF8.self)
    }

    /// The URI, such as `geo:48.201,16.3695,183;u=10`.
    public var uri: String {
        let coordinates = [latitude, longitude, altitude].compactMap { $0 }.map(DecimalNumber.text)
        let parameters =
            (crs == Self.earth ? [] : [URIField(name: "crs", value: crs)])
            + (uncertainty.map { [URIField(name: "u", value: DecimalNumber.text($0))] } ?? []) + self.parameters
        let fields = (query.map { [URIField(name: "q", value: $0)] } ?? []) + otherFields
        let path = [coordinates.joined(separator: ",")] + parameters.map { $0.encoded(keeping: "[]:&+$!*'()") }
        let query = fields.map { $0.encoded(keeping: ",()") }.joined(separator: "&")
        return "geo:" + path.joined(separator: ";") + (query.isEmpty ? "" : "?" + query)
    }

    private static let earth = "wgs84"
    private static let labelCharacters = Set("abcdefghijklmnopqrstuvwxyz0123456789-".utf8)
}

// MARK: - Reading

extension LocationURI {
    /// The place in what follows `geo:`; nil where it is not a place.
    init?(parsing rest: ArraySlice<UInt8>) {
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        var fields = URIField.list(rest.dropFirst(path.count + 1), separator: UInt8(ascii: "&"))
        let numbers = path.prefix { $0 != UInt8(ascii: ";") }
        var parameters = URIField.list(path.dropFirst(numbers.count), separator: UInt8(ascii: ";"))
        let crs = parameters.take("crs") ?? Self.earth
        let uncertainty = parameters.take("u").map { DecimalNumber.parse(Array($0.utf8)[...]) }
        // Nil within is an uncertainty that is not a number.
        guard let coordinates = Self.coordinates(numbers), uncertainty.map({ $0 != nil }) ?? true,
            let location = try? LocationURI(
                latitude: coordinates[0], longitude: coordinates[1], altitude: coordinates.dropFirst(2).first, crs: crs,
                uncertainty: uncertainty ?? nil, query: fields.take("q"), parameters: parameters, otherFields: fields)
        else { return nil }
        self = location
    }

    /// Two or three numbers with commas between them; nil where it is anything else.
    private static func coordinates(_ text: ArraySlice<UInt8>) -> [Double]? {
        let parts = text.split(separator: UInt8(ascii: ","), maxSplits: 3, omittingEmptySubsequences: false)
        let numbers = parts.compactMap(DecimalNumber.parse)
        return (2...3).contains(parts.count) && numbers.count == parts.count ? numbers : nil
    }
}

extension NDEFPayloadError.Code {
    /// A coordinate or the uncertainty of a place is out of its range or not finite.
    public static let locationRange = Self(rawValue: "GEO_RANGE")
    /// The reference system of a place is not a name, or one of its other parameters has its own field.
    public static let locationParameter = Self(rawValue: "GEO_PARAMETER")
}

extension LocationURI: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case latitude, longitude, altitude, crs, uncertainty, query, label, parameters, otherFields
    }

    /// Writes `latitude`, `longitude` and `crs`, and `altitude`, `uncertainty`, `query`, `label`, `parameters` and
    /// `otherFields` if there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(latitude, forKey: .latitude)
        try container.encode(longitude, forKey: .longitude)
        try container.encodeIfPresent(altitude, forKey: .altitude)
        try container.encode(crs, forKey: .crs)
        try container.encodeIfPresent(uncertainty, forKey: .uncertainty)
        try container.encodeIfPresent(query, forKey: .query)
        try container.encodeIfPresent(label, forKey: .label)
        try container.encodeIfNotEmpty(parameters, forKey: .parameters)
        try container.encodeIfNotEmpty(otherFields, forKey: .otherFields)
    }

    /// Reads `latitude` and `longitude`, and `altitude`, `crs`, `uncertainty`, `query`, `parameters` and `otherFields` where
    /// they are there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let latitude = try container.decode(Double.self, forKey: .latitude)
        let longitude = try container.decode(Double.self, forKey: .longitude)
        let altitude = try container.decodeIfPresent(Double.self, forKey: .altitude)
        let crs = try container.decodeIfPresent(String.self, forKey: .crs) ?? "wgs84"
        let uncertainty = try container.decodeIfPresent(Double.self, forKey: .uncertainty)
        let query = try container.decodeIfPresent(String.self, forKey: .query)
        let parameters = try container.decodeIfPresent([URIField].self, forKey: .parameters) ?? []
        let otherFields = try container.decodeIfPresent([URIField].self, forKey: .otherFields) ?? []
        self = try container.accepting(.latitude) { () throws(NDEFPayloadError) in
            try LocationURI(
                latitude: latitude, longitude: longitude, altitude: altitude, crs: crs, uncertainty: uncertainty,
                query: query, parameters: parameters, otherFields: otherFields)
        }
    }
}

extension LocationURI: JSONDescribed {
    package static var jsonSummary: String { "A place." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .latitude:
                .required(.number, "The latitude in degrees.")
            case .longitude:
                .required(.number, "The longitude in degrees.")
            case .altitude:
                .optional(.number, "The altitude in metres.")
            case .crs:
                .written(.text, usual: .text("wgs84"), "The coordinate reference system.")
            case .uncertainty:
                .optional(.number, "The uncertainty in metres.")
            case .query:
                .optional(.text, "The query: what to search for.")
            case .label:
                .derived(.text, .optional, "The label in the query; ignored in a record to write.")
            case .parameters:
                .optional(.list(.object(URIField.self)), "The other parameters.")
            case .otherFields:
                .optional(.list(.object(URIField.self)), "The other fields of the query.")
            }
        }
    }
}

/// Decimal numbers as URIs have them (`num` and `pnum` of RFC 5870, §3.3): digits, and a point between digits.
enum DecimalNumber {
    /// The number; nil for anything else that a number may be written as, such as `1e5`, `.5`, `inf` or `0x1`.
    static func parse(_ text: ArraySlice<UInt8>) -> Double? {
        let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
        let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.count <= longest, parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }),
            let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite
        else { return nil }
        return number
    }

    /// The shortest digits that give the number again, without an exponent.
    static func text(_ number: Double) -> String {
        let parts = number.magnitude.description.split(separator: "e")
        let mantissa = parts.first.map { $0.split(separator: ".") } ?? []
        var whole = mantissa.first.map(String.init) ?? "0"
        var fraction = mantissa.count == 2 && mantissa[1] != "0" ? String(mantissa[1]) : ""
        let exponent = parts.count == 2 ? Int(parts[1]) ?? 0 : 0
        if exponent < 0 {
            fraction = String(repeating: "0", count: -exponent - 1) + whole + fraction
            whole = "0"
        } else {
            let moved = fraction.prefix(exponent)
            whole += moved + String(repeating: "0", count: exponent - moved.count)
            fraction.removeFirst(moved.count)
        }
        let sign = number.sign == .minus ? "-" : ""
        return fraction.isEmpty ? sign + whole : "\(sign)\(whole).\(fraction)"
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// No number that is written here takes more bytes.
    private static let longest = 400
}
