import NIOCore
import NIOHTTP1

/// An answer that is not HTTP as the client library expects it.
struct InvalidResponse: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ what: String) {
        description = "the receiver's answer is not valid HTTP: \(what); check url, and the program that listens there"
    }
}

/// The parts of answers that may follow each other on one connection.
///
/// async-http-client traps on an order that it does not expect, so a part that breaks the order ends the connection before the
/// library sees it.
struct ResponseOrder: Sendable {
    /// What is done with a part.
    enum Verdict: Sendable, Equatable {
        case pass
        case drop
        /// The connection ends.
        case reject(InvalidResponse)
    }

    private enum State {
        /// No request was sent, or its answer is complete.
        case idle
        /// A request was sent; so many interim answers arrived.
        case waiting(interim: Int)
        case body
        case rejected
    }

    /// A receiver that sends more of them keeps the connection busy (RFC 9110, 15.2: interim answers).
    private static let mostInterim = 16

    private var state = State.idle

    /// A request is sent.
    mutating func requested() {
        if case .idle = state { state = .waiting(interim: 0) }
    }

    /// Judges the next part of an answer.
    mutating func judge(_ part: HTTPClientResponsePart) -> Verdict {
        switch (state, part) {
        case (.rejected, _): .drop
        case (.waiting(let interim), .head(let head)): judge(head.status.code, interim)
        case (.body, .body): .pass
        case (.body, .end): complete()
        case (_, .head): reject("an answer that was not asked for")
        case (_, .body), (_, .end): reject("a body without a status")
        }
    }

    /// A status has three digits, the first of which is not 0 (RFC 9110, 15).
    private mutating func judge(_ status: UInt, _ interim: Int) -> Verdict {
        switch status {
        case 101: return reject("status 101 changes the protocol, which was not asked for")
        case 100..<200:
            guard interim < Self.mostInterim else { return reject("more than \(Self.mostInterim) interim answers") }
            state = .waiting(interim: interim + 1)
            return .drop
        case 200..<1_000:
            state = .body
            return .pass
        default: return reject("status \(status)")
        }
    }

    private mutating func complete() -> Verdict {
        state = .idle
        return .pass
    }

    private mutating func reject(_ what: String) -> Verdict {
        state = .rejected
        return .reject(InvalidResponse(what))
    }
}

/// Applies a ``ResponseOrder`` between the HTTP decoder and the client library.
final class ResponseGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private var order = ResponseOrder()

    /// Puts a guard into the pipeline of a connection that the library has set up.
    @Sendable static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(ResponseGuard(), position: .after(decoder.handler))
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head = unwrapOutboundIn(data) { order.requested() }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch order.judge(unwrapInboundIn(data)) {
        case .pass: context.fireChannelRead(data)
        case .drop: break
        case .reject(let error):
            context.fireErrorCaught(error)
            context.close(promise: nil)
        }
    }
}
