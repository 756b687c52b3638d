import NFCProtocol
import Synchronization

/// Where the sessions of this process find nfcd.
package enum DaemonAddress {
    /// An nfcd within this process.
    package struct StandIn: Sendable {
        /// Its socket.
        package let socket: String
        /// Whether it has a reader. It cannot be asked by somebody who blocks the threads that it needs for the answer.
        package let hasReader: Bool

        /// An nfcd on a socket.
        package init(socket: String, hasReader: Bool) {
            self.socket = socket
            self.hasReader = hasReader
        }
    }

    private static let replacement = Mutex<StandIn?>(nil)

    /// What is in place of the usual nfcd; nil for the usual one. Sessions look at it when they begin.
    package static var standIn: StandIn? {
        get { replacement.withLock { $0 } }
        set { replacement.withLock { $0 = newValue } }
    }

    /// The socket that a session would connect to now: as `NFCD_SOCKET` says, the user's own, or the system's.
    static var path: String {
        standIn?.socket
            ?? SocketPath.client(
                option: nil, environment: ProcessInfo.processInfo.environment,
                exists: { FileManager.default.fileExists(atPath: $0) })
    }

    /// Whether there is an nfcd that has a reader.
    static var readingAvailable: Bool {
        standIn?.hasReader ?? ReadingAvailability.ask(path)
    }
}
