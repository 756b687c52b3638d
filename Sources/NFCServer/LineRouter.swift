import FoundationEssentials
import NFCProtocol
import NIOCore

/// Takes a line apart, has its requests carried out in their order, and answers them.
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

    private let decoder: JSONDecoder

    init(methods: MethodTable) {
        decoder = JSONDecoder()
        if let key = CodingUserInfoKey.methods { decoder.userInfo[key] = methods }
    }

    /// Answers a line. A bad line is answered with an error; an empty one is passed over.
    func handle(_ line: ByteBuffer, from peer: Peer) async {
        guard !line.readableBytesView.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) else {
            return
        }
        switch contents(of: line) {
        case .failure(let error): peer.send(Response.failure(.null, error))
        case .success(.single(let call)): await answer(call, peer)
        case .success(.batch(let calls)): await answer(calls, peer)
        }
    }

    private func contents(of line: ByteBuffer) -> Result<Contents, RPCError> {
        // The decoder would look at text that it needs alone, and take UTF-16 as well.
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

    private func answer(_ call: IncomingCall, _ peer: Peer) async {
        let (response, afterwards) = await carryOut(call, Caller(peer: peer, progressID: call.id))
        if let response { peer.answer(response) }
        await afterwards?()
    }

    private func answer(_ batch: [IncomingCall], _ peer: Peer) async {
        guard !batch.isEmpty else {
            return peer.send(Response.failure(.null, .invalidRequest("a batch has at least one request")))
        }
        var responses: [Response] = []
        var afterwards: [@Sendable () async -> Void] = []
        for call in batch {
            let (response, next) = await carryOut(call, Caller(peer: peer, progressID: nil))
            if let response { responses.append(response) }
            if let next { afterwards.append(next) }
        }
        if !responses.isEmpty { peer.answer(responses) }
        for next in afterwards { await next() }
    }

    private func carryOut(
        _ call: IncomingCall, _ caller: Caller
    ) async -> (response: Response?, afterwards: (@Sendable () async -> Void)?) {
        do {
            let reply = try await call.call.get()(caller)
            return (call.id.map { .success($0, reply.value) }, reply.afterwards)
        } catch {
            let failure = (error as? RPCError) ?? .internalError("\(error)")
            return (call.id.map { .failure($0, failure) }, nil)
        }
    }
}
