import NIOCore

@testable import NFCServer

extension FuzzTarget {
    /// The first byte says in what pieces the rest arrives: the stream of a client.
    static let lines = FuzzTarget(name: "lines") { bytes in
        guard let first = bytes.first else { return [] }
        let stream = Array(bytes.dropFirst())
        let found = decoded(stream, pieces: 1 + Int(first), limit: lineLimit)
        return found == expected(stream, limit: lineLimit) ? [] : ["the stream is cut at newlines, up to the limit"]
    }

    /// Shorter than the daemon's, so that inputs reach it.
    private static let lineLimit = 40

    private static func decoded(_ stream: [UInt8], pieces size: Int, limit: Int) -> [IncomingLine] {
        var decoder = LineDecoder(limit: limit)
        var buffer = ByteBuffer()
        var lines: [IncomingLine] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            buffer.writeBytes(stream[start..<min(start + size, stream.count)])
            while let line = (try? decoder.decode(buffer: &buffer)) ?? nil { lines.append(line) }
        }
        while let line = (try? decoder.decodeLast(buffer: &buffer, seenEOF: true)) ?? nil { lines.append(line) }
        return lines
    }

    /// The same by the words of the protocol: a line ends with its newline; nothing behind one that is too long is looked at.
    private static func expected(_ stream: [UInt8], limit: Int) -> [IncomingLine] {
        let parts = stream.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let whole = parts.prefix { $0.count <= limit }
        guard whole.count == parts.count else { return whole.map { .line(ByteBuffer(bytes: $0)) } + [.tooLong] }
        return whole.dropLast().map { .line(ByteBuffer(bytes: $0)) }
    }
}
