internal import NFCTypes

/// A number on a TigerTag, and what it stands for.
public struct TigerTagName: Sendable, Hashable, CustomStringConvertible {
    /// The number on the tag.
    public let number: UInt32
    /// What it stands for; nil if it is not in the tables of this program.
    public let name: String?

    init(_ number: UInt32, in table: [UInt32: String]) {
        self.number = number
        name = table[number]
    }

    /// The name, or the number with `#` if it is not known.
    public var description: String { name ?? "#\(number)" }

    /// The name, unless it says that there is nothing.
    var meaning: String? { ["-", "None"].contains(name) || (name == nil && number == 0) ? nil : description }
}

/// The content of a TigerTag: 80 bytes from page 4 of a Type 2 tag on, and a signature of 64 (TigerTag RFID Guide 2.2, §2).
public struct TigerTag: Sendable, Hashable {
    /// The size of the fields without the signature.
    static let fieldCount = 80
    static let signatureCount = 64
    /// Where it is.
    static let place = SpoolPlace(
        mark: SpoolMemory.userMemory..<SpoolMemory.userMemory + 4, marks: Kind.allCases.map(\.bytes),
        extent: SpoolMemory.userMemory..<SpoolMemory.userMemory + fieldCount + signatureCount,
        needed: SpoolMemory.userMemory..<SpoolMemory.userMemory + fieldCount)

    /// The UID; nil if only the memory is known.
    public let identifier: [UInt8]?
    /// The signature, r and then s; nil if its pages were not read.
    let signatureBytes: [UInt8]?
    private let fields: SpoolBytes

    /// The content of a memory; nil if its first page is not the mark of a TigerTag, or if not all fields were read.
    public init?(_ memory: SpoolMemory) {
        guard memory.layout == .type2, let bytes = memory[SpoolMemory.userMemory, count: Self.fieldCount] else {
            return nil
        }
        fields = SpoolBytes(bytes)
        identifier = memory.identifier
        signatureBytes = memory[SpoolMemory.userMemory + Self.fieldCount, count: Self.signatureCount]
        guard Kind(rawValue: fields.bigEndian(0, 4)) != nil else { return nil }
    }

    /// The content after a change.
    public func applying(_ edit: SpoolPageEdit) -> TigerTag {
        TigerTag(self, fields: fields.replacing(edit.page * edit.new.count - SpoolMemory.userMemory, edit.new))
    }

    private init(_ tag: TigerTag, fields: SpoolBytes) {
        (identifier, signatureBytes, self.fields) = (tag.identifier, tag.signatureBytes, fields)
    }

    /// The kinds of tags, by the mark in their first page.
    enum Kind: UInt32, CaseIterable {
        /// All is on the tag.
        case tigerTag = 0x5BF5_9264
        /// Its product is in the vendor's catalogue.
        case plus = 0xBC0F_CB97
        /// Reserved, and not written yet.
        case initialized = 0x6C41_A2E1

