import NIOCore

/// What a client sent: a line, or more than a line may hold.
enum IncomingLine: Sendable, Hashable {
    /// Without its newline.
    case line(ByteBuffer)
    /// Nothing after it is looked at.
    case tooLong
}

/// Cuts the stream at newlines; keeps at most one line's limit in memory.
struct LineDecoder: NIOSingleStepByteToMessageDecoder {
    typealias InboundOut = IncomingLine

    private let limit: Int
    /// Bytes already searched: a line that arrives in many pieces is looked at once.
    private var searched = 0
    private var isOver = false

    init(limit: Int) {
        self.limit = limit
    }

    mutating func decode(buffer: inout ByteBuffer) throws -> IncomingLine? {
        guard !isOver else {
            buffer.clear()
            return nil
        }
        let view = buffer.readableBytesView.dropFirst(searched)
        guard let newline = view.firstIndex(of: UInt8(ascii: "\n")) else {
            searched = buffer.readableBytes
            return searched > limit ? overLimit(&buffer) : nil
        }
        let length = newline - buffer.readerIndex
        guard length <= limit else { return overLimit(&buffer) }
        searched = 0
        let line = buffer.readSlice(length: length)
        buffer.moveReaderIndex(forwardBy: 1)
        return line.map { .line($0) }
    }

    mutating func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> IncomingLine? {
        try decode(buffer: &buffer)
    }

    private mutating func overLimit(_ buffer: inout ByteBuffer) -> IncomingLine {
        isOver = true
        buffer.clear()
        return .tooLong
    }
}
