/// The schemas that the document refers to by name: one for each type that has members or words, so that generators of code make one type
/// of it wherever it is used.
struct SchemaDefinitions {
    /// Two schemas that have the same name.
    struct Conflict: Error, CustomStringConvertible {
        let name: String

        var description: String {
            "\(name) has two schemas; use different types in parameters and in results, or rename one of them"
        }
    }

    /// The schemas by name.
    private(set) var schemas: [String: JSONValue] = [:]

    /// Adds a schema.
    ///
    /// - Throws: ``Conflict`` if another schema has the name.
    mutating func add(_ schema: JSONValue, as name: String) throws {
        guard schemas[name] == nil || schemas[name] == schema else { throw Conflict(name: name) }
        schemas[name] = schema
    }

    /// Adds the schemas that the schema of a type refers to, and those that these refer to.
    ///
    /// - Parameter isClosed: whether objects have no other members than those named.
    /// - Throws: ``Conflict`` if another schema has one of the names.
    mutating func add(_ note: SchemaNote, isClosed: Bool) throws {
        if let name = note.name { try add(note.definition(isClosed: isClosed), as: name) }
        for part in note.parts { try add(part, isClosed: isClosed) }
    }

    /// The name of the schema of a type: that of the type with those around it, without its module.
    static func name(of type: Any.Type) -> String {
        String(reflecting: type).split(separator: ".").dropFirst().joined()
    }

    /// The schema that refers to another one.
    static func reference(to name: String) -> JSONValue {
        ["$ref": .string("#/components/schemas/\(name)")]
    }
}
