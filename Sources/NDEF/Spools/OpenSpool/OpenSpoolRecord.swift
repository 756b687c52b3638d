/// A spool of filament in the format OpenSpool: JSON (media type `application/json`) whose `protocol` is `openspool`.
///
/// The JSON is kept byte for byte. Other JSON is a ``MediaRecord``.
public struct OpenSpoolRecord: NDEFTypedPayload {
    /// The JSON.
    public let text: String
    /// The version of the format; readers of version 1.0 refuse others.
    public let version: String?
    /// The material, such as `PLA`.
    public let type: String?
    /// The material more closely, such as `Silk`; an extension.
    public let subtype: String?
    /// The maker.
    public let brand: String?
    /// The colour in bytes: red, green, blue, and alpha if there are four.
    public let color: [UInt8]?
    /// The least and the highest temperature of the nozzle in °C.
    public let minimumTemperature, maximumTemperature: Double?
    /// The grams of filament; an extension.
    public let weight: Double?
    /// The diameter in mm; an extension.
    public let diameter: Double?
    /// The number of the spool in a program's list; an extension.
    public let spoolID: String?

    /// Media type `application/json`.
    public static let recordTypes = [NDEFRecordType.media("application/json")]
    /// `openSpool`.
    public static let kind = "openSpool"

    /// Decodes a payload. There is a warning for another version than 1.0, and for fields that are missing or not of their form.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `OSP_PROTOCOL` where it is not the JSON of a spool.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        guard let text = String(utf8: payload[...]), let json = Self.json(payload) else {
            throw NDEFPayloadError(.openSpoolProtocol, "this is not an object of JSON with the protocol \"openspool\"")
        }
        self.text = text
        version = json.text("version")
        type = json.text("type")
        subtype = json.text("subtype")
        brand = json.text("brand")
        color = Self.color(json.text("color_hex"), alpha: json.text("alpha"))
        minimumTemperature = json.number("min_temp")
        maximumTemperature = json.number("max_temp")
        weight = json.number("weight")
        diameter = json.number("diameter")
        spoolID = json.text("spool_id")
        if version != "1.0" { warnings.append(.openSpoolVersion) }
        if type == nil || brand == nil || color == nil || minimumTemperature == nil || maximumTemperature == nil {
            warnings.append(.openSpoolField)
        }
    }

    /// The JSON.
    public var payload: [UInt8] { Array(text.utf8) }

    /// Two records are equal if their JSON is, byte for byte.
    public static func == (one: Self, other: Self) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    /// Hashes the JSON.
    public func hash(into hasher: inout Hasher) { hasher.combine(payload) }

    /// Such as `OpenSpool Generic PLA #FFAABB`.
    public var description: String {
        let names = [brand, type, subtype].compactMap { $0?.escaped }
        return (["OpenSpool"] + names + [color.map { "#\($0.hexadecimal)" }].compactMap { $0 }).joined(separator: " ")
    }
}

extension OpenSpoolRecord: RecognizedPayload {
    package static func recognizes(_ payload: [UInt8]) -> Bool { json(payload) != nil }

    private static func json(_ payload: [UInt8]) -> FlatJSON? {
        guard let json = FlatJSON(payload), json["protocol"] == .text("openspool") else { return nil }
        return json
    }

    /// The colour of 6 or 8 digits, which may have `#` in front; the alpha of a separate field is added to 6.
    private static func color(_ text: String?, alpha: String?) -> [UInt8]? {
        guard let text else { return nil }
        let digits = text.hasPrefix("#") ? String(text.dropFirst()) : text
        guard let bytes = [UInt8](hexadecimal: digits), (3...4).contains(bytes.count) else { return nil }
        guard bytes.count == 3, let alpha = alpha.flatMap({ [UInt8](hexadecimal: $0) }), alpha.count == 1 else {
            return bytes
        }
        return bytes + alpha
    }
}

extension FlatJSON {
    /// A text, or a number as it is written.
    fileprivate func text(_ name: String) -> String? {
        switch self[name] {
        case .text(let text), .number(let text): text
        case .other, nil: nil
        }
    }

    /// A number that is not negative, which writers put in quotation marks or not.
    fileprivate func number(_ name: String) -> Double? {
        guard let number = text(name).flatMap(Double.init), number.isFinite, number >= 0 else { return nil }
        return number
    }
}

extension OpenSpoolRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case text, version, type, subtype, brand, weight, diameter
        case color = "color_hex"
        case minimumTemperature = "min_temp"
        case maximumTemperature = "max_temp"
        case spoolID = "spool_id"
    }

    /// Writes `text`, and what it says under the names of the format.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text, forKey: .text)
        try container.encodeIfPresent(version, forKey: .version)
        try container.encodeIfPresent(type, forKey: .type)
        try container.encodeIfPresent(subtype, forKey: .subtype)
        try container.encodeIfPresent(brand, forKey: .brand)
        try container.encodeIfPresent(color?.hexadecimal, forKey: .color)
        try container.encodeIfPresent(minimumTemperature, forKey: .minimumTemperature)
        try container.encodeIfPresent(maximumTemperature, forKey: .maximumTemperature)
        try container.encodeIfPresent(weight, forKey: .weight)
        try container.encodeIfPresent(diameter, forKey: .diameter)
        try container.encodeIfPresent(spoolID, forKey: .spoolID)
    }

    /// Reads `text`; the rest follows from it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decode(String.self, forKey: .text)
        self = try container.accepting(.text) { () throws(NDEFPayloadError) in
            try OpenSpoolRecord(payload: Array(text.utf8))
        }
    }
}

extension OpenSpoolRecord: JSONDescribed {
    package static var jsonSummary: String {
        "A spool of filament in the format OpenSpool (media type `application/json` with the protocol `openspool`)."
    }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .text: .required(.text, "The whole JSON.")
            case .version: .derived(.text, .optional, "The version of the format.")
            case .type: .derived(.text, .optional, "The material, such as `PLA`.")
            case .subtype: .derived(.text, .optional, "The material more closely.")
            case .brand: .derived(.text, .optional, "The maker.")
            case .color: .derived(.bytes(3...4), .optional, "The colour: red, green, blue, and alpha.")
            case .minimumTemperature: .derived(.number, .optional, "The least temperature of the nozzle in °C.")
            case .maximumTemperature: .derived(.number, .optional, "The highest temperature of the nozzle in °C.")
            case .weight: .derived(.number, .optional, "The grams of filament.")
            case .diameter: .derived(.number, .optional, "The diameter in mm.")
            case .spoolID: .derived(.text, .optional, "The number of the spool in a program's list.")
            }
        }
    }
}

extension NDEFPayloadError.Code {
    /// A payload of JSON is not an OpenSpool.
    public static let openSpoolProtocol = Self(rawValue: "OSP_PROTOCOL")
}

extension NDEFWarning.Code {
    /// An OpenSpool is of another version than 1.0, or does not say.
    public static let openSpoolVersion = Self("OSP_VERSION", "the version is not 1.0, the only one that printers take")
    /// An OpenSpool lacks a field that printers need, or has one that is not of its form.
    public static let openSpoolField = Self(
        "OSP_FIELD", "type, brand, color_hex, min_temp or max_temp is missing or not of its form")
}
