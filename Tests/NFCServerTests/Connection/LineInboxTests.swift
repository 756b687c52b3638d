import NFCTypes
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import NFCServer
@testable import NFCSocketServer

/// How long a client may keep lines that wait, in virtual time.
struct LineInboxTests {
    /// A connection whose client has sent more than its share, and reads answers as a test wants it.
    private final class Connection {
        let channel = EmbeddedChannel()
        let progress = Progress()

        init() throws {
            let budgets = Budgets(ServerLimits())
            let account = budgets.incoming.open(for: Budget.Payer(account: 1000, isPrivileged: false))
            let inbox = LineInbox(
                channel, limit: 1_048_576, account: account, patience: budgets.patience,
                progress: { [progress] in progress.bytes })
            try channel.pipeline.syncOperations.addHandler(inbox)
            try channel.connect(to: SocketAddress(unixDomainSocketPath: "client")).wait()
            try channel.writeInbound(ByteBuffer(string: String(repeating: "{}\n", count: 8_000)))
        }

        /// Whether the connection lasts for another 10 seconds.
        func lasts() -> Bool {
            channel.embeddedEventLoop.advanceTime(by: .seconds(10))
            return channel.isActive
        }
    }

    /// The bytes of answers that the client has read while more wait; nil where none wait.
    private final class Progress: Sendable {
        private let state = Mutex<Int?>(nil)

        var bytes: Int? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    @Test func `a client that reads its answers slowly is not disconnected`() throws {
        let client = try Connection()
        for bytes in 1...20 {
            client.progress.bytes = bytes
            #expect(client.lasts())
        }
    }

    @Test func `a client whose answers have just begun to wait is not disconnected`() throws {
        let client = try Connection()
        client.progress.bytes = 1
        #expect(client.lasts())
    }

    @Test func `a client that has read nothing for all the time is disconnected`() throws {
        let client = try Connection()
        client.progress.bytes = 1
        #expect(client.lasts() && !client.lasts())
    }

    @Test func `a client whose answers do not wait is not disconnected`() throws {
        let client = try Connection()
        #expect(client.lasts() && client.lasts())
    }
}
