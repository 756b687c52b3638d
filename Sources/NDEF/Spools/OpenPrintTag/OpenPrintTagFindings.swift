/// What cannot be right, should be otherwise, or could be added in an OpenPrintTag: the rules that the options `--validate` and `--opt-check`
/// of the specification's tool check, in our words.
public struct OpenPrintTagFindings: Hashable, Sendable, Encodable {
    /// What a tag must not have or lack.
    public private(set) var errors: [String] = []
    /// What a tag should not have or lack.
    public private(set) var warnings: [String] = []
    /// What could be added.
    public private(set) var notes: [String] = []
    /// The recommended fields that are missing, which one of the warnings lists.
    package private(set) var missingFields: [String] = []
    /// Those of the warnings that say what is not there, and nothing that is wrong.
    package private(set) var omissions: [String] = []

    private enum CodingKeys: String, CodingKey {
        case errors, warnings, notes
    }

    /// The findings about a record.
    ///
    /// - Parameter uuids: what the record is about.
    public init(_ record: OpenPrintTagRecord, uuids: OpenPrintTagUUIDs) {
        let main = record.main
        errors = Self.missing(.required, in: record).map { "\($0) is missing" }
        errors += Self.ascending.flatMap { names in main.map { Self.reversed(names, in: $0) } ?? [] }
        missingFields = Self.missing(.recommended, in: record)
        if !missingFields.isEmpty {
            omissions.append("fields that a tag should have are missing: \(missingFields.joined(separator: ", "))")
        }
        warnings += omissions
        for region in record.regions where !region.unknownFields.isEmpty {
            warnings.append("the \(region.section) section has fields that the specification does not have")
        }
        warnings += Self.roomWarnings(record.aux)
        warnings += uuids.redundantFields.map { "\($0) follows from other fields, and can be left out" }
        let unknown = uuids.byName.dropLast().filter { $0.uuid == nil }.map(\.name).joined(separator: ", ")
        if !unknown.isEmpty {
            omissions.append("these are not on the tag, and follow from no other field: \(unknown)")
            warnings += omissions.suffix(1)
        }
        let tags = main?.tags ?? []
        warnings += Self.absent(OpenPrintTagItems.impliedTags, in: tags).map { "the tag \($0) implies \($1)" }
        notes += Self.absent(OpenPrintTagItems.suggestedTags, in: tags).map { "with the tag \($0), consider \($1)" }
    }

    /// What another record does not have: the errors and warnings that a change brings.
    public func without(_ others: OpenPrintTagFindings) -> OpenPrintTagFindings {
        var rest = self
        rest.errors.removeAll { others.errors.contains($0) }
        rest.warnings.removeAll { others.warnings.contains($0) }
        rest.notes.removeAll { others.notes.contains($0) }
        rest.missingFields.removeAll { others.missingFields.contains($0) }
        rest.omissions.removeAll { others.omissions.contains($0) }
        return rest
    }

    /// Fields of which none may be above one that follows.
    private static let ascending = [
        ["nominal_netto_full_weight", "actual_netto_full_weight"], ["nominal_full_length", "actual_full_length"],
        ["preheat_temperature", "min_print_temperature", "max_print_temperature"],
        ["min_bed_temperature", "max_bed_temperature"],
        ["min_chamber_temperature", "chamber_temperature", "max_chamber_temperature"],
        ["container_hole_diameter", "container_inner_diameter", "container_outer_diameter"],
    ]
    /// The bytes that aux has at least.
    private static let auxSize = 16

    private static func reversed(_ names: [String], in main: OpenPrintTagRegion) -> [String] {
        let values = names.compactMap { name in main.number(name).map { (name, $0) } }
        return values.indices.flatMap { index in
            values[(index + 1)...].filter { $0.1 < values[index].1 }.map { name, number in
                "\(values[index].0), \(values[index].1.shortText), is above \(name), \(number.shortText)"
            }
        }
    }

    private static func missing(
        _ requirement: OpenPrintTagField.Requirement, in record: OpenPrintTagRecord
    ) -> [String] {
        record.regions.flatMap { region in
            region.section.fields.filter { $0.requirement == requirement && region[$0.name] == nil }.map(\.name)
        }
    }

    private static func roomWarnings(_ aux: OpenPrintTagRegion?) -> [String] {
        guard let aux else { return ["there is no aux section for what changes with use"] }
        return aux.bytes.count < auxSize
            ? ["the aux section has room for \(aux.bytes.count) bytes only, and should have \(auxSize)"] : []
    }

    /// Pairs of a tag that is there and one that is not, by name.
    private static func absent(_ table: [UInt64: [UInt64]], in tags: [UInt64]) -> [(String, String)] {
        Set(tags).sorted().flatMap { tag in
            (table[tag] ?? []).filter { !tags.contains($0) }.map { (name(tag), name($0)) }
        }
    }

    private static func name(_ tag: UInt64) -> String { OpenPrintTagItems.tags.names[tag] ?? "\(tag)" }
}

extension OpenPrintTagRegion {
    fileprivate func number(_ name: String) -> Double? {
        switch self[name]?.value {
        case .number(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }

    fileprivate var tags: [UInt64] {
        if case .items(let tags)? = self["tags"]?.value { tags } else { [] }
    }
}
