/// What a type asked for while it was decoded: the shape of its JSON form.
final class SchemaNote {
    /// A member of an object.
    struct Member {
        let name: String
        let note: SchemaNote
        /// Whether the type looked if the member is there before it decoded it.
        var isOptional: Bool
    }

    /// A value whose schema is known; an object is one that asks for members.
    var known: JSONValue?
    /// The elements of an array.
    var elements: SchemaNote?
    /// The values of an object whose members have names of any kind.
    var values: SchemaNote?
    /// The members of an object, in the order in which they were asked for.
    private(set) var members: [Member] = []
    /// Whether null stands for the value too.
    var isNullable = false
    private var lookedFor: Set<String> = []

    /// The type looks whether a member is there.
    func lookFor(_ name: String) {
        lookedFor.insert(name)
    }

    /// The note of a member that the type asks for.
    func member(_ name: String) -> SchemaNote {
        if let values { return values }
        if let member = members.first(where: { $0.name == name }) { return member.note }
        let note = SchemaNote()
        let isOptional = lookedFor.contains(name)
        note.isNullable = isOptional
        members.append(Member(name: name, note: note, isOptional: isOptional))
        return note
    }

    /// The JSON Schema. More members than those named are allowed: changes only add.
    var schema: JSONValue {
        let schema = known ?? elements.map { ["type": "array", "items": $0.schema] } ?? object
        return isNullable ? schema.orNull : schema
    }

    private var object: JSONValue {
        var object: [String: JSONValue] = ["type": "object", "additionalProperties": values?.schema ?? true]
        if !members.isEmpty {
            object["properties"] = .object(Dictionary(members.map { ($0.name, $0.note.schema) }) { $1 })
        }
        let required = members.filter { !$0.isOptional }
        if !required.isEmpty { object["required"] = .array(required.map { .string($0.name) }) }
        return .object(object)
    }
}

extension JSONValue {
    /// The schema that lets null through as well.
    fileprivate var orNull: JSONValue {
        guard case .object(var schema) = self, !schema.isEmpty else { return self }
        guard case .string(let type)? = schema["type"] else {
            if case .array? = schema["type"] { return self }
            return ["anyOf": [self, ["type": "null"]]]
        }
        schema["type"] = [.string(type), "null"]
        if case .array(let words)? = schema["enum"] { schema["enum"] = .array(words + [.null]) }
        return .object(schema)
    }
}
