/// The content of a spool for Anycubic's ACE: raw memory of an NTAG213 or its like. Offsets count from page 0.
public struct AnycubicSpool: Sendable, Hashable {
    private static let offset = SpoolMemory.userMemory
    private static let count = 0x80 - offset
    /// Page 4.
    private static let mark: [UInt8] = [0x7B, 0x00, 0x65, 0x00]
    /// Where it is.
    static let place = SpoolPlace(
        mark: offset..<offset + mark.count, marks: [mark], extent: offset..<offset + count,
        needed: offset..<offset + count)

    private let bytes: SpoolBytes

    /// The content of a memory; nil if page 4 does not hold Anycubic's mark, or if nothing else can be right: neither a text nor the diameter.
    public init?(_ memory: SpoolMemory) {
        guard memory.layout == .type2, let read = memory[Self.offset, count: Self.count], read.starts(with: Self.mark)
        else { return nil }
        bytes = SpoolBytes([UInt8](repeating: 0, count: Self.offset) + read)
        let hasText = bytes.isPrintable(0x14, 16) || bytes.isPrintable(0x3C, 16)
        guard hasText || SpoolDoubt.diameters.contains(diameter) else { return nil }
    }

    /// The vendor's article: `AHPLRR-107`. This text and the others are anyone's input.
    public var article: String { bytes.text(0x14, 16) }
    /// The brand: `AC` for Anycubic.
    public var brand: String { bytes.text(0x28, 16) }
    /// The material.
    public var material: String { bytes.text(0x3C, 16) }
    /// The colour. The tag has its parts in the order A, B, G, R.
    public var color: SpoolColor { SpoolColor(bytes[0x50, 4].reversed()) }
    /// The temperature of the nozzle in degrees Celsius.
    public var nozzle: SpoolRange? { SpoolRange(nonZero: bytes.littleEndian(0x60), bytes.littleEndian(0x62)) }
    /// The temperature of the bed in degrees Celsius.
    public var bed: SpoolRange? { SpoolRange(nonZero: bytes.littleEndian(0x74), bytes.littleEndian(0x76)) }
    /// The diameter of the filament in millimetres; 0 if unknown.
    public var diameter: Double { Double(bytes.littleEndian(0x78)) / 100 }
    /// The length of the filament of a full spool in metres; 0 if unknown.
    public var length: Int { bytes.littleEndian(0x7A) }
    /// The weight of the material of a full spool in grams; 0 if unknown.
    public var weight: Int { bytes.littleEndian(0x7C) }

    /// What a person wants to know.
    public var facts: SpoolFacts {
        var facts = SpoolFacts()
        facts.brand = ["", "AC"].contains(brand) ? "Anycubic" : brand
        facts.material = material.isEmpty ? nil : material
        facts.colors = [color]
        facts.diameter = diameter == 0 ? nil : diameter
        facts.fullWeight = weight == 0 ? nil : Double(weight)
        (facts.nozzle, facts.bed) = (nozzle, bed)
        return facts
    }

    /// What cannot be right.
    public var doubts: [SpoolDoubt] {
        let texts = [("article", 0x14), ("brand", 0x28), ("material", 0x3C)].compactMap { name, offset in
            bytes.isText(offset, 16) ? nil : SpoolDoubt("the text of the \(name) is not UTF-8")
        }
        return texts
            + [.reversed("nozzle", nozzle), .reversed("bed", bed), .diameter(diameter)].compactMap(\.self)
    }
}

extension AnycubicSpool: Encodable {
    private enum CodingKeys: String, CodingKey {
        case article = "sku", brand, material, color = "color_rgba"
        case nozzleMinimum = "nozzle_min", nozzleMaximum = "nozzle_max", bedMinimum = "bed_min", bedMaximum = "bed_max"
        case diameter = "diameter_mm", length = "length_m", weight = "weight_g"
    }

    /// Encodes the fields as they are on the tag.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(article, forKey: .article)
        try object.encode(brand, forKey: .brand)
        try object.encode(material, forKey: .material)
        try object.encode(color.hexadecimal, forKey: .color)
        try object.encode(Int(nozzle?.minimum ?? 0), forKey: .nozzleMinimum)
        try object.encode(Int(nozzle?.maximum ?? 0), forKey: .nozzleMaximum)
        try object.encode(Int(bed?.minimum ?? 0), forKey: .bedMinimum)
        try object.encode(Int(bed?.maximum ?? 0), forKey: .bedMaximum)
        try object.encode(diameter, forKey: .diameter)
        try object.encode(length, forKey: .length)
        try object.encode(weight, forKey: .weight)
    }
}
