import Foundation
import NDEF
import NFCClient
import NFCProtocol
import NFCReaders
import Synchronization
import Testing
import VirtualTags

/// The Swift example of `Examples/README.md`.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct SwiftExampleTests {
    @Test func `the Swift example in the README is the code compiled here`() throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let body = try #require(source.components(separatedBy: "// README >\n").dropFirst().first)
        let lines = try #require(body.components(separatedBy: "        // < README").first)
            .components(separatedBy: "\n").dropLast()
        let example = lines.map { $0.dropFirst(8) }.joined(separator: "\n")
        let readme = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Examples/README.md")
        #expect(try String(contentsOf: readme, encoding: .utf8).contains("```swift\n\(example)\n```"))
    }

    @Test func `the Swift example prints the URLs on a tag`() async throws {
        try await withServer(readers: 1) { server in
            let tag = try VirtualTagModel.named("ntag213").makeTag(ndefMessage: TagBench.url)
            _ = try server.simulated.present(tag, on: nil)
            #expect(try await Self.runExample(server.path) == ["Hold a tag to the reader.", "https://a.b"])
        }
    }

    private static func runExample(_ path: String) async throws -> [String] {
        let printed = Mutex<[String]>([])
        @Sendable func print(_ text: String) { printed.withLock { $0.append(text) } }
        // README >
        try await NFCClient.withConnection(to: path) { client in
            try await client.withSession(.init(kind: .ndef, invalidateAfterFirstRead: true)) { session in
                for await event in session.events {
                    switch event {
                    case .didBecomeActive: print("Hold a tag to the reader.")
                    case .didDetectNDEFs(let tag):
                        if let error = tag.error { print("\(error.message): \(error.detail)") }
                        for record in tag.messages.flatMap(\.records) {
                            if case .uri(let uri) = record.decoded { print(uri.uri) }
                        }
                    case .didInvalidate(let end):
                        if end.code != .firstNDEFTagRead { print("\(end)") }
                    default: break
                    }
                }
            }
        }
        // < README
        return printed.withLock { $0 }
    }
}
