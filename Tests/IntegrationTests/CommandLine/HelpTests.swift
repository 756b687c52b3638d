import Foundation
import Testing

/// The help of nfcctl on a terminal of 80 columns.
@Suite(.timeLimit(.minutes(20)))
struct `The help on 80 columns` {
    private func help(_ command: [String], columns: Int) async throws -> [String] {
        let finished = try await run(
            [Programs.nfcctl] + command + ["--help"], environment: ["COLUMNS": "\(columns)"])
        #expect(finished.status == 0, "\(command)")
        return finished.output
    }

    /// The names of the subcommands in a help.
    private func subcommands(in help: [String]) -> [String] {
        help.drop { $0 != "SUBCOMMANDS:" }.dropFirst().compactMap { line in
            // Two spaces, the name, and spaces before the description.
            let name = line.dropFirst(2).prefix { $0 != " " }
            return line.hasPrefix("  ") && !name.isEmpty && name != "See" && name != "help" ? String(name) : nil
        }
    }

    @Test func `breaks no example`() async throws {
        var (waiting, count) = ([[String]()], 0)
        while let command = waiting.popLast() {
            let wide = try await help(command, columns: 300)
            let narrow = Set(try await help(command, columns: 80))
            // Examples and lines of JSON are indented; the paragraphs around them are not.
            for line in wide.prefix(while: { !$0.hasPrefix("USAGE:") }) where line.hasPrefix("  ") {
                #expect(narrow.contains(line), "nfcctl \(command.joined(separator: " ")): \(line)")
                count += 1
            }
            waiting += subcommands(in: wide).map { command + [$0] }
        }
        // There are examples, and the commands were found.
        #expect(count > 60)
    }
}
