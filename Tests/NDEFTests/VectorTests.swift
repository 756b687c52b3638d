import Foundation
import NDEF
import Testing

/// One row of the shared vectors, as far as it concerns messages, texts and URIs.
struct Vector: Decodable, Sendable, CustomTestStringConvertible {
    struct PayloadType: Decodable, Sendable {
        let tnf: UInt8
        let type: String
    }

    struct Value: Decodable, Sendable {
        let kind: String?
        let text, lang, encoding, uri: String?
        let records: [Record]?
    }

    struct Record: Decodable, Sendable {
        let tnf: UInt8
        let type, id, payload: String
        let value: Value?
        let valueError: String?
    }

    let id, kind, hex, expect: String
    let errorCode: String?
    let warnings: [String]?
    let payloadType: PayloadType?
    let decoded: Value?

    var testDescription: String { id }
}

/// Where the vectors are: the folder named by NFCD_VECTORS, or `../shared/vectors` beside the package.
enum Vectors {
    static let rows: [Vector] = {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let lines = text.split(separator: "\n")
        let rows = lines.compactMap { try? decoder.decode(Vector.self, from: Data($0.utf8)) }
        return rows.count == lines.count ? rows : []
    }()

    static let messages = rows.filter { $0.kind == "message" }
    static let payloads = rows.filter { $0.kind == "payload" && ["T", "U"].contains($0.payloadType?.type) }

    private static let file: URL = {
        if let folder = ProcessInfo.processInfo.environment["NFCD_VECTORS"] {
            return URL(fileURLWithPath: folder).appendingPathComponent("ndef.jsonl")
        }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return package.deletingLastPathComponent().appendingPathComponent("shared/vectors/ndef.jsonl")
    }()
}

@Suite(.enabled(if: !Vectors.rows.isEmpty, "no shared vectors here; set NFCD_VECTORS to their folder"))
struct VectorTests {
    @Test func `there are rows of each kind`() {
        #expect(Vectors.messages.count > 200)
        #expect(Vectors.payloads.count > 20)
    }

    @Test(arguments: Vectors.messages.filter { $0.expect == "error" })
    func `a faulty message is refused for the given reason`(_ row: Vector) throws {
        #expect(try decodingError(row.hex).code.rawValue == row.errorCode)
    }

    @Test(arguments: Vectors.messages.filter { $0.expect == "ok" })
    func `a sound message is decoded`(_ row: Vector) throws {
        let decoding = try NDEFMessage.decode(bytes(row.hex))
        #expect(Set(decoding.warnings.map(\.code.rawValue)) == Set(row.warnings ?? []))
        let expected = try #require(row.decoded?.records)
        try #require(decoding.message.records.count == expected.count)
        for (record, expected) in zip(decoding.message.records, expected) {
            #expect(record.typeNameFormat.rawValue == expected.tnf)
            #expect(try record.type == bytes(expected.type))
            #expect(try record.identifier == bytes(expected.id))
            #expect(try record.payload == bytes(expected.payload))
            check(record, value: expected.value, error: expected.valueError)
        }
    }

    @Test(arguments: Vectors.messages.filter { $0.expect == "ok" })
    func `a sound message survives being written`(_ row: Vector) throws {
        let message = try NDEFMessage(decoding: bytes(row.hex))
        #expect(try NDEFMessage(decoding: message.encoded()) == message)
        let json = try JSONEncoder().encode(message)
        #expect(try JSONDecoder().decode(NDEFMessage.self, from: json) == message)
    }

    @Test(arguments: Vectors.payloads)
    func `a payload is decoded or refused`(_ row: Vector) throws {
        let record = try wellKnown(try #require(row.payloadType?.type), row.hex)
        check(record, value: row.decoded, error: row.errorCode)
    }

    /// Compares what a record says with the row, where its kind is one that is decoded.
    private func check(_ record: NDEFRecord, value: Vector.Value?, error: String?) {
        switch record.decoded {
        case .text(let text):
            #expect(value?.kind == "text")
            #expect(text.text == value?.text)
            #expect(text.language == value?.lang)
            #expect(text.encoding.rawValue == value?.encoding?.lowercased())
        case .uri(let uri):
            #expect(value?.kind == "uri")
            #expect(uri.uri == value?.uri)
        case .failed(let failure):
            #expect(failure.code.rawValue == error)
        case .absoluteURI(let uri):
            #expect(value?.kind == nil || uri == value?.uri)
        case .empty:
            #expect(value?.kind == "empty")
        case .unknown:
            #expect(value?.kind == "unknown")
        case .media, .external, .undecoded:
            #expect(value?.kind != "text" && value?.kind != "uri")
        }
    }
}
