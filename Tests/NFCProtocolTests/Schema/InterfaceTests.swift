import Testing

@testable import NFCProtocol

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
