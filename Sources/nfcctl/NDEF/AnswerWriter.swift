import FoundationEssentials

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
