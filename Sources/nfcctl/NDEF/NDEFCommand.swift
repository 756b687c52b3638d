import ArgumentParser
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `nfcctl ndef`: messages without a tag.
struct NDEFCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ndef",
        abstract: "Look into NDEF messages, and make them; needs neither daemon nor reader.",
        discussion: """
            Examples:
              nfcctl ndef decode D1010C55046578616D706C652E636F6D
              nfcctl ndef encode --uri https://example.com --text Hello
            """,
        subcommands: [NDEFDecodeCommand.self, NDEFEncodeCommand.self])
}

/// Answers each line of standard input with one line.
///
/// What was answered goes out before more input is waited for: at once where somebody types or waits for each answer, in
/// large pieces where the input comes in bulk.
struct LineService {
    /// The longest line that is looked at, in bytes.
    let limit: Int

    func run(_ answer: (BoundedLineReader.Line, AnswerWriter) throws -> Void) throws {
        let writer = AnswerWriter()
        var lines = BoundedLineReader(descriptor: STDIN_FILENO, limit: limit)
        while let line = try lines.next(beforeReading: writer.flush) { try answer(line, writer) }
        try writer.flush()
        if let failure = lines.failure {
            Terminal.error("nfcctl: standard input: \(systemMessage(failure))")
            throw ExitCode.noInput
        }
    }
}

/// Writes answers as lines of JSON, many at a time.
struct AnswerWriter {
    private let encoder = JSONEncoder()
    private let output = OutputBuffer()

    init() {
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    func put(_ answer: some Encodable) throws {
        try output.put(encoder.encode(answer))
        try output.put(CollectionOfOne(UInt8(ascii: "\n")))
    }

    func put(line: String) throws {
        try output.put(line: line)
    }

    /// Everything that was put so far goes out.
    func flush() throws {
        try output.flush()
    }
}
