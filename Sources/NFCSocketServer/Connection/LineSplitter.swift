import FoundationEssentials
import NIOCore

/// A line that a client sent.
enum IncomingLine: Sendable, Hashable {
    /// A complete line without its newline.
    case line(Data)
    /// A line over the limit. Everything after it is ignored.
    case tooLong
    /// A long line that was not complete in time. Everything after it is ignored.
    case tooSlow
}

/// Splits the stream of a client at newlines. What was received is kept in blocks as it came until its line is asked for, so that
/// it takes the memory of its bytes, and at most that of one line and one block.
struct LineSplitter {
    private static let blockSize = 16_384

    private let limit: Int
    private var blocks = CircularBuffer<ByteBuffer>()
    /// The received bytes that belong to no line yet.
    private(set) var count = 0
    /// The number of bytes at the beginning without a newline, so that a line in many pieces is searched once.
    private var searched = 0
    /// The length of the first line, once it was found.
    private var length: Int?
    /// The reason why there are no more lines, until `next` has returned it.
    private var ending: IncomingLine?
    private var isOver = false

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether `next` returns a line.
    var hasLine: Bool { length != nil || ending != nil }

    /// Adds received bytes.
    mutating func add(_ bytes: ByteBuffer) {
        guard !isOver else { return }
        count += bytes.readableBytes
        if let last = blocks.indices.last, blocks[last].writerIndex + bytes.readableBytes <= Self.blockSize {
            blocks[last].writeImmutableBuffer(bytes)
        } else {
            // A copy: the received buffer may be much larger than its contents.
            blocks.append(ByteBuffer(bytes: bytes.readableBytesView))
        }
        search()
    }

    /// Returns the next complete line, or the reason why no line will follow.
    mutating func next() -> IncomingLine? {
        guard let length else {
            defer { ending = nil }
            return ending
        }
        let line = take(length)
        _ = take(1)
        (searched, self.length) = (0, nil)
        search()
        return .line(line)
    }

    /// Drops what was received and everything that follows. `next` returns the reason once, if there is one.
    mutating func end(_ reason: IncomingLine?) {
        isOver = true
        (blocks, count, searched, length, ending) = (CircularBuffer(), 0, 0, nil, reason)
    }

    /// Looks for the first newline.
    private mutating func search() {
        guard length == nil else { return }
        var start = 0
        for block in blocks {
            let end = start + block.readableBytes
            defer { start = end }
            guard end > searched else { continue }
            let rest = block.readableBytesView.dropFirst(max(0, searched - start))
            if let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
                length = start + newline - block.readerIndex
                break
            }
            searched = end
        }
        if (length ?? searched) > limit { end(.tooLong) }
    }

    /// Removes bytes from the beginning.
    private mutating func take(_ size: Int) -> Data {
        var taken = Data(capacity: size)
        while taken.count < size, !blocks.isEmpty {
            let part = min(size - taken.count, blocks[blocks.startIndex].readableBytes)
            if let bytes = blocks[blocks.startIndex].readSlice(length: part) {
                taken.append(contentsOf: bytes.readableBytesView)
            }
            if blocks[blocks.startIndex].readableBytes == 0 { blocks.removeFirst() }
        }
        count -= taken.count
        return taken
    }
}
