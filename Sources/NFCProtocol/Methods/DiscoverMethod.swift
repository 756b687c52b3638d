/// `rpc.discover`: the interface as an OpenRPC document (OpenRPC 1.3.2, "Service Discovery Method").
public enum RPCDiscover: Method {
    /// The name on the wire.
    public static let name = "rpc.discover"
    /// No parameters.
    public typealias Parameters = Empty

    /// The document.
    public struct Result: Codable, Sendable, Hashable {
        /// The document as JSON.
        public var document: JSONValue

        /// Wraps a document.
        public init(_ document: JSONValue) {
            self.document = document
        }

        /// The document itself.
        public init(from decoder: any Decoder) throws {
            document = try JSONValue(from: decoder)
        }

        /// The document itself.
        public func encode(to encoder: any Encoder) throws {
            try document.encode(to: encoder)
        }
    }
}

extension RPCDiscover.Result: SchemaProviding {
    package static var schema: JSONValue {
        [
            "type": "object", "required": ["openrpc", "info", "methods"], "additionalProperties": true,
            "properties": ["openrpc": String.schema, "info": ["type": "object"], "methods": ["type": "array"]],
        ]
    }
    package static var sample: RPCDiscover.Result { RPCDiscover.Result(.null) }
}
