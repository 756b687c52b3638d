import NFCReaders
import PCSC

/// Whether pcscd can be used, by the monitor's attempts to reach it. A value: no I/O, no clock.
///
/// systemd starts pcscd when a client connects, and a connection is accepted before pcscd runs: until pcscd and polkit have
/// started and the readers are initialized, the attempt blocks, or pcscd refuses it. That is not a failure yet.
struct ServiceWatch {
    /// The duration after which an attempt counts as a start of the service.
    static let patience = Duration.milliseconds(200)
    /// How long the service may take to start.
    static let startLimit = Duration.seconds(30)
    /// How long pcscd may refuse nfcd: it refuses every client until polkit has loaded its rules.
    static let refusalLimit = Duration.seconds(5)

    private var service = ReaderService.starting
    private var attempt = 0
    private var firstRefusal: Duration?

    /// An attempt begins.
    ///
    /// - Returns: its number.
    mutating func began() -> Int {
        attempt += 1
        return attempt
    }

    /// An attempt takes longer than ``patience``.
    mutating func isSlow(_ number: Int) -> [ReaderEvent] {
        guard number == attempt else { return [] }
        return change(to: .starting)
    }

    /// An attempt takes longer than ``startLimit``.
    mutating func isTooSlow(_ number: Int) -> [ReaderEvent] {
        guard number == attempt else { return [] }
        return change(
            to: .unavailable(reason: "pcscd accepts connections, but has not answered for \(Self.startLimit)"))
    }

    /// The attempt succeeded.
    mutating func succeeded() -> [ReaderEvent] {
        attempt += 1
        firstRefusal = nil
        return change(to: .available)
    }

    /// The attempt failed, or the connection was lost. A loss is reported once, not at every attempt.
    ///
    /// - Parameter time: the time since any fixed moment.
    mutating func failed(_ error: PCSCError, at time: Duration) -> [ReaderEvent] {
        attempt += 1
        if service != .available, mayBeStarting(error, at: time) { return change(to: .starting) }
        return change(to: .unavailable(reason: "\(error)"))
    }

    /// Whether an error may be the refusal of a pcscd that waits for polkit. libpcsclite may see it as a broken connection.
    private mutating func mayBeStarting(_ error: PCSCError, at time: Duration) -> Bool {
        guard error.code == .securityViolation || error.code == .communicationError else { return false }
        let first = firstRefusal ?? time
        firstRefusal = first
        return time - first < Self.refusalLimit
    }

    private mutating func change(to new: ReaderService) -> [ReaderEvent] {
        guard new != service else { return [] }
        service = new
        return switch new {
        case .starting: [.serviceStarting]
        case .available: [.serviceAvailable]
        case .unavailable(let reason): [.serviceUnavailable(reason: reason)]
        }
    }
}
