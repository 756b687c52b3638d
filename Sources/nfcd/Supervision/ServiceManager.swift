#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The service manager that started nfcd, if one did: it is told how nfcd does (sd_notify(3)).
struct ServiceManager: Sendable {
    private static let variables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]

    private let socket: UnixDatagrams?
    /// It restarts nfcd after so long without a sign of life (sd_watchdog_enabled(3)); nil: it does not care.
    let watchdog: Duration?

    /// Whether anybody listens.
    var isPresent: Bool { socket != nil }

    /// What these variables tell the process of this number.
    init(_ environment: [String: String], processID: Int32) {
        socket = environment["NOTIFY_SOCKET"].flatMap { UnixDatagrams(to: $0) }
        watchdog = socket == nil ? nil : Self.watchdog(environment, processID)
    }

    /// The one this process was started by. Its variables are for this process only, and are removed.
    static func take(_ environment: [String: String]) -> ServiceManager {
        for name in variables { unsetenv(name) }
        return ServiceManager(environment, processID: getpid())
    }

    /// nfcd serves, again or for the first time.
    func ready() { tell("READY=1", waits: true) }

    /// nfcd reads its configuration again; `ready` ends that.
    func reloading() {
        let (seconds, attoseconds) = SystemClock.monotonic.now.components
        tell("RELOADING=1\nMONOTONIC_USEC=\(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)", waits: true)
    }

    /// nfcd is about to end.
    func stopping() { tell("STOPPING=1\nSTATUS=stopping") }

    /// What nfcd does, in a line for people.
    func status(_ text: String) { tell("STATUS=\(String(text.map { $0.isNewline ? " " : $0 }))") }

    /// A sign of life.
    func beat() { tell("WATCHDOG=1") }

    /// `waits`: also for a service manager that is busy. What is told again anyway holds up nobody.
    private func tell(_ state: String, waits: Bool = false) {
        _ = socket?.send(Array(state.utf8), waits: waits)
    }

    private static func watchdog(_ environment: [String: String], _ processID: Int32) -> Duration? {
        guard let limit = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), limit > 0 else { return nil }
        guard let meant = environment["WATCHDOG_PID"] else { return .microseconds(limit) }
        return Int32(meant) == processID ? .microseconds(limit) : nil
    }
}
