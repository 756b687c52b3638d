import FoundationEssentials
import Testing

@testable import NFCClient

/// The programs of the article "Getting started".
@Suite(.timeLimit(.minutes(20)))
struct ArticleTests {
    @Test func `the links on the next tag are read`() async throws {
        let daemon = try FakeDaemon()
        daemon.serve { peer in
            try peer.answer(#"{"session":"s"}"#)
            peer.detect("t", in: "s")
            try peer.answer()
            let record = #"{"decoded":{"kind":"uri","uri":"https://example.com"}}"#
            try peer.answer(#"{"message":{"records":[\#(record)]},"status":"readWrite","capacity":100}"#)
            try peer.answerAll()
        }
        #expect(try await linksOnNextTag(socket: daemon.path) == ["https://example.com"])
    }

    @Test func `a session is printed until its end`() async throws {
        var printed: [String] = []
        let end = try await FakeDaemon.run { peer in
            try peer.answer(#"{"session":"s"}"#)
            peer.notify("session.didBecomeActive", #"{"session":"s"}"#)
            peer.detect("t", in: "s")
            peer.notify("session.tagRemoved", #"{"session":"s","tag":"t"}"#)
            peer.invalidate("s", 201)
            try peer.answerAll()
        } _: {
            try await printSession($0) { printed.append($0) }
        }
        #expect(printed == ["Hold a tag to the reader.", "Type 2 on R", "t has left"])
        #expect(end?.code == .sessionTimeout)
    }

    @Test(arguments: ["NextTagLinks", "SessionPrinter"])
    func `the article holds the program as it is`(name: String) throws {
        let tests = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        let program = try text("/\(tests)/Programs/\(name).swift")
        let article = try text("/\(tests)/../../Sources/NFCClient/NFCClient.docc/GettingStarted.md")
        #expect(article.contains("```swift\n\(program)```\n"))
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
    }
}
