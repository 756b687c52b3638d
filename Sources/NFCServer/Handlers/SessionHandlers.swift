import NFCProtocol
import NFCSessions

extension MethodTable {
    /// `session.*`.
    mutating func addSessionMethods(_ coordinator: SessionCoordinator) {
        on(SessionBegin.self) { [access] parameters, peer in
            var request = try SessionRequest(parameters)
            let entitlements = access.entitlements(of: peer.credentials.principal)
            request.narrow(to: entitlements)
            let objection = await entitlements.objection(to: request, parameters, on: coordinator)
            let id = try await reporting { () throws(SessionError) in try await coordinator.open(request, for: peer) }
            return Reply(SessionBegin.Result(session: id.rawValue)) { await coordinator.begin(id, unless: objection) }
        }
        on(SessionRestartPolling.self) { [access] parameters, peer in
            let change = try PollingChange(parameters)
            if let objection = access.entitlements(of: peer.credentials.principal).objection(to: change) {
                throw RPCError(objection)
            }
            try await reporting { () throws(SessionError) in
                try await coordinator.restartPolling(SessionID(rawValue: parameters.session), change, by: peer.id)
            }
            return Reply(Empty())
        }
        on(SessionSetAlertMessage.self) { parameters, peer in
            try await reporting { () throws(SessionError) in
                try await coordinator.setAlertMessage(
                    parameters.message, of: SessionID(rawValue: parameters.session), by: peer.id)
            }
            return Reply(Empty())
        }
        on(SessionInvalidate.self) { parameters, peer in
            try await reporting { () throws(SessionError) in
                try await coordinator.invalidate(
                    SessionID(rawValue: parameters.session), errorMessage: parameters.errorMessage, by: peer.id)
            }
            return Reply(Empty())
        }
    }
}

/// Turns what a session refuses into an error of the wire.
private func reporting<Value>(_ body: () async throws(SessionError) -> Value) async throws(RPCError) -> Value {
    do throws(SessionError) {
        return try await body()
    } catch {
        throw RPCError(error)
    }
}
