import NFCProtocol
import NFCReaders
import NFCSessions
import NFCTags
import Synchronization

/// What a handler returns: the result, and an action for the time after it was sent.
struct Reply<Value: Sendable>: Sendable {
    let value: Value
    let afterwards: (@Sendable () async -> Void)?

    init(_ value: Value, afterwards: (@Sendable () async -> Void)? = nil) {
        self.value = value
        self.afterwards = afterwards
    }
}

/// A command that waits for a tag or communicates with it. Its place in the tag's queue is taken, so later requests continue.
struct PendingCall: Sendable {
    /// The command was dropped before it started; `Caller.onDrop` has been called.
    struct Dropped: Error {
        let error: RPCError
    }

    /// Returns the result, or throws `Dropped` or another error. Has to be called exactly once.
    let result: @Sendable () async throws -> any Encodable & Sendable
    /// Cancels the command. Returns false if it has started.
    let cancel: @Sendable () -> Bool
}

/// The state of a request after it was started.
enum Outcome: Sendable {
    case done(Reply<any Encodable & Sendable>)
    case pending(PendingCall)
}

/// The client that sent a request.
struct Caller: Sendable {
    let peer: Peer
    /// The id for progress reports; nil for a request of a batch, and for one that is not answered.
    let progressID: RequestID?
    /// Called at once when a command is dropped, so that its answer is sent before the notifications that follow.
    let onDrop: @Sendable (RPCError) -> Void
}

/// A request whose parameters are decoded and which waits to be started.
typealias PreparedCall = @Sendable (Caller) async throws -> Outcome

/// The handlers of the methods by name, each with the decoding of its parameters and the check of its requirement.
struct MethodTable: Sendable {
    /// Who may do what.
    let access: AccessPolicy
    private var preparations: [String: @Sendable (ParameterSource) throws -> PreparedCall] = [:]

    /// A table without methods.
    init(access: AccessPolicy = AccessPolicy()) { self.access = access }

    /// The names of the methods.
    var names: Set<String> { Set(preparations.keys) }

    /// Adds a method.
    mutating func on<M: Method>(
        _ method: M.Type, _ handler: @escaping @Sendable (M.Parameters, Peer) async throws -> Reply<M.Result>
    ) {
        onCall(method) { parameters, caller in
            let reply = try await handler(parameters, caller.peer)
            return .done(Reply(reply.value, afterwards: reply.afterwards))
        }
    }

    /// Adds a method whose result may come later.
    ///
    /// - Parameter reader: the reader that a call is about, for the log of refused calls; nil: any, or none.
    mutating func onCall<M: Method>(
        _ method: M.Type,
        on reader: @escaping @Sendable (M.Parameters, Peer) async -> ReaderDescription? = { _, _ in nil },
        _ handler: @escaping @Sendable (M.Parameters, Caller) async throws -> Outcome
    ) {
        let names = KnownNames(of: method)
        preparations[M.name] = { [access] source in
            let parameters = try source.decode(M.Parameters.self, checking: try names.get())
            return { caller in
                let principal = caller.peer.credentials.principal
                let outcome = await Result { () async throws -> Outcome in
                    if access.objection(to: M.requirement, for: principal) != nil {
                        let reader = await reader(parameters, caller.peer)
                        if let error = access.objection(to: M.requirement, for: principal, on: reader) { throw error }
                    }
                    return try await handler(parameters, caller)
                }
                return try outcome.refused(M.name, caller.peer)
            }
        }
    }

    /// Decodes the parameters of a call in its usual form; nil for one that has to be decoded by `JSONDecoder`, or is invalid.
    func prepare(_ request: FlatRequest) -> PreparedCall? {
        guard let preparation = preparations[request.method] else { return nil }
        return try? preparation(.flat(request.parameters))
    }

    /// Decodes the parameters of a call.
    func prepare(_ method: String, _ source: ParameterSource) throws -> PreparedCall {
        guard let preparation = preparations[method] else {
            throw RPCError.methodNotFound(method, nearest: method.nearest(among: preparations.keys.sorted()))
        }
        return try preparation(source)
    }
}

/// The names that the parameters of a method can have, derived from its schema at the first call.
private final class KnownNames<M: Method>: Sendable {
    private let names = Mutex<ParameterNames?>(nil)

    init(of method: M.Type) {}

    func get() throws -> ParameterNames {
        try names.withLock { names in
            if let names { return names }
            let derived = try ParameterNames(of: M.Parameters.self)
            names = derived
            return derived
        }
    }
}

extension Result<Outcome, any Error> {
    /// Catches what is thrown.
    fileprivate init(_ body: () async throws -> Outcome) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }

    /// The outcome, now or later; what is refused is logged and explained on the way.
    fileprivate func refused(_ method: String, _ peer: Peer) throws -> Outcome {
        switch self {
        case .failure(let error): throw peer.refused(error, of: method)
        case .success(.done(let reply)): return .done(reply)
        case .success(.pending(let pending)):
            return .pending(
                PendingCall(
                    result: {
                        do { return try await pending.result() } catch { throw peer.refused(error, of: method) }
                    }, cancel: pending.cancel))
        }
    }
}

extension AccessPolicy {
    /// Why no sentence of the caller's grants allows something: error 2, with what is missing; nil where one does.
    ///
    /// - Parameter reader: the reader it is about; nil: any reader, or none.
    func objection(
        to requirement: Requirement, for principal: Principal, on reader: ReaderDescription? = nil
    ) -> TagError? {
        // What a session needs is checked by the handler: one that is not granted is opened, and ends with 2.
        guard case .capabilities(let capabilities) = requirement else { return nil }
        return permissions(of: principal).objection(to: capabilities, on: reader)
    }
}
