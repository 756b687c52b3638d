/// Executes the remote commands that were allowed.
struct RemoteExecution: Sendable {
    private static let longestText = 60_000

    private let context: SinkContext

    init(_ context: SinkContext) {
        self.context = context
    }

    func execute(_ name: RemoteCommand.Name, _ command: RemoteCommand) async -> RemoteReply {
        switch name {
        case .metrics:
            let text = await context.operations.metrics()
            guard text.utf8.count <= Self.longestText else {
                return RemoteReply(
                    id: command.id, ok: false, error: "the metrics are longer than \(Self.longestText) bytes")
            }
            return RemoteReply(id: command.id, ok: true, text: text)
        case .identify, .restartPolling:
            return RemoteReply(id: command.id, ok: false, error: "this release of nfcd does not support it")
        }
    }
}
