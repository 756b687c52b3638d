import NFCProtocol
import NFCSessions
import NFCTags

/// What a handler gives: the result, and what is to happen once the client has it.
struct Reply<Value: Sendable>: Sendable {
    let value: Value
    let afterwards: (@Sendable () async -> Void)?

    init(_ value: Value, afterwards: (@Sendable () async -> Void)? = nil) {
        self.value = value
        self.afterwards = afterwards
    }
}

/// A command that waits for a tag, or talks to it: its place is taken, so the requests behind it go on.
struct PendingCall: Sendable {
    /// It was not carried out, and `Caller.onDrop` has been told.
    struct Dropped: Error {
        let error: RPCError
    }

    /// Returns the result, or throws `Dropped` or an `RPCError`. To be called once, in any case.
    let result: @Sendable () async throws -> any Encodable & Sendable
    /// Takes it back. False: it has started.
    let cancel: @Sendable () -> Bool
}

/// What becomes of a request at once.
enum Outcome: Sendable {
    case done(Reply<any Encodable & Sendable>)
    case pending(PendingCall)
}

/// Who asks for something.
struct Caller: Sendable {
    let peer: Peer
    /// Under which id to tell how far it has come; nil for a request of a batch, and for one that is not answered.
    let progressID: RequestID?
    /// Told at once of a command that is not carried out, so that its answer comes before what is told next.
    let onDrop: @Sendable (RPCError) -> Void
}

/// A request whose parameters are decoded and which waits to be carried out.
typealias PreparedCall = @Sendable (Caller) async throws -> Outcome

/// The methods of the socket by name, each with the decoding of its parameters.
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
    mutating func onCall<M: Method>(
        _ method: M.Type, _ handler: @escaping @Sendable (M.Parameters, Caller) async throws -> Outcome
    ) {
        let name = M.name
        let requirement = Requirement.of(name)
        preparations[name] = { [access] source in
            let parameters = try source.decode(M.Parameters.self)
            return { caller in
                try access.check(requirement, of: name, for: caller.peer.credentials.principal)
                return try await handler(parameters, caller)
            }
        }
    }

    /// Decodes the parameters of a call.
    func prepare(_ method: String, _ source: ParameterSource) throws -> PreparedCall {
        guard let preparation = preparations[method] else { throw RPCError.methodNotFound(method) }
        return try preparation(source)
    }
}

/// What a method needs of its caller's entitlements.
enum Requirement: Sendable, Hashable {
    /// Nothing: it is for everybody who can open the socket.
    case nothing
    /// The format of the session that is begun, and what it asks for. The handler sees to it: the session ends with 2.
    case format
    /// To be allowed to do this.
    case capability(Capability)

    /// The requirement of a method; nil where the tables do not know it, and then nobody may call it.
    static func of(_ method: String) -> Requirement? {
        methods[method] ?? families[String(method.prefix { $0 != "." })]
    }

    private static let methods: [String: Requirement] = [
        "server.info": .nothing,
        "readers.list": .nothing,
        "rpc.discover": .nothing,
        "$/cancelRequest": .nothing,
        "session.begin": .format,
        // Of a session or tag of one's own.
        "session.connect": .nothing,
        "session.restartPolling": .nothing,
        "session.setAlertMessage": .nothing,
        "session.invalidate": .nothing,
        "tag.cancelCommands": .nothing,
        "tag.queryNDEFStatus": .capability(.read),
        "tag.readNDEF": .capability(.read),
        "tag.describe": .capability(.read),
        "tag.dump": .capability(.read),
        "tag.writeNDEF": .capability(.write),
        "tag.format": .capability(.format),
        "tag.writeLock": .capability(.lock),
        "tag.authenticate": .capability(.raw),
        "background.subscribe": .capability(.background),
        "background.unsubscribe": .capability(.background),
        "events.subscribe": .capability(.monitor),
        "events.unsubscribe": .capability(.monitor),
        "server.metrics": .capability(.monitor),
        "sessions.list": .capability(.monitor),
        "sessions.cancel": .capability(.manage),
    ]

    /// What stands before the point, of methods that all need the same.
    private static let families: [String: Requirement] = [
        "iso7816": .capability(.raw),
        "miFare": .capability(.raw),
        "miFareClassic": .capability(.raw),
        "feliCa": .capability(.raw),
        "iso15693": .capability(.raw),
        "simulator": .capability(.simulate),
    ]
}

extension AccessPolicy {
    /// Lets a call pass, or refuses it.
    ///
    /// - Throws: ``RPCError`` 2, naming what is missing and the key that grants it.
    func check(_ requirement: Requirement?, of method: String, for principal: Principal) throws(RPCError) {
        switch requirement {
        case .nothing?, .format?: return
        case .capability(let capability)?:
            guard grants(capability, to: principal) else { throw RPCError(.notGranted(capability)) }
        case nil: throw .internalError("nothing says who may call \(method)")
        }
    }
}
