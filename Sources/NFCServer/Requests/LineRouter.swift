import FoundationEssentials
import NFCProtocol
import NFCSessions
import NFCTags
import NIOCore

/// Decodes a line, starts its requests in their order, and answers each of them when its result is available.
///
/// All requests but commands to tags are carried out before the next line is decoded. A command waits for its tag in a task of its
/// own, so that its answer may follow the answers to later requests, as JSON-RPC 2.0 allows.
struct LineRouter: Sendable {
    /// One request or a batch (JSON-RPC 2.0, §6).
    private enum Contents: Decodable {
        case single(IncomingCall)
        case batch([IncomingCall])

        init(from decoder: any Decoder) throws {
            if var array = try? decoder.unkeyedContainer() {
                var calls: [IncomingCall] = []
                while !array.isAtEnd { calls.append(try array.decode(IncomingCall.self)) }
                self = .batch(calls)
            } else {
                self = .single(try IncomingCall(from: decoder))
            }
        }
    }

    private let methods: MethodTable
    private let decoder: JSONDecoder

    init(methods: MethodTable) {
        self.methods = methods
        decoder = JSONDecoder()
        if let key = CodingUserInfoKey.methods { decoder.userInfo[key] = methods }
    }

    /// Starts the requests of a line; pending ones end in tasks of the group. An invalid line is answered with an error, an empty
    /// one is ignored.
    func handle(
        _ line: ByteBuffer, from peer: Peer, _ group: inout DiscardingTaskGroup
    ) async {
        guard !line.readableBytesView.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) else {
            return
        }
        await peer.requests.waitForRoom()
        switch await contents(of: line) {
        case .failure(let error): peer.answer(Response.failure(.null, error))
        case .success(.single(let call)): await answer(call, peer, &group)
        case .success(.batch(let calls)): await answer(calls, peer, &group)
        }
    }

    /// Decodes a line. A long one is decoded on another thread, because this one serves other clients too.
    private func contents(of line: ByteBuffer) async -> Result<Contents, RPCError> {
        guard line.readableBytes > 16_384 else { return decoded(line) }
        return await Task.detached { decoded(line) }.value
    }

    private func decoded(_ line: ByteBuffer) -> Result<Contents, RPCError> {
        // The decoder accepts UTF-16 as well, and validates only the text that it decodes.
        guard Self.isUTF8(line) else { return .failure(.parseError("the line is not JSON: it is not UTF-8")) }
        do {
            return .success(try decoder.decode(Contents.self, from: Data(line.readableBytesView)))
        } catch {
            return .failure(.parseError("the line is not JSON: \(Self.reason(error))"))
        }
    }

    private static func isUTF8(_ line: ByteBuffer) -> Bool {
        (try? UTF8Span(validating: line.readableBytesUInt8Span)) != nil
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        guard case .dataCorrupted(let context) = error, let underlying = context.underlyingError else {
            return error.words
        }
        return "\(underlying)"
    }

    private func answer(
        _ call: IncomingCall, _ peer: Peer, _ group: inout DiscardingTaskGroup
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
            }
        }
    }

    private func answer(
        _ batch: [IncomingCall], _ peer: Peer, _ group: inout DiscardingTaskGroup
    ) async {
        guard !batch.isEmpty else {
            return peer.answer(Response.failure(.null, .invalidRequest("a batch must have at least one request")))
        }
        let caller = Caller(peer: peer, progressID: nil) { _ in }
        var started: [(id: RequestID?, outcome: Result<Outcome, RPCError>)] = []
        for call in batch { started.append((call.id, await start(call, caller))) }
        let finished = BatchInProgress(started)
        guard finished.isPending else { return await finished.answer(peer) }
        let request = peer.requests.add(nil)
        group.addImmediateTask {
            await finished.answer(peer)
            peer.requests.remove(request)
        }
    }

    private func start(_ call: IncomingCall, _ caller: Caller) async -> Result<Outcome, RPCError> {
        do {
            return .success(try await call.call.get()(caller))
        } catch {
            return .failure(RPCError(thrown: error))
        }
    }
}

