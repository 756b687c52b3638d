import FoundationEssentials
public import NFCProtocol
import NIOCore
import NIOPosix

/// A connection to nfcd: requests with their answers, and what the daemon tells of its own accord.
public final class NFCClient: Sendable {
    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// What the daemon tells, in order, until the connection ends. For one reader.
    public let events: AsyncStream<ServerEvent>
    private let eventSink: AsyncStream<ServerEvent>.Continuation
    private let channel: any Channel
    private let pending = PendingRequests()

    private init(channel: any Channel) {
        self.channel = channel
        (events, eventSink) = AsyncStream.makeStream()
    }

    /// Connects to the daemon for as long as `body` runs.
    ///
    /// - Throws: `NFCClientError` if there is no connection; otherwise what `body` throws.
    public static func withConnection<Value: Sendable>(
        to path: String, _ body: @escaping @Sendable (NFCClient) async throws -> Value
    ) async throws -> Value {
        let connection = try await connect(path)
        let client = NFCClient(channel: connection.channel)
        return try await connection.executeThenClose { lines, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await client.receive(lines) }
                defer { group.cancelAll() }
                return try await body(client)
            }
        }
    }

    /// Asks the daemon to do something.
    ///
    /// - Throws: `NFCClientError`, `.refused` with the daemon's own error.
    public func call<M: Method>(_ method: M.Type, _ parameters: M.Parameters) async throws -> M.Result {
        try await call(method, parameters, onProgress: nil)
    }

    /// Asks the daemon to do something, and hears how far it has come: so many of so many steps.
    ///
    /// - Parameter onProgress: called one at a time, for the last time before this returns; it must not block.
    /// - Throws: `NFCClientError`, `.refused` with the daemon's own error.
    public func call<M: Method>(
        _ method: M.Type, _ parameters: M.Parameters,
        progress onProgress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws -> M.Result where M.Parameters: ProgressParameters {
        var parameters = parameters
        parameters.progress = true
        return try await call(method, parameters, onProgress: onProgress)
    }

    private func call<M: Method>(
        _ method: M.Type, _ parameters: M.Parameters, onProgress: PendingRequests.ProgressHandler?
    ) async throws -> M.Result {
        let id = pending.makeID()
        let request = try JSONLine.encode(
            Request(id: .integer(id), method: M.name, params: parameters))
        let answer = try await pending.answer(to: id, onProgress: onProgress) { [channel] in
            channel.writeAndFlush(ByteBuffer(bytes: request), promise: nil)
        }
        return try Self.result(of: M.self, in: answer)
    }

    /// Asks the daemon to do something that takes no parameters.
    public func call<M: Method>(_ method: M.Type) async throws -> M.Result where M.Parameters == Empty {
        try await call(method, Empty())
    }

    private static func result<M: Method>(of method: M.Type, in line: Data) throws -> M.Result {
        let answer: Answer<M.Result>
        do {
            answer = try JSONLine.decode(Answer<M.Result>.self, from: line)
        } catch {
            throw NFCClientError.protocolViolation("\(M.name): \(error)")
        }
        if let error = answer.error { throw NFCClientError.refused(error) }
        guard let result = answer.result else { throw NFCClientError.protocolViolation("\(M.name): no result") }
        return result
    }

    private func receive(_ lines: NIOAsyncChannelInboundStream<ByteBuffer>) async {
        do {
            for try await line in lines { take(Data(line.readableBytesView)) }
        } catch {
            // The connection broke; that it is over is all there is to say.
        }
        pending.end()
        eventSink.finish()
    }

    /// A line that is neither an answer nor a known event comes from a later daemon, and is passed over.
    private func take(_ line: Data) {
        guard let head = try? JSONLine.decode(IncomingHead.self, from: line) else { return }
        if head.method == RequestProgress.name {
            if let progress = try? RequestProgress(line: line) { pending.tell(progress) }
        } else if let method = head.method {
            if let event = try? ServerEvent(method: method, line: line) { eventSink.yield(event) }
        } else if let id = head.id {
            pending.resume(id, with: line)
        }
    }

    private static func connect(_ path: String) async throws -> Connection {
        do {
            return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(unixDomainSocketPath: path) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineFraming()))
                        return try Connection(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw NFCClientError(connecting: error, path: path)
        }
    }
}

/// The answer to a request.
private struct Answer<Result: Decodable>: Decodable {
    let result: Result?
    let error: RPCError?
}

/// Cuts the stream from the daemon at newlines.
struct LineFraming: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    /// Bytes already searched.
    private var searched = 0

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let newline = buffer.readableBytesView.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) else {
            searched = buffer.readableBytes
            return .needMoreData
        }
        let line = buffer.readSlice(length: newline - buffer.readerIndex)
        buffer.moveReaderIndex(forwardBy: 1)
        searched = 0
        if let line { context.fireChannelRead(wrapInboundOut(line)) }
        return .continue
    }
}
