import FoundationEssentials
import NFCProtocol
import Synchronization
import Threading

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A daemon that listens on a Unix socket.
package struct SocketEndpoint: DaemonEndpoint {
    private let path: String
    private let patience: Double

    /// The daemon on the socket at a path.
    ///
    /// - Parameter patience: how many seconds a daemon with many waiting clients may take to accept a connection.
    package init(path: String, acceptsWithin patience: Double = 10) {
        self.path = path
        self.patience = patience
    }

    package func connect(_ recipient: any LineRecipient) async throws -> any LineConnection {
        let connection = try SocketConnection(path: path, patience: patience, recipient: recipient)
        try await withCheckedThrowingContinuation { connection.start($0) }
        return connection
    }
}

/// A connection over a Unix socket, with a thread that connects, receives, and sends what the socket did not take at once.
///
/// The thread waits in poll(2), so an idle connection wakes nothing up, and no call of this type waits for the daemon.
final class SocketConnection: LineConnection {
    private struct State {
        /// The socket; nil before the connection is made, and when it has ended.
        var socket: OpenDescriptor?
        /// What the socket did not take yet.
        var output = OutputQueue()
        /// The daemon takes nothing more. What it has sent is still received.
        var isBroken = false
        var isClosing = false
        var hasEnded = false
        /// Why this side ends the connection.
        var reason: NFCClientError?
        var closers: [CheckedContinuation<Void, Never>] = []

        /// Sends what the socket takes now.
        mutating func send(over socket: OpenDescriptor) {
            guard !isBroken else { return }
            isBroken = !output.flush(to: socket)
            if isBroken { output = OutputQueue() }
        }
    }

    /// The most bytes that wait for a daemon that does not read.
    private static let mostOutput = 16 * JSONLine.maximumLength
    private static let chunk = 65_536

    private let path: String
    private let patience: Double
    private let recipient: any LineRecipient
    private let state = Mutex(State())
    /// Becomes readable when the thread has something to do beside receiving.
    private let wakeUp: WakeUp

    /// - Throws: `NFCClientError` where the process may open no more files.
    init(path: String, patience: Double, recipient: any LineRecipient) throws {
        do throws(WakeUp.Failure) {
            wakeUp = try WakeUp()
        } catch {
            throw NFCClientError(connecting: error.code, path: path)
        }
        self.path = path
        self.patience = patience
        self.recipient = recipient
    }

    /// Connects, and serves the connection until it ends.
    func start(_ connected: CheckedContinuation<Void, any Error>) {
        DetachedThread.run {
            self.run(connected)
        } orFail: { code in
            connected.resume(throwing: NFCClientError(connecting: code, path: self.path))
        }
    }

    func send(_ line: Data) {
        let needsThread = state.withLock { state in
            guard let socket = state.socket, !state.isBroken, !state.isClosing else { return false }
            let isWaiting = !state.output.isEmpty
            state.output.add(line)
            if !isWaiting { state.send(over: socket) }
            guard state.output.size > Self.mostOutput else { return !isWaiting && !state.output.isEmpty }
            state.reason = .connectionFailed(
                path: path, reason: "nfcd does not read: \(state.output.size) bytes wait; restart nfcd")
            state.isClosing = true
            return true
        }
        if needsThread { wakeUp.signal() }
    }

    func close() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                state.isClosing = true
                if !state.hasEnded { state.closers.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() } else { wakeUp.signal() }
        }
    }
}

// On the thread.

extension SocketConnection {
    private func run(_ connected: CheckedContinuation<Void, any Error>) {
        let socket: OpenDescriptor
        do {
            socket = try OpenDescriptor(connectedTo: path, patience: patience)
        } catch {
            return connected.resume(throwing: error)
        }
        state.withLock { $0.socket = socket }
        connected.resume()
        end(serve(socket))
    }

    /// Receives and sends until the connection ends. Returns why it ended.
    private func serve(_ socket: OpenDescriptor) -> NFCClientError {
        var framing = LineFraming()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let (isClosing, hasOutput) = state.withLock { state in
                if !state.output.isEmpty { state.send(over: socket) }
                return (state.isClosing, !state.output.isEmpty)
            }
            if isClosing { return state.withLock(\.reason) ?? .connectionLost }
            guard waitForEvent(socket, hasOutput: hasOutput) else { continue }
            let count = recv(socket.number, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return .connectionLost }
            do {
                try framing.take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), recipient.receive)
            } catch {
                return error as? NFCClientError ?? .connectionLost
            }
        }
    }

    /// Waits until there is something to do. Returns whether there may be something to receive.
    private func waitForEvent(_ socket: OpenDescriptor, hasOutput: Bool) -> Bool {
        var polled = [
            pollfd(fd: socket.number, events: Int16(POLLIN | (hasOutput ? POLLOUT : 0)), revents: 0),
            pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&polled, nfds_t(polled.count), -1) > 0 else { return false }
        if polled[1].revents != 0 { wakeUp.reset() }
        return polled[0].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0
    }

    private func end(_ reason: NFCClientError) {
        state.withLock { $0.socket = nil }
        recipient.end(reason)
        let closers = state.withLock { state in
            state.hasEnded = true
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }
}

/// Lines that wait for a socket to take them.
private struct OutputQueue {
    private static let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)

    private var lines: ArraySlice<Data> = []
    /// How much of the first line the socket has taken.
    private var sent = 0
    /// The bytes that wait.
    private(set) var size = 0

    var isEmpty: Bool { lines.isEmpty }

    mutating func add(_ line: Data) {
        lines.append(line)
        size += line.count
    }

    /// Sends what the socket takes now.
    ///
    /// - Returns: whether the socket will take more.
    mutating func flush(to socket: OpenDescriptor) -> Bool {
        while let line = lines.first {
            let count = line.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                return send(socket.number, rest.baseAddress, rest.count, Self.flags)
            }
            guard count >= 0 else {
                if errno == EINTR { continue }
                return errno == EAGAIN
            }
            sent += count
            size -= count
            guard sent == line.count else { continue }
            lines.removeFirst()
            sent = 0
        }
        // A slice keeps what was taken from it until it is replaced.
        lines = []
        return true
    }
}
