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
    ///   `GEO_PARAMETER` where the reference system is no name, or a parameter or field has a field of its own here.
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

    /// The label that Android shows: what stands in brackets behind coordinates in ``query``.
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
    /// The place in what follows `geo:`; nil where it is no place.
    init?(parsing rest: ArraySlice<UInt8>) {
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        var fields = URIField.list(rest.dropFirst(path.count + 1), separator: UInt8(ascii: "&"))
        let numbers = path.prefix { $0 != UInt8(ascii: ";") }
        var parameters = URIField.list(path.dropFirst(numbers.count), separator: UInt8(ascii: ";"))
        let crs = parameters.take("crs") ?? Self.earth
        let uncertainty = parameters.take("u").map { DecimalNumber.parse(Array($0.utf8)[...]) }
        // Nil within is an uncertainty that is no number.
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
    /// The reference system of a place is no name, or one of its other parameters has a field of its own.
    public static let locationParameter = Self(rawValue: "GEO_PARAMETER")
}
