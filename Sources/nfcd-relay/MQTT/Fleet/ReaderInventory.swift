import NFCClient
import NFCProtocol
import ServiceClient
import ServiceSupport
import Synchronization

/// Follows the readers of nfcd, for the retained state.
final class ReaderInventory: Sendable {
    /// What changed.
    enum Change: Sendable, Hashable {
        /// The state of the machine or its readers.
        case state
        /// A tag came to a reader.
        case tagArrived(String)
        /// The tag of a reader left.
        case tagLeft(String)
    }

    /// Where nfcd reports no events to the relay, it is asked after this time again.
    private static let pollInterval = Duration.seconds(30)

    private let current: Mutex<MachineState>
    private let daemon: DaemonLink
    private let time: ServiceTime

    init(_ daemon: DaemonLink, _ state: MachineState, time: ServiceTime) {
        current = Mutex(state)
        self.daemon = daemon
        self.time = time
    }

    /// What is known now.
    var state: MachineState { current.withLock(\.self) }

    /// Follows nfcd until the task is cancelled.
    ///
    /// - Parameter changed: is called after each change.
    func run(_ changed: @Sendable (Change) -> Void) async {
        await daemon.forEachConnection { client in
            defer { self.update(changed) { $0.daemonVersion = nil } }
            try await self.follow(client, changed)
        }
    }

    private func follow(_ client: NFCClient, _ changed: @Sendable (Change) -> Void) async throws {
        // Subscribed first, so that no change is missed between the two.
        let events = try? await client.observeEvents()
        let version = try await client.call(ServerInfo.self).version
        try await list(client, version, changed)
        guard let events else { return try await poll(client, version, changed) }
        for try await event in events {
            switch event {
            case .readerAttached, .readerDetached, .readerFailed, .readerRecovered:
                try await list(client, version, changed)
            case .tagArrived(let event): changed(.tagArrived(event.reader))
            case .tagLeft(let event): changed(.tagLeft(event.reader))
            default: break
            }
        }
    }

    private func poll(_ client: NFCClient, _ version: String, _ changed: @Sendable (Change) -> Void) async throws {
        while true {
            try await time.sleep(Self.pollInterval)
            try await list(client, version, changed)
        }
    }

    private func list(_ client: NFCClient, _ version: String, _ changed: @Sendable (Change) -> Void) async throws {
        let readers = try await client.call(ReadersList.self)
        update(changed) { state in
            state.daemonVersion = version
            state.update(readers)
        }
    }

    private func update(_ changed: @Sendable (Change) -> Void, _ body: (inout MachineState) -> Void) {
        let isNew = current.withLock { state in
            let old = state
            body(&state)
            return state != old
        }
        if isNew { changed(.state) }
    }
}
