import Foundation
import Testing

/// Every command of the README is run: the `make` lines by CI, the others here.
@Suite(.timeLimit(.minutes(5)))
struct `The README` {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The lines of its shell blocks.
    static func commands() throws -> [String] {
        let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let blocks = text.components(separatedBy: "```")
        return blocks.enumerated().filter { $0.offset % 2 == 1 && $0.element.hasPrefix("sh\n") }
            .flatMap { $0.element.split(separator: "\n").dropFirst().map(String.init) }
    }

    @Test func `has commands that work as they stand`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 2)
        let tag = try await daemon.tap("ntag213", "--uri", "https://example.com")
        let commands = try Self.commands().filter { $0.hasPrefix("nfcctl ") }
        #expect(commands.count >= 6)
        for command in commands {
            let words = command.split(separator: " ").dropFirst().map(String.init)
            let finished = try await IntegrationTests.run(
                [Programs.nfcctl] + words, environment: ["NFCD_SOCKET": daemon.socket])
            #expect(finished.status == 0, "\(command): \(finished.errors)")
            #expect(!finished.output.isEmpty, "\(command)")
        }
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `starts nfcd as it says`() async throws {
        let command = try #require(try Self.commands().first { $0.hasPrefix("nfcd ") })
        let scratch = try Scratch()
        let words = command.split(separator: " ").dropFirst().map {
            String($0).replacing("/tmp/nfcd.sock", with: "\(scratch.path)/nfcd.sock")
        }
        let daemon = try ChildProcess([Programs.nfcd] + words)
        #expect(await daemon.errors.next(containing: "listening on") != nil)
        #expect(await daemon.end() == 0)
    }

    @Test func `names only targets that the Makefile has`() throws {
        let makefile = try String(contentsOf: Self.root.appending(path: "Makefile"), encoding: .utf8)
        let targets = try Self.commands().filter { $0.hasPrefix("make ") }.map { $0.dropFirst(5) }
        #expect(targets == ["demo", "test"])
        for target in targets { #expect(makefile.contains("\n\(target):")) }
    }
}
