internal import NFCTypes

/// A colour, as formats of spools give it.
public struct SpoolColor: Sendable, Hashable, CustomStringConvertible {
    /// The parts.
    public let red, green, blue, alpha: UInt8

    /// A colour; without a transparency, it is opaque.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 0xFF) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    /// The colour of 3 bytes, or of 4 with the transparency.
    init(_ bytes: [UInt8]) {
        self.init(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes.count > 3 ? bytes[3] : 0xFF)
    }

    /// `RRGGBBAA` in hexadecimal digits.
    public var hexadecimal: String { [red, green, blue, alpha].hexadecimal }

    /// `#RRGGBB`, or `#RRGGBBAA` if the colour is not opaque.
    public var description: String { "#" + (alpha == 0xFF ? String(hexadecimal.prefix(6)) : hexadecimal) }
}

/// The least and the most of a quantity, each if it is known.
public struct SpoolRange: Sendable, Hashable {
    /// The least and the most.
    public let minimum, maximum: Double?

    /// A range; nil if neither end is known.
    public init?(_ minimum: Double?, _ maximum: Double?) {
        guard minimum != nil || maximum != nil else { return nil }
        (self.minimum, self.maximum) = (minimum, maximum)
    }

    /// A range of numbers of which 0 stands for unknown.
    init?(nonZero minimum: Int, _ maximum: Int) {
        self.init(minimum == 0 ? nil : Double(minimum), maximum == 0 ? nil : Double(maximum))
    }

    /// Whether the least is above the most.
    public var isReversed: Bool {
        guard let minimum, let maximum else { return false }
        return minimum > maximum
    }

    /// `190–230`, with what is known.
    func text(_ unit: String) -> String {
        switch (minimum, maximum) {
        case (let low?, let high?) where low != high: "\(low.shortText)–\(high.shortText) \(unit)"
        case (let low?, nil): "from \(low.shortText) \(unit)"
        case (nil, let high?): "up to \(high.shortText) \(unit)"
        default: "\((maximum ?? 0).shortText) \(unit)"
        }
    }
}

/// What a person wants to know about a spool, in the same terms for all formats. A member is nil if the tag does not give it. Numbers are
/// those on the tag, plausible or not.
public struct SpoolFacts: Sendable, Hashable {
    /// The brand; a text from the tag, or a name for its number.
    public var brand: String?
    /// The material, with what is special about it: `PLA Silk`.
    public var material: String?
    /// The colours, the first one first.
    public var colors: [SpoolColor] = []
    /// The diameter of the filament in millimetres.
    public var diameter: Double?
    /// The weight of the material on a full spool, in grams.
    public var fullWeight: Double?
    /// The weight of the material that is left, in grams.
    public var remainingWeight: Double?
    /// The temperature of the nozzle in degrees Celsius.
    public var nozzle: SpoolRange?
    /// The temperature of the bed in degrees Celsius.
    public var bed: SpoolRange?
    /// The temperature for drying in degrees Celsius.
    public var dryingTemperature: Double?
    /// The time for drying in hours.
    public var dryingHours: Double?

    /// Nothing known.
    public init() {}

    /// What is known, as names and values for people, each on one line: control characters in texts of the tag are escaped, and long
    /// texts are cut.
    public var rows: [(name: String, value: String)] {
        let weight = { (grams: Double) in "\(grams.shortText) g" }
        let found: [(String, String?)] = [
            ("brand", brand?.shown), ("material", material?.shown),
            (colors.count > 1 ? "colours" : "colour", colors.isEmpty ? nil : colorText),
            ("diameter", diameter.map { "\($0.shortText) mm" }),
            ("full weight", fullWeight.map(weight)), ("remaining weight", remainingWeight.map(weight)),
            ("nozzle", nozzle?.text("°C")), ("bed", bed?.text("°C")), ("drying", dryingText),
        ]
        return found.compactMap { name, value in value.map { (name, $0) } }
    }

    private var colorText: String { colors.map(\.description).joined(separator: ", ") }

    private var dryingText: String? {
        let parts = [dryingTemperature.map { "\($0.shortText) °C" }, dryingHours.map { "\($0.shortText) h" }]
            .compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

/// Something about the content of a tag that cannot be right, or that the format forbids. The content is shown as it is.
public struct SpoolDoubt: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, for people.
    public let description: String

    init(_ description: String) { self.description = description }

    /// The doubt about a range; nil if it can be right.
    static func reversed(_ name: String, _ range: SpoolRange?) -> SpoolDoubt? {
        guard let range, range.isReversed, let low = range.minimum, let high = range.maximum else { return nil }
        return SpoolDoubt(
            "the least temperature of the \(name), \(low.shortText) °C, is above the highest, \(high.shortText) °C")
    }

    /// The doubt about a diameter in millimetres; nil if filament can have it, or if it is not given.
    static func diameter(_ diameter: Double) -> SpoolDoubt? {
        guard diameter != 0, !Self.diameters.contains(diameter) else { return nil }
        return SpoolDoubt("filament is not \(diameter.shortText) mm thick")
    }

    /// The diameters of filament, in millimetres, with those of experiments.
    static let diameters = 1.0...4.0
}

extension String {
    /// The text for people: on one line, everything unprintable escaped, and not longer than any name is.
    var shown: String {
        let limit = 120
        let text = String(unicodeScalars.prefix(limit)).printable
        return unicodeScalars.count > limit ? text + "…" : text
    }
}
