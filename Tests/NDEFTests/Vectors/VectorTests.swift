import Foundation
import Testing

@testable import NDEF

@Suite(.enabled(if: !Vectors.rows.isEmpty, "no shared vectors here; set NFCD_VECTORS to their folder"))
struct VectorTests {
    @Test func `there are rows of each kind`() {
        #expect(Vectors.messages.count > 200)
        #expect(Vectors.payloads.count > 40)
        #expect(Vectors.records.count > 2)
    }

    @Test(arguments: Vectors.messages.filter { $0.expect == "error" })
    func `a faulty message is refused for the given reason`(_ row: VectorRow) throws {
        #expect(try decodingError(row.hex).code.rawValue == row.errorCode)
    }

    @Test(arguments: Vectors.messages.filter { $0.expect == "ok" })
    func `a sound message is decoded`(_ row: VectorRow) throws {
        let decoding = try NDEFMessage.decode(bytes(row.hex))
        #expect(Set(decoding.warnings.map(\.code.rawValue)) == Set(row.warnings ?? []))
        guard case .array(let expected) = row.decoded?["records"] else {
            Issue.record("the row has no records")
            return
        }
        try #require(decoding.message.records.count == expected.count)
        for (record, expected) in zip(decoding.message.records, expected) {
            #expect(VectorValue.number(Double(record.typeNameFormat.rawValue)) == expected["tnf"])
            #expect(try record.type == bytes(#require(expected["type"]?.string)))
            #expect(try record.identifier == bytes(#require(expected["id"]?.string)))
            #expect(try record.payload == bytes(#require(expected["payload"]?.string)))
            check(record, value: expected["value"], error: expected["value_error"]?.string)
        }
    }

    @Test(arguments: Vectors.messages.filter { $0.expect == "ok" })
    func `a sound message survives being written`(_ row: VectorRow) throws {
        let message = try NDEFMessage(decoding: bytes(row.hex))
        #expect(try NDEFMessage(decoding: message.encoded()) == message)
        let json = try JSONEncoder().encode(message)
        #expect(try JSONDecoder().decode(NDEFMessage.self, from: json) == message)
    }

    @Test(arguments: Vectors.payloads)
    func `a payload is decoded or refused`(_ row: VectorRow) throws {
        let type = try #require(row.payloadType)
        let record = NDEFRecord(
            typeNameFormat: try #require(TypeNameFormat(rawValue: type.tnf)), type: Array(type.type.utf8),
            payload: try bytes(row.hex))
        check(record, value: row.decoded, error: row.errorCode)
    }

    @Test(arguments: Vectors.records)
    func `a physical record is read without regard to its place`(_ row: VectorRow) throws {
        let input = try bytes(row.hex)
        let parsed = RecordHeader(input.span, at: 0)
        let header = try #require(parsed)
        guard case .array(let records) = row.decoded?["records"], let expected = records.first else {
            Issue.record("the row has no record")
            return
        }
        let flags = header.flags
        #expect(VectorValue.number(Double(flags.typeNameFormat.rawValue)) == expected["tnf"])
        #expect(.bool(flags.isMessageBegin) == expected["mb"])
        #expect(.bool(flags.isMessageEnd) == expected["me"])
        #expect(.bool(flags.isChunk) == expected["cf"])
        #expect(.bool(flags.isShortRecord) == expected["sr"])
        #expect(.bool(flags.hasIdentifierLength) == expected["il"])
        let fields = input.dropFirst(flags.headerLength)
        let type = fields.prefix(header.typeLength)
        let identifier = fields.dropFirst(header.typeLength).prefix(header.identifierLength)
        let payload = fields.dropFirst(header.typeLength + header.identifierLength).prefix(header.payloadLength)
        #expect(try Array(type) == bytes(#require(expected["type"]?.string)))
        #expect(try Array(identifier) == bytes(#require(expected["id"]?.string)))
        #expect(try Array(payload) == bytes(#require(expected["payload"]?.string)))
    }

    /// Compares what a record says with the row: the typed form, or the reason why there is none.
    private func check(_ record: NDEFRecord, value: VectorValue?, error: String?) {
        if case .failed(let failure) = record.decoded {
            #expect(failure.code.rawValue == error)
            return
        }
        #expect(error == nil)
        guard let value, case .object(let fields) = value else { return }
        let ignored = DecodedPayload.ignoredVectorFields[value["kind"]?.string ?? ""] ?? []
        #expect(record.decoded.vectorForm == VectorValue.object(fields).removing(ignored))
    }
}

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
    static let rows = rows(VectorRow.self, in: "ndef.jsonl")

    static let messages = rows.filter { $0.kind == "message" }
    static let payloads = rows.filter { $0.kind == "payload" }
    static let records = rows.filter { $0.kind == "record" }

    /// The rows of a file; none where it is missing or has another line.
    static func rows<Row: Decodable>(_: Row.Type, in file: String) -> [Row] {
        guard let text = try? String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8) else {
            return []
        }
        let lines = text.split(separator: "\n")
        let rows = lines.compactMap { try? JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
        return rows.count == lines.count ? rows : []
    }

    private static let folder: URL = {
        if let folder = ProcessInfo.processInfo.environment["NFCD_VECTORS"] { return URL(fileURLWithPath: folder) }
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let package = tests.deletingLastPathComponent().deletingLastPathComponent()
        return package.deletingLastPathComponent().appendingPathComponent("shared/vectors")
    }()
}

