import ArgumentParser
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `nfcctl ndef`: decodes and encodes messages without a tag.
struct NDEFCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ndef",
        abstract: "Decode and encode NDEF messages; needs no daemon and no reader.",
        discussion: """
            Examples:
              nfcctl ndef decode D1010C55046578616D706C652E636F6D
              nfcctl ndef encode --uri https://example.com --text Hello
            """,
        subcommands: [NDEFDecodeCommand.self, NDEFEncodeCommand.self])
}

/// Answers each line of standard input with one line.
///
/// The answers are written before each blocking read: immediately for interactive input, in large blocks for bulk input.
struct LineService {
    /// The maximum line length, in bytes.
    let limit: Int

    /// Calls `answer` for each line until end of file.
    func run(_ answer: (BoundedLineReader.Line, JSONLineWriter) throws -> Void) throws {
        let writer = JSONLineWriter()
        var lines = BoundedLineReader(descriptor: STDIN_FILENO, limit: limit)
        while let line = try lines.next(beforeReading: writer.flush) { try answer(line, writer) }
        try writer.flush()
        if let failure = lines.failure {
            Terminal.error("nfcctl: cannot read standard input: \(errorMessage(failure))")
            throw ExitCode.noInput
        }
    }
}

/// Writes values as lines of JSON, buffered.
struct JSONLineWriter {
    private let encoder = JSONEncoder()
    private let output = OutputBuffer()

    init() {
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// Appends a value.
    func put(_ value: some Encodable) throws {
        try output.put(encoder.encode(value))
        try output.put(CollectionOfOne(UInt8(ascii: "\n")))
    }

    /// Appends a line that is already JSON.
    func put(line: String) throws {
        try output.put(line: line)
    }

    /// Writes the buffered lines.
    func flush() throws {
        try output.flush()
    }
}
