/// A type that says itself what it looks like in JSON, because its decoding does not: a value that is not put together of
/// others, or one that is decoded by hand.
package protocol SchemaProviding: Decodable {
    /// The JSON Schema (draft 7) of the type.
    static var schema: JSONValue { get }
    /// Any value of the type: what decoding goes on with while a schema is made.
    static var sample: Self { get }
}

extension String: SchemaProviding {
    package static var schema: JSONValue { ["type": "string"] }
    package static var sample: String { "" }
}

extension Bool: SchemaProviding {
    package static var schema: JSONValue { ["type": "boolean"] }
    package static var sample: Bool { false }
}

extension Double: SchemaProviding {
    package static var schema: JSONValue { ["type": "number"] }
    package static var sample: Double { 0 }
}

extension Float: SchemaProviding {
    package static var schema: JSONValue { ["type": "number"] }
    package static var sample: Float { 0 }
}

extension SchemaProviding where Self: FixedWidthInteger {
    /// A whole number; with its bounds where those are narrower than what a JSON number carries exactly (2^53).
    package static var schema: JSONValue {
        var schema: [String: JSONValue] = ["type": "integer"]
        if bitWidth <= 32, let low = Int64(exactly: min), let high = Int64(exactly: max) {
            schema["minimum"] = .integer(low)
            schema["maximum"] = .integer(high)
        } else if !isSigned {
            schema["minimum"] = 0
        }
        return .object(schema)
    }
    package static var sample: Self { 0 }
}

extension Int: SchemaProviding {}
extension Int8: SchemaProviding {}
extension Int16: SchemaProviding {}
extension Int32: SchemaProviding {}
extension Int64: SchemaProviding {}
extension UInt: SchemaProviding {}
extension UInt8: SchemaProviding {}
extension UInt16: SchemaProviding {}
extension UInt32: SchemaProviding {}
extension UInt64: SchemaProviding {}

extension HexBytes: SchemaProviding {
    package static var schema: JSONValue { ["type": "string", "pattern": "^([0-9A-Fa-f]{2})*$"] }
    package static var sample: HexBytes { HexBytes([UInt8]()) }
}

extension RequestID: SchemaProviding {
    package static var schema: JSONValue { ["type": ["string", "number", "null"]] }
    package static var sample: RequestID { .null }
}

extension JSONValue: SchemaProviding {
    package static var schema: JSONValue { [:] }
    package static var sample: JSONValue { .null }
}
