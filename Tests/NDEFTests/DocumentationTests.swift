import Foundation
import Testing

@testable import NDEF

/// The examples of `Docs/ndef.md`.
@Suite("Documentation of the JSON form")
struct DocumentationTests {
    static let examples: [String] = {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try? String(contentsOf: package.appendingPathComponent("Docs/ndef.md"), encoding: .utf8)
        let blocks = (text ?? "").components(separatedBy: "```json\n").dropFirst()
        return blocks.compactMap { $0.components(separatedBy: "\n```").first }
    }()

    @Test func `each kind has an example`() throws {
        let kinds = try Self.examples.map { try value($0)["kind"]?.string }
        #expect(Set(kinds) == Set(DecodedForm.forms.map { $0.kind }))
    }

    @Test(arguments: examples)
    func `an example makes a record that says it`(_ example: String) throws {
        let record = try JSONDecoder().decode(NDEFRecord.self, from: Data(#"{"decoded":\#(example)}"#.utf8))
        #expect(try NDEFMessage(records: [record]).encoded().count > 2)
        let written = try value(String(decoding: JSONEncoder().encode(record), as: UTF8.self))
        #expect(try written["decoded"] == value(example))
    }

    private func value(_ json: String) throws -> VectorValue {
        try JSONDecoder().decode(VectorValue.self, from: Data(json.utf8))
    }
}
