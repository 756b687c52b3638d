import NFCClient
import NFCProtocol
import NFCTypes

/// Queries the state of nfcd, with a time limit.
struct DaemonProbe: Sendable {
    let path: String
    /// Whether there is a file at the path.
    let hasSocket: Bool
    var limit: Duration = .seconds(5)

    /// The state of the daemon, or why it is unknown.
    func status() async -> DaemonStatus {
        await withTaskGroup(of: DaemonStatus.self) { group in
            group.addTask { await query() }
            group.addTask {
                try? await Task.sleep(for: limit)
                return .notAnswering
            }
            defer { group.cancelAll() }
            return await group.next() ?? .notAnswering
        }
    }

    private func query() async -> DaemonStatus {
        do {
            return .answered(try await NFCClient.withConnection(to: path) { try await state($0) })
        } catch NFCClientError.noDaemon {
            return hasSocket ? .staleSocket : .noSocket
        } catch NFCClientError.notPermitted {
            return .notPermitted
        } catch {
            return .failed("\(error)")
        }
    }

    private func state(_ client: NFCClient) async throws -> DaemonState {
        let info = try await client.call(ServerInfo.self)
        let readers = try await client.call(ReadersList.self)
        let error = readers.isEmpty ? try await sessionError(client, info.entitlements) : nil
        return DaemonState(info: info, readers: readers, sessionError: error)
    }

    /// Begins a session, which fails without a reader, and returns the reason. If a reader becomes available in the
    /// meantime, the session is ended.
    private func sessionError(
        _ client: NFCClient, _ entitlements: ServerInfo.Entitlements
    ) async throws -> DaemonState.SessionError? {
        let isNDEF = entitlements.formats.contains("NDEF")
        let parameters = SessionBegin.Parameters(kind: isNDEF ? .ndef : .tag, detection: isNDEF ? .tags : nil)
        return try await client.withSession(parameters) { session in
            for await event in session.events {
                switch event {
                case .didInvalidate(let end): return DaemonState.SessionError(end)
                case .didBecomeActive: return nil
                default: break
                }
            }
            return nil
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
    /// Why no session can begin.
    struct SessionError: Sendable {
        /// Whether nfcd cannot use the PC/SC service.
        let isServiceUnavailable: Bool
        let detail: String
    }

    let info: ServerInfo.Result
    let readers: [ReadersList.Reader]
    /// Only queried if there are no readers.
    let sessionError: SessionError?

    /// Whether at least one reader works.
    var hasWorkingReader: Bool { readers.contains { $0.state != .failed } }

    /// Whether all readers are simulated by nfcd, so that PC/SC is not used.
    var isSimulated: Bool { !readers.isEmpty && readers.allSatisfy { $0.reader.hasPrefix("simulated-") } }
}

extension DaemonState.SessionError {
    fileprivate init(_ end: SessionEnd) {
        isServiceUnavailable = end.code == .radioDisabled
        detail = end.detail
    }
}
