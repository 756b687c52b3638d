import CoreNFC
import LocalSocket
import NFCClient
import NFCReaders
import NFCServer
import NFCSessions
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where clients within this process connect to an nfcd within it.
struct LocalEndpoint: DaemonEndpoint {
    private let clients: AsyncStream<LocalConnection>
    private let arrivals: AsyncStream<LocalConnection>.Continuation

    init() {
        (clients, arrivals) = AsyncStream.makeStream()
    }

    func connect(_ recipient: any LineRecipient) async throws -> any LineConnection {
        let connection = LocalConnection(to: recipient)
        if case .terminated = arrivals.yield(connection) {
            throw NFCClientError.noDaemon(path: "the socket of a test that is over")
        }
        return connection
    }

    /// Carries out the requests of its clients until the task is cancelled.
    func serve(_ coordinator: SessionCoordinator, simulator: SimulatedDriver) async {
        let requests = RequestServer(
            coordinator: coordinator, access: AccessPolicy(AccessRules(superusers: [geteuid()])), simulator: simulator,
            schedule: ImmediateSchedule(), logger: .silent)
        await withDiscardingTaskGroup { group in
            var count: UInt64 = 0
            for await client in clients {
                count += 1
                let id = ClientID(rawValue: count)
                group.addTask { await client.serve(id, with: requests) }
            }
        }
    }
}

/// No nfcd.
struct MissingDaemon: DaemonEndpoint {
    func connect(_ recipient: any LineRecipient) async throws -> any LineConnection {
        throw NFCClientError.noDaemon(path: "the socket of this test")
    }
}

/// The daemon's side of a connection within this process.
private struct LocalOutlet: ClientOutlet {
    let connection: LocalConnection

    func send(_ line: Data) -> Int {
        connection.answers.send(line)
        return 0
    }

    var isConnected: Bool { connection.isOpen }

    func close() {
        connection.finish()
    }
}

/// Lines in one direction.
private struct LineStream: Sendable {
    /// The lines without their newlines, in the order in which they were sent.
    let lines: AsyncStream<Data>
    private let sender: AsyncStream<Data>.Continuation

    init() {
        (lines, sender) = AsyncStream.makeStream()
    }

    /// Sends a line that has its newline.
    func send(_ line: Data) {
        sender.yield(line.dropLast())
    }

    func finish() {
        sender.finish()
    }
}

/// Starts every request at once, and decodes it where it is handled.
private struct ImmediateSchedule: RequestSchedule {
    func turn(for client: PeerCredentials) async {}

    func decode<Value: Sendable>(_ length: Int, for client: PeerCredentials, _ body: @escaping @Sendable () -> Value)
        async throws
        -> Value
    {
        body()
    }
}

/// A connection within this process: the client sends lines to one stream, the daemon to the other.
private final class LocalConnection: LineConnection {
    private struct State {
        var isOpen = true
        var hasEnded = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private let recipient: any LineRecipient
    private let requests = LineStream()
    fileprivate let answers = LineStream()
    private let state = Mutex(State())

    init(to recipient: any LineRecipient) {
        self.recipient = recipient
    }

    func send(_ line: Data) {
        requests.send(line)
    }

    func close() async {
        finish()
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.closers.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    fileprivate var isOpen: Bool { state.withLock(\.isOpen) }

    /// Nothing more is sent in either direction.
    fileprivate func finish() {
        state.withLock { $0.isOpen = false }
        requests.finish()
        answers.finish()
    }

    /// Carries out the requests of the client until the connection ends.
    func serve(_ id: ClientID, with server: RequestServer) async {
        let peer = server.client(
            id, PeerCredentials(userID: geteuid(), processID: getpid()), over: LocalOutlet(connection: self))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [answers, recipient] in
                for await line in answers.lines { recipient.receive(line) }
            }
            await withDiscardingTaskGroup { group in
                for await line in requests.lines { await server.handle(line, line, from: peer, &group) }
                // Requests that have not started never start.
                await server.cleanUp(peer)
            }
            finish()
        }
        await server.release(peer)
        end()
    }

    private func end() {
        recipient.end(.connectionLost)
        let closers = state.withLock { state in
            state.hasEnded = true
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }
}
