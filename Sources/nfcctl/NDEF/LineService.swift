import ArgumentParser

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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
