/// The JSON form of a value, from which a schema is made.
package indirect enum JSONForm: Sendable {
    /// Any text.
    case text
    /// A text that matches a regular expression (ECMA 262).
    case pattern(String)
    /// Bytes as hexadecimal digits; the range limits how many there are.
    case bytes(ClosedRange<Int>?)
    /// A whole number.
    case integer(ClosedRange<Int>?)
    /// A number.
    case number
    /// True or false.
    case boolean
    /// One of these words, or instead a number of the range.
    case words([String], numbers: ClosedRange<Int>?)
    /// A list of values of one form.
    case list(JSONForm)
    /// An object of a type's form; the fields of a record without its `kind`.
    case object(any JSONDescribed.Type)
    /// An object that has a value of one form under each of its names, whatever these are.
    case byName(JSONForm)
    /// A record.
    case record

    /// Any bytes.
    static var bytes: JSONForm { .bytes(nil) }

    /// The names of a type in the order of their numbers, or a number.
    static func named<Value: NamedNumber>(_: Value.Type, numbers: ClosedRange<Int> = 0...0xFF) -> JSONForm {
        .words(words(Value.names), numbers: numbers)
    }

    /// The names of a table in the order of their numbers.
    static func words(_ names: [UInt8: String]) -> [String] {
        names.sorted { $0.key < $1.key }.map(\.value)
    }
}

/// A type whose JSON form is an object. It describes the fields beside its encoding and decoding.
package protocol JSONDescribed: Sendable {
    /// The name of the object in a schema.
    static var jsonName: String { get }
    /// What the object is, in a phrase.
    static var jsonSummary: String { get }
    /// The fields, in their order.
    static var jsonFields: [JSONField] { get }
}

extension JSONDescribed {
    /// The name of the type.
    package static var jsonName: String { String(describing: Self.self) }
}

extension JSONDescribed where Self: NDEFContent {
    /// Such as `TextFields`: the fields of a kind without `kind`.
    package static var jsonName: String { "\(kind.prefix(1).uppercased())\(kind.dropFirst())Fields" }
}

/// A field of an object.
package struct JSONField: Sendable {
    /// When a field is there.
    package enum Presence: Sendable {
        /// It is always written, and refused where it is missing.
        case required
        /// It is always written; in what is read it may be missing.
        case written
        /// It is written if there is something to write.
        case optional
    }

    /// The value of a field that is missing.
    package enum Default: Sendable {
        case text(String)
        case integer(Int)
        case boolean(Bool)
        case emptyList
    }

    /// The name.
    package private(set) var name = ""
    /// The form of the value. In what is read, fields that are not required may be null, too.
    package let form: JSONForm
    /// When the field is there.
    package let presence: Presence
    /// What the field means, in sentences.
    package let description: String
    /// What a missing field stands for, as far as that is one value.
    package let usual: Default?
    /// What null means; nil where null is never written, and read as if the field were missing.
    package let null: String?
    /// Whether the field is only written, and ignored where it is read.
    package let isDerived: Bool

    private init(
        _ form: JSONForm, _ presence: Presence, _ description: String, usual: Default? = nil, null: String? = nil,
        isDerived: Bool = false
    ) {
        self.form = form
        self.presence = presence
        self.description = description
        self.usual = usual
        self.null = null
        self.isDerived = isDerived
    }

    /// A field that has to be there.
    static func required(_ form: JSONForm, _ description: String) -> JSONField {
        JSONField(form, .required, description)
    }

    /// A field that is always written, and may be missing where it is read.
    static func written(
        _ form: JSONForm, usual: Default? = nil, null: String? = nil, _ description: String
    ) -> JSONField { JSONField(form, .written, description, usual: usual, null: null) }

    /// A field that is written if there is something to write.
    static func optional(
        _ form: JSONForm, usual: Default? = nil, null: String? = nil, _ description: String
    ) -> JSONField { JSONField(form, .optional, description, usual: usual, null: null) }

    /// A field that follows from others, and is ignored where it is read.
    static func derived(_ form: JSONForm, _ presence: Presence, _ description: String) -> JSONField {
        JSONField(form, presence, description, isDerived: true)
    }

    /// The field under a name that is not a key in code.
    func named(_ name: String) -> JSONField {
        var field = self
        field.name = name
        return field
    }

    /// The fields of the keys; those for which there is nil belong to another object.
    static func all<Key: CodingKey & CaseIterable>(
        of _: Key.Type, _ describe: (Key) -> JSONField?
    ) -> [JSONField] {
        Key.allCases.compactMap { key in
            var field = describe(key)
            field?.name = key.stringValue
            return field
        }
    }
}
