/// A spool or a bottle of material for 3D printers: media type `application/vnd.openprinttag`, the format of Prusa and others.
///
/// The payload holds up to three maps of CBOR in regions of fixed places. It is kept byte for byte; a field that is not as the
/// specification has it does not hide the others.
public struct OpenPrintTagRecord: NDEFTypedPayload {
    /// The bytes, as they were found or made.
    public let payload: [UInt8]
    /// Where the other sections are.
    public let meta: OpenPrintTagRegion
    /// The material, its package and its maker; nil where the region is not within the payload.
    public let main: OpenPrintTagRegion?
    /// What changes with use; nil if there is no such region within the payload.
    public let aux: OpenPrintTagRegion?
    /// What is not as the specification has it.
    public let faults: [OpenPrintTagFault]

    /// `application/vnd.openprinttag`.
    public static let mediaType = "application/vnd.openprinttag"
    /// Media type `application/vnd.openprinttag`.
    public static let recordTypes = [NDEFRecordType.media(mediaType)]
    /// `openPrintTag`.
    public static let kind = "openPrintTag"

    /// Decodes a payload. There is a warning for sections and fields that cannot be read, and regions that are not within the payload.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `OPT_META_CORRUPT` where the payload does not start with a map: then the other sections
    ///   cannot be found.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        let places = try OpenPrintTagPlaces(payload)
        self.payload = payload
        meta = places.meta
        main = places.region(.main)
        aux = places.region(.aux)
        faults = places.faults + [meta, main, aux].compactMap { $0 }.flatMap(\.faults)
        let codes = faults.compactMap(\.kind.warning)
        warnings += Self.warnings.filter(codes.contains)
    }

    /// The region of a section, if there is one.
    public func region(_ section: OpenPrintTagSection) -> OpenPrintTagRegion? {
        switch section {
        case .meta: meta
        case .main: main
        case .aux: aux
        }
    }

    /// The sections that have a region.
    var regions: [OpenPrintTagRegion] { OpenPrintTagSection.allCases.compactMap(region) }

    /// Two records are equal if their bytes are.
    public static func == (one: Self, other: Self) -> Bool { one.payload == other.payload }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(payload) }

    /// Such as `OpenPrintTag Prusament PLA Galaxy Black, 812.5 g left`.
    public var description: String {
        let names = ["brand_name", "material_name"].compactMap { name -> String? in
            if case .text(let text)? = main?[name]?.value { text.escaped } else { nil }
        }
        let weight = remainingWeight.map { ", \($0.shortText) g left" } ?? ""
        return (["OpenPrintTag"] + names).joined(separator: " ") + weight
    }
}

extension OpenPrintTagRecord {
    /// The grams of material of a full package without its container: the actual, otherwise the nominal ones. Nil where the tag does not say.
    public var fullWeight: Double? {
        weight(main?["actual_netto_full_weight"]) ?? weight(main?["nominal_netto_full_weight"])
    }

    /// The grams of the container without material. Nil where the tag does not say.
    public var emptyContainerWeight: Double? { weight(main?["empty_container_weight"]) }

    /// The grams of material that were consumed; 0 where the tag does not say. Nil for a value that no weight has, such as a negative one, and
    /// for a section that cannot be read.
    public var consumedWeight: Double? {
        guard let aux else { return 0 }
        guard aux.usedSize != nil else { return nil }
        return aux["consumed_weight"] == nil ? 0 : weight(aux["consumed_weight"])
    }

    /// The grams of material that are left: those of a full package, less what was consumed; not below 0. Nil where the tag does not say.
    public var remainingWeight: Double? {
        guard let fullWeight, let consumedWeight else { return nil }
        return max(0, fullWeight - consumedWeight)
    }

    private func weight(_ result: OpenPrintTagFieldResult?) -> Double? {
        if case .number(let grams)? = result?.value { grams } else { nil }
    }
}

extension OpenPrintTagRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case payload, data, regions, faults
        case unknownFields = "unknown_fields"
        case remainingWeight = "remaining_weight"
    }

    /// Writes `payload`, and what it says: `data`, `unknown_fields` and `regions` in the words of the specification's tools,
    /// `remaining_weight`, and `faults`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(hexadecimal: payload, forKey: .payload)
        try container.encode(OpenPrintTagForm.Data(record: self), forKey: .data)
        if regions.contains(where: { !$0.unknownFields.isEmpty }) {
            try container.encode(OpenPrintTagForm.Unknown(record: self), forKey: .unknownFields)
        }
        try container.encode(OpenPrintTagForm.Regions(record: self), forKey: .regions)
        try container.encodeIfPresent(remainingWeight, forKey: .remainingWeight)
        try container.encodeIfNotEmpty(faults, forKey: .faults)
    }

    /// Reads `payload`; the rest follows from it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let payload = try container.decodeHexadecimal(forKey: .payload)
        self = try container.accepting(.payload) { () throws(NDEFPayloadError) in
            try OpenPrintTagRecord(payload: payload)
        }
    }
}

extension OpenPrintTagRecord: JSONDescribed {
    package static var jsonSummary: String {
        "A spool or bottle of material for 3D printers (media type `application/vnd.openprinttag`)."
    }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .payload:
                .required(.bytes, "The whole payload; it starts with a map of CBOR.")
            case .data:
                .derived(
                    .object(OpenPrintTagForm.Data.self), .written, "The fields that are as the specification has them.")
            case .unknownFields:
                .derived(
                    .object(OpenPrintTagForm.Unknown.self), .optional,
                    "The fields that the specification does not have.")
            case .regions:
                .derived(.object(OpenPrintTagForm.Regions.self), .written, "Where the sections are.")
            case .remainingWeight:
                .derived(
                    .number, .optional, "The grams of material left: full weight less consumed weight, not below 0.")
            case .faults:
                .derived(
                    .list(.object(OpenPrintTagFault.self)), .optional, "What is not as the specification has it.")
            }
        }
    }
}

extension NDEFPayloadError.Code {
    /// An OpenPrintTag payload does not start with a map of CBOR.
    public static let openPrintTagMetaCorrupt = Self(rawValue: "OPT_META_CORRUPT")
}

extension NDEFWarning.Code {
    /// A section of an OpenPrintTag payload cannot be read.
    public static let openPrintTagSection = Self(
        "OPT_SECTION", "a section is not a map of CBOR that ends within its region and 512 bytes")
    /// The regions of an OpenPrintTag payload overlap, or are not within it.
    public static let openPrintTagRegion = Self(
        "OPT_REGION", "a region overlaps another one or is not within the payload")
    /// A field of an OpenPrintTag payload is of another type, out of range, or there more than once.
    public static let openPrintTagField = Self(
        "OPT_FIELD", "a field is of another type, has a value out of range, or is there more than once")
}

extension OpenPrintTagRecord {
    /// The warnings, in the order in which they are given.
    private static let warnings: [NDEFWarning.Code] = [.openPrintTagRegion, .openPrintTagSection, .openPrintTagField]
}

extension OpenPrintTagFault.Kind {
    /// The warning about such a fault. Tags that were only prepared lack required fields.
    fileprivate var warning: NDEFWarning.Code? {
        switch self {
        case .corrupt, .tooDeep: .openPrintTagSection
        case .outside, .overlapping: .openPrintTagRegion
        case .wrongType, .outOfRange, .repeated: .openPrintTagField
        case .missing: nil
        }
    }
}
