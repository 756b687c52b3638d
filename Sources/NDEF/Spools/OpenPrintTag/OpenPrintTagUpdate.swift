/// Changes to the fields of a record, read from the JSON that the specification's tools use:
/// `{"data":{"main":{…},"aux":{…}},"remove":{"aux":["workgroup"]}}`.
///
/// What else those tools print, such as `regions`, is ignored, and so is the meta section, which does not change.
public struct OpenPrintTagUpdate: Sendable {
    /// The changes by section and name of the field.
    public let changes: [OpenPrintTagSection: [String: OpenPrintTagChange]]

    /// The pairs to be set that the specification does not have, by section.
    private(set) var unknown: [OpenPrintTagSection: [UnknownField]] = [:]

    /// A pair that the specification does not have: an item of CBOR each.
    struct UnknownField: Sendable {
        let key: [UInt8]
        let value: [UInt8]
    }

    /// Changes to be made.
    public init(_ changes: [OpenPrintTagSection: [String: OpenPrintTagChange]]) {
        self.changes = changes
    }
}

extension OpenPrintTagRecord {
    /// The record with the changes to main and aux; see ``changing(_:_:numbers:)``.
    ///
    /// - Throws: ``NDEFPayloadError`` as that does.
    public func applying(
        _ update: OpenPrintTagUpdate, numbers: OpenPrintTagNumberForm = .shortest
    ) throws(NDEFPayloadError) -> OpenPrintTagRecord {
        var record = self
        for section in OpenPrintTagSection.allCases {
            let (changes, unknown) = (update.changes[section] ?? [:], update.unknown[section] ?? [])
            guard !changes.isEmpty || !unknown.isEmpty else { continue }
            record = try record.changing(section, changes, unknown: unknown, numbers: numbers)
        }
        return record
    }
}

extension OpenPrintTagUpdate: Decodable {
    private typealias Name = OpenPrintTagForm.Name

    /// Reads `data`, `remove` and `unknown_fields`. A field that the specification does not have, or a value that a field cannot have, is an
    /// error that names the field.
    public init(from decoder: any Decoder) throws {
        let file = try decoder.container(keyedBy: Name.self)
        var changes: [OpenPrintTagSection: [String: OpenPrintTagChange]] = [:]
        let removed = try file.decodeIfPresent([String: [String]].self, forKey: Name("remove")) ?? [:]
        for (section, names) in removed {
            changes[try Self.section(section, in: file, Name("remove")), default: [:]] =
                Dictionary(names.map { ($0, .remove) }, uniquingKeysWith: { first, _ in first })
        }
        if file.contains(Name("data")) {
            let data = try file.nestedContainer(keyedBy: Name.self, forKey: Name("data"))
            for key in data.allKeys {
                let section = try Self.section(key.stringValue, in: data, key)
                let values = try data.nestedContainer(keyedBy: Name.self, forKey: key).values(of: section)
                changes[section, default: [:]].merge(values) { $1 }
            }
        }
        changes[.meta] = nil
        self.init(changes)
        unknown = try Self.unknown(in: file)
    }

    private static func unknown(
        in file: KeyedDecodingContainer<Name>
    ) throws -> [OpenPrintTagSection: [UnknownField]] {
        let key = Name("unknown_fields")
        var unknown: [OpenPrintTagSection: [UnknownField]] = [:]
        for (name, fields) in try file.decodeIfPresent([String: [String: String]].self, forKey: key) ?? [:] {
            let section = try section(name, in: file, key)
            guard section != .meta else { continue }
            unknown[section] = try fields.sorted { $0.key < $1.key }.map { digits, value in
                guard let field = UnknownField(digits, value, in: section) else {
                    throw file.rejection(
                        forKey: key, "\(digits.escaped) is a field of the specification, or it or its value is not CBOR"
                    )
                }
                return field
            }
        }
        return unknown
    }

    private static func section(
        _ name: String, in container: KeyedDecodingContainer<Name>, _ key: Name
    ) throws -> OpenPrintTagSection {
        guard let section = OpenPrintTagSection(rawValue: name) else {
            throw container.rejection(forKey: key, "there is no section \(name.escaped), only meta, main and aux")
        }
        return section
    }
}

