import Synchronization
import Threading
import WebNFC

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The two pipes of native messaging. Each has its own thread, since reading and writing block.
actor BrowserPipe {
    /// Why the browser cannot be served any longer.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The most bytes that wait for a browser that does not read.
    private static let mostWaiting = 4 * 1024 * 1024
    private static let chunk = 64 * 1024

    private let input: CInt
    private let output: CInt
    private let reading = ThreadExecutor()
    private let writing = ThreadExecutor()
    private let waiting = WaitingBytes()
    private var decoder = NativeFrame()
    private var frames: [[UInt8]] = []
    private var buffer = [UInt8](repeating: 0, count: chunk)

    init(input: CInt, output: CInt) {
        self.input = input
        self.output = output
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { reading.asUnownedSerialExecutor() }

    /// Waits for the next request; nil where the browser closed the pipe.
    ///
    /// - Throws: ``Failure`` if it is invalid or too long.
    func next() throws -> WebRequest? {
        while frames.isEmpty {
            guard !waiting.isOver else { throw Failure(description: "the browser does not read what it is sent") }
            guard let bytes = readChunk() else { return nil }
            do {
                frames = try decoder.add(bytes)
            } catch {
                throw Failure(
                    description:
                        "the extension sent a frame of \(error.length) bytes; at most \(NativeFrame.longestFromBrowser) are allowed"
                )
            }
        }
        do {
            return try WebRequest(frame: frames.removeFirst())
        } catch {
            throw Failure(description: "the extension sent something that is not a request: \(error)")
        }
    }

    private func readChunk() -> ArraySlice<UInt8>? {
        while true {
            let count = read(input, &buffer, buffer.count)
            if count > 0 { return buffer[..<count] }
            guard count < 0, errno == EINTR else { return nil }
        }
    }

    /// Sends a report behind those before it. A browser that does not read is cut off.
    nonisolated func send(_ report: WebReport) {
        guard let payload = report.frame ?? report.shortened?.frame else { return }
        let frame = NativeFrame.encode(payload)
        guard waiting.add(frame.count, most: Self.mostWaiting) else { return }
        writing.run { [output, waiting] in
            if !Self.put(frame, into: output) { waiting.end() }
            waiting.remove(frame.count)
        }
    }

    private static func put(_ frame: [UInt8], into output: CInt) -> Bool {
        var sent = 0
        while sent < frame.count {
            let count = frame.dropFirst(sent).withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
            if count > 0 { sent += count } else if errno != EINTR { return false }
        }
        return true
    }
}

/// The bytes that wait to be written.
private final class WaitingBytes: Sendable {
    private let count = Atomic(0)
    private let over = Atomic(false)

    /// Whether nothing more can be written.
    var isOver: Bool { over.load(ordering: .relaxed) }

    /// Counts bytes; false where too many wait: then nothing more is written.
    func add(_ bytes: Int, most: Int) -> Bool {
        guard !isOver, count.load(ordering: .relaxed) + bytes <= most else {
            end()
            return false
        }
        count.add(bytes, ordering: .relaxed)
        return true
    }

    func remove(_ bytes: Int) { count.subtract(bytes, ordering: .relaxed) }

    func end() { over.store(true, ordering: .relaxed) }
}
