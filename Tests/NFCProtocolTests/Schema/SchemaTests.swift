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
