import ArgumentParser
import NFCClient
import NFCProtocol
import UnixSignals

/// Looks on until Ctrl-C, or the end of the connection.
struct Monitor: Sendable {
    private enum Step: Sendable {
        case event(WatchedEvent)
        case connectionLost
        case interrupted
    }

    let client: NFCClient
    let output: any MonitorOutput

    /// Shows what happens; the exit code tells how it ended.
    func run() async throws -> ExitCode {
        let interrupts = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        // First the events, then the state of the moment: nothing falls in between.
        _ = try await client.call(EventsSubscribe.self)
        try await permitted { _ = try await client.call(BackgroundSubscribe.self, .init()) }
        let start = MonitorStart(
            readers: try await client.call(ReadersList.self),
            sessions: try await permitted { try await client.call(SessionsList.self) } ?? [])
        var board = MonitorBoard(start)
        output.begin(start, board)
        return await withTaskGroup(of: Void.self) { group in
            let (steps, sink) = AsyncStream<Step>.makeStream()
            group.addTask { await follow(sink) }
            group.addTask { for await _ in interrupts { sink.yield(.interrupted) } }
            defer { group.cancelAll() }
            return await proceed(steps, &board)
        }
    }

    private func proceed(_ steps: AsyncStream<Step>, _ board: inout MonitorBoard) async -> ExitCode {
        for await step in steps {
            switch step {
            case .event(let event):
                board.take(event)
                output.show(event, board)
            case .interrupted: return .success
            case .connectionLost:
                Terminal.error("nfcctl: \(NFCClientError.connectionLost)")
                return .unavailable
            }
        }
        return .success
    }

    /// What the daemon may refuse to those who may only look on; nil where it does.
    @discardableResult
    private func permitted<Value>(_ body: () async throws -> Value) async throws -> Value? {
        do {
            return try await body()
        } catch NFCClientError.refused(let error) where error.code == 2 {
            return nil
        }
    }

    private func follow(_ sink: AsyncStream<Step>.Continuation) async {
        for await event in client.events {
            if case .watched(let event) = event { sink.yield(.event(event)) }
        }
        sink.yield(.connectionLost)
    }
}
