import Cryptography
import Foundation
import TestSupport
import Testing

@testable import SecureTags

/// A row of secure-tags.jsonl: inputs, and what a computation has to give.
struct VectorRow: Sendable, CustomTestStringConvertible {
    let id: String
    let operation: String
    private let inputs: [String: Value]
    private let expected: [String: Value]

    enum Value: Sendable, Equatable {
        case text(String), number(Int), list([Value]), table([String: Value])

        init?(_ json: Any) {
            switch json {
            case let text as String: self = .text(text)
            case let number as Int: self = .number(number)
            case let number as Bool: self = .number(number ? 1 : 0)
            case let list as [Any]: self = .list(list.compactMap(Value.init))
            case let table as [String: Any]: self = .table(table.compactMapValues(Value.init))
            default: return nil
            }
        }
    }

    static let path: String = {
        if let folder = ProcessInfo.processInfo.environment["NFCD_VECTORS"] { return folder + "/secure-tags.jsonl" }
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let places = ["../shared", "../../shared", "../../../shared"].map {
            root.appending(path: $0 + "/vectors/secure-tags.jsonl").standardizedFileURL.path
        }
        return places.first(where: FileManager.default.isReadableFile(atPath:)) ?? places[0]
    }()

    static let isAvailable = FileManager.default.isReadableFile(atPath: path)

    /// All rows; none where the file is missing.
    static let all: [VectorRow] = {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").compactMap { VectorRow(json: String($0)) }
    }()

    private init?(json: String) {
        guard let row = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any],
            let id = row["id"] as? String, let operation = row["op"] as? String,
            let inputs = row["inputs"] as? [String: Any], let expected = row["expected"] as? [String: Any]
        else { return nil }
        self.id = id
        self.operation = operation
        self.inputs = inputs.compactMapValues(Value.init)
        self.expected = expected.compactMapValues(Value.init)
    }

    var testDescription: String { id }

    // MARK: Inputs

    func text(_ name: String) -> String {
        if case .text(let text)? = inputs[name] { text } else { "" }
    }

    func has(_ name: String) -> Bool { inputs[name] != nil }
    func bytes(_ name: String) -> [UInt8] { hex(text(name)) }
    func secret(_ name: String) -> SecretBytes { SecretBytes(bytes(name)) }
    func key(_ name: String) -> TagKey? { TagKey(bytes(name)) }

    func number(_ name: String) -> Int {
        switch inputs[name] {
        case .number(let number)?: number
        case .text(let text)?: Int(text, radix: 16) ?? -1
        default: -1
        }
    }

    func list(_ name: String) -> [Value] {
        if case .list(let list)? = inputs[name] { list } else { [] }
    }

    func table(_ name: String) -> [String: String] {
        guard case .table(let table)? = inputs[name] else { return [:] }
        return table.compactMapValues { if case .text(let text) = $0 { text } else { nil } }
    }

    // MARK: Results

    /// The names whose value differs, or that were not computed at all.
    func differences(_ results: [String: Value]) -> [String] {
        expected.compactMap { name, value in
            results[name] == value ? nil : "\(name): \(results[name].map { "\($0)" } ?? "not computed"), not \(value)"
        }
    }

    func expects(_ name: String) -> Bool { expected[name] != nil }
}

extension VectorRow.Value {
    static func hexadecimal(_ bytes: [UInt8]) -> Self { .text(hex(bytes).lowercased()) }
    static func hexadecimal(_ bytes: SecretBytes) -> Self { .hexadecimal(bytes.withUnsafeBytes { Array($0) }) }
    static func truth(_ value: Bool) -> Self { .number(value ? 1 : 0) }
}
