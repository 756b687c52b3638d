import FoundationEssentials
import NFCProtocol
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A daemon that listens on a Unix socket.
package struct SocketEndpoint: DaemonEndpoint {
    private let path: String

    /// The daemon on the socket at a path.
    package init(path: String) {
        self.path = path
    }

    package func connect(_ recipient: any LineRecipient) async throws -> any LineConnection {
        let connection = SocketConnection(path: path, recipient: recipient)
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
        var output = Data()
        /// The daemon takes nothing more. What it has sent is still received.
        var isBroken = false
        var isClosing = false
        var hasEnded = false
        /// Why this side ends the connection.
        var reason: NFCClientError?
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// How long a daemon with many waiting clients may take to accept a connection, in seconds.
    private static let patience = 10
    /// The most bytes that wait for a daemon that does not read.
    private static let mostOutput = 64 * JSONLine.maximumLength
    private static let chunk = 65_536
    private static let sendFlags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)

    private let path: String
    private let recipient: any LineRecipient
    private let state = Mutex(State())
    /// Becomes readable when the thread has something to do beside receiving.
    private let wakeUp = WakeUpPipe()

    init(path: String, recipient: any LineRecipient) {
        self.path = path
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
            guard state.output.isEmpty else {
                state.output.append(line)
                return limitOutput(&state)
            }
            let sent = Self.send(line, over: socket, &state)
            guard sent < line.count, !state.isBroken else { return false }
            state.output.append(line.dropFirst(sent))
            return true
        }
        if needsThread { wakeThread() }
    }

    func close() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                state.isClosing = true
                if !state.hasEnded { state.closers.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() } else { wakeThread() }
        }
    }

    /// Ends the connection to a daemon that leaves too much unread. Returns whether it does.
    private func limitOutput(_ state: inout State) -> Bool {
        guard state.output.count > Self.mostOutput else { return false }
        state.reason = .connectionFailed(
            path: path, reason: "nfcd does not read: \(state.output.count) bytes wait; restart nfcd")
        state.isClosing = true
        return true
    }

    /// Sends what the socket takes now. Returns how much that is.
    private static func send(_ bytes: Data, over socket: OpenDescriptor, _ state: inout State) -> Int {
        var sent = 0
        bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            while sent < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                let count = Glibc.send(
                    socket.number, rest.baseAddress, rest.count, sendFlags)
                if count < 0, errno == EINTR { continue }
                if count < 0 { state.isBroken = errno != EAGAIN }
                guard count > 0 else { return }
                sent += count
            }
        }
        return sent
    }

    private func wakeThread() {
        wakeUp.signal()
    }
}

// On the thread.

extension SocketConnection {
    private func run(_ connected: CheckedContinuation<Void, any Error>) {
        let socket: OpenDescriptor
        do {
            socket = try OpenDescriptor(connectedTo: path, patience: Self.patience)
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
                if !state.output.isEmpty { sendOutput(socket, &state) }
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

    private func sendOutput(_ socket: OpenDescriptor, _ state: inout State) {
        let sent = Self.send(state.output, over: socket, &state)
        state.output = state.isBroken ? Data() : Data(state.output.dropFirst(sent))
    }

    /// Waits until there is something to do. Returns whether there may be something to receive.
    private func waitForEvent(_ socket: OpenDescriptor, hasOutput: Bool) -> Bool {
        var polled = [
            pollfd(fd: socket.number, events: Int16(POLLIN | (hasOutput ? POLLOUT : 0)), revents: 0),
            pollfd(fd: wakeUp.output.number, events: Int16(POLLIN), revents: 0),
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
