import NDEF
import Testing

@testable import NFCProtocol

@Suite struct SchemaTests {
    enum Colour: String, Choice {
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

    /// Decodes its members in `init(from:)`.
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

    /// Contains itself.
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
            ("colour", Self.colour), ("otherColour", ["anyOf": [Self.colour, ["type": "null"]]]),
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

    private static let colour: JSONValue = ["$ref": "#/components/schemas/SchemaTestsColour"]

    @Test func `words are a schema with a name`() throws {
        let note = try SchemaDecoder.note(of: [Colour?].self)
        #expect(note.schema == ["type": "array", "items": ["anyOf": [Self.colour, ["type": "null"]]]])
        var definitions = SchemaDefinitions()
        try definitions.add(note, isClosed: true)
        #expect(definitions.schemas == ["SchemaTestsColour": ["type": "string", "enum": ["red", "green"]]])
    }

    @Test func `a name with two schemas is refused`() throws {
        var definitions = SchemaDefinitions()
        try definitions.add(["type": "string"], as: "Name")
        try definitions.add(["type": "string"], as: "Name")
        #expect(throws: SchemaDefinitions.Conflict.self) { try definitions.add(["type": "object"], as: "Name") }
    }

    @Test func `members keep the order of their declaration`() throws {
        let names = try SchemaDecoder.note(of: SessionBegin.Parameters.self).members.map(\.name)
        #expect(names.first == "kind" && names.count > 5)
    }

    @Test func `a type with its own decoding is described too`() throws {
        let schema = try schema(Handmade.self)
        #expect(schema["required"] == ["list", "first"])
        #expect(schema["properties"]?["second"] == ["type": ["boolean", "null"]])
        #expect(schema["properties"]?["list"]?["items"]?["properties"] == ["name": ["type": "string"]])
        #expect(schema["properties"]?["first"] == Self.inner)
    }

    @Test func `a value that accepts null is nullable`() throws {
        #expect(try schema(Int?.self) == ["type": ["integer", "null"]])
        #expect(try schema(NDEFMessage?.self)["anyOf"] == [NDEFMessage.schema, ["type": "null"]])
        #expect(try schema([String?].self) == ["type": "array", "items": ["type": ["string", "null"]]])
    }

    @Test func `a type without members is an object`() throws {
        #expect(try schema(Empty.self) == ["type": "object", "additionalProperties": true])
    }

    typealias Refused = any (Decodable & SendableMetatype).Type

    @Test(arguments: [Endless.self, Picky.self] as [Refused])
    func `a type that cannot be described is refused`(type: Refused) {
        #expect(throws: DecodingError.self) { try SchemaDecoder.note(of: type) }
    }

