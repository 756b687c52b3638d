import Testing

@testable import NFCProtocol

@Suite struct SchemaTests {
    private enum Colour: String, Choice {
        case red, green
    }

    private struct Inner: Codable {
        var count: UInt8
        var note: String?
    }

    private struct Outer: Codable {
        var bytes: HexBytes
        var colour: Colour
        var otherColour: Colour?
        var inner: Inner
        var list: [Inner]
        var rows: [[Int]]?
        var numbers: [Int: Bool]
        var words: [String: Inner]
        var amount: Int32
        var seconds: Double?
    }

    /// Decodes by hand, member by member.
    private struct Handmade: Decodable {
        private enum CodingKeys: CodingKey { case first, second, list }
        private enum ListKeys: CodingKey { case name }

        init(from decoder: any Decoder) throws {
            let object = try decoder.container(keyedBy: CodingKeys.self)
            if object.contains(.second) { _ = try object.decode(Bool.self, forKey: .second) }
            var list = try object.nestedUnkeyedContainer(forKey: .list)
            while !list.isAtEnd {
                _ = try list.nestedContainer(keyedBy: ListKeys.self).decode(String.self, forKey: .name)
            }
            _ = try Inner(from: object.superDecoder(forKey: .first))
        }
    }

    /// Holds itself.
    private struct Endless: Decodable {
        let next: [Endless]
    }

