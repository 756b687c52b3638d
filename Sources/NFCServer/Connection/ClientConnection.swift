import NFCProtocol
import NIOCore

/// A client that has connected, with what is known of it and what it says and hears.
struct ClientConnection: Sendable {
    let channel: any Channel
    let credentials: PeerCredentials
    let lines: LineInbox
    let outbox: Outbox

    /// Sets a connection up; on its event loop.
    ///
    /// - Throws: where the kernel does not say who it is, or has no descriptor left.
    init(_ channel: any Channel) throws {
        self.channel = channel
        let pipeline = channel.pipeline.syncOperations
        let own = try pipeline.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            (try PeerCredentials(socket: socket), try Outbox(channel, socket: socket))
        }
        guard let own else { throw ChannelError.operationUnsupported }
        (credentials, outbox) = own
        lines = LineInbox(channel)
        try pipeline.addHandler(ByteToMessageHandler(LineDecoder(limit: JSONLine.maximumLength)))
        try pipeline.addHandler(lines)
    }
}
