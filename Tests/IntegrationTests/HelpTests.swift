import Foundation
import Testing

/// The help of every command; man pages are made from the same text.
@Suite(.timeLimit(.minutes(5)))
struct `The help of nfcctl` {
    private struct Dump: Decodable {
        let command: Command
    }

    private struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let discussion: String?
        let subcommands: [Command]?

        /// This one and all below it, but for the parser's own.
        var all: [Command] {
            [self] + (subcommands ?? []).filter { $0.commandName != "help" }.flatMap(\.all)
        }

        /// The lines below `Examples:`.
        var examples: [String] {
            let lines = (discussion ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            return Array(lines.drop { $0 != "Examples:" }.dropFirst().prefix { $0.hasPrefix("  ") })
        }
    }

    private func commands() async throws -> [Command] {
        let finished = try await run([Programs.nfcctl, "--experimental-dump-help"])
        let text = finished.output.joined(separator: "\n")
        return try JSONDecoder().decode(Dump.self, from: Data(text.utf8)).command.all
    }

    @Test func `has examples for every command`() async throws {
        let commands = try await commands()
        #expect(commands.count >= 20)
        for command in commands {
            #expect(!command.examples.isEmpty, "\(command.commandName)")
            #expect(command.examples.contains { $0.contains("nfcctl ") }, "\(command.commandName)")
            #expect(command.abstract?.isEmpty == false, "\(command.commandName)")
        }
    }

    @Test func `of doctor states its exit codes`() async throws {
        let doctor = try #require(try await commands().first { $0.commandName == "doctor" })
        for code in ["69", "77", "78"] { #expect(doctor.discussion?.contains(code) == true) }
    }
}
