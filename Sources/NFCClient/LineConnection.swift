import FoundationEssentials
import NFCProtocol
import NIOCore
import NIOPosix

/// What a connection passes on, on its event loop.
protocol LineRecipient: Sendable {
    /// Takes a line, without its newline.
    func receive(_ line: Data)
    /// Takes the end of the connection; nothing follows.
    func end(_ reason: NFCClientError)
}

/// The connection to the daemon's socket: lines in both directions.
struct LineConnection: Sendable {
    private let channel: any Channel

    /// Connects to a socket.
    ///
    /// - Throws: `NFCClientError`.
    init(path: String, recipient: some LineRecipient) async throws {
        do {
            channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers([
                            ByteToMessageHandler(LineFraming()), LineReceiver(recipient),
                        ])
                    }
                }
                .connect(unixDomainSocketPath: path).get()
        } catch {
            throw NFCClientError(connecting: error, path: path)
        }
    }

    /// Sends a line that has its newline.
    func send(_ line: Data) {
        channel.writeAndFlush(ByteBuffer(bytes: line), promise: nil)
    }

    /// Closes the connection and waits until it is closed.
    func close() async {
        try? await channel.close()
    }
}

/// Passes lines on to their recipient.
private final class LineReceiver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let recipient: any LineRecipient
    private var reason = NFCClientError.connectionLost

    init(_ recipient: any LineRecipient) {
        self.recipient = recipient
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        recipient.receive(Data(unwrapInboundIn(data).readableBytesView))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? NFCClientError { reason = error }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        recipient.end(reason)
    }
}

/// Splits the stream from the daemon at newlines.
struct LineFraming: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    /// Bytes already searched.
    private var searched = 0

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        let newline = buffer.readableBytesView.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n"))
        let length = newline.map { $0 - buffer.readerIndex } ?? buffer.readableBytes
        guard length <= JSONLine.maximumLength else {
            throw NFCClientError.protocolViolation("a line of more than \(JSONLine.maximumLength) bytes")
        }
        guard newline != nil else {
            searched = length
            return .needMoreData
        }
        let line = buffer.readSlice(length: length)
        buffer.moveReaderIndex(forwardBy: 1)
        searched = 0
        if let line { context.fireChannelRead(wrapInboundOut(line)) }
        return .continue
    }
}
