import Foundation
import NDEF
import Testing

@testable import NFCProtocol

/// The schema of `decoded` in the OpenRPC document.
@Suite struct DecodedPayloadSchemaTests {
    private static let schemas = NDEFMessage.schemas
    /// The examples of `Docs/ndef.md`.
    static let examples: [String] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try? String(contentsOf: root.appendingPathComponent("Docs/ndef.md"), encoding: .utf8)
        let blocks = (text ?? "").components(separatedBy: "```json\n").dropFirst()
        return blocks.compactMap { $0.components(separatedBy: "\n```").first }
    }()

    private func violations(_ value: JSONValue, of name: String = "DecodedPayload") throws -> [String] {
        let schema = try #require(Self.schemas[name])
        return SchemaValidator(schemas: Self.schemas).violations(of: value, schema, at: name)
    }

    private func member(_ json: String, _ name: String, _ value: JSONValue?) throws -> JSONValue {
        guard case .object(var members) = try parsed(json) else { return .null }
        members[name] = value
        return .object(members)
    }

    private func parsed(_ json: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
    }

    @Test func `each kind has a schema`() throws {
        let kinds = try #require(Self.schemas["DecodedPayload"]?["oneOf"]?.elements).compactMap { $0["$ref"] }
        #expect(kinds.count == DecodedForm.forms.count + 1)
        #expect(kinds.last == "#/components/schemas/LaterPayload")
        for form in DecodedForm.forms {
            let schema = Self.schemas.values.first { $0["properties"]?["kind"]?["const"] == .string(form.kind) }
            #expect(try #require(schema)["required"]?.elements?.first == "kind", "\(form.kind)")
        }
    }

    @Test func `every reference leads to a schema`() {
        let references = Self.schemas.values.flatMap(\.references)
        #expect(references.count > 40)
        for reference in references {
            let name = reference.replacing("#/components/schemas/", with: "")
            #expect(Self.schemas[name] != nil, "\(reference)")
        }
    }

    @Test(arguments: examples)
    func `an example of the documentation is valid`(_ json: String) throws {
        #expect(try violations(parsed(json)) == [])
        #expect(try violations(["decoded": parsed(json)], of: "NDEFRecord") == [])
    }

    @Test(arguments: examples)
    func `a kind that nfcd does not know is valid, whatever its members are`(_ json: String) throws {
        #expect(try violations(member(json, "kind", "inventedLater")) == [])
        #expect(try violations(["kind": "inventedLater"]) == [])
    }

    @Test(arguments: examples)
    func `members that are added later are valid`(_ json: String) throws {
        #expect(try violations(member(json, "inventedLater", ["a": 1])) == [])
    }

    @Test(arguments: examples)
    func `a member of another type is not valid`(_ json: String) throws {
        guard case .object(let members) = try parsed(json) else { return #expect(Bool(false), "no object") }
        let kind = Self.schemas.values.first { $0["properties"]?["kind"]?["const"] == members["kind"] }
        for name in members.keys {
            let type = kind?["properties"]?[name]?["type"]
            let isNumber = type == "number" || type?.elements?.contains("number") == true
            #expect(try violations(member(json, name, .bool(true))) != [], "\(name)")
            #expect(try violations(member(json, name, isNumber ? "0.5" : .number(0.5))) != [], "\(name)")
        }
        #expect(try violations(member(json, "kind", nil)) != [])
    }

    @Test(arguments: [
        #"{"kind":"text"}"#, #"{"kind":"text","text":"a","encoding":"utf-7"}"#, #"{"kind":"media"}"#,
        #"{"kind":"size","size":4294967296}"#, #"{"kind":"size","size":-1}"#, #"{"kind":"size","size":0.5}"#,
        #"{"kind":"unknown","data":"0"}"#, #"{"kind":"unknown","data":"0G"}"#, #"{"kind":"uri","tel":{}}"#,
        #"{"kind":"smartPoster","uri":"x:","titles":[{"language":"en"}]}"#,
        #"{"kind":"smartPoster","uri":"x:","action":"explode"}"#, #"{"kind":"smartPoster","uri":"x:","action":3}"#,
        #"{"kind":"smartPoster","uri":"x:","other":[{}]}"#, #"{"kind":"wifi","version2":"2"}"#,
        #"{"kind":"wifi","credentials":[{"macAddress":"00"}]}"#, #"{"kind":"handoverSelect","version":"2.0"}"#,
        #"{"kind":"bluetoothEasyPairing"}"#, #"{"kind":"bluetoothEasyPairing","address":"01BF88800703"}"#,
        #"{"kind":"bluetoothLowEnergy","flags":["no"]}"#, #"{"kind":"collisionResolution","randomNumber":65536}"#,
        #"{"kind":7}"#, "{}", "[]", "null", #""text""#,
    ])
    func `an object of a known kind without the form of the kind is not valid`(_ json: String) throws {
        #expect(try violations(parsed(json)) != [])
    }

    @Test(arguments: [
        #"{"kind":"text","text":"a"}"#, #"{"kind":"text","text":"a","language":null}"#,
        #"{"kind":"uri","tel":{"number":"1"}}"#, #"{"kind":"wifi","version2":null}"#,
        #"{"kind":"smartPoster","uri":"x:","action":1,"other":[{"decoded":{"kind":"external","type":"a:b"}}]}"#,
        #"{"kind":"bluetoothLowEnergy","leRole":200,"flags":[7,"leGeneralDiscoverable"]}"#,
    ])
    func `what may be missing when it is written to nfcd is valid without`(_ json: String) throws {
        #expect(try violations(parsed(json)) == [])
        _ = try JSONDecoder().decode(NDEFRecord.self, from: Data(#"{"decoded":\#(json)}"#.utf8))
    }
}

extension DecodedPayloadSchemaTests {
    @Test(arguments: [
        ("NDEFMessage", #"{"records":[]}"#, true), ("NDEFMessage", #"{"encoded":"D00000"}"#, true),
        ("NDEFMessage", #"{"records":[],"encoded":""}"#, true), ("NDEFMessage", "{}", false),
        ("NDEFRecord", #"{"typeNameFormat":"empty"}"#, true),
        ("NDEFRecord", #"{"decoded":{"kind":"text","text":""}}"#, true),
        ("NDEFRecord", #"{"payload":"00"}"#, false),
    ])
    func `a message or record has one of two members at least`(_ name: String, _ json: String, isValid: Bool) throws {
        #expect(try violations(parsed(json), of: name).isEmpty == isValid)
    }
}

/// The part of JSON Schema, draft 7, that nfcd's schemas use.
private struct SchemaValidator {
    let schemas: [String: JSONValue]

    func violations(of value: JSONValue, _ schema: JSONValue, at path: String) -> [String] {
        if case .string(let reference)? = schema["$ref"] {
            let name = reference.replacing("#/components/schemas/", with: "")
            return violations(of: value, schemas[name] ?? ["const": "no such schema"], at: path)
        }
        var found: [String] = []
        if let types = schema["type"], !(types.elements ?? [types]).contains(where: { isOf($0, value) }) {
            found.append("\(path) is not of type \(types)")
        }
        if let words = schema["enum"]?.elements, !words.contains(value) {
            found.append("\(path) is not one of \(words)")
        }
        if let constant = schema["const"], constant != value { found.append("\(path) is not \(constant)") }
        if let choices = schema["anyOf"]?.elements {
            let results = choices.map { violations(of: value, $0, at: path) }
            if !results.contains([]) { found.append("\(path): \(results.first ?? [])") }
        }
        if let choices = schema["oneOf"]?.elements {
            let results = choices.map { violations(of: value, $0, at: path) }
            if results.filter(\.isEmpty).count != 1 { found.append("\(path): \(results.first ?? [])") }
        }
        if let condition = schema["if"], let other = schema["else"], violations(of: value, condition, at: path) != [] {
            found += violations(of: value, other, at: path)
        }
        for part in schema["allOf"]?.elements ?? [] { found += violations(of: value, part, at: path) }
        if let other = schema["not"], violations(of: value, other, at: path) == [] {
            found.append("\(path) is excluded")
        }
        return found + limits(of: value, schema, at: path) + members(of: value, schema, at: path)
    }

    private func isOf(_ type: JSONValue, _ value: JSONValue) -> Bool {
        switch (type, value) {
        case ("null", .null), ("boolean", .bool), ("integer", .integer), ("number", .integer), ("number", .number),
            ("string", .string), ("array", .array), ("object", .object):
            true
        default: false
        }
    }

    private func limits(of value: JSONValue, _ schema: JSONValue, at path: String) -> [String] {
        var found: [String] = []
        if case .integer(let number) = value {
            if case .integer(let low)? = schema["minimum"], number < low { found.append("\(path) is too small") }
            if case .integer(let high)? = schema["maximum"], number > high { found.append("\(path) is too large") }
        }
        if case .string(let text) = value {
            if case .string(let pattern)? = schema["pattern"],
                text.range(of: pattern, options: .regularExpression) == nil
            {
                found.append("\(path) does not match \(pattern)")
            }
            if case .integer(let low)? = schema["minLength"], text.count < low { found.append("\(path) is too short") }
            if case .integer(let high)? = schema["maxLength"], text.count > high { found.append("\(path) is too long") }
        }
        return found
    }

    private func members(of value: JSONValue, _ schema: JSONValue, at path: String) -> [String] {
        switch value {
        case .array(let elements):
            guard let items = schema["items"] else { return [] }
            return elements.enumerated().flatMap { violations(of: $1, items, at: "\(path).\($0)") }
        case .object(let members):
            let missing = (schema["required"]?.elements ?? []).compactMap { name -> String? in
                guard case .string(let name) = name, members[name] == nil else { return nil }
                return "\(path).\(name) is missing"
            }
            return missing
                + members.flatMap { name, member in
                    schema["properties"]?[name].map { violations(of: member, $0, at: "\(path).\(name)") } ?? []
                }
        default: return []
        }
    }
}

extension JSONValue {
    /// The elements of an array; nil for another value.
    fileprivate var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The references within a schema.
    fileprivate var references: [String] {
        switch self {
        case .array(let elements): elements.flatMap(\.references)
        case .object(let members):
            members.flatMap { name, member -> [String] in
                if name == "$ref", case .string(let reference) = member { return [reference] }
                return member.references
            }
        default: []
        }
    }
}
