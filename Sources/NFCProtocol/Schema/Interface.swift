import NFCTypes

/// The methods and notifications of the socket, in the order of the documentation. The server's routing, `rpc.discover` and the
/// tables of `Docs/protocol.md` follow these lists, which `make generate` makes of the declarations; a test compares them with the
/// server's handlers.
package enum Interface {}

extension Method {
    /// The Method Object of OpenRPC 1.3.2.
    ///
    /// - Throws: `DecodingError` for a type whose schema cannot be derived.
    package static func methodObject() throws -> JSONValue {
        let parameters = try SchemaDecoder.note(of: Parameters.self).contentDescriptors(isClosed: true)
        var object = Interface.methodObject(name, summary, details, requirement, parameters)
        object["result"] = [
            "name": "result", "required": true, "schema": try SchemaDecoder.note(of: Result.self).schema,
        ]
        return .object(object)
    }
}

extension ServerNotification {
    /// The notification in the form of a Method Object without a result.
    ///
    /// - Throws: `DecodingError` for a type whose schema cannot be derived.
    package static func methodObject() throws -> JSONValue {
        let parameters = try SchemaDecoder.note(of: Self.self).contentDescriptors(isClosed: false)
        return .object(Interface.methodObject(name, summary, details, requirement, parameters))
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