extension OpenPrintTagUpdate.UnknownField {
    /// The pair of these hexadecimal digits; nil unless both are an item, and the key is not that of a field.
    fileprivate init?(_ key: String, _ value: String, in section: OpenPrintTagSection) {
        guard let key = [UInt8](hexadecimal: key), let value = [UInt8](hexadecimal: value),
            let keyItem = Self.item(key), Self.item(value) != nil
        else { return nil }
        if case .unsigned(let number) = keyItem, section.field(key: number) != nil { return nil }
        self.init(key: key, value: value)
    }

    /// The item that is all of these bytes.
    private static func item(_ bytes: [UInt8]) -> SectionItem? {
        var reader = SectionItemReader(bytes[...])
        guard let item = try? reader.value(depth: 1), reader.position == bytes.count else { return nil }
        return item
    }
}

extension KeyedDecodingContainer<OpenPrintTagForm.Name> {
    /// The fields of a section that are given here.
    fileprivate func values(of section: OpenPrintTagSection) throws -> [String: OpenPrintTagChange] {
        var changes: [String: OpenPrintTagChange] = [:]
        for key in allKeys {
            guard let field = section.field(named: key.stringValue) else {
                throw rejection(forKey: key, "the \(section) section has no such field")
            }
            guard let value = try value(of: field, forKey: key), field.accepts(value) else {
                throw rejection(forKey: key, "the field cannot have this value; it is \(field.words)")
            }
            changes[field.name] = .set(value)
        }
        return changes
    }

    /// The value of a field; nil where the text is not of its form.
    private func value(of field: OpenPrintTagField, forKey key: Key) throws -> OpenPrintTagValue? {
        switch field.form {
        case .integer, .timestamp: .integer(try decodeInteger(Int64.self, forKey: key))
        case .number: .number(try decode(Double.self, forKey: key))
        case .lab: .lab(try decode([Double].self, forKey: key))
        case .items(let items, _):
            OpenPrintTagField.all(
                try decode([OpenPrintTagItems.Item].self, forKey: key).map { $0.number(in: items) }
            ).map(OpenPrintTagValue.items)
        case .item(let items):
            try decode(OpenPrintTagItems.Item.self, forKey: key).number(in: items).map(OpenPrintTagValue.item)
        case .color where try decodeNil(forKey: key): .noColor
        case .text, .uuid, .color: field.value(ofText: try decode(String.self, forKey: key))
        }
    }
}

extension OpenPrintTagField {
    /// The value that a text stands for, as on a command line; nil where it is not of the field's form.
    ///
    /// Items are names or numbers, several with commas between them. A colour is `#3d3e3d`, with two more digits for alpha, or `none`.
    public func value(ofText text: String) -> OpenPrintTagValue? {
        let parts = text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let value: OpenPrintTagValue? =
            switch form {
            case .integer, .timestamp: Int64(text).map(OpenPrintTagValue.integer)
            case .number: Double.decimal(text).map(OpenPrintTagValue.number)
            case .text: .text(text)
            case .uuid: [UInt8](hexadecimal: text.filter { $0 != "-" }).map(OpenPrintTagValue.uuid)
            case .color: Self.color(text)
            case .lab: Self.all(parts.map { Double.decimal($0) }).map(OpenPrintTagValue.lab)
            case .item(let items): items.number(ofText: text).map(OpenPrintTagValue.item)
            case .items(let items, _): Self.all(parts.map(items.number(ofText:))).map(OpenPrintTagValue.items)
            }
        return value.flatMap { accepts($0) ? $0 : nil }
    }

    private static func color(_ text: String) -> OpenPrintTagValue? {
        if text == "none" { return .noColor }
        guard text.hasPrefix("#") else { return nil }
        return [UInt8](hexadecimal: String(text.dropFirst())).map(OpenPrintTagValue.color)
    }

    /// The values; nil where one is missing.
    static func all<Value>(_ values: [Value?]) -> [Value]? {
        let present = values.compactMap { $0 }
        return present.count == values.count ? present : nil
    }
}

extension OpenPrintTagItems {
    fileprivate func number(ofText text: String) -> UInt64? { number(named: text) ?? UInt64(text) }
}
