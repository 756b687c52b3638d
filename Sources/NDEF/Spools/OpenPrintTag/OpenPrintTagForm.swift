/// The objects within the JSON form of ``OpenPrintTagRecord``. Their names are those of the specification's data and tools.
enum OpenPrintTagForm {
    /// The fields of the sections, by their names.
    struct Data: Encodable, JSONDescribed {
        let record: OpenPrintTagRecord

        func encode(to encoder: any Encoder) throws {
            var sections = encoder.container(keyedBy: Name.self)
            for region in record.regions {
                var fields = sections.nestedContainer(keyedBy: Name.self, forKey: Name(region.section.rawValue))
                for (field, result) in region.fields {
                    guard let value = result.value else { continue }
                    try fields.encode(value, of: field)
                }
            }
        }

        static let jsonName = "OpenPrintTagData"
        static let jsonSummary = "The fields of an OpenPrintTag by section, named as in the specification."
        static var jsonFields: [JSONField] {
            OpenPrintTagForm.sections(hasMeta: true) { section in
                let form: JSONForm =
                    switch section {
                    case .meta: .object(Meta.self)
                    case .main: .object(Main.self)
                    case .aux: .object(Aux.self)
                    }
                return (form, section.contents)
            }
        }
    }

    enum Meta: JSONDescribed {
        static let jsonName = "OpenPrintTagMeta"
        static let jsonSummary = "The fields of the meta section."
        static var jsonFields: [JSONField] { OpenPrintTagSection.meta.fields.map(\.jsonField) }
    }

    enum Main: JSONDescribed {
        static let jsonName = "OpenPrintTagMain"
        static let jsonSummary = "The fields of the main section."
        static var jsonFields: [JSONField] { OpenPrintTagSection.main.fields.map(\.jsonField) }
    }

    enum Aux: JSONDescribed {
        static let jsonName = "OpenPrintTagAux"
        static let jsonSummary = "The fields of the auxiliary section."
        static var jsonFields: [JSONField] { OpenPrintTagSection.aux.fields.map(\.jsonField) }
    }

    /// The fields that the specification does not have: keys and values in their CBOR bytes.
    struct Unknown: Encodable, JSONDescribed {
        let record: OpenPrintTagRecord

        func encode(to encoder: any Encoder) throws {
            var sections = encoder.container(keyedBy: Name.self)
            for region in record.regions where !region.unknownFields.isEmpty {
                var fields = sections.nestedContainer(keyedBy: Name.self, forKey: Name(region.section.rawValue))
                for (key, value) in region.unknownFields {
                    try fields.encode(value.hexadecimal.lowercased(), forKey: Name(key.hexadecimal.lowercased()))
                }
            }
        }

        static let jsonName = "OpenPrintTagUnknown"
        static let jsonSummary = "Fields of an OpenPrintTag that the specification does not have, by section."
        static var jsonFields: [JSONField] {
            OpenPrintTagForm.sections(hasMeta: false) { section in
                (.byName(.bytes), "Those of the \(section) section: the bytes of each value by the bytes of its key.")
            }
        }
    }

    /// The regions of the sections.
    struct Regions: Encodable, JSONDescribed {
        let record: OpenPrintTagRecord

        func encode(to encoder: any Encoder) throws {
            var sections = encoder.container(keyedBy: Name.self)
            for region in record.regions {
                try sections.encode(Region(region: region), forKey: Name(region.section.rawValue))
            }
        }

        static let jsonName = "OpenPrintTagRegions"
        static let jsonSummary = "The regions of an OpenPrintTag payload."
        static var jsonFields: [JSONField] {
            OpenPrintTagForm.sections(hasMeta: true) { section in
                (.object(Region.self), "The region of the \(section) section.")
            }
        }
    }

    /// A region.
    struct Region: Encodable, JSONDescribed {
        let region: OpenPrintTagRegion

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case offset = "payload_offset"
            case size
            case usedSize = "used_size"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(region.offset, forKey: .offset)
            try container.encode(region.bytes.count, forKey: .size)
            try container.encodeIfPresent(region.usedSize, forKey: .usedSize)
        }

        static let jsonName = "OpenPrintTagRegion"
        static let jsonSummary = "A region of an OpenPrintTag payload."
        static var jsonFields: [JSONField] {
            JSONField.all(of: CodingKeys.self) { key in
                switch key {
                case .offset:
                    .written(.integer(nil), "Where the region starts, in bytes from the start of the payload.")
                case .size: .written(.integer(nil), "The bytes of the region.")
                case .usedSize: .optional(.integer(nil), "The bytes of the section in it, if it can be read.")
                }
            }
        }
    }

    /// A field for each section. Meta is always there, unless only some sections are.
    private static func sections(
        hasMeta: Bool, _ describe: (OpenPrintTagSection) -> (form: JSONForm, text: String)
    ) -> [JSONField] {
        OpenPrintTagSection.allCases.map { section in
            let (form, text) = describe(section)
            let field: JSONField = hasMeta && section == .meta ? .written(form, text) : .optional(form, text)
            return field.named(section.rawValue)
        }
    }

    /// Any name.
    struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }
}

extension OpenPrintTagSection {
    fileprivate var contents: String {
        switch self {
        case .meta: "Where the other sections are."
        case .main: "The material, its package and its maker."
        case .aux: "What changes with use."
        }
    }
}

