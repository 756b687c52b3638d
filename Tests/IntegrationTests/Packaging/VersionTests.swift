import Foundation
import NFCProtocol
import Testing

/// The version has one place; everything else that shows it agrees.
@Suite(.timeLimit(.minutes(5)))
struct `The version` {
    @Test func `is that of the changelog's top heading`() throws {
        let changelog = try String(contentsOf: Repository.file("CHANGELOG.md"), encoding: .utf8)
        let heading = try #require(changelog.split(separator: "\n").first { $0.hasPrefix("## ") })
        #expect(heading.hasPrefix("## \(NFCDVersion.release) - "))
    }

    @Test func `is what scripts and programs say`() async throws {
        let commands = [[Repository.script("version")], [Programs.nfcd, "--version"], [Programs.nfcctl, "--version"]]
        for command in commands {
            let said = try await run(command)
            #expect(said.output == [NFCDVersion.release], "\(command)")
        }
    }

    @Test func `has a date, or the one that is asked for`() async throws {
        let said = try await run([Repository.script("version"), "--date"])
        #expect(try #require(said.output.first.flatMap { Int($0) }) > 0)
        let asked = try await run(
            [Repository.script("version"), "--date"], environment: ["SOURCE_DATE_EPOCH": "1700000000"])
        #expect(asked.output == ["1700000000"])
    }
}
