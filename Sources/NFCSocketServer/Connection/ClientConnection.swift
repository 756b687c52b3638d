import FoundationEssentials
import LocalSocket
import NFCProtocol
import NFCServer
import NFCSessions
import NIOCore

/// A new connection: the credentials of the client, its incoming lines and its outgoing lines.
struct ClientConnection: Sendable {
    let channel: any Channel
    let credentials: PeerCredentials
    let lines: LineInbox
    let outbox: Outbox
    /// Takes up a connection among the limited number, as long as it exists.
    let admission: Admission

    /// Sets up a connection. Called on its event loop.
    ///
    /// - Parameter deliveries: the turns of the lines that other clients receive too.
    init(
        _ channel: any Channel, _ credentials: PeerCredentials, _ admission: Admission, _ budgets: Budgets,
        _ deliveries: Deliveries
    ) throws {
        self.channel = channel
        self.credentials = credentials
        self.admission = admission
        let payer = Budget.Payer(account: credentials.account, isPrivileged: credentials.isPrivileged)
        let outgoing = budgets.outgoing.open(for: payer) { channel.close(promise: nil) }
        let outbox = Outbox(
            channel, account: outgoing, mark: Budgets.mark, client: credentials, deliveries: deliveries)
        self.outbox = outbox
        lines = LineInbox(
            channel, limit: JSONLine.maximumLength, account: budgets.incoming.open(for: payer),
            patience: budgets.patience, progress: { outbox.progress })
        try channel.pipeline.syncOperations.addHandler(lines)
    }
}

extension ClientConnection: ClientOutlet {
    @discardableResult
    package func send(_ line: Data) -> Int { outbox.send(line) }

    @discardableResult
    package func send(_ line: SharedLine) -> Int { outbox.send(line) }

    package var isConnected: Bool { channel.isActive }

    package func close() {
        channel.close(promise: nil)
    }

    /// Takes no further line. What waits for the client to read its answers continues.
    func stop() {
        lines.end()
        outbox.stop()
    }

    /// Closes the connection. The client has a second to read its answers.
    func closeSoon() {
        channel.eventLoop.scheduleTask(in: .seconds(1)) { self.close() }
    }

    /// Sends the last line and closes the connection. The client has a second to read it.
    func sendLast(_ answer: Data?) async {
        guard let answer else { return close() }
        send(JSONLine.line(answer))
        closeSoon()
        await outbox.flushed()
        channel.close(mode: .output, promise: nil)
        try? await channel.closeFuture.get()
    }
}

extension PeerCredentials {
    /// The credentials of a client, on its event loop.
    ///
    /// - Parameter name: the further socket that it connected to.
    /// - Throws: if the kernel does not report them.
    init(of channel: any Channel, on name: String?) throws {
        let peer = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            try PeerCredentials(socket: $0, of: name)
        }
        guard let peer else { throw ChannelError.operationUnsupported }
        self = peer
    }
}

/// Sends an error to a client that is not accepted, and closes the connection.
final class RefusedClient: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let line: ByteBuffer

    init(_ response: Response) throws {
        line = ByteBuffer(bytes: JSONLine.line(try response.json()))
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(line)).whenComplete { _ in channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}

/// Waits before it accepts connections again where the process or the system has no descriptor left.
enum AcceptPause {
    static func handler(_ logger: EventLog) -> AcceptBackoffHandler {
        AcceptBackoffHandler(shouldForwardIOErrorCaught: false) { error in
            logger.warning("cannot accept a client: \(error); trying again in 1 s (LimitNOFILE= of nfcd.service)")
            return .seconds(1)
        }
    }
}
