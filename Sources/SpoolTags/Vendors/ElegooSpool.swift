/// The content of a spool of Elegoo: raw memory behind an NDEF message with the address of its web site. Offsets count from page 0.
public struct ElegooSpool: Sendable, Hashable {
    private static let offset = 0x40
    private static let count = 0x24
    /// The bytes behind the first one.
    private static let mark = [UInt8](repeating: 0xEE, count: 4)
    /// Where it is. The TLVs in front show whether a message covers it.
    static let place = SpoolPlace(
        mark: offset + 1..<offset + 1 + mark.count, marks: [mark], extent: offset..<offset + count,
        needed: SpoolMemory.userMemory..<offset + count)

    private let bytes: SpoolBytes

    /// The content of a memory; nil if Elegoo's mark is not in its place or within an NDEF message, or if neither the material nor the
    /// diameter can be right.
    public init?(_ memory: SpoolMemory) {
        guard memory.layout == .type2, let read = memory[Self.offset, count: Self.count],
            Array(read[1..<5]) == Self.mark, !memory.hasMessage(over: Self.offset)
        else { return nil }
        bytes = SpoolBytes([UInt8](repeating: 0, count: Self.offset) + read)
        guard materialCode != nil || SpoolDoubt.diameters.contains(diameter) else { return nil }
    }

    /// The material as the tag spells it: the decimal number of each ASCII character, in BCD. `80 76 65` is PLA. Nil if that is not a name.
    public var materialCode: String? { Self.name(bytes[0x48, 4]) }
    /// The number of the material, and below it that of its variety.
    public var variety: UInt16 { UInt16(truncatingIfNeeded: bytes.bigEndian(0x4C, 2)) }
    /// The name of the material with its variety; nil if ``variety`` is not known.
    public var varietyName: String? { Self.varieties[variety] }
    /// The colour.
    public var color: SpoolColor { SpoolColor(bytes[0x50, 4]) }
    /// The temperature of the nozzle in degrees Celsius.
    public var nozzle: SpoolRange? { SpoolRange(nonZero: Int(bytes.bigEndian(0x54, 2)), Int(bytes.bigEndian(0x56, 2))) }
    /// The diameter of the filament in millimetres; 0 if unknown.
    public var diameter: Double { Double(bytes.bigEndian(0x5C, 2)) / 100 }
    /// The weight of the material of a full spool in grams; 0 if unknown.
    public var weight: Int { Int(bytes.bigEndian(0x5E, 2)) }

    /// What a person wants to know.
    public var facts: SpoolFacts {
        var facts = SpoolFacts()
        facts.brand = "Elegoo"
        facts.material = varietyName ?? [materialCode, "#\(variety)"].compactMap(\.self).joined(separator: " ")
        facts.colors = [color]
        facts.diameter = diameter == 0 ? nil : diameter
        facts.fullWeight = weight == 0 ? nil : Double(weight)
        facts.nozzle = nozzle
        return facts
    }

    /// What cannot be right.
    public var doubts: [SpoolDoubt] {
        let spelling = materialCode == nil ? SpoolDoubt("the material is not spelt in decimal numbers of ASCII") : nil
        return [spelling, .reversed("nozzle", nozzle), .diameter(diameter)].compactMap(\.self)
    }

    /// The name that BCD numbers spell, of capital letters and digits; zeros are left out.
    private static func name(_ bytes: [UInt8]) -> String? {
        var name = ""
        for byte in bytes where byte != 0 {
            let (tens, ones) = (byte >> 4, byte & 0x0F)
            guard tens <= 9, ones <= 9 else { return nil }
            let character = Character(Unicode.Scalar(tens * 10 + ones))
            guard character.isUppercase || character.isNumber else { return nil }
            name.append(character)
        }
        return name.isEmpty ? nil : name
    }

    /// The varieties of each material, by its number; in a material, by their numbers.
    private static let varieties: [UInt16: String] = {
        let materials: [[Int: String]] = [
            [
                0: "PLA", 1: "PLA+", 2: "PLA Pro", 3: "PLA Silk", 4: "PLA-CF", 5: "PLA Carbon", 6: "PLA Matte",
                7: "PLA Fluo", 8: "PLA Wood", 9: "PLA Basic", 10: "PLA Rapid+", 11: "PLA Marble", 12: "PLA Galaxy",
                13: "PLA Red Copper", 14: "PLA Sparkle",
            ],
            [0: "PETG", 1: "PETG-CF", 2: "PETG-GF", 3: "PETG Pro", 4: "PETG Translucent", 5: "PETG Rapid"],
            [0: "ABS", 1: "ABS-GF"], [0: "TPU", 1: "TPU 95A", 2: "TPU Rapid 95A"],
            [0: "PA", 1: "PA-CF", 3: "PAHT-CF", 4: "PA6", 5: "PA6-CF", 6: "PA12", 7: "PA12-CF"],
            [0: "CPE"], [0: "PC", 1: "PCTG", 2: "PC-FR"], [0: "PVA"], [0: "ASA"], [0: "BVOH"], [0: "EVA"], [0: "HIPS"],
            [0: "PP", 1: "PP-CF", 2: "PP-GF"], [0: "PPA", 1: "PPA-CF", 2: "PPA-GF"], [0: "PPS", 2: "PPS-CF"],
        ]
        let numbered = materials.enumerated().flatMap { material, varieties in
            varieties.map { (UInt16(material << 8 | $0.key), $0.value) }
        }
        return Dictionary(uniqueKeysWithValues: numbered)
    }()
}

extension SpoolMemory {
    /// Whether an NDEF message in the user memory of a Type 2 tag covers a byte (NFC Forum Type 2 Tag, 2.3).
    fileprivate func hasMessage(over offset: Int) -> Bool {
        var place = Self.userMemory
        while place <= offset, let type = self[place, count: 1]?[0], type != 0xFE {
            guard type != 0x00 else {
                place += 1
                continue
            }
            guard let short = self[place + 1, count: 1]?[0] else { return false }
            let long = short == 0xFF ? self[place + 2, count: 2] : nil
            let end = place + (long.map { 4 + (Int($0[0]) << 8 | Int($0[1])) } ?? 2 + Int(short))
            if type == 0x03, end > offset { return true }
            place = end
        }
        return false
    }
}

extension ElegooSpool: Encodable {
    private enum CodingKeys: String, CodingKey {
        case materialCode = "material", variety = "subtype", varietyName = "subtype_name", color = "color_rgba"
        case nozzleMinimum = "nozzle_min", nozzleMaximum = "nozzle_max", diameter = "diameter_mm", weight = "weight_g"
    }

    /// Encodes the fields as they are on the tag, and the names of numbers that are known.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encodeIfPresent(materialCode, forKey: .materialCode)
        try object.encode(variety, forKey: .variety)
        try object.encodeIfPresent(varietyName, forKey: .varietyName)
        try object.encode(color.hexadecimal, forKey: .color)
        try object.encode(Int(nozzle?.minimum ?? 0), forKey: .nozzleMinimum)
        try object.encode(Int(nozzle?.maximum ?? 0), forKey: .nozzleMaximum)
        try object.encode(diameter, forKey: .diameter)
        try object.encode(weight, forKey: .weight)
    }
}
