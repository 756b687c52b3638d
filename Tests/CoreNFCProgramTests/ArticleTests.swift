import CoreNFCTesting
import Testing

/// What the article "From an iPhone app's NFC file to the same file tested on Linux" shows.
@Suite(.timeLimit(.minutes(5)))
struct ArticleTests {
    @Test func `the link of a tag is read`() async throws {
        try await withVirtualTag(.ntag215(uri: "https://example.com")) { tag in
            let link = try await LinkReader().link()
            #expect(link?.absoluteString == "https://example.com")
        }
    }

    @Test func `without NFC the reader ends with the reason`() async throws {
        try await withoutNFC {
            let reader = LinkReader()
            await #expect(throws: NFCReaderError.self) { try await reader.link() }
        }
    }

    @Test func `the article holds the file as it is, and the tests without their imports`() throws {
        let article = try text("../../Sources/CoreNFC/CoreNFC.docc/FromIPhoneToLinux.md")
        let tests = try text("Programs/EndingExamples.swift").components(separatedBy: "import Testing\n\n")
        for code in [try text("Programs/LinkReader.swift"), try #require(tests.last)] {
            #expect(article.contains("```swift\n\(code)```\n"))
        }
    }

    private func text(_ path: String) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    }
}
