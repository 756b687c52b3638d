import LocalSocket

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The service manager that started nfcd, if one did: nfcd reports its state to it (sd_notify(3)).
package struct ServiceManager: Sendable {
    private static let variables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]

    private let socket: UnixDatagrams?
    /// It restarts nfcd after this time without a keep-alive (sd_watchdog_enabled(3)); nil: it has no watchdog.
    package let watchdog: Duration?

    /// Whether nfcd was started by a service manager.
    package var isPresent: Bool { socket != nil }

    /// Reads the variables for the process with this number.
    package init(_ environment: [String: String], processID: Int32) {
        socket = environment["NOTIFY_SOCKET"].flatMap { UnixDatagrams(to: $0) }
        watchdog = socket == nil ? nil : Self.watchdog(environment, processID)
    }

    /// The service manager of this process. Its variables are for this process only, and are removed.
    package static func take(_ environment: [String: String]) -> ServiceManager {
        for name in variables { unsetenv(name) }
        return ServiceManager(environment, processID: getpid())
    }

    /// nfcd is ready, for the first time or after a reload.
    package func ready() { notify("READY=1", waits: true) }

    /// nfcd reads its configuration again; `ready` ends that.
    package func reloading() {
        let (seconds, attoseconds) = SystemClock.monotonic.now.components
        notify("RELOADING=1\nMONOTONIC_USEC=\(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)", waits: true)
    }

    /// nfcd is about to end.
    package func stopping() { notify("STOPPING=1\nSTATUS=stopping") }

    /// A status line for people.
    package func status(_ text: String) { notify("STATUS=\(String(text.map { $0.isNewline ? " " : $0 }))") }

    /// A keep-alive for the watchdog.
    package func beat() { notify("WATCHDOG=1") }

    /// - Parameter waits: whether to wait for a busy service manager; not for messages that are repeated anyway.
    private func notify(_ state: String, waits: Bool = false) {
        _ = socket?.send(Array(state.utf8), waits: waits)
    }

    private static func watchdog(_ environment: [String: String], _ processID: Int32) -> Duration? {
        guard let limit = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), limit > 0 else { return nil }
        guard let meant = environment["WATCHDOG_PID"] else { return .microseconds(limit) }
        return Int32(meant) == processID ? .microseconds(limit) : nil
    }
}

/// Sends datagrams to the path of a Unix socket, whichever process listens there at the time.
package final class UnixDatagrams: Sendable {
    private let descriptor: CInt
    private let address: UnixAddress

    /// Takes a path, or an abstract name that starts with @; nil where it is invalid (unix(7)).
    package init?(to path: String) {
        guard let address = UnixAddress(pathOrName: path) else { return nil }
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        self.address = address
    }

    deinit {
        close(descriptor)
    }

    /// Sends one datagram.
    ///
    /// - Returns: false where it was not delivered; where `waits` is false, also because the receiver is busy.
    package func send(_ bytes: [UInt8], waits: Bool) -> Bool {
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        return address.withPointer { address, length in
            var sent = sendto(descriptor, bytes, bytes.count, flags, address, length)
            while sent < 0, errno == EINTR { sent = sendto(descriptor, bytes, bytes.count, flags, address, length) }
            return sent == bytes.count
        }
    }
}
