import Testing

@testable import NFCProtocol

/// What a generator of code needs of the OpenRPC document: names for types, and a member that distinguishes alternatives.
@Suite struct GeneratorTests {
    private let document: JSONValue
    private let schemas: [String: JSONValue]

    init() throws {
        document = try OpenRPCDocument.make()
        guard case .object(let schemas)? = document["components"]?["schemas"] else {
            throw SchemaDefinitions.Conflict(name: "no schemas")
        }
        self.schemas = schemas
    }

    @Test func `each alternative of a oneOf has a member with a constant, or with none of the constants`() {
        let unions = schemas.flatMap { $1.lists(of: "oneOf", at: $0) }
        #expect(unions.map(\.path) == ["DecodedPayload"])
        for (path, alternatives) in unions {
            let constants = alternatives.compactMap { resolved($0).constant }
            #expect(Set(constants).count == constants.count && constants.count > 25, "\(path)")
            for other in alternatives.map(resolved) where other.constant == nil {
                #expect(other["properties"]?["kind"]?["not"]?["enum"] == .array(constants.sortedAs(other)), "\(path)")
            }
            #expect(alternatives.count == constants.count + 1, "\(path)")
        }
    }

    @Test func `the alternatives of an anyOf are of different JSON types`() {
        let unions = schemas.flatMap { $1.lists(of: "anyOf", at: $0) }
        #expect(unions.count > 30)
        for (path, alternatives) in unions {
            let types = alternatives.map { resolved($0)["type"] }
            #expect(!types.contains(nil) && Set(types).count == types.count, "\(path): \(types)")
        }
    }

    @Test func `an object with members has a name`() {
        let places = schemas.flatMap { name, schema in schema.parts(at: name).flatMap { $1.inlineObjects(at: $0) } }
        #expect(places == [])
    }

    @Test(arguments: ["methods", "x-notifications"])
    func `parameters, members and results are made of types with names`(part: String) throws {
        guard case .array(let methods)? = document[part] else { return #expect(Bool(false), "no \(part)") }
        for method in methods {
            let name = "\(try #require(method["name"]))"
            guard case .array(let parameters)? = method["params"] else { return #expect(Bool(false), "\(name)") }
            let places = parameters.flatMap { ($0["schema"] ?? .null).inlineObjects(at: "\(name)") }
            #expect(places == [])
            // The schema of all of them is the same as those of each.
            #expect((method["x-parameters"] == nil) == parameters.isEmpty, "\(name)")
            let whole = method["x-parameters"].map(resolved)
            for parameter in parameters {
                guard case .string(let member)? = parameter["name"] else { continue }
                let schema = whole?["properties"]?[member]
                #expect(schema?.undescribed == parameter["schema"], "\(name).\(member)")
            }
            // rpc.discover returns any document.
            if let result = method["result"]?["schema"], method["name"] != "rpc.discover" {
                #expect(result.inlineObjects(at: "\(name)") == [])
            }
        }
    }

    @Test func `names are those of types, and each is used`() {
        let used = document.referencedNames
        for name in schemas.keys {
            #expect(name.wholeMatch(of: /[A-Z][A-Za-z0-9]*/) != nil, "\(name)")
            #expect(used.contains(name) || name == "Error", "\(name)")
        }
    }

    private func resolved(_ schema: JSONValue) -> JSONValue {
        guard case .string(let path)? = schema["$ref"] else { return schema }
        return schemas[path.replacing("#/components/schemas/", with: "")] ?? .null
    }
}

extension [JSONValue] {
    /// The constants in the order of the schema that excludes them.
    fileprivate func sortedAs(_ other: JSONValue) -> [JSONValue] {
        guard case .array(let excluded)? = other["properties"]?["kind"]?["not"]?["enum"] else { return self }
        return Set(excluded) == Set(self) ? excluded : self
    }
}

extension JSONValue {
    /// The constant of a member.
    fileprivate var constant: JSONValue? {
        guard case .object(let properties)? = self["properties"] else { return nil }
        return properties.values.compactMap { $0["const"] }.first
    }

    /// The schema of a member without its description.
    fileprivate var undescribed: JSONValue {
        guard case .object(var members) = self else { return self }
        members["description"] = nil
        if members.count == 1, case .array(let parts)? = members["allOf"], parts.count == 1 { return parts[0] }
        return .object(members)
    }

    /// The values within this one, with their paths.
    fileprivate func parts(at path: String) -> [(path: String, value: JSONValue)] {
        switch self {
        case .array(let elements): elements.enumerated().map { ("\(path)[\($0)]", $1) }
        case .object(let members): members.map { ("\(path).\($0)", $1) }
        default: []
        }
    }

    /// The alternatives under a keyword, wherever it occurs.
    fileprivate func lists(of keyword: String, at path: String) -> [(path: String, alternatives: [JSONValue])] {
        var found = parts(at: path).flatMap { $1.lists(of: keyword, at: $0) }
        if case .array(let alternatives)? = self[keyword] { found.append((path, alternatives)) }
        return found
    }

    /// The paths of the objects with members, this one included.
    fileprivate func inlineObjects(at path: String) -> [String] {
        let inner = parts(at: path).flatMap { $1.inlineObjects(at: $0) }
        if case .object? = self["properties"] { return [path] + inner }
        return inner
    }

    /// The names of the schemas that are referred to.
    fileprivate var referencedNames: Set<String> {
        let inner = parts(at: "").reduce(into: Set<String>()) { $0.formUnion($1.value.referencedNames) }
        guard case .string(let path)? = self["$ref"] else { return inner }
        return inner.union([path.replacing("#/components/schemas/", with: "")])
    }
}
