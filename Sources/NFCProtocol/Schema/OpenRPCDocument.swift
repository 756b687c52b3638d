package import NDEF
import NFCTypes

/// The interface in the form of OpenRPC 1.3.2.
package enum OpenRPCDocument {
    /// The document. `x-notifications` describes the notifications in the form of methods: OpenRPC has no form for them.
    /// `x-requires` of a method or notification names the capabilities that the caller needs, `x-rawCommands` lists the raw
    /// commands of each technology and what each needs. Every type with members or words has a name in `components.schemas`, and each
    /// alternative of a `oneOf` has a member with a constant.
    ///
    /// - Throws: `DecodingError` for a type whose schema cannot be derived.
    package static func make(rawCommands: [RawCommands] = []) throws -> JSONValue {
        [
            "openrpc": "1.3.2",
            "info": info,
            "servers": [["name": "nfcd", "url": .string("unix://\(SocketPath.system)")]],
            "methods": .array(try Interface.methods.map { method in try method.methodObject() }),
            "x-notifications": .array(try Interface.notifications.map { event in try event.methodObject() }),
            "x-rawCommands": .array(rawCommands.map(\.json)),
            "components": ["schemas": try schemas(), "errors": errors],
        ]
    }

    private static var info: JSONValue {
        [
            "title": "nfcd", "version": .string(NFCDVersion.release),
            "description": "CoreNFC for Linux: JSON-RPC 2.0 on a Unix socket, one object per line.",
            "license": ["name": "Apache-2.0"],
            "x-protocolVersion": .integer(Int64(NFCDVersion.protocolVersion)),
        ]
    }

    private static func schemas() throws -> JSONValue {
        var definitions = SchemaDefinitions()
        for (name, schema) in NDEFMessage.schemas { try definitions.add(schema, as: name) }
        let error = try SchemaDecoder.note(of: RPCError.self)
        try definitions.add(error.definition(isClosed: false), as: "Error")
        for part in error.parts { try definitions.add(part, isClosed: false) }
        for method in Interface.methods { try method.addSchemas(to: &definitions) }
        for notification in Interface.notifications { try notification.addSchemas(to: &definitions) }
        return .object(definitions.schemas)
    }

    /// The errors of JSON-RPC (JSON-RPC 2.0, §5.1), the error of a cancelled request, and CoreNFC's errors, which
    /// `session.didInvalidate` uses too.
    private static var errors: JSONValue {
        let requestErrors = [
            (-32700, "ParseError", "The line is not JSON"),
            (-32600, "InvalidRequest", "The line is JSON, but not a request"),
            (-32601, "MethodNotFound", "The method does not exist"),
            (-32602, "InvalidParams", "A parameter is wrong or unknown; data.path names it"),
            (-32603, "InternalError", "An internal error of nfcd"),
            (-32800, "RequestCancelled", "The client cancelled the request"),
        ]
        let errors = requestErrors + NFCErrorCode.reportedByDaemon.map { ($0.rawValue, $0.name, $0.text) }
        let objects = errors.map { code, name, message -> (String, JSONValue) in
            (name, ["code": .integer(Int64(code)), "message": .string(message)])
        }
        return .object(Dictionary(objects) { $1 })
    }
}

extension OpenRPCDocument {
    /// The raw commands of a technology.
    package struct RawCommands: Sendable {
        /// A command.
        package struct Command: Sendable {
            /// Its form, its name, and the capabilities that it needs with the condition for each case.
            package let form: String
            package let name: String
            package let needs: [(capabilities: [Capability], condition: String)]

            package init(form: String, name: String, needs: [(capabilities: [Capability], condition: String)]) {
                self.form = form
                self.name = name
                self.needs = needs
            }

            fileprivate var json: JSONValue {
                let needs = needs.map { capabilities, condition -> JSONValue in
                    let words = JSONValue.array(capabilities.map { .string($0.rawValue) })
                    return condition.isEmpty
                        ? ["capabilities": words] : ["capabilities": words, "condition": .string(condition)]
                }
                return ["form": .string(form), "name": .string(name), "needs": .array(needs)]
            }
        }

        private let title: String
        private let commands: [Command]

        package init(title: String, commands: [Command]) {
            self.title = title
            self.commands = commands
        }

        fileprivate var json: JSONValue {
            ["title": .string(title), "commands": .array(commands.map(\.json))]
        }
    }
}

/// The schema of a message, which `Docs/ndef.md` describes in full. Its objects stay open: a client may write a message back with
/// all members that it was read with, and members that nfcd does not know are ignored.
extension NDEFMessage: SchemaProviding {
    package static var schema: JSONValue { SchemaDefinitions.reference(to: "NDEFMessage") }
    package static var sample: NDEFMessage { NDEFMessage() }

    /// The schemas that ``schema`` refers to, by name.
    static var schemas: [String: JSONValue] {
        DecodedPayloadSchema.schemas.merging(
            ["NDEFMessage": message, "NDEFRecord": record, "NDEFDecodeError": decodeError]
        ) { $1 }
    }

    /// One of both members is required. Generators take alternatives for types, and leave out conditions.
    private static var message: JSONValue {
        [
            "type": "object", "additionalProperties": true,
            "if": ["required": ["records"]], "else": ["required": ["encoded"]],
            "properties": [
                "records": [
                    "type": "array", "items": SchemaDefinitions.reference(to: "NDEFRecord"),
                    "description": "The records in their order.",
                ],
                "encoded": hexadecimal(
                    "The encoded message, instead of `records` if these would be too long for a line. Empty for no records."
                ),
            ],
        ]
    }

    /// A record. For writing, the raw fields or the decoded form alone are enough.
    private static var record: JSONValue {
        [
            "type": "object", "additionalProperties": true,
            "if": ["required": ["typeNameFormat"]], "else": ["required": ["decoded"]],
            "x-written": ["typeNameFormat", "type", "identifier", "payload"],
            "properties": [
                "typeNameFormat": [
                    "type": "string", "enum": .array(TypeNameFormat.allCases.map { .string($0.description) }),
                    "description": "The type name format (TNF): the meaning of the type.",
                ],
                "type": hexadecimal("The type."), "identifier": hexadecimal("The identifier; may be empty."),
                "payload": hexadecimal("The payload."),
                "decoded": [
                    "allOf": [SchemaDefinitions.reference(to: "DecodedPayload")],
                    "description": "The decoded form of the payload; absent for a type that nfcd does not know.",
                ],
                "decodeError": [
                    "allOf": [SchemaDefinitions.reference(to: "NDEFDecodeError")],
                    "description": "The reason why the payload could not be decoded.",
                ],
            ],
        ]
    }

    private static var decodeError: JSONValue {
        [
            "type": "object", "required": ["code", "message"], "additionalProperties": true,
            "properties": [
                "code": ["type": "string", "description": "The error as one word."],
                "message": ["type": "string", "description": "The error in words."],
            ],
        ]
    }

    private static func hexadecimal(_ description: String) -> JSONValue {
        guard case .object(var schema) = HexBytes.schema else { return HexBytes.schema }
        schema["description"] = .string(description)
        return .object(schema)
    }
}
