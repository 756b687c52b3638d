/// A spool of filament in the format OpenTag3D: media type `application/opentag3d` (specification 1.000).
///
/// The payload has its fields at fixed places, and is kept byte for byte.
public struct OpenTag3DRecord: NDEFTypedPayload {
    /// The bytes, as they were found.
    public let payload: [UInt8]
    /// The version of the format in thousandths: 1000 for 1.000.
    public let version: Int

    /// The bytes that a payload has at least: up to the last field of the core.
    static let minimumLength = 0x66
    /// The bytes of the core; behind them are the fields of the extended part.
    private static let coreLength = 0x70
    private static let readVersion = 1000

    /// Media type `application/opentag3d`.
    public static let recordTypes = [NDEFRecordType.media("application/opentag3d")]
    /// `openTag3D`.
    public static let kind = "openTag3D"

    /// Decodes a payload of any length from that of the core on. There is a warning for a newer minor version; for an older major version,
    /// of which only the core is read; and for texts that are not UTF-8.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `OT3D_TRUNCATED`, or `OT3D_VERSION` for a newer major version.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        var reader = ByteReader(payload)
        guard payload.count >= Self.minimumLength, let version = reader.uint16() else {
            let lengths = "\(counted(payload.count, "byte")), but the first fields need \(Self.minimumLength)"
            throw NDEFPayloadError(.openTag3DTruncated, "the payload has \(lengths)")
        }
        guard version / 1000 <= Self.readVersion / 1000 else {
            throw NDEFPayloadError(.openTag3DVersion, "version \(version / 1000) of the format is not known, only 1")
        }
        self.payload = payload
        self.version = Int(version)
        if version > Self.readVersion { warnings.append(.openTag3DNewer) }
        if version < Self.readVersion { warnings.append(.openTag3DOlder) }
        if hasBrokenText { warnings.append(.openTag3DText) }
    }

    /// The value of a field, by its name in the specification, such as `manufacturer`; nil where the tag does not say.
    public subscript(name: String) -> OpenTag3DValue? {
        OpenTag3DField.byName[name]?.value(in: readable)
    }

    /// Whether the specification has a field of that name.
    public static func hasField(named name: String) -> Bool { OpenTag3DField.byName[name] != nil }

    /// The record with another value of a field, and all other bytes as they are.
    ///
    /// - Parameters:
    ///   - name: the name of the field in the specification.
    ///   - text: the value in words: a number in the unit of the field, `#RRGGBB` or `#RRGGBBAA`, `2024-01-23`, `10:30:45`. Without a text,
    ///     the field is emptied.
    /// - Throws: ``NDEFPayloadError`` with code `OT3D_NO_FIELD` or `OT3D_VALUE`.
    public func setting(_ name: String, to text: String) throws(NDEFPayloadError) -> OpenTag3DRecord {
        guard let field = OpenTag3DField.byName[name], field.range.upperBound <= readable.count else {
            throw NDEFPayloadError(.openTag3DNoField, "this OpenTag3D has no field \(name.escaped)")
        }
        guard let bytes = field.bytes(ofText: text) else {
            throw NDEFPayloadError(
                .openTag3DValue, "\(name) cannot be \(text.escaped): it is \(field.words)")
        }
        var changed = payload
        changed.replaceSubrange(field.range, with: bytes)
        return try OpenTag3DRecord(payload: changed)
    }

    /// What is read: of an older version the core only, as the places of the others have changed.
    private var readable: [UInt8] {
        version < Self.readVersion ? Array(payload.prefix(Self.coreLength)) : payload
    }

    private var hasBrokenText: Bool {
        OpenTag3DField.all.contains { field in
            guard case .text = field.form, field.range.upperBound <= readable.count else { return false }
            return String(utf8: readable[field.range].prefix { $0 != 0 }) == nil
        }
    }

    /// Such as `OpenTag3D Polar Filament PLA Silk White`.
    public var description: String {
        let names = ["manufacturer", "material_base", "material_mod", "color_name"].compactMap { name -> String? in
            if case .text(let text)? = self[name] { text.escaped } else { nil }
        }
        return (["OpenTag3D"] + names).joined(separator: " ")
    }
}

extension OpenTag3DRecord {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }

        static let payload = Name("payload")
        static let version = Name("tag_version")
    }

    /// Writes `payload`, and what it says under the names of the specification.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        try container.encode(hexadecimal: payload, forKey: .payload)
        try container.encode(version, forKey: .version)
        for field in OpenTag3DField.all {
            switch field.value(in: readable) {
            case .text(let text): try container.encode(text, forKey: Name(field.name))
            case .number(let number): try container.encode(number, forKey: Name(field.name))
            case .color(let bytes): try container.encode(hexadecimal: bytes, forKey: Name(field.name))
            case nil: break
            }
        }
    }

    /// Reads `payload`; the rest follows from it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        let payload = try container.decodeHexadecimal(forKey: .payload)
        self = try container.accepting(.payload) { () throws(NDEFPayloadError) in
            try OpenTag3DRecord(payload: payload)
        }
    }
}

extension OpenTag3DRecord: JSONDescribed {
    package static var jsonSummary: String {
        "A spool of filament in the format OpenTag3D (media type `application/opentag3d`)."
    }
    package static var jsonFields: [JSONField] {
        [
            JSONField.required(.bytes, "The whole payload, 102 bytes or more.").named("payload"),
            JSONField.derived(.integer(nil), .written, "The version of the format in thousandths.").named(
                "tag_version"),
        ]
            + OpenTag3DField.all.map { field in
                JSONField.derived(field.form.json, .optional, field.meaning).named(field.name)
            }
    }
}

extension OpenTag3DField.Form {
    fileprivate var json: JSONForm {
        switch self {
        case .text: .text
        case .color: .bytes(4...4)
        case .number: .number
        case .date: .pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
        case .time: .pattern("^[0-9]{2}:[0-9]{2}:[0-9]{2}$")
        }
    }
}

extension NDEFPayloadError.Code {
    /// An OpenTag3D payload ends before the last field of its core.
    public static let openTag3DTruncated = Self(rawValue: "OT3D_TRUNCATED")
    /// OpenTag3D has no such field, or the payload ends in front of it.
    public static let openTag3DNoField = Self(rawValue: "OT3D_NO_FIELD")
    /// A field of OpenTag3D cannot have that value.
    public static let openTag3DValue = Self(rawValue: "OT3D_VALUE")
    /// An OpenTag3D payload is of a major version that is not known.
    public static let openTag3DVersion = Self(rawValue: "OT3D_VERSION")
}

extension NDEFWarning.Code {
    /// An OpenTag3D payload is of a newer minor version.
    public static let openTag3DNewer = Self("OT3D_NEWER", "the version of the format is newer than 1.000")
    /// An OpenTag3D payload is older than version 1.000.
    public static let openTag3DOlder = Self(
        "OT3D_OLDER", "the version of the format is older than 1.000; only the core is read")
    /// A text of an OpenTag3D payload is not well-formed UTF-8.
    public static let openTag3DText = Self("OT3D_TEXT", "a text is not UTF-8, and is left out")
}
