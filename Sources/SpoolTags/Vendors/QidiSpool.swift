/// The content of a spool for Qidi's box: three numbers in block 4 of a MIFARE Classic 1K, under the keys of a card as delivered.
///
/// The numbers are those of wiki.qidi3d.com/en/QIDIBOX/RFID, and newer ones that readers of others know. The tag gives neither a weight
/// nor a diameter.
public struct QidiSpool: Sendable, Hashable {
    /// Block 4, the first of sector 1.
    private static let offset = 64
    /// The three data blocks of the sector.
    private static let count = 48
    /// Where it is.
    static let extent = offset..<offset + count

    /// The number of the material.
    public let material: UInt8
    /// The number of the colour.
    public let colorNumber: UInt8
    /// The number of the maker: 1 by default.
    public let maker: UInt8

    /// The content of a memory; nil if sector 1 holds anything else than three numbers that Qidi uses, or if the MIFARE application
    /// directory gives the sector to another application.
    public init?(_ memory: SpoolMemory) {
        guard memory.layout == .mifareClassic, let read = memory[Self.offset, count: Self.count],
            read.dropFirst(3).allSatisfy({ $0 == 0 }), !memory.hasApplicationInSector1
        else { return nil }
        (material, colorNumber, maker) = (read[0], read[1], read[2])
        // A material may be newer than the table, but then the maker is Qidi.
        let canBeMaterial = materialName != nil || maker == 1 && (1...99).contains(material)
        guard canBeMaterial, maker != 0, color != nil else { return nil }
    }

    /// The name of the material; nil if its number is not known.
    public var materialName: String? { Self.materials[material] }
    /// The colour; nil if its number is not known.
    public var color: SpoolColor? {
        let index = Int(colorNumber) - 1
        guard Self.colors.indices.contains(index) else { return nil }
        let rgb = Self.colors[index]
        return SpoolColor([16, 8, 0].map { UInt8(truncatingIfNeeded: rgb >> $0) })
    }

    /// What a person wants to know.
    public var facts: SpoolFacts {
        var facts = SpoolFacts()
        facts.brand = maker == 1 ? "Qidi" : "#\(maker)"
        facts.material = materialName ?? "#\(material)"
        facts.colors = [color].compactMap(\.self)
        return facts
    }

    private static let materials: [UInt8: String] = [
        1: "PLA", 2: "PLA Matte", 3: "PLA Metal", 4: "PLA Silk", 5: "PLA-CF", 6: "PLA Wood", 7: "PLA Basic",
        8: "PLA Matte Basic", 11: "ABS", 12: "ABS-GF", 13: "ABS Metal", 14: "ABS Odorless", 18: "ASA", 19: "ASA-AERO",
        24: "PA Ultra", 25: "PA12-CF", 26: "PA-CF Ultra CF25", 30: "PAHT-CF", 31: "PAHT-GF", 32: "BVOH for PAHT",
        33: "BVOH for PET/PA", 34: "PC-ABS FR", 37: "PET-CF", 38: "PET-GF", 39: "PETG Basic", 40: "PETG Tough",
        41: "PETG", 44: "PPS-CF", 45: "PETG Translucent", 47: "PVA", 49: "TPU AERO", 50: "TPU",
    ]

    /// The colours from number 1 on, as RRGGBB.
    private static let colors: [UInt32] = [
        0xFAFAFA, 0x060606, 0xD9E3ED, 0x5CF30F, 0x63E492, 0x2850FF, 0xFE98FE, 0xDFD628, 0x228332, 0x99DEFF, 0x1714B0,
        0xCEC0FE, 0xCADE4B, 0x1353AB, 0x5EA9FD, 0xA878FF, 0xFE717A, 0xFF362D, 0xE2DFCD, 0x898F9B, 0x6E3812, 0xCAC59F,
        0xF28636, 0xB87F2B,
    ]
}

extension SpoolMemory {
    /// Whether a MIFARE application directory names an application for sector 1 (NXP AN10787, 3.3).
    fileprivate var hasApplicationInSector1: Bool { self[18, count: 2].map { $0 != [0, 0] } ?? false }
}

extension QidiSpool: Encodable {
    private enum CodingKeys: String, CodingKey {
        case material = "material_code", materialName = "material", colorNumber = "color_code", color = "color_rgba"
        case maker = "manufacturer_code"
    }

    /// Encodes the fields as they are on the tag, and what the numbers stand for.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(material, forKey: .material)
        try object.encodeIfPresent(materialName, forKey: .materialName)
        try object.encode(colorNumber, forKey: .colorNumber)
        try object.encodeIfPresent(color?.hexadecimal, forKey: .color)
        try object.encode(maker, forKey: .maker)
    }
}
