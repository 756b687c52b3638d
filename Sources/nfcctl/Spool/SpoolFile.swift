import FoundationEssentials
import NDEF
import NFCProtocol
import NFCTypes

/// The fields of a spool in JSON: as one object of them, by section, as OpenPrintTag's tools have them, or as nfcctl prints a spool.
struct SpoolFile {
    /// What is set.
    let update: OpenPrintTagUpdate
    /// What was left out, because it is of another spool.
    let dropped: [String]

    /// What says which spool a tag is of, and what was used of it.
    private static let own: [OpenPrintTagSection: [String]] = [
        .main: ["instance_uuid", "brand_specific_instance_id"], .aux: ["consumed_weight", "last_stir_time"],
    ]

    /// - Parameter keepsOwn: whether what is of one spool alone is taken over.
    /// - Throws: ``SpoolFieldError`` for anything that is not understood.
    init(_ bytes: [UInt8], keepsOwn: Bool) throws(SpoolFieldError) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) else {
            throw SpoolFieldError(": it is not JSON")
        }
        let spool = try Self.spool(in: value)
        var sections = try Self.sections(of: spool)
        for (section, fields) in sections {
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) { try Self.check(value, name, in: section) }
        }
        var dropped: [String] = []
        if !keepsOwn {
            for section in SpoolFieldText.sections {
                for name in Self.own[section] ?? [] where sections[section]?.removeValue(forKey: name) != nil {
                    dropped.append(name)
                }
            }
        }
        self.dropped = dropped
        var whole = ["data": JSONValue.object(Self.named(sections.mapValues(JSONValue.object)))]
        for name in Self.besides { whole[name] = spool[name] }
        update = try Self.decode(.object(whole))
        let isEmpty =
            sections.values.allSatisfy(\.isEmpty) && dropped.isEmpty && Self.besides.allSatisfy { whole[$0] == nil }
        if isEmpty { throw Self.nothing }
    }

    private static let nothing = SpoolFieldError(
        #" has no field of a spool; give one such as {"material_type": "PLA"}"#)

    // MARK: Forms

    /// What is read beside the fields.
    private static let besides = ["remove", "unknown_fields"]
    /// What nfcctl and OpenPrintTag's tools print beside the fields, and follows from them.
    private static let ignored = [
        "kind", "payload", "regions", "remaining_weight", "faults", "root", "raw_data", "uri", "validate", "opt_check",
        "uuids",
        "check",
    ]

    /// The object with the fields, within what nfcctl prints.
    private static func spool(in value: JSONValue) throws(SpoolFieldError) -> JSONValue {
        guard case .object = value else { throw SpoolFieldError(": it is not a JSON object") }
        if let spool = value["spool"] { return try checked(spool) }
        guard case .array(let records)? = value["message"]?["records"] ?? value["records"] else {
            return try checked(value["decoded"] ?? value)
        }
        guard let record = records.compactMap({ $0["decoded"] }).first(where: { $0["kind"] == kind }) else {
            throw SpoolFieldError(": its message has no record of OpenPrintTag")
        }
        return record
    }

    private static let kind: JSONValue = "openPrintTag"

    /// - Throws: ``SpoolFieldError`` for a spool of another format.
    private static func checked(_ spool: JSONValue) throws(SpoolFieldError) -> JSONValue {
        guard case .object = spool else { throw SpoolFieldError(": its spool is not a JSON object") }
        if case .string(let other)? = spool["kind"], spool["kind"] != kind {
            throw SpoolFieldError(": its spool is of the format \(other.escaped); only fields of OpenPrintTag are read")
        }
        return spool
    }

    /// The fields by section.
    private static func sections(
        of spool: JSONValue
    ) throws(SpoolFieldError) -> [OpenPrintTagSection: [String: JSONValue]] {
        guard case .object(let members) = spool else { return [:] }
        let names = OpenPrintTagSection.allCases.map(\.rawValue)
        if let data = members["data"] {
            for name in members.keys.sorted() where !(["data"] + besides + ignored).contains(name) {
                throw misplaced(name, "beside data")
            }
            guard case .object(let fields) = data else { throw SpoolFieldError(": data is not a JSON object") }
            if fields.keys.contains(where: names.contains) { return try bySection(fields, "in data") }
            return try flat(fields)
        }
        if members.keys.contains(where: names.contains) {
            return try bySection(members.filter { !besides.contains($0.key) }, "beside the sections")
        }
        return try flat(members.filter { !besides.contains($0.key) })
    }

    private static func misplaced(_ name: String, _ place: String) -> SpoolFieldError {
        SpoolFieldError(": \(name.escaped) is not understood \(place)")
    }

    private static func bySection(
        _ members: [String: JSONValue], _ place: String
    ) throws(SpoolFieldError) -> [OpenPrintTagSection: [String: JSONValue]] {
        var sections: [OpenPrintTagSection: [String: JSONValue]] = [:]
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let section = OpenPrintTagSection(rawValue: name) else { throw misplaced(name, place) }
            guard case .object(let fields) = value else { throw SpoolFieldError(": \(name) is not a JSON object") }
            // Where the others are follows from the tag.
            if section != .meta { sections[section] = fields }
        }
        return sections
    }

    private static func flat(
        _ members: [String: JSONValue]
    ) throws(SpoolFieldError) -> [OpenPrintTagSection: [String: JSONValue]] {
        var sections: [OpenPrintTagSection: [String: JSONValue]] = [:]
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if name == "uri" { throw SpoolFieldError(": uri is not a field; give the link with --uri") }
            let field = try field(name)
            sections[field.section, default: [:]][field.field.name] = value
        }
        return sections
    }

    private static func field(_ name: String) throws(SpoolFieldError) -> SpoolFieldText {
        do { return try SpoolFieldText(named: name) } catch { throw SpoolFieldError(": \(error.reason)") }
    }

    private static func named(_ sections: [OpenPrintTagSection: JSONValue]) -> [String: JSONValue] {
        Dictionary(uniqueKeysWithValues: sections.map { ($0.key.rawValue, $0.value) })
    }

    // MARK: Values

    /// - Throws: ``SpoolFieldError`` for a value that a field cannot have.
    private static func check(
        _ value: JSONValue, _ name: String, in section: OpenPrintTagSection
    ) throws(SpoolFieldError) {
        let field = try field(name)
        guard field.section == section else {
            throw SpoolFieldError(": \(name.escaped) is in the section \(section), but a field of \(field.section)")
        }
        let alone = JSONValue.object(["data": .object([section.rawValue: .object([name: value])])])
        if (try? decode(alone)) != nil { return }
        let reason: String
        let written = WrittenJSON(value).description
        if let meant = suggestion(for: value, of: field) {
            reason = "; did you mean \(meant)?"
        } else if case .null = value {
            reason = "; leave it out"
        } else {
            reason = ": it is \(field.field.words)"
        }
        throw SpoolFieldError(": \(name) cannot be \(written)\(reason)")
    }

    /// The value that was probably meant by one of another form.
    private static func suggestion(for value: JSONValue, of field: SpoolFieldText) -> String? {
        let text: String
        switch value {
        case .string(let given): text = given
        case .integer(let number): text = "\(number)"
        case .number(let number): text = number.shortText
        case .array(let elements):
            let texts = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
            guard texts.count == elements.count else { return nil }
            text = texts.joined(separator: ",")
        case .null, .bool, .object: return nil
        }
        let meant = (try? field.value(text)) ?? field.suggestion(for: text).flatMap { try? field.value($0) }
        guard let meant, let record = try? shown(meant, field) else { return nil }
        if case .string(let word) = record, case .item = field.field.form { return word.escaped }
        return WrittenJSON(record).description
    }

    /// A value in the JSON form of its field.
    private static func shown(_ value: OpenPrintTagValue, _ field: SpoolFieldText) throws -> JSONValue? {
        let layout = try OpenPrintTagLayout(capacity: 868, auxSize: 32, uri: nil)
        let record = try layout.record.changing(field.section, [field.field.name: .set(value)])
        let form = try JSONLine.decode(JSONValue.self, from: JSONLine.encode(record))
        return form["data"]?[field.section.rawValue]?[field.field.name]
    }

    private static func decode(_ value: JSONValue) throws(SpoolFieldError) -> OpenPrintTagUpdate {
        do {
            return try JSONDecoder().decode(OpenPrintTagUpdate.self, from: JSONEncoder().encode(value))
        } catch { throw SpoolFieldError(": \(reason(error).escaped)") }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context), DecodingError.keyNotFound(_, let context):
            let place = context.codingPath.map(\.stringValue).joined(separator: ".")
            return place.isEmpty ? context.debugDescription : "\(place): \(context.debugDescription)"
        default: return "\(error)"
        }
    }
}

/// A value as JSON on one line, for messages.
private struct WrittenJSON: CustomStringConvertible {
    let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    var description: String {
        switch value {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .number(let number): number.shortText
        case .string(let text): "\"\(text.escaped)\""
        case .array(let elements): "[\(elements.map { WrittenJSON($0).description }.joined(separator: ", "))]"
        case .object: "an object"
        }
    }
}
