import NFCProtocol
import NFCSessions
import NFCTags

extension MethodTable {
    /// `sessions.*` and `server.metrics`.
    mutating func addOperatorMethods(_ coordinator: SessionCoordinator) {
        on(SessionsList.self) { _, _ in
            Reply(await coordinator.summaries().map { SessionsList.Session($0) })
        }
        on(SessionsCancel.self) { parameters, _ in
            do throws(SessionError) {
                try await coordinator.cancel(
                    SessionID(rawValue: parameters.session), errorMessage: parameters.errorMessage)
            } catch {
                throw RPCError(.sessionInvalidated, detail: "there is no session \(parameters.session), or it is over")
            }
            return Reply(Empty())
        }
        on(ServerMetrics.self) { _, _ in
            Reply(ServerMetrics.Result(text: await coordinator.metricsText(version: NFCDVersion.release)))
        }
    }
}
