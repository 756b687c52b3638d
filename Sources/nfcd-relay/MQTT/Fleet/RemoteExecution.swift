import NFCProtocol
import NFCTypes
import ServiceClient

/// Executes the remote commands that were allowed.
struct RemoteExecution: Sendable {
    private static let longestText = 60_000

    private let context: SinkContext

    init(_ context: SinkContext) {
        self.context = context
    }

    func execute(_ name: RemoteCommand.Name, _ command: RemoteCommand) async -> RemoteReply {
        do {
            switch name {
            case .metrics: return await metrics(command)
            case .identify: return try await identify(command)
            case .restartPolling: return try await restartPolling(command)
            }
        } catch {
            return RemoteReply(id: command.id, ok: false, error: "nfcd: \(error)")
        }
    }

    private func metrics(_ command: RemoteCommand) async -> RemoteReply {
        let text = await context.operations.metrics()
        guard text.utf8.count <= Self.longestText else {
            return RemoteReply(
                id: command.id, ok: false, error: "the metrics are longer than \(Self.longestText) bytes")
        }
        return RemoteReply(id: command.id, ok: true, text: text)
    }

    /// Light and sound of the readers; needs `manage` in nfcd.
    private func identify(_ command: RemoteCommand) async throws -> RemoteReply {
        let readers = try await context.daemon.call(ReadersIdentify.self, .init(reader: command.reader)).readers
        guard !readers.isEmpty else {
            return RemoteReply(
                id: command.id, ok: false,
                error: "no reader shows it: a session holds it, or nfcd.toml does not set feedback = true for it")
        }
        return RemoteReply(id: command.id, ok: true, text: readers.joined(separator: " "))
    }

    /// A short session takes the readers, restarts their polling, and ends; needs the format TAG in nfcd. It changes nothing where
    /// another session holds a reader.
    private func restartPolling(_ command: RemoteCommand) async throws -> RemoteReply {
        let daemon = context.daemon
        let begin = SessionBegin.Parameters(
            kind: .tag, readers: command.reader.map { [$0] }, whenBusy: .fail, timeout: 5)
        let session = try await daemon.call(SessionBegin.self, begin).session
        _ = try await daemon.call(SessionRestartPolling.self, .init(session: session))
        _ = try await daemon.call(SessionInvalidate.self, .init(session: session))
        return RemoteReply(id: command.id, ok: true)
    }
}
