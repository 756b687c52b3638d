/// The frames of native messaging: the length as 4 bytes in the byte order of the machine, then JSON in UTF-8 (Chrome and
/// MDN: Native messaging).
package struct NativeFrame: Sendable {
    /// The most bytes of a frame to the browser: Chromium ends the connection above 1 MiB.
    package static let longestToBrowser = 1_000_000
    /// The most bytes of a frame from the extension.
    package static let longestFromBrowser = 128 * 1024
    private static let headerLength = 4

    /// A frame that exceeds ``longestFromBrowser``, or is empty. What follows it cannot be read.
    package struct WrongLength: Error, Hashable {
        package let length: Int
    }

    private var buffer: [UInt8] = []

    package init() {}

    /// Whether the last frame is not complete.
    package var isInside: Bool { !buffer.isEmpty }

    /// Adds bytes that were read, and takes out the frames that are complete.
    ///
    /// - Throws: ``WrongLength``.
    package mutating func add(_ bytes: some Collection<UInt8>) throws(WrongLength) -> [[UInt8]] {
        buffer += bytes
        var frames: [[UInt8]] = []
        var start = 0
        while buffer.count - start >= Self.headerLength {
            let length = Int(Self.length(buffer[start..<start + Self.headerLength]))
            guard (1...Self.longestFromBrowser).contains(length) else { throw WrongLength(length: length) }
            let end = start + Self.headerLength + length
            guard buffer.count >= end else { break }
            frames.append(Array(buffer[(start + Self.headerLength)..<end]))
            start = end
        }
        buffer.removeFirst(start)
        return frames
    }

    /// A frame of this payload.
    package static func encode(_ payload: [UInt8]) -> [UInt8] {
        let length = UInt32(truncatingIfNeeded: payload.count)
        return withUnsafeBytes(of: length) { Array($0) } + payload
    }

    private static func length(_ header: ArraySlice<UInt8>) -> UInt32 {
        header.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    }
}