/// What a row says that a payload means: JSON of any shape.
enum VectorValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([VectorValue])
    case object([String: VectorValue])

    /// The value of that key of an object.
    subscript(key: String) -> VectorValue? {
        guard case .object(let fields) = self else { return nil }
        return fields[key]
    }

    var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The value without these fields; `list.field` means the field of each element of the list.
    func removing(_ paths: Set<String>) -> VectorValue {
        switch self {
        case .array(let elements): return .array(elements.map { $0.removing(paths) })
        case .object(let fields):
            let kept = fields.filter { !paths.contains($0.key) }
            let inner = kept.map { key, value in
                let steps = paths.filter { $0.hasPrefix("\(key).") }.map { String($0.dropFirst(key.count + 1)) }
                return (key, steps.isEmpty ? value : value.removing(Set(steps)))
            }
            return .object(Dictionary(uniqueKeysWithValues: inner))
        default: return self
        }
    }

    /// An object without the keys that are nil here and missing there.
    static func fields(_ fields: [String: VectorValue?]) -> VectorValue {
        .object(fields.compactMapValues { $0 })
    }
}

extension VectorValue: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([VectorValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: VectorValue].self))
        }
    }
}

extension VectorValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral {
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
    init(nilLiteral: ()) { self = .null }
}

extension DecodedPayload {
    /// What is said, in the words of the vectors; nil where no typed form is defined.
    var vectorForm: VectorValue? {
        switch self {
        case .text(let text): text.vectorForm
        case .uri(let uri): uri.vectorForm
        case .handoverRequest(let request): request.vectorForm
        case .handoverSelect(let select): select.vectorForm
        case .handoverMediation(let mediation): mediation.vectorForm
        case .handoverInitiate(let initiate): initiate.vectorForm
        case .handoverCarrier(let carrier): carrier.vectorForm
        case .alternativeCarrier(let carrier): carrier.vectorForm
        case .collisionResolution(let resolution): resolution.vectorForm
        case .handoverError(let error): error.vectorForm
        case .bluetoothEasyPairing(let pairing): pairing.vectorForm
        case .bluetoothLowEnergy(let pairing): pairing.vectorForm
        case .smartPoster(let poster): poster.vectorForm
        case .action(let action): action.vectorForm
        case .size(let size): size.vectorForm
        case .type(let type): type.vectorForm
        case .deviceInformation(let device): device.vectorForm
        case .signature(let signature): signature.vectorForm
        case .genericControl(let request): request.vectorForm
        case .wifi(let wifi): wifi.vectorForm
        case .vCard(let card): card.vectorForm
        case .androidApplication(let application): application.vectorForm
        case .openPrintTag: ["kind": "mime", "mime": .string(OpenPrintTagRecord.mediaType)]
        case .openSpool: ["kind": "mime", "mime": "application/json"]
        case .openTag3D: ["kind": "mime", "mime": "application/opentag3d"]
        case .empty: ["kind": "empty"]
        case .media(let media): ["kind": "mime", "mime": .string(media.type)]
        case .absoluteURI(let absolute): ["kind": "absolute_uri", "uri": .string(absolute.uri)]
        case .external(let external): ["kind": "external", "type_name": .string(external.type)]
        case .unknown: ["kind": "unknown"]
        case .undecoded, .failed: nil
        }
    }

    /// Fields of the vectors that are not compared, by kind: what our types do not keep apart, and the remarks, which have
    /// their own names there. A dot leads into the elements of a list. The prefix of a URI is part of it here, and whether
    /// a credential was wrapped is a warning.
    static let ignoredVectorFields: [String: Set<String>] = [
        "text": ["bom", "warnings"],
        "uri": ["prefix"],
        // The remarks are compared in SmartPosterVectorTests.
        "smartposter": ["warnings"],
        "wifi_wsc": ["credentials.wrapped"],
    ]
}

extension TextRecord {
    var vectorForm: VectorValue {
        [
            "kind": "text", "lang": .string(language), "text": .string(text),
            "encoding": .string(encoding.rawValue.uppercased()),
        ]
    }
}

extension VectorValue: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral elements: (String, VectorValue)...) {
        self = .object(Dictionary(uniqueKeysWithValues: elements))
    }
}
