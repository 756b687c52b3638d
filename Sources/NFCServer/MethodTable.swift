import NFCProtocol

/// What a handler gives: the result, and what is to happen once the client has it.
struct Reply<Value: Sendable>: Sendable {
    let value: Value
    let afterwards: (@Sendable () async -> Void)?

    init(_ value: Value, afterwards: (@Sendable () async -> Void)? = nil) {
        self.value = value
        self.afterwards = afterwards
    }
}

/// Who asks for something.
struct Caller: Sendable {
    let peer: Peer
    /// Under which id to tell how far it has come; nil for a request of a batch, and for one that is not answered.
    let progressID: RequestID?
}

/// A request whose parameters are decoded and which waits to be carried out.
typealias PreparedCall = @Sendable (Caller) async throws -> Reply<any Encodable & Sendable>

/// The methods of the socket by name, each with the decoding of its parameters.
struct MethodTable: Sendable {
    private var preparations: [String: @Sendable (ParameterSource) throws -> PreparedCall] = [:]

    /// Adds a method.
    mutating func on<M: Method>(
        _ method: M.Type, _ handler: @escaping @Sendable (M.Parameters, Peer) async throws -> Reply<M.Result>
    ) {
        onCall(method) { parameters, caller in try await handler(parameters, caller.peer) }
    }

    /// Adds a method that may tell how far it has come.
    mutating func onCall<M: Method>(
        _ method: M.Type, _ handler: @escaping @Sendable (M.Parameters, Caller) async throws -> Reply<M.Result>
    ) {
        preparations[M.name] = { source in
            let parameters = try source.decode(M.Parameters.self)
            return { caller in
                let reply = try await handler(parameters, caller)
                return Reply(reply.value, afterwards: reply.afterwards)
            }
        }
    }

    /// Decodes the parameters of a call.
    func prepare(_ method: String, _ source: ParameterSource) throws -> PreparedCall {
        guard let preparation = preparations[method] else { throw RPCError.methodNotFound(method) }
        return try preparation(source)
    }
}
