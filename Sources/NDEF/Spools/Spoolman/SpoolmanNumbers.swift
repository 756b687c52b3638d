/// The numbers of a spool and a filament in Spoolman, as nfc2klipper writes them into a text: a line `SPOOL:3`, and a line `FILAMENT:2`.
public struct SpoolmanNumbers: Hashable, Sendable {
    /// The number of the spool.
    public let spool: Int?
    /// The number of the filament.
    public let filament: Int?

    /// What a text names; nil if it is neither.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        let lines = text.split(whereSeparator: \.isNewline)
        spool = Self.number("SPOOL:", in: lines)
        filament = Self.number("FILAMENT:", in: lines)
        if spool == nil, filament == nil { return nil }
    }

    /// The longest text that is looked at.
    private static let maximumLength = 256

    /// The number of 1 to 9 digits behind a name at the start of a line.
    private static func number(_ name: String, in lines: [Substring]) -> Int? {
        let values = lines.filter { $0.hasPrefix(name) }.map { $0.dropFirst(name.count) }
        guard let digits = values.first, digits.count <= 9, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            return nil
        }
        return Int(digits)
    }
}

extension TextRecord {
    /// The spool and the filament that the text names in nfc2klipper's form.
    public var spoolman: SpoolmanNumbers? { SpoolmanNumbers(text) }
}

extension SpoolmanNumbers: Encodable, JSONDescribed {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case spool, filament
    }

    /// Writes `spool` and `filament`, as far as they are named.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(spool, forKey: .spool)
        try container.encodeIfPresent(filament, forKey: .filament)
    }

    package static var jsonSummary: String { "Numbers in Spoolman, which a text names." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .spool: .optional(.integer(0...999_999_999), "The number of the spool.")
            case .filament: .optional(.integer(0...999_999_999), "The number of the filament.")
            }
        }
    }
}
