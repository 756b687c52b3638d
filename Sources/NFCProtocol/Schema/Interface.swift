import NFCTypes

/// The methods and notifications of the socket, in the order of the documentation. The server's routing, `rpc.discover` and the
/// tables of `Docs/protocol.md` follow these lists, which `make generate` makes of the declarations; a test compares them with the
/// server's handlers.
package enum Interface {}

extension Method {
    /// The Method Object of OpenRPC 1.3.2. `x-parameters` refers to the schema of all parameters together.
    ///
    /// - Throws: `DecodingError` for a type whose schema cannot be derived.
    package static func methodObject() throws -> JSONValue {
        let parameters = try SchemaDecoder.note(of: Parameters.self)
        var object = Interface.methodObject(
            name, summary, details, requirement, parameters.contentDescriptors(isClosed: true))
        if !parameters.members.isEmpty {
            object["x-parameters"] = SchemaDefinitions.reference(to: parametersName(parameters))
        }
        object["result"] = [
            "name": "result", "required": true, "schema": try SchemaDecoder.note(of: Result.self).schema,
        ]
        return .object(object)
    }

    /// Adds the schemas of the parameters and of the result.
    ///
    /// - Throws: `DecodingError` for a type whose schema cannot be derived, ``SchemaDefinitions/Conflict`` for a name with two schemas.
    static func addSchemas(to definitions: inout SchemaDefinitions) throws {
        let parameters = try SchemaDecoder.note(of: Parameters.self)
        try definitions.add(parameters, isClosed: true)
        if !parameters.members.isEmpty {
            try definitions.add(parameters.definition(isClosed: true), as: parametersName(parameters))
        }
        try definitions.add(try SchemaDecoder.note(of: Result.self), isClosed: false)
    }

    /// The parameters of a command to a tag are those of several types.
    private static func parametersName(_ parameters: SchemaNote) -> String {
        parameters.name ?? SchemaDefinitions.name(of: Self.self) + "Parameters"
    }
}

extension ServerNotification {
    /// The notification in the form of a Method Object without a result. `x-parameters` refers to the schema of all members together.
    ///
    /// - Throws: `DecodingError` for a type whose schema cannot be derived.
    package static func methodObject() throws -> JSONValue {
        let members = try SchemaDecoder.note(of: Self.self)
        var object = Interface.methodObject(
            name, summary, details, requirement, members.contentDescriptors(isClosed: false))
        object["x-parameters"] = members.schema
        return .object(object)
    }

    /// Adds the schemas of its members.
    ///
    /// - Throws: `DecodingError` for a type whose schema cannot be derived, ``SchemaDefinitions/Conflict`` for a name with two schemas.
    static func addSchemas(to definitions: inout SchemaDefinitions) throws {
        try definitions.add(try SchemaDecoder.note(of: Self.self), isClosed: false)
    }
}

extension Interface {
    fileprivate static func methodObject(
        _ name: String, _ summary: String, _ details: String, _ requirement: Requirement, _ parameters: [JSONValue]
    ) -> [String: JSONValue] {
        var object: [String: JSONValue] = [
            "name": .string(name), "summary": .string(summary), "paramStructure": "by-name",
            "params": .array(parameters),
        ]
        if !details.isEmpty { object["description"] = .string(details) }
        object["x-requires"] = requirement.json
        return object
    }
}

extension Requirement {
    /// The value of `x-requires`: a word, or a list of several; nil for no requirement.
    fileprivate var json: JSONValue? {
        switch self {
        case .nothing: nil
        case .sessionFormat: "the session's format"
        case .capabilities(let capabilities) where capabilities.count == 1: .string(capabilities[0].rawValue)
        case .capabilities(let capabilities): .array(capabilities.map { .string($0.rawValue) })
        }
    }
}

extension SchemaNote {
    /// The members as Content Descriptor Objects: the required ones first, as OpenRPC demands, otherwise as declared.
    ///
    /// - Parameter isClosed: whether nested objects have no other members.
    fileprivate func contentDescriptors(isClosed: Bool) -> [JSONValue] {
        (members.filter { !$0.isOptional } + members.filter(\.isOptional)).map { member in
            var descriptor: [String: JSONValue] = [
                "name": .string(member.name), "required": .bool(!member.isOptional),
                "schema": member.note.schema(isClosed: isClosed),
            ]
            descriptor["description"] = description(of: member.name)
            return .object(descriptor)
        }
    }
}
