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
        let formats: [JSONValue] = [
            "empty", "nfcWellKnown", "media", "absoluteURI", "nfcExternal", "unknown", "unchanged", "reserved",
        ]
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