    @Test(arguments: ["null", "true", "-7", "0.5", #""a""#, "[1,[]]", #"{"a":{"b":null}}"#])
    func `a JSON value is encoded as it was decoded`(text: String) throws {
        #expect(try json(try value(JSONValue.self, text)) == text)
    }
}

@Suite struct InterfaceTests {
    private static let summaries =
        Interface.methods.map { method in (method.name, method.summary) }
        + Interface.notifications.map { event in (event.name, event.summary) }

    /// The schema that a reference leads to.
    private func schema(_ reference: JSONValue?) throws -> JSONValue {
        guard case .string(let path)? = reference?["$ref"] else {
            return try #require(nil, "no reference: \(String(describing: reference))")
        }
        let name = path.replacing("#/components/schemas/", with: "")
        return try #require(try OpenRPCDocument.make()["components"]?["schemas"]?[name], "\(name)")
    }

    private func method(_ name: String) throws -> JSONValue {
        try #require(Interface.methods.first { method in method.name == name }).methodObject()
    }

    @Test func `all names are different`() {
        #expect(Set(Self.summaries.map(\.0)).count == Self.summaries.count)
    }

    @Test(arguments: summaries)
    func `each method and notification has a summary of one short sentence`(name: String, summary: String) {
        #expect(summary.hasSuffix(".") && summary.utf8.count <= 100, "\(name)")
    }

    @Test func `a parameter is described by name, schema, purpose and whether it is required`() throws {
        let begin = try method("session.begin")
        guard case .array(let parameters)? = begin["params"] else { return #expect(Bool(false), "no parameters") }
        #expect(parameters.first?["name"] == "kind" && parameters.first?["required"] == true)
        let message = try #require(parameters.first { $0["name"] == "alertMessage" })
        #expect(
            message == [
                "name": "alertMessage", "required": false, "schema": ["type": ["string", "null"]],
                "description": "A text for programs that show the session to people, at most 1,024 bytes.",
            ])
        #expect(begin["x-requires"] == "the session's format" && begin["paramStructure"] == "by-name")
        #expect(try schema(begin["result"]?["schema"])["properties"]?["session"]?["type"] == "string")
        #expect(try schema(begin["x-parameters"])["required"] == ["kind"])
    }

    @Test func `a method names the capability that it requires`() throws {
        #expect(try method("tag.writeLock")["x-requires"] == "lock")
        #expect(try method("server.info")["x-requires"] == nil)
    }

    @Test func `a notification requires what the call that returns the same data requires`() {
        for notification in Interface.notifications {
            let expected: Requirement =
                switch notification.name.split(separator: ".").first {
                case "background": BackgroundSubscribe.requirement
                case "taps": TapsList.requirement
                case "reader", "notice": EventsSubscribe.requirement
                case "recording": RecordingStart.requirement
                case "session" where notification.name == SessionDidDetectNDEFs.name: TagReadNDEF.requirement
                default:
                    [SessionBegan.name, SessionEnded.name].contains(notification.name)
                        ? EventsSubscribe.requirement : .nothing
                }
            #expect(notification.requirement == expected, "\(notification.name)")
        }
    }

    @Test func `the parameters of a tag command are the address, the arguments and the time limit`() throws {
        guard case .array(let parameters)? = try method("iso15693.sendRequest")["params"] else {
            return #expect(Bool(false), "no parameters")
        }
        #expect(
            parameters.map { $0["name"] }
                == ["session", "tag", "requestFlags", "commandCode", "data", "timeout"])
    }

    @Test func `required parameters come first`() throws {
        guard case .array(let parameters)? = try SessionDidDetectNDEFs.methodObject()["params"] else {
            return #expect(Bool(false), "no parameters")
        }
        #expect(parameters.suffix(5).map { $0["name"] } == ["messages", "technology", "error", "product", "proof"])
    }

    @Test func `objects in parameters are closed, those in results and notifications are open`() throws {
        guard case .array(let parameters)? = try method("tag.writeMemory")["params"] else {
            return #expect(Bool(false), "no parameters")
        }
        let blocks = try #require(parameters.first { $0["name"] == "blocks" })["schema"]
        #expect(try schema(blocks?["items"])["additionalProperties"] == false)
        #expect(try schema(method("server.info")["result"]?["schema"])["additionalProperties"] == true)
    }

    @Test func `every field has a description`() throws {
        let document = try OpenRPCDocument.make()
        for part in ["methods", "x-notifications", "components"] {
            let undescribed = document[part]?.undescribedFields(at: part) ?? []
            #expect(undescribed.isEmpty, "add a doc comment and run make generate")
        }
    }

    @Test func `the document has methods, notifications and errors`() throws {
        let document = try OpenRPCDocument.make()
        #expect(document["openrpc"] == "1.3.2" && document["info"]?["version"] == .string(NFCDVersion.release))
        #expect(document["methods"].count == Interface.methods.count)
        #expect(document["x-notifications"].count == Interface.notifications.count)
        let errors = document["components"]?["errors"]
        #expect(errors?["TagConnectionLost"] == ["code": 100, "message": "Tag connection lost"])
        #expect(errors?["ParseError"]?["code"] == -32700 && errors?["RequestCancelled"]?["code"] == -32800)
        #expect(document["components"]?["schemas"]?["Error"]?["required"] == ["code", "message"])
    }

    @Test func `every reference in the document has a schema`() throws {
        let document = try OpenRPCDocument.make()
        let references = document.references
        #expect(!references.isEmpty)
        for reference in references {
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            #expect(reference == "#/components/schemas/\(name)")
            #expect(document["components"]?["schemas"]?[name] != nil, "\(reference)")
        }
    }

    @Test func `the document is unchanged after encoding and decoding`() throws {
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
    /// The paths of the members of schemas, and of the parameters, that have no description.
    fileprivate func undescribedFields(at path: String) -> [String] {
        switch self {
        case .array(let elements):
            return elements.flatMap { element in
                let name = if case .string(let name)? = element["name"] { name } else { "[]" }
                let isBare = element["schema"] != nil && element["description"] == nil
                return element.undescribedFields(at: "\(path).\(name)") + (isBare ? ["\(path).\(name)"] : [])
            }
        case .object(let members):
            return members.flatMap { name, member in
                guard name == "properties", case .object(let fields) = member else {
                    return member.undescribedFields(at: "\(path).\(name)")
                }
                return fields.flatMap { name, field in
                    field.undescribedFields(at: "\(path).\(name)")
                        + (field["description"] == nil ? ["\(path).\(name)"] : [])
                }
            }
        default: return []
        }
    }

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