    private struct Picky: Decodable {
        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            guard try value.decode(Int.self) > 0 else {
                throw DecodingError.dataCorruptedError(in: value, debugDescription: "too small")
            }
        }
    }

    private func schema(_ type: any Decodable.Type) throws -> JSONValue { try SchemaDecoder.note(of: type).schema }

    private static let inner: JSONValue = [
        "type": "object", "additionalProperties": true, "required": ["count"],
        "properties": [
            "count": ["type": "integer", "minimum": 0, "maximum": 255], "note": ["type": ["string", "null"]],
        ],
    ]

    @Test func `a type is described by what it decodes`() throws {
        let schema = try schema(Outer.self)
        #expect(schema["required"] == ["bytes", "colour", "inner", "list", "numbers", "words", "amount"])
        let members: [(String, JSONValue)] = [
            ("bytes", ["type": "string", "pattern": "^([0-9A-Fa-f]{2})*$"]),
            ("colour", ["type": "string", "enum": ["red", "green"]]),
            ("otherColour", ["type": ["string", "null"], "enum": ["red", "green", .null]]),
            ("inner", Self.inner),
            ("list", ["type": "array", "items": Self.inner]),
            (
                "rows",
                ["type": ["array", "null"], "items": ["type": "array", "items": ["type": "integer"]]]
            ),
            ("numbers", ["type": "object", "additionalProperties": ["type": "boolean"]]),
            ("words", ["type": "object", "additionalProperties": Self.inner]),
            ("amount", ["type": "integer", "minimum": -2_147_483_648, "maximum": 2_147_483_647]),
            ("seconds", ["type": ["number", "null"]]),
        ]
        for (name, expected) in members { #expect(schema["properties"]?[name] == expected, "\(name)") }
    }

    @Test func `members keep the order in which they are declared`() throws {
        let names = try SchemaDecoder.note(of: SessionBegin.Parameters.self).members.map(\.name)
        #expect(names.first == "kind" && names.count > 5)
    }

    @Test func `a type that decodes by hand is described too`() throws {
        let schema = try schema(Handmade.self)
        #expect(schema["required"] == ["list", "first"])
        #expect(schema["properties"]?["second"] == ["type": ["boolean", "null"]])
        #expect(schema["properties"]?["list"]?["items"]?["properties"] == ["name": ["type": "string"]])
        #expect(schema["properties"]?["first"] == Self.inner)
    }

    @Test func `a value that stands for another with null may be null`() throws {
        #expect(try schema(Int?.self) == ["type": ["integer", "null"]])
        #expect(try schema(MessageForm?.self)["anyOf"] == [MessageForm.schema, ["type": "null"]])
        #expect(try schema([String?].self) == ["type": "array", "items": ["type": ["string", "null"]]])
    }

    @Test func `a type without members is an object`() throws {
        #expect(try schema(Empty.self) == ["type": "object", "additionalProperties": true])
    }

    @Test(arguments: [Endless.self, Picky.self] as [any Decodable.Type])
    func `a type that cannot be described is refused`(type: any Decodable.Type) {
        #expect(throws: DecodingError.self) { try SchemaDecoder.note(of: type) }
    }

    @Test(arguments: ["null", "true", "-7", "0.5", #""a""#, "[1,[]]", #"{"a":{"b":null}}"#])
    func `a JSON value is written as it was read`(text: String) throws {
        #expect(try json(try value(JSONValue.self, text)) == text)
    }
}

@Suite struct InterfaceTests {
    private static let entries = Interface.methods + Interface.notifications

    @Test func `no name is there twice`() {
        #expect(Set(Self.entries.map(\.name)).count == Self.entries.count)
    }

    @Test(arguments: entries.map(\.name))
    func `each entry says in a sentence what it is for, and can be described`(name: String) throws {
        let entry = try #require(Self.entries.first { $0.name == name })
        #expect(entry.summary.hasSuffix(".") && entry.summary.utf8.count <= 100)
        let method = try entry.methodObject()
        #expect(method["name"] == .string(name) && method["paramStructure"] == "by-name")
        #expect((method["result"] == nil) == (entry.result == nil))
    }

    @Test func `a parameter is described by name, schema and whether it has to be there`() throws {
        let begin = try #require(Interface.methods.first { $0.name == "session.begin" }).methodObject()
        guard case .array(let parameters)? = begin["params"] else { return #expect(Bool(false), "no parameters") }
        #expect(parameters.first?["name"] == "kind" && parameters.first?["required"] == true)
        let timeout = try #require(parameters.first { $0["name"] == "timeout" })
        #expect(timeout == ["name": "timeout", "required": false, "schema": ["type": ["number", "null"]]])
        #expect(begin["result"]?["schema"]?["properties"]?["session"] == ["type": "string"])
    }

    @Test func `parameters that have to be there come first`() throws {
        let name = SessionDidDetectNDEFs<MessageForm>.name
        let entry = try #require(Interface.notifications.first { $0.name == name }).methodObject()
        guard case .array(let parameters)? = entry["params"] else { return #expect(Bool(false), "no parameters") }
        #expect(parameters.suffix(3).map { $0["name"] } == ["messages", "technology", "error"])
    }

    @Test func `the document has methods, notifications and errors`() throws {
        let document = try OpenRPCDocument.make(
            tagErrors: [.init(code: 100, name: "TagConnectionLost", message: "Tag connection lost")])
        #expect(document["openrpc"] == "1.3.2" && document["info"]?["version"] == .string(NFCDVersion.release))
        #expect(document["methods"].count == Interface.methods.count)
        #expect(document["x-notifications"].count == Interface.notifications.count)
        let errors = document["components"]?["errors"]
        #expect(errors?["TagConnectionLost"] == ["code": 100, "message": "Tag connection lost"])
        #expect(errors?["ParseError"]?["code"] == -32700 && errors?["RequestCancelled"]?["code"] == -32800)
        #expect(document["components"]?["schemas"]?["Error"]?["required"] == ["code", "message"])
    }

    @Test func `every reference in the document leads to a schema`() throws {
        let document = try OpenRPCDocument.make(tagErrors: [])
        let references = document.references
        #expect(!references.isEmpty)
        for reference in references {
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            #expect(reference == "#/components/schemas/\(name)")
            #expect(document["components"]?["schemas"]?[name] != nil, "\(reference)")
        }
    }

    @Test func `the document goes over the wire as it is`() throws {
        let result = RPCDiscover.Result(["openrpc": "1.3.2", "methods": []])
        #expect(try json(result) == #"{"methods":[],"openrpc":"1.3.2"}"#)
        #expect(try value(RPCDiscover.Result.self, try json(result)) == result)
    }
}

extension JSONValue? {
    /// The elements of an array; 0 for anything else.
    fileprivate var count: Int { if case .array(let elements)? = self { elements.count } else { 0 } }
}

extension JSONValue {
    /// Every `$ref` in it.
    fileprivate var references: Set<String> {
        switch self {
        case .array(let elements): elements.reduce(into: []) { $0.formUnion($1.references) }
        case .object(let members):
            members.reduce(into: []) { found, member in
                if member.key == "$ref", case .string(let target) = member.value { found.insert(target) }
                found.formUnion(member.value.references)
            }
        default: []
        }
    }
}
