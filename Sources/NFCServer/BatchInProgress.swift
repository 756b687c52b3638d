import NFCProtocol

/// A batch whose requests have all been started.
struct BatchInProgress: Sendable {
    private let requests: [(id: RequestID?, outcome: Result<Outcome, RPCError>)]

    init(_ requests: [(id: RequestID?, outcome: Result<Outcome, RPCError>)]) {
        self.requests = requests
    }

    /// Whether there is a command in it that waits for a tag or talks to it.
    var isPending: Bool {
        requests.contains { if case .success(.pending) = $0.outcome { true } else { false } }
    }

    /// Waits for all results and answers, then does what is to be done afterwards. The order of waiting is that in which
    /// places at tags were taken: no command waits for a later one.
    func answer(_ peer: Peer) async {
        var responses: [Response] = []
        var afterwards: [@Sendable () async -> Void] = []
        for request in requests {
            let (result, next) = await end(request.outcome)
            if let id = request.id { responses.append(Response(id, result)) }
            if let next { afterwards.append(next) }
        }
        if !responses.isEmpty { peer.answer(responses) }
        for next in afterwards { await next() }
    }

    private func end(
        _ outcome: Result<Outcome, RPCError>
    ) async -> (Result<any Encodable & Sendable, RPCError>, (@Sendable () async -> Void)?) {
        switch outcome {
        case .failure(let error): return (.failure(error), nil)
        case .success(.done(let reply)): return (.success(reply.value), reply.afterwards)
        case .success(.pending(let pending)):
            switch await pending.end() {
            case .ended(let result): return (result, nil)
            case .dropped(let error): return (.failure(error), nil)
            }
        }
    }
}

extension PendingCall {
    /// How a pending command ended.
    enum End {
        case ended(Result<any Encodable & Sendable, RPCError>)
        /// `Caller.onDrop` has been told.
        case dropped(RPCError)
    }

    /// Waits for the end.
    func end() async -> End {
        do {
            return .ended(.success(try await result()))
        } catch let drop as Dropped {
            return .dropped(drop.error)
        } catch {
            return .ended(.failure(RPCError(anything: error)))
        }
    }
}

extension Response {
    init(_ id: RequestID, _ result: Result<any Encodable & Sendable, RPCError>) {
        self =
            switch result {
            case .success(let value): .success(id, value)
            case .failure(let error): .failure(id, error)
            }
    }
}

extension RPCError {
    /// An error that should be one of the wire; any other is our fault.
    init(anything error: any Error) {
        self = (error as? RPCError) ?? .internalError("\(error)")
    }
}
