import Foundation
import Testing

@testable import NDEF

/// A row of the shared vectors of spool tags.
struct SpoolRow: Decodable, Sendable, CustomTestStringConvertible {
    let id, kind: String
    let source: String?
    let given, expect: VectorValue

    var testDescription: String { id }

    /// Bytes that the row gives.
    func givenBytes(_ name: String) throws -> [UInt8] {
        try bytes(#require(given[name]?.string))
    }

    /// The payload of the OpenPrintTag record in the image that the row gives, and where it starts there.
    func imagePayload() throws -> (payload: [UInt8], offset: Int) {
        try OpenPrintTagImage(givenBytes("image")).payload()
    }
}

/// The rows of the shared vectors of spool tags.
enum SpoolVectors {
    static let rows = Vectors.rows(SpoolRow.self, in: "spools.jsonl")
    static let missing: Comment = "no shared vectors here; set NFCD_VECTORS to their folder"

    /// The rows of a kind, such as `openprinttag.image`, or whose kind starts so.
    static func rows(_ kind: String) -> [SpoolRow] { rows.filter { $0.kind.hasPrefix(kind) } }
}

/// The memory of a Type 5 tag with a message: a container of four bytes, and one TLV.
struct OpenPrintTagImage {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The message, and where it starts.
    func message() throws -> (message: [UInt8], offset: Int) {
        try #require(bytes.count > 8 && bytes[4] == 3)
        let isLong = bytes[5] == 0xFF
        let length = isLong ? Int(bytes[6]) << 8 | Int(bytes[7]) : Int(bytes[5])
        let offset = isLong ? 8 : 6
        return (Array(try #require(offset + length <= bytes.count ? bytes[offset..<offset + length] : nil)), offset)
    }

    /// The payload of the OpenPrintTag record, which is the last one, and where it starts.
    func payload() throws -> (payload: [UInt8], offset: Int) {
        let (message, offset) = try message()
        let record = try #require(NDEFMessage(decoding: message).records.last)
        try #require(record.typeString == OpenPrintTagRecord.mediaType)
        return (record.payload, offset + message.count - record.payload.count)
    }
}

/// The JSON form of a value.
func jsonValue(_ value: some Encodable) throws -> VectorValue {
    try JSONDecoder().decode(VectorValue.self, from: JSONEncoder().encode(value))
}
