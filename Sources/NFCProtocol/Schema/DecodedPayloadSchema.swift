import NDEF

/// The schemas of the decoded form of payloads, made of what the record types describe: one for each kind, and one for each object
/// within a kind.
///
/// Objects stay open, and kinds that are not listed are valid: later versions add some. `x-written` of an object lists the members
/// that nfcd always writes; a member that may be null only when it is written to nfcd has no `x-null`, which explains what null means.
enum DecodedPayloadSchema {
    /// The schemas by name; the one of all kinds is `DecodedPayload`.
    static let schemas: [String: JSONValue] = {
        var schemas = ["DecodedPayload": anyKind, laterKindName: laterKind]
        for form in DecodedForm.forms {
            schemas[name(of: form)] = kind(form)
            addObjects(of: form.jsonFields, to: &schemas)
        }
        return schemas
    }()

    /// Any kind. An object of a known kind has the members of the kind.
    private static var anyKind: JSONValue {
        let names = DecodedForm.forms.map { name(of: $0) } + [laterKindName]
        return [
            "description": "The decoded form of a payload, by its `kind`.",
            "oneOf": .array(names.map(SchemaDefinitions.reference)),
        ]
    }

    private static let laterKindName = "LaterPayload"

    /// A kind that is not known yet.
    private static var laterKind: JSONValue {
        let kinds = DecodedForm.forms.map { JSONValue.string($0.kind) }
        return [
            "type": "object", "required": ["kind"], "additionalProperties": true,
            "description": "A kind that was added later.",
            "properties": [
                "kind": [
                    "type": "string", "not": ["enum": .array(kinds)],
                    "description": "The kind of payload, which is not listed.",
                ]
            ],
        ]
    }

    /// Such as `TextPayload`.
    private static func name(of form: any NDEFContent.Type) -> String {
        "\(form.kind.prefix(1).uppercased())\(form.kind.dropFirst())Payload"
    }

    private static func kind(_ form: any (NDEFContent & JSONDescribed).Type) -> JSONValue {
        object(form, leading: [("kind", ["type": "string", "const": .string(form.kind), "description": "The kind."])])
    }

    /// Adds the objects within fields, and those within them.
    private static func addObjects(of fields: [JSONField], to schemas: inout [String: JSONValue]) {
        for type in fields.compactMap(\.form.describedType) where schemas[type.jsonName] == nil {
            schemas[type.jsonName] = object(type, leading: [])
            addObjects(of: type.jsonFields, to: &schemas)
        }
    }

    private static func object(_ type: any JSONDescribed.Type, leading: [(String, JSONValue)]) -> JSONValue {
        let fields = type.jsonFields
        let properties = leading + fields.map { ($0.name, $0.schema) }
        func names(_ isIncluded: (JSONField) -> Bool) -> JSONValue {
            .array((leading.map(\.0) + fields.filter(isIncluded).map(\.name)).map(JSONValue.string))
        }
        return [
            "type": "object", "additionalProperties": true, "description": .string(type.jsonSummary),
            "properties": .object(Dictionary(properties) { $1 }), "required": names { $0.presence == .required },
            "x-written": names { $0.presence != .optional },
        ]
    }
}

extension JSONForm {
    /// The type of the object that this is or lists.
    fileprivate var describedType: (any JSONDescribed.Type)? {
        switch self {
        case .object(let type): type
        case .list(let element), .byName(let element): element.describedType
        default: nil
        }
    }

    /// The schema.
    fileprivate var schema: JSONValue {
        switch self {
        case .text: String.schema
        case .pattern(let pattern): ["type": "string", "pattern": .string(pattern)]
        case .bytes(let counts): Self.hexadecimal(counts)
        case .integer(let range): Self.integer(range)
        case .number: Double.schema
        case .boolean: Bool.schema
        case .words(let words, let numbers): Self.words(words, numbers)
        case .list(let element): ["type": "array", "items": element.schema]
        case .object(let type): SchemaDefinitions.reference(to: type.jsonName)
        case .byName(let element): ["type": "object", "additionalProperties": element.schema]
        case .record: SchemaDefinitions.reference(to: "NDEFRecord")
        }
    }

    private static func hexadecimal(_ counts: ClosedRange<Int>?) -> JSONValue {
        guard let counts else { return HexBytes.schema }
        let limits: [(String, JSONValue)] = [
            ("minLength", .integer(Int64(counts.lowerBound * 2))),
            ("maxLength", .integer(Int64(counts.upperBound * 2))),
        ]
        return HexBytes.schema.adding(counts.lowerBound == 0 ? Array(limits.dropFirst()) : limits)
    }

    private static func integer(_ range: ClosedRange<Int>?) -> JSONValue {
        let limits = range.map { [("minimum", $0.lowerBound), ("maximum", $0.upperBound)] } ?? []
        return JSONValue.object(["type": "integer"]).adding(limits.map { ($0, .integer(Int64($1))) })
    }

    private static func words(_ words: [String], _ numbers: ClosedRange<Int>?) -> JSONValue {
        let word: JSONValue = ["type": "string", "enum": .array(words.map(JSONValue.string))]
        return numbers.map { ["anyOf": [word, integer($0)]] } ?? word
    }
}

extension JSONField {
    /// The schema of the value, with its description.
    fileprivate var schema: JSONValue {
        let value = presence == .required ? form.schema : form.schema.orNull
        var facts: [(String, JSONValue)] = [("description", .string(description))]
        if let usual { facts.append(("default", usual.json)) }
        if let null { facts.append(("x-null", .string(null))) }
        if isDerived { facts.append(("readOnly", true)) }
        // Draft 7 ignores what is beside a reference.
        return value["$ref"] == nil ? value.adding(facts) : JSONValue.object(["allOf": [value]]).adding(facts)
    }
}

extension JSONField.Default {
    fileprivate var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .integer(let number): .integer(Int64(number))
        case .boolean(let flag): .bool(flag)
        case .emptyList: []
        }
    }
}

extension JSONValue {
    /// The object with these members, too.
    fileprivate func adding(_ members: [(String, JSONValue)]) -> JSONValue {
        guard case .object(let known) = self else { return self }
        return .object(known.merging(members) { $1 })
    }
}
