import NFCProtocol
import Threading

/// When parked taps are delivered again, one after another, on request.
struct ParkedRetries: Sendable {
    private static let holdTime = Duration.seconds(300)

    private var backOff = BackOff(base: .seconds(1), cap: .seconds(60))
    private var isRunning = false

    /// Begins to run; false where it runs already.
    mutating func begin() -> Bool {
        defer { isRunning = true }
        return !isRunning
    }

    /// It no longer runs.
    mutating func end() { isRunning = false }

    /// How long to wait after a delivery; nil: no further attempt makes sense for now.
    ///
    /// - Parameter random: a number from 0 to below 1.
    mutating func wait(after delivery: Delivery, _ random: Double) -> Duration? {
        switch delivery {
        case .delivered, .refused, .unacceptable:
            backOff.reset()
            return .zero
        case .retry(_, let least): return max(backOff.next(random), least ?? .zero)
        case .held: return Self.holdTime
        case .gone: return nil
        }
    }
}

extension StateFile {
    /// Takes what came of the delivery of a parked tap: removes it, or leaves it to a person again.
    func record(_ delivery: Delivery, of parked: ParkedTap, consumer: String) throws {
        switch delivery {
        case .delivered: _ = try discard(parked.tap.id, of: consumer)
        case .refused(let reason), .unacceptable(let reason):
            let attempts = parked.summary.attempts + 1
            try park(ParkedTap(parked.tap, time: parked.summary.time, attempts: attempts, reason: reason), of: consumer)
        case .retry, .held, .gone: break
        }
    }
}
