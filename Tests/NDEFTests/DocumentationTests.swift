import Foundation
import Testing

@testable import NDEF

/// The examples of `Docs/ndef.md`.
@Suite("Documentation of the JSON form")
struct DocumentationTests {
    static let examples = blocks("json", in: "Docs/ndef.md")

    /// The fenced blocks of a language in a file of the package.
    private static func blocks(_ language: String, in file: String) -> [String] {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try? String(contentsOf: package.appendingPathComponent(file), encoding: .utf8)
        let blocks = (text ?? "").components(separatedBy: "```\(language)\n").dropFirst()
        return blocks.compactMap { $0.components(separatedBy: "\n```").first }
    }

    @Test func `the example of the documentation compiles and runs`() throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let body = try #require(source.components(separatedBy: "// Docs >\n").dropFirst().first)
        let lines = try #require(body.components(separatedBy: "        // < Docs").first).split(separator: "\n")
        let example = lines.map { $0.dropFirst(8) }.joined(separator: "\n")
        #expect(Self.blocks("swift", in: "Docs/nfcctl.md").contains(example))
        let written = try NDEFMessage(decoding: Self.runExample([0xD1, 0x01, 0x02, 0x55, 0x04, 0x61]))
        #expect(
            written.records.map(\.description)
                == [#"Wi-Fi "Guests" (wpa2Personal)"#, "URI https://example.com/welcome"])
    }

    private static func runExample(_ bytes: [UInt8]) throws -> [UInt8] {
        var written: [UInt8] = []
        func print(_: Any...) {}
        func write(_ bytes: [UInt8]) { written = bytes }
        // Docs >
        let message = try NDEFMessage(decoding: bytes)
        for record in message.records {
            switch record.decoded {
            case .uri(let uri): print("go to", uri.uri)
            case .text(let text): print(text.language, text.text)
            case .wifi(let wifi): print(wifi.credentials.compactMap(\.ssidText))
            case .failed(let error): print("the payload is not what its type says:", error)
            default: print(record)
            }
        }
        let guests = NDEFMessage(records: [
            try .wifi(ssid: "Guests", key: "correct-horse"),
            try .uri("https://example.com/welcome"),
        ])
        try write(guests.encoded())
        // < Docs
        return written
    }

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
