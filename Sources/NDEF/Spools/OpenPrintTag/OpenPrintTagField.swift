/// A field that the specification of OpenPrintTag defines.
public struct OpenPrintTagField: Sendable {
    /// The key in the section's map.
    public let key: UInt64
    /// The name, which the JSON form uses, too; unique within its section.
    public let name: String
    /// What the value is.
    public let form: Form
    /// The unit of the value; nil where it has none.
    public let unit: String?
    /// Whether a tag should have the field.
    public let requirement: Requirement

    init(
        _ key: UInt64, _ name: String, _ form: Form, unit: String? = nil, requirement: Requirement = .optional
    ) {
        self.key = key
        self.name = name
        self.form = form
        self.unit = unit
        self.requirement = requirement
    }

    /// The kinds of values.
    public enum Form: Sendable {
        /// A whole number.
        case integer
        /// A number.
        case number
        /// A text of at most so many bytes of UTF-8.
        case text(maximumLength: Int)
        /// Seconds since 1970-01-01 UTC.
        case timestamp
        /// A UUID.
        case uuid
        /// A colour in bytes: red, green, blue, and alpha if there are four.
        case color
        /// A colour in the space CIE L*a*b*.
        case lab
        /// An item of a list.
        case item(OpenPrintTagItems)
        /// Items of a list, at most so many.
        case items(OpenPrintTagItems, maximumCount: Int)
    }

    /// Whether a tag should have a field.
    public enum Requirement: Sendable {
        /// The field may be absent.
        case optional
        /// The field should be there.
        case recommended
        /// A tag without the field is not valid.
        case required
    }
}

/// A list of items that have a number on the tag and a name elsewhere. A number without a name is one that was added later.
public struct OpenPrintTagItems: Sendable {
    /// The names by number.
    public let names: [UInt64: String]
    private let numbers: [String: UInt64]

    init(_ names: [UInt64: String]) {
        self.names = names
        numbers = Dictionary(names.map { ($1, $0) }, uniquingKeysWith: min)
    }

    /// The number of the item of that name; nil if there is none.
    public func number(named name: String) -> UInt64? { numbers[name] }
}

/// A section of an OpenPrintTag payload.
public enum OpenPrintTagSection: String, CaseIterable, Sendable {
    /// Where the other sections are.
    case meta
    /// The material, its package and its maker; rarely changed, and often protected.
    case main
    /// What changes with use, such as the weight consumed.
    case aux

    /// The fields of the section, by key.
    public var fields: [OpenPrintTagField] {
        switch self {
        case .meta: OpenPrintTagField.metaFields
        case .main: OpenPrintTagField.mainFields
        case .aux: OpenPrintTagField.auxFields
        }
    }

    /// The field of that name; nil if there is none.
    public func field(named name: String) -> OpenPrintTagField? { fields.first { $0.name == name } }

    /// The field with that key; nil where the specification has none.
    func field(key: UInt64) -> OpenPrintTagField? { Self.fieldsByKey[self]?[key] }

    private static let fieldsByKey = Dictionary(
        uniqueKeysWithValues: allCases.map { section in
            (section, Dictionary(section.fields.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first }))
        })
}
