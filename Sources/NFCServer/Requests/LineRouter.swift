import FoundationEssentials
import NFCProtocol
import NFCSessions
import NFCTags
import TapJournal

/// Decodes a line, starts its requests in their order, and answers each of them when its result is available.
///
/// All requests but commands to tags are carried out before the next line is decoded. A command waits for its tag in its own task,
/// so that its answer may follow the answers to later requests, as JSON-RPC 2.0 allows.
struct LineRouter: Sendable {
    /// A line up to this length is decoded by the client's task.
    private static let shortLine = 4_096

    private let methods: MethodTable
    private let decoder: JSONDecoder
    private let schedule: any RequestSchedule

    init(methods: MethodTable, schedule: any RequestSchedule) {
        self.methods = methods
        self.schedule = schedule
        decoder = JSONDecoder()
        if let key = CodingUserInfoKey.methods { decoder.userInfo[key] = methods }
    }

    /// Starts the requests of a line; pending ones end in tasks of the group. An invalid line is answered with an error, an empty
    /// one is ignored.
    ///
    /// - Parameter hold: is kept until all requests of the line have been answered.
    func handle(
        _ line: Data, _ hold: any Sendable, from peer: Peer, _ group: inout DiscardingTaskGroup
    ) async {
        guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) else { return }
        await peer.requests.waitForRoom()
        switch await contents(of: line, from: peer) {
        case .failure(let error): peer.answer(Response.failure(.null, error))
        case .success(.single(let call)): await answer(call, hold, peer, &group)
        case .success(.batch(let calls)): await answer(calls, hold, peer, &group)
        case .success(.tooMany(let count)):
            let error = "a batch may have at most \(IncomingCalls.limit) requests, not \(count); send several batches"
            peer.answer(Response.failure(.null, .invalidRequest(error)))
        }
    }

    /// Decodes a line. A long one is decoded as the schedule wants it, because the client's thread may serve other clients too.
    private func contents(of line: Data, from peer: Peer) async -> Result<IncomingCalls, RPCError> {
        guard line.count > Self.shortLine else { return decoded(line) }
        do {
            return try await schedule.decode(line.count, for: peer.credentials) { decoded(line) }
        } catch {
            return .failure(.internalError("nfcd is stopping"))
        }
    }

    private func decoded(_ line: Data) -> Result<IncomingCalls, RPCError> {
        if let call = IncomingCall(flat: line, methods) { return .success(.single(call)) }
        // The decoder accepts UTF-16 as well, and validates only the text that it decodes.
        guard (try? UTF8Span(validating: line.span)) != nil else {
            return .failure(.parseError("the line is not JSON: it is not UTF-8"))
        }
        do {
            return .success(try IncomingCalls(line, decoder))
        } catch {
            return .failure(.parseError("the line is not JSON: \(Self.reason(error))"))
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        guard case .dataCorrupted(let context) = error, let underlying = context.underlyingError else {
            return error.words
        }
        return "\(underlying)"
    }

    private func answer(
        _ call: IncomingCall, _ hold: any Sendable, _ peer: Peer, _ group: inout DiscardingTaskGroup
    ) async {
        let send: @Sendable (Result<any Encodable & Sendable, RPCError>) -> Void = { result in
            if let id = call.id { peer.answer(Response(id, result)) }
        }
        let caller = Caller(peer: peer, progressID: call.id) { send(.failure($0)) }
        switch await start(call, caller) {
        case .failure(let error): send(.failure(error))
        case .success(.done(let reply)):
            send(.success(reply.value))
            await reply.afterwards?()
        case .success(.pending(let pending)):
            let request = peer.requests.add(call.id, cancel: pending.cancel)
            group.addImmediateTask {
                // A dropped command has been answered by `onDrop`.
                if case .ended(let result) = await pending.end() { send(result) }
                peer.requests.remove(request)
                withExtendedLifetime(hold) {}
            }
        }
    }

    private func answer(
        _ calls: [IncomingCall], _ hold: any Sendable, _ peer: Peer, _ group: inout DiscardingTaskGroup
    ) async {
        guard !calls.isEmpty else {
            return peer.answer(Response.failure(.null, .invalidRequest("a batch must have at least one request")))
        }
        let batch = await started(calls, peer)
        guard batch.isPending else { return await batch.answer(peer) }
        let request = peer.requests.add(nil)
        group.addImmediateTask {
            await batch.answer(peer)
            peer.requests.remove(request)
            withExtendedLifetime(hold) {}
        }
    }

    /// Starts the requests of a batch in turn with requests of other clients.
    private func started(_ calls: [IncomingCall], _ peer: Peer) async -> BatchInProgress {
        let caller = Caller(peer: peer, progressID: nil) { _ in }
        var batch = BatchInProgress(count: calls.count)
        for (index, call) in calls.enumerated() {
            if index > 0 { await schedule.turn(for: peer.credentials) }
            guard peer.isConnected else { break }
            if batch.isFull {
                batch.refuse(call.id, peer)
            } else {
                batch.add(call.id, await start(call, caller), peer)
            }
        }
        return batch
    }

    private func start(_ call: IncomingCall, _ caller: Caller) async -> Result<Outcome, RPCError> {
        do {
            return .success(try await call.call.get()(caller))
        } catch {
            return .failure(RPCError(thrown: error))
        }
    }
}

extension PendingCall {
    /// How a pending command ended.
    enum End {
        case ended(Result<any Encodable & Sendable, RPCError>)
        /// `Caller.onDrop` has been called.
        case dropped(RPCError)
    }

    /// Waits for the end.
    func end() async -> End {
        do {
            return .ended(.success(try await result()))
        } catch let drop as Dropped {
            return .dropped(drop.error)
        } catch {
            return .ended(.failure(RPCError(thrown: error)))
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
    /// The error that a client receives for what a handler throws; an unexpected error is an internal one.
    init(thrown error: any Error) {
        self =
            switch error {
            case let error as RPCError: error
            case let error as TagError: RPCError(error)
            case let error as SessionError: RPCError(error)
            case let error as BackgroundError: RPCError(error)
            case let error as TapFeedError: RPCError(error)
            case let error as JournalError: RPCError(error)
            default: .internalError("\(error)")
            }
    }
}