        /// The bytes of the mark.
        var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) } }
    }

    // MARK: Fields

    /// The kind of the tag.
    public var version: TigerTagName { name(0, 4, TigerTagTables.versions) }
    /// Whether the tag is reserved for a spool, and has no data yet.
    public var isInitOnly: Bool { version.number == Kind.initialized.rawValue }
    /// The number of the product in the vendor's catalogue; nil if all is on the tag.
    public var product: UInt32? { [0, UInt32.max].contains(rawProduct) ? nil : rawProduct }
    /// The number of the product as it is on the tag.
    public var rawProduct: UInt32 { fields.bigEndian(4, 4) }
    /// The material.
    public var material: TigerTagName { name(8, 2, TigerTagTables.materials) }
    /// The finish.
    public var aspect1: TigerTagName { name(10, 1, TigerTagTables.aspects) }
    /// A second finish, or the way of having several colours.
    public var aspect2: TigerTagName { name(11, 1, TigerTagTables.aspects) }
    /// What is tagged: filament or resin.
    public var type: TigerTagName { name(12, 1, TigerTagTables.types) }
    /// The diameter of the filament.
    public var diameter: TigerTagName { name(13, 1, TigerTagTables.diameters) }
    /// The brand.
    public var brand: TigerTagName { name(14, 2, TigerTagTables.brands) }
    /// The three colours that the tag has room for. How many count follows from the aspects: ``colors``.
    public var allColors: [SpoolColor] { [fields[16, 4], fields[36, 3], fields[40, 3]].map { SpoolColor($0) } }
    /// The amount of a full spool in ``unit``; 0 if unknown.
    public var fullAmount: Int { Int(fields.bigEndian(20, 3)) }
    /// The unit of the amounts.
    public var unit: TigerTagName { name(23, 1, TigerTagTables.units) }
    /// The temperature of the nozzle in degrees Celsius.
    public var nozzle: SpoolRange? { SpoolRange(nonZero: Int(fields.bigEndian(24, 2)), Int(fields.bigEndian(26, 2))) }
    /// The temperature for drying in degrees Celsius; 0 if unknown.
    public var dryingTemperature: Int { fields.byte(28) }
    /// The time for drying in hours; 0 if unknown.
    public var dryingHours: Int { fields.byte(29) }
    /// The temperature of the bed in degrees Celsius.
    public var bed: SpoolRange? { SpoolRange(nonZero: fields.byte(30), fields.byte(31)) }
    /// The time of production in seconds since 2000-01-01 UTC, the same on all tags of a spool; 0 if unknown.
    public var timestamp: UInt32 { fields.bigEndian(32, 4) }
    /// The time of production in seconds since 1970-01-01 UTC; nil if unknown.
    public var productionTime: Int64? { timestamp == 0 ? nil : 946_684_800 + Int64(timestamp) }
    /// Which of the spool's tags this is, from 1 on; 0 if unknown.
    public var tagIndex: Int { fields.byte(39) >> 4 }
    /// How many tags the spool has; 0 if unknown.
    public var tagCount: Int { fields.byte(39) & 0x0F }
    /// The transmission distance of HueForge times 10; 0 if unknown.
    public var rawTransmissionDistance: Int { Int(fields.bigEndian(44, 2)) }
    /// A text of up to 28 bytes: anyone's input.
    public var text: String { fields.text(48, 28) }
    /// The amount that is left, as it is on the tag: 0 if unknown.
    public var rawRemainingAmount: Int { Int(fields.bigEndian(76, 3)) }
    /// The amount that is left in ``unit``; nil if unknown.
    public var remainingAmount: Int? { rawRemainingAmount == 0 ? nil : rawRemainingAmount }
    /// Page 23, with the amount that is left.
    var remainingPage: [UInt8] { fields[76, 4] }
    /// What a signature is of, besides the UID.
    var signedFields: [UInt8] { fields[0, 8] }

    /// The colours that count.
    public var colors: [SpoolColor] {
        let counts = [aspect2, aspect1].compactMap { TigerTagTables.colorCounts[$0.number] }
        return Array(allColors.prefix(counts.first ?? 1))
    }

    private func name(_ offset: Int, _ count: Int, _ table: [UInt32: String]) -> TigerTagName {
        TigerTagName(fields.bigEndian(offset, count), in: table)
    }

    // MARK: Summaries

    /// What a person wants to know; nothing for a tag that has no data yet.
    public var facts: SpoolFacts {
        var facts = SpoolFacts()
        guard !isInitOnly else { return facts }
        facts.brand = brand.meaning
        facts.material = materialText
        facts.colors = colors
        facts.diameter = diameter.name.flatMap { Double($0) }
        facts.fullWeight = fullAmount == 0 ? nil : grams(fullAmount)
        facts.remainingWeight = remainingAmount.flatMap(grams)
        (facts.nozzle, facts.bed) = (nozzle, bed)
        facts.dryingTemperature = dryingTemperature == 0 ? nil : Double(dryingTemperature)
        facts.dryingHours = dryingHours == 0 ? nil : Double(dryingHours)
        return facts
    }

    /// The material with its finish; `Basic` is not special.
    private var materialText: String? {
        let finishes = [aspect1, aspect2].compactMap(\.meaning).filter { $0 != "Basic" }
        let words = [material.meaning].compactMap(\.self) + finishes
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// What cannot be right, and what the format forbids.
    public var doubts: [SpoolDoubt] {
        var doubts = [SpoolDoubt.reversed("nozzle", nozzle), .reversed("bed", bed)].compactMap(\.self)
        if rawTransmissionDistance != 0, !(10...1000).contains(rawTransmissionDistance) {
            doubts.append(SpoolDoubt("the transmission distance is not between 1 and 100"))
        }
        if fullAmount > 0, rawRemainingAmount > fullAmount {
            doubts.append(
                SpoolDoubt("the remaining amount, \(rawRemainingAmount), is above the full one, \(fullAmount)"))
        }
        if let limit = TigerTagUnit(unit)?.maximum, fullAmount > limit {
            doubts.append(SpoolDoubt("a spool does not hold \(fullAmount) \(unit)"))
        }
        if tagCount > 0, tagIndex > tagCount {
            doubts.append(SpoolDoubt("the tag is number \(tagIndex) of \(tagCount)"))
        }
        if !fields.isText(48, 28) { doubts.append(SpoolDoubt("the text is not UTF-8")) }
        if reserved.contains(where: { $0 != 0 }) { doubts.append(SpoolDoubt("reserved bytes are not zero")) }
        return doubts
    }

    private var reserved: [UInt8] { fields[43, 1] + fields[46, 2] + fields[79, 1] }
}

