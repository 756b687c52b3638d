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

    @Test func `the article holds the file as it is`() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let file = try String(contentsOf: tests.appendingPathComponent("Programs/LinkReader.swift"), encoding: .utf8)
        let path = "../../Sources/CoreNFC/CoreNFC.docc/FromIPhoneToLinux.md"
        let article = try String(contentsOf: tests.appendingPathComponent(path), encoding: .utf8)
        #expect(article.contains("```swift\n\(file)```\n"))
    }
}
