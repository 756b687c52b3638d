/// The interface in the form of OpenRPC 1.3.2.
package enum OpenRPCDocument {
    /// An error that is answered under a number of its own.
    package struct ErrorEntry: Sendable, Hashable {
        let code: Int
        let name: String
        let message: String

        /// Its number, its name as one word, and the error in words.
        package init(code: Int, name: String, message: String) {
            self.code = code
            self.name = name
            self.message = message
        }
    }

    /// JSON-RPC's errors (JSON-RPC 2.0, §5.1), and that of a request that its client has cancelled.
    private static let requestErrors = [
        ErrorEntry(code: -32700, name: "ParseError", message: "The line is not JSON"),
        ErrorEntry(code: -32600, name: "InvalidRequest", message: "JSON, but no request"),
        ErrorEntry(code: -32601, name: "MethodNotFound", message: "There is no such method"),
        ErrorEntry(code: -32602, name: "InvalidParameters", message: "A parameter is wrong; data.path names it"),
        ErrorEntry(code: -32603, name: "InternalError", message: "A fault of nfcd's"),
        ErrorEntry(code: -32800, name: "RequestCancelled", message: "The client has cancelled the request"),
    ]

    /// The document. `x-notifications` describes what nfcd tells without being asked in the form of methods, of which
    /// OpenRPC knows none that a server calls.
    ///
    /// - Parameter tagErrors: CoreNFC's codes, which errors and the ends of sessions carry.
    /// - Throws: `DecodingError` for a type whose schema cannot be made.
    package static func make(tagErrors: [ErrorEntry]) throws -> JSONValue {
        [
            "openrpc": "1.3.2",
            "info": info,
            "servers": [["name": "nfcd", "url": .string("unix://\(SocketPath.system)")]],
            "methods": .array(try Interface.methods.map { try $0.methodObject() }),
            "x-notifications": .array(try Interface.notifications.map { try $0.methodObject() }),
            "components": ["schemas": try schemas(), "errors": errors(requestErrors + tagErrors)],
        ]
    }

    private static var info: JSONValue {
        [
            "title": "nfcd", "version": .string(NFCDVersion.release),
            "description": "CoreNFC for Linux: JSON-RPC 2.0 on a Unix socket, one object a line.",
            "license": ["name": "Apache-2.0"],
            "x-protocolVersion": .integer(Int64(NFCDVersion.protocolVersion)),
        ]
    }

    private static func schemas() throws -> JSONValue {
        let error = try SchemaDecoder.note(of: RPCError.self).schema
        return .object(MessageForm.schemas.merging(["Error": error]) { $1 })
    }

    private static func errors(_ entries: [ErrorEntry]) -> JSONValue {
        let objects = entries.map { entry -> (String, JSONValue) in
            (entry.name, ["code": .integer(Int64(entry.code)), "message": .string(entry.message)])
        }
        return .object(Dictionary(objects) { $1 })
    }
}

/// Stands for an NDEF message in the types of the wire, where all that is asked is what a message looks like in JSON:
/// `Docs/ndef.md` describes the form in full.
package struct MessageForm: Codable, Sendable, SchemaProviding {
    package static var schema: JSONValue { ["$ref": "#/components/schemas/NDEFMessage"] }
    package static var sample: MessageForm { MessageForm() }

    /// What ``schema`` and its parts refer to, by name.
    static var schemas: [String: JSONValue] {
        ["NDEFMessage": message, "NDEFRecord": record, "DecodedPayload": decoded]
    }

    private static var message: JSONValue {
        [
            "type": "object", "required": ["records"],
            "properties": ["records": ["type": "array", "items": ["$ref": "#/components/schemas/NDEFRecord"]]],
            "additionalProperties": true,
        ]
    }

    /// Given raw, or for writing by the decoded form alone.
    private static var record: JSONValue {
        let formats = TypeNameFormat.allCases.map { JSONValue.string("\($0)") }
        return [
            "type": "object",
            "anyOf": [["required": ["typeNameFormat"]], ["required": ["decoded"]]],
            "properties": [
                "typeNameFormat": ["type": "string", "enum": .array(formats)],
                "type": HexBytes.schema, "identifier": HexBytes.schema, "payload": HexBytes.schema,
                "decoded": ["$ref": "#/components/schemas/DecodedPayload"],
                "decodeError": [
                    "type": "object", "required": ["code", "message"],
                    "properties": ["code": String.schema, "message": String.schema], "additionalProperties": true,
                ],
            ],
            "additionalProperties": true,
        ]
    }

    /// The fields depend on the kind, and kinds may be added.
    private static var decoded: JSONValue {
        [
            "type": "object", "required": ["kind"], "properties": ["kind": String.schema],
            "additionalProperties": true,
        ]
    }
}