// MARK: - Fields

extension KeyedEncodingContainer<OpenPrintTagForm.Name> {
    fileprivate mutating func encode(_ value: OpenPrintTagValue, of field: OpenPrintTagField) throws {
        let key = OpenPrintTagForm.Name(field.name)
        switch value {
        case .integer(let number): try encode(number, forKey: key)
        case .number(let number): try encode(number, forKey: key)
        case .text(let text): try encode(text, forKey: key)
        case .uuid(let bytes): try encode(bytes.uuidText, forKey: key)
        case .color(let bytes): try encode("#\(bytes.hexadecimal.lowercased())", forKey: key)
        case .noColor: try encodeNil(forKey: key)
        case .lab(let numbers): try encode(numbers, forKey: key)
        case .item(let number): try encode(OpenPrintTagItems.Item(number, in: field.form.items), forKey: key)
        case .items(let numbers):
            try encode(numbers.map { OpenPrintTagItems.Item($0, in: field.form.items) }, forKey: key)
        }
    }
}

extension OpenPrintTagItems {
    /// An item in the JSON form: its name, or its number where it has none. It is read in either form.
    enum Item: Codable {
        case name(String)
        case number(UInt64)

        init(_ number: UInt64, in items: OpenPrintTagItems?) {
            self = items?.names[number].map(Self.name) ?? .number(number)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let name = try? container.decode(String.self) {
                self = .name(name)
            } else if let number = try? container.decode(UInt64.self) {
                self = .number(number)
            } else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "neither a name nor a number of an item")
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .name(let name): try container.encode(name)
            case .number(let number): try container.encode(number)
            }
        }

        /// The number; nil for a name that is not in the list.
        func number(in items: OpenPrintTagItems) -> UInt64? {
            switch self {
            case .name(let name): items.number(named: name)
            case .number(let number): number
            }
        }
    }
}

extension [UInt8] {
    /// The bytes of a UUID in groups of 8, 4, 4, 4 and 12 lower-case digits.
    var uuidText: String {
        let digits = Array<Character>(hexadecimal.lowercased())
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<digits.count].map { String(digits[$0]) }.joined(separator: "-")
    }
}

extension OpenPrintTagField.Form {
    /// The list that items are of.
    fileprivate var items: OpenPrintTagItems? {
        switch self {
        case .item(let items), .items(let items, _): items
        default: nil
        }
    }

    fileprivate var json: JSONForm {
        switch self {
        case .integer, .timestamp: .integer(nil)
        case .number: .number
        case .text: .text
        case .uuid: .pattern("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
        case .color: .pattern("^#[0-9a-f]{6}([0-9a-f]{2})?$")
        case .lab: .list(.number)
        case .item(let items): items.json
        case .items(let items, _): .list(items.json)
        }
    }

    fileprivate var words: String {
        switch self {
        case .integer: "a whole number"
        case .number: "a number"
        case .text(let maximumLength): "a text of at most \(maximumLength) bytes"
        case .timestamp: "a time in seconds since 1970-01-01 UTC"
        case .uuid: "a UUID"
        case .color: "a colour, red, green, blue and alpha"
        case .lab: "L*, a* and b* of a colour"
        case .item: "an item, by number where it has no name"
        case .items(_, let maximumCount): "at most \(maximumCount) items, by number where they have no name"
        }
    }
}

extension OpenPrintTagItems {
    fileprivate var json: JSONForm {
        .words(names.sorted { $0.key < $1.key }.map(\.value), numbers: 0...Int(UInt32.max))
    }
}

extension OpenPrintTagField {
    /// What the value is, in a phrase: `a number (g)`.
    public var words: String { form.words + (unit.map { " (\($0))" } ?? "") }

    /// The names of the items that the value can be or have; none for a field of another form.
    public var itemNames: [String] {
        switch form {
        case .item(let items), .items(let items, _): items.names.values.sorted()
        default: []
        }
    }

    /// The field in the JSON form of its section.
    fileprivate var jsonField: JSONField {
        let advice =
            switch requirement {
            case .optional: ""
            case .recommended: "; recommended"
            case .required: "; required"
            }
        let description = "Key \(key): \(words)\(advice)."
        let null = if case .color = form { "There is no single colour." } else { nil as String? }
        return JSONField.optional(form.json, null: null, description).named(name)
    }
}

// MARK: - Faults

extension OpenPrintTagFault: Encodable, JSONDescribed {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case section, fault, field, raw
    }

    /// Writes `section`, `fault`, and `field` and `raw` if there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(section.rawValue, forKey: .section)
        try container.encode(kind.rawValue, forKey: .fault)
        try container.encodeIfPresent(field, forKey: .field)
        try container.encodeIfNotEmpty(hexadecimal: raw, forKey: .raw)
    }

    package static var jsonSummary: String {
        "Something in an OpenPrintTag payload that is not as the specification has it."
    }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .section: .written(.words(OpenPrintTagSection.allCases.map(\.rawValue), numbers: nil), "The section.")
            case .fault: .written(.text, "What is wrong, such as `wrongType`, `outOfRange`, `corrupt` or `missing`.")
            case .field: .optional(.text, "The name of the field concerned.")
            case .raw: .optional(.bytes, "The bytes concerned.")
            }
        }
    }
}
