#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Lines of a file descriptor, with a limit to what is kept of one.
struct BoundedLineReader {
    /// A line without its newline (and carriage return), or notice of one over the limit.
    enum Line: Equatable {
        case line([UInt8])
        case tooLong
    }

    private let descriptor: Int32
    private let limit: Int
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false

    init(descriptor: Int32, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// The next line; nil at the end. A last line without a newline counts.
    mutating func next() -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        while true {
            let rest = buffer[position...]
            let newline = rest.firstIndex(of: UInt8(ascii: "\n"))
            let part = rest[..<(newline ?? rest.endIndex)]
            if line.count + part.count > limit { isTooLong = true } else { line += part }
            if let newline {
                position = newline + 1
                return finish(line, isTooLong)
            }
            guard refill() else { return line.isEmpty && !isTooLong ? nil : finish(line, isTooLong) }
        }
    }

    private func finish(_ line: [UInt8], _ isTooLong: Bool) -> Line {
        isTooLong ? .tooLong : .line(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }

    private mutating func refill() -> Bool {
        guard !isAtEnd else { return false }
        position = 0
        buffer = [UInt8](unsafeUninitializedCapacity: 65_536) { space, count in
            count = max(0, readRetrying(space))
        }
        isAtEnd = buffer.isEmpty
        return !isAtEnd
    }

    private func readRetrying(_ space: UnsafeMutableBufferPointer<UInt8>) -> Int {
        while true {
            let count = read(descriptor, space.baseAddress, space.count)
            if count >= 0 || errno != EINTR { return count }
        }
    }
}