extension TigerTag: Encodable {
    /// The names of the fields are those of TigerTag's own SDK, with the name for a number beside it.
    private enum CodingKeys: String, CodingKey {
        case version = "id_tigertag", versionName = "tigertag", product = "id_product"
        case material = "id_material", materialName = "material", aspect1 = "id_aspect1", aspect1Name = "aspect1"
        case aspect2 = "id_aspect2", aspect2Name = "aspect2", type = "id_type", typeName = "type"
        case diameter = "id_diameter", diameterName = "diameter", brand = "id_brand", brandName = "brand"
        case red = "color_r", green = "color_g", blue = "color_b", alpha = "color_a"
        case red2 = "color_r2", green2 = "color_g2", blue2 = "color_b2"
        case red3 = "color_r3", green3 = "color_g3", blue3 = "color_b3"
        case measure, unit = "id_unit", unitName = "unit", nozzleMinimum = "nozzle_min", nozzleMaximum = "nozzle_max"
        case dryingTemperature = "dry_temp", dryingHours = "dry_time", bedMinimum = "bed_min", bedMaximum = "bed_max"
        case timestamp, transmissionDistance = "td_raw", tagInfo = "tag_info", text = "message"
        case remaining = "measure_available", identifier = "uid", signature
    }

    /// Encodes the fields as they are on the tag, and the names of numbers that are known.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try encodeNames(&object)
        try encodeColors(&object)
        try encodeNumbers(&object)
        try object.encode(text, forKey: .text)
        try object.encode(identifier.map(\.hexadecimal), forKey: .identifier)
        try object.encode(signature().rawValue, forKey: .signature)
    }

    private func encodeNames(_ object: inout KeyedEncodingContainer<CodingKeys>) throws {
        let names: [(TigerTagName, CodingKeys, CodingKeys)] = [
            (version, .version, .versionName), (material, .material, .materialName),
            (aspect1, .aspect1, .aspect1Name), (aspect2, .aspect2, .aspect2Name), (type, .type, .typeName),
            (diameter, .diameter, .diameterName), (brand, .brand, .brandName), (unit, .unit, .unitName),
        ]
        for (name, numberKey, nameKey) in names {
            try object.encode(name.number, forKey: numberKey)
            try object.encodeIfPresent(name.name, forKey: nameKey)
        }
    }

    private func encodeColors(_ object: inout KeyedEncodingContainer<CodingKeys>) throws {
        let keys: [(CodingKeys, CodingKeys, CodingKeys)] = [
            (.red, .green, .blue), (.red2, .green2, .blue2), (.red3, .green3, .blue3),
        ]
        for (color, (red, green, blue)) in zip(allColors, keys) {
            try object.encode(color.red, forKey: red)
            try object.encode(color.green, forKey: green)
            try object.encode(color.blue, forKey: blue)
        }
        try object.encode(allColors[0].alpha, forKey: .alpha)
    }

    private func encodeNumbers(_ object: inout KeyedEncodingContainer<CodingKeys>) throws {
        let numbers: [(Int, CodingKeys)] = [
            (Int(rawProduct), .product), (fullAmount, .measure), (rawRemainingAmount, .remaining),
            (Int(nozzle?.minimum ?? 0), .nozzleMinimum), (Int(nozzle?.maximum ?? 0), .nozzleMaximum),
            (Int(bed?.minimum ?? 0), .bedMinimum), (Int(bed?.maximum ?? 0), .bedMaximum),
            (dryingTemperature, .dryingTemperature), (dryingHours, .dryingHours), (Int(timestamp), .timestamp),
            (rawTransmissionDistance, .transmissionDistance), (tagIndex << 4 | tagCount, .tagInfo),
        ]
        for (number, key) in numbers { try object.encode(number, forKey: key) }
    }
}
