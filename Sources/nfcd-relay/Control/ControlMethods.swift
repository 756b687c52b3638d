import FoundationEssentials
import LocalSocket
import NFCProtocol
import RelayProtocol

/// The methods of the control socket.
struct ControlMethods: Sendable {
    private struct Call: Sendable {
        let needsPrivilege: Bool
        let run: @Sendable (Data, any RelayOperations) async throws -> any Encodable & Sendable
    }

    private let operations: any RelayOperations
    private let calls: [String: Call]

    init(_ operations: any RelayOperations) {
        self.operations = operations
        calls = Dictionary(
            uniqueKeysWithValues: [
                Self.call(RelayStatus.self) { _, relay in await relay.status() },
                Self.call(RelayMetrics.self) { _, relay in RelayMetrics.Result(text: await relay.metrics()) },
                Self.call(RelayParked.self) { parameters, relay in try await relay.parked(parameters.consumer) },
                Self.call(RelayTest.self) { parameters, relay in try await relay.test(parameters.consumer) },
                Self.call(RelayUnpark.self) { parameters, relay in
                    RelayUnpark.Result(changed: try await relay.unpark(parameters))
                },
                Self.call(RelayPause.self) { parameters, relay in
                    try await relay.pause(parameters.consumer, parameters.paused)
                    return Empty()
                },
                Self.call(RelayReplay.self) { parameters, relay in
                    try await relay.replay(parameters.consumer, after: parameters.after)
                    return Empty()
                },
            ])
    }

    private static func call<M: Method>(
        _ method: M.Type, _ run: @escaping @Sendable (M.Parameters, any RelayOperations) async throws -> M.Result
    ) -> (String, Call) {
        let call = Call(needsPrivilege: M.requirement != .nothing) { line, relay in
            let parameters = try JSONLine.decode(ParametersOf<M.Parameters>.self, from: line).params
            return try await run(parameters, relay)
        }
        return (M.name, call)
    }

    /// Answers a line; nil for a notification.
    ///
    /// - Parameter peer: may change something if it is root or the relay's user.
    func answer(_ line: Data, from peer: PeerCredentials) async -> Response? {
        guard let request = try? JSONLine.decode(Head.self, from: line) else {
            return .failure(.null, .parseError("the line is not a JSON-RPC request"))
        }
        let response = await answer(request, line, peer)
        return request.id == nil ? nil : response
    }

    private func answer(_ request: Head, _ line: Data, _ peer: PeerCredentials) async -> Response {
        let id = request.id ?? .null
        guard request.jsonrpc == "2.0", let method = request.method else {
            return .failure(id, .invalidRequest("expected \"jsonrpc\": \"2.0\" and a method"))
        }
        guard let call = calls[method] else {
            let nearest = method.nearest(among: calls.keys.sorted()) ?? RelayStatus.name
            return .failure(id, .methodNotFound(String(method.prefix(64)), nearest: nearest))
        }
        guard !call.needsPrivilege || peer.isPrivileged else {
            let words = "\(method) is for root and for the user of nfcd-relay; use sudo"
            return .failure(
                id,
                RPCError(
                    code: NFCErrorCode.securityViolation.rawValue, message: NFCErrorCode.securityViolation.text,
                    data: .init(domain: "NFCError", name: NFCErrorCode.securityViolation.name, detail: words)))
        }
        do {
            return .success(id, try await call.run(line, operations))
        } catch let error as RPCError {
            return .failure(id, error)
        } catch let error as DecodingError {
            let isWhole = error.path.isEmpty || error.path.hasPrefix("params")
            return .failure(id, .invalidParameters(error.words, path: isWhole ? error.path : "params.\(error.path)"))
        } catch {
            return .failure(id, .internalError("\(error)"))
        }
    }

    private struct Head: Decodable {
        let jsonrpc: String?
        let id: RequestID?
        let method: String?
    }

    private struct ParametersOf<Parameters: Decodable>: Decodable {
        let params: Parameters

        private enum CodingKeys: CodingKey {
            case params
        }

        /// No parameters are an empty object.
        init(from decoder: any Decoder) throws {
            let object = try decoder.container(keyedBy: CodingKeys.self)
            params =
                if object.contains(.params) {
                    try object.decode(Parameters.self, forKey: .params)
                } else {
                    try JSONLine.decode(Parameters.self, from: Data("{}".utf8))
                }
        }
    }
}