/// A batch whose requests have all been started.
struct BatchInProgress: Sendable {
    private let requests: [(id: RequestID?, outcome: Result<Outcome, RPCError>)]

    init(_ requests: [(id: RequestID?, outcome: Result<Outcome, RPCError>)]) {
        self.requests = requests
    }

    /// Whether it contains a command that waits for a tag or communicates with it.
    var isPending: Bool {
        requests.contains { if case .success(.pending) = $0.outcome { true } else { false } }
    }

    /// Waits for all results, answers, and then carries out the actions for afterwards. Results are awaited in the order in which
    /// the commands were queued, so that no command waits for a later one.
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
            default: .internalError("\(error)")
            }
    }
}

extension CodingUserInfoKey {
    /// The method table, for decoding parameters in the same pass as the request around them.
    static let methods = CodingUserInfoKey(rawValue: "nfcd.methods")
}

/// A request of a line. The error of an invalid request is part of the value, because it becomes the answer.
struct IncomingCall: Decodable {
    /// Nil: a notification, which gets no answer (JSON-RPC 2.0, §4.1).
    let id: RequestID?
    /// The call, or the error of an invalid request.
    let call: Result<PreparedCall, RPCError>

    private enum CodingKeys: String, CodingKey {
        case jsonrpc, id, method, params
    }

    init(from decoder: any Decoder) throws {
        let object: KeyedDecodingContainer<CodingKeys>
        do {
            object = try decoder.container(keyedBy: CodingKeys.self)
            id = object.contains(.id) ? try object.decode(RequestID.self, forKey: .id) : nil
        } catch let error as DecodingError {
            id = .null
            call = .failure(.invalidRequest(error.words))
            return
        }
        call = Result {
            try Self.prepare(object, decoder.userInfo)
        }.mapError { RPCError(request: $0) }
    }

    private static func prepare(
        _ object: KeyedDecodingContainer<CodingKeys>, _ userInfo: [CodingUserInfoKey: Any]
    ) throws -> PreparedCall {
        guard (try? object.decode(String.self, forKey: .jsonrpc)) == "2.0" else {
            throw RPCError.invalidRequest("jsonrpc must be \"2.0\"")
        }
        guard let method = try? object.decode(String.self, forKey: .method) else {
            throw RPCError.invalidRequest("method must be text")
        }
        guard let key = CodingUserInfoKey.methods, let methods = userInfo[key] as? MethodTable else {
            throw RPCError.internalError("the decoder has no method table")
        }
        return try methods.prepare(method, ParameterSource(object: object, .params))
    }
}

/// The `params` of the request that is being decoded.
struct ParameterSource {
    /// Nil: the request has no `params`.
    private let decoder: (any Decoder)?

    fileprivate init<Key: CodingKey>(object: KeyedDecodingContainer<Key>, _ key: Key) throws {
        decoder = object.contains(key) ? try object.superDecoder(forKey: key) : nil
    }

    /// The parameters, by name (JSON-RPC 2.0, §4.2).
    ///
    /// - Throws: `DecodingError` for a wrong or unknown parameter.
    func decode<Parameters: Decodable>(
        _ type: Parameters.Type, checking names: ParameterNames
    ) throws -> Parameters {
        guard let decoder else { return try NoParameters.decode(type) }
        try names.check(decoder)
        return try Parameters(from: decoder)
    }
}

/// Decodes parameters from an empty object, in place of a missing `params`.
private enum NoParameters {
    private struct Request<Parameters: Decodable>: Decodable {
        let params: Parameters
    }

    static func decode<Parameters: Decodable>(_ type: Parameters.Type) throws -> Parameters {
        try JSONLine.decode(Request<Parameters>.self, from: .init(#"{"params":{}}"#.utf8)).params
    }
}

extension RPCError {
    /// The error of an invalid request, with the path of the parameter at fault.
    fileprivate init(request error: any Error) {
        switch error {
        case let error as RPCError: self = error
        case let error as DecodingError: self = .invalidParameters(error.words, path: error.path)
        // The decoder's own error for a number that is too large, such as 1e999.
        default: self = .invalidParameters("invalid value: \(error)", path: "params")
        }
    }
}
