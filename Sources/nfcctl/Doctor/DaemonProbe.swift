import NFCClient
import NFCProtocol
import Synchronization

/// Queries the state of nfcd, with a time limit for each answer, and waits while the PC/SC service is being started.
struct DaemonProbe: Sendable {
    let path: String
    /// Whether there is a file at the path.
    let hasSocket: Bool
    /// The time limit of one answer. systemd may have to start nfcd first.
    var limit: Duration = .seconds(10)
    /// How long to wait for the PC/SC service; nfcd gives up earlier.
    var startLimit: Duration = .seconds(45)
    /// Called once if the PC/SC service is being started.
    var onWaiting: @Sendable () -> Void = {}

    private static let pause = Duration.milliseconds(250)

    /// The state of the daemon, or why it is unknown.
    func status() async -> DaemonStatus {
        let deadline = Deadline(limit)
        return await withTaskGroup(of: DaemonStatus.self) { group in
            group.addTask { await query(deadline) }
            group.addTask {
                await deadline.passed()
                return .notAnswering
            }
            defer { group.cancelAll() }
            return await group.next() ?? .notAnswering
        }
    }

    private func query(_ deadline: Deadline) async -> DaemonStatus {
        do {
            return .answered(try await NFCClient.answering(at: path) { try await state($0, deadline) })
        } catch NFCClientError.noDaemon {
            return hasSocket ? .staleSocket : .noSocket
        } catch NFCClientError.notPermitted {
            return .notPermitted
        } catch {
            return .failed("\(error)")
        }
    }

    private func state(_ client: NFCClient, _ deadline: Deadline) async throws -> DaemonState {
        deadline.extend()
        var info = try await client.call(ServerInfo.self)
        let end = ContinuousClock.now + startLimit
        if info.readerService == .starting { onWaiting() }
        while info.readerService == .starting, ContinuousClock.now < end {
            deadline.extend()
            try await Task.sleep(for: Self.pause)
            info = try await client.call(ServerInfo.self)
        }
        deadline.extend()
        let readers = try await client.call(ReadersList.self)
        deadline.extend()
        return DaemonState(info: info, readers: readers, journal: try await journal(client))
    }

    /// The state of the journal; nil if the user may not query it, or if nfcd is older.
    private func journal(_ client: NFCClient) async throws -> TapsStatus.Result? {
        do {
            return try await client.call(TapsStatus.self)
        } catch NFCClientError.refused {
            return nil
        }
    }
}

/// A deadline that every answer extends.
private final class Deadline: Sendable {
    private let limit: Duration
    private let instant: Mutex<ContinuousClock.Instant>

    init(_ limit: Duration) {
        self.limit = limit
        instant = Mutex(.now + limit)
    }

    func extend() { instant.withLock { $0 = .now + limit } }

    /// Returns when the deadline has passed, or the task is cancelled.
    func passed() async {
        while true {
            let current = instant.withLock { $0 }
            guard current > .now, (try? await Task.sleep(until: current, clock: .continuous)) != nil else { return }
        }
    }
}

/// The result of querying nfcd.
enum DaemonStatus: Sendable {
    case answered(DaemonState)
    /// There is no socket.
    case noSocket
    /// There is a socket, but no program listens on it.
    case staleSocket
    /// The user may not open the socket.
    case notPermitted
    /// The connection was accepted, but there was no answer within the time limit.
    case notAnswering
    /// The request failed for another reason.
    case failed(String)

    /// The state of nfcd; nil if it did not answer.
    var state: DaemonState? {
        if case .answered(let state) = self { state } else { nil }
    }
}

/// The state of nfcd.
struct DaemonState: Sendable {
    let info: ServerInfo.Result
    let readers: [ReadersList.Reader]
    /// The state of the journal of taps; nil if it is not known.
    var journal: TapsStatus.Result?

    /// Why nfcd cannot access readers; nil if it can.
    var serviceProblem: String? {
        switch info.readerService {
        case .available, nil: nil
        case .starting, .unavailable: info.readerServiceDetail ?? ""
        }
    }

    /// Whether at least one reader works.
    var hasWorkingReader: Bool { readers.contains { $0.state != .failed } }

    /// Whether all readers are simulated by nfcd, so that PC/SC is not used.
    var isSimulated: Bool { !readers.isEmpty && readers.allSatisfy { $0.reader.hasPrefix("simulated-") } }
}
