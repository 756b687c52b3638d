import ArgumentParser
import NDEF

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `nfcctl ndef decode`: what a message says.
struct NDEFDecodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Decode messages given in hexadecimal.",
        discussion: """
            With --json, one line per message:
              {"ok":true,"records":[…],"warnings":[…]}
              {"ok":false,"error":{"code":"TRUNCATED_PAYLOAD","message":…}}

            Examples:
              nfcctl ndef decode D1010C55046578616D706C652E636F6D
              generate-messages | nfcctl ndef decode --json --stdin-lines
            """)

    /// Two digits a byte for the longest message there can be, with room for its headers.
    private static let longestLine = 2 * (NDEFLimits.default.maximumPayloadLength + 1_048_576)

    @Argument(help: "The message in hexadecimal.")
    var hex: String?

    @Flag(help: "JSON in place of text.")
    var json = false

    @Flag(help: "One message per line of standard input, each answered with one line (needs --json).")
    var stdinLines = false

    func validate() throws {
        guard stdinLines else {
            if hex == nil { throw ValidationError("give a message in hexadecimal, or --stdin-lines") }
            return
        }
        if hex != nil { throw ValidationError("--stdin-lines takes the messages from standard input") }
        if !json { throw ValidationError("--stdin-lines answers in JSON: add --json") }
    }

    func run() async throws {
        guard let hex else { return decodeLines() }
        let outcome = DecodeOutcome(hexadecimal: Array(hex.utf8))
        if json { Terminal.print(json: outcome) } else { show(outcome) }
        if case .failure = outcome { throw ExitCode.badData }
    }

    private func decodeLines() {
        var lines = BoundedLineReader(descriptor: STDIN_FILENO, limit: Self.longestLine)
        while let line = lines.next() {
            switch line {
            case .line(let digits): Terminal.print(json: DecodeOutcome(hexadecimal: digits))
            case .tooLong: Terminal.print(json: DecodeOutcome.lineTooLong)
            }
        }
    }

    private func show(_ outcome: DecodeOutcome) {
        switch outcome {
        case .success(let message, let warnings):
            for (index, record) in message.records.enumerated() { Terminal.print("\(index + 1)  \(record)") }
            for warning in warnings { Terminal.error("warning \(warning.code.rawValue): \(warning.message)") }
        case .failure(let code, let message): Terminal.error("\(message) (\(code))")
        }
    }
}
