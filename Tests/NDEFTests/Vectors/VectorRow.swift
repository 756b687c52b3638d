import Foundation
import Testing

/// One row of the shared vectors.
struct VectorRow: Decodable, Sendable, CustomTestStringConvertible {
    struct PayloadType: Decodable, Sendable {
        let tnf: UInt8
        let type: String
    }

    let id, kind, hex, expect: String
    let errorCode: String?
    let warnings: [String]?
    let payloadType: PayloadType?
    let decoded: VectorValue?

    var testDescription: String { id }

    private enum CodingKeys: String, CodingKey {
        case id, kind, hex, expect, warnings, decoded
        case errorCode = "error_code"
        case payloadType = "payload_type"
    }
}

/// Where the vectors are: the folder named by NFCD_VECTORS, or `../shared/vectors` beside the package.
enum Vectors {
    static let rows: [VectorRow] = {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        let lines = text.split(separator: "\n")
        let rows = lines.compactMap { try? JSONDecoder().decode(VectorRow.self, from: Data($0.utf8)) }
        return rows.count == lines.count ? rows : []
    }()

    static let messages = rows.filter { $0.kind == "message" }
    static let payloads = rows.filter { $0.kind == "payload" }
    static let records = rows.filter { $0.kind == "record" }

    private static let file: URL = {
        if let folder = ProcessInfo.processInfo.environment["NFCD_VECTORS"] {
            return URL(fileURLWithPath: folder).appendingPathComponent("ndef.jsonl")
        }
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let package = tests.deletingLastPathComponent().deletingLastPathComponent()
        return package.deletingLastPathComponent().appendingPathComponent("shared/vectors/ndef.jsonl")
    }()
}
