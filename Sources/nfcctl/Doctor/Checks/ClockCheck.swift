import NFCProtocol

/// Whether the session limit counts the time the system is suspended.
enum ClockCheck: Check {
    static let name = "clock"

    /// What the two readings, one after the other, may differ by.
    private static let slack = 0.5

    static func findings(in scene: Scene) -> [Finding] {
        let limit = scene.daemon.state.map { "\(Int(clamping: $0.info.limits.sessionTimeout))" }
        let words = limit.map { "The session limit of \($0) s" } ?? "The session limit"
        guard let boottime = scene.host.clocks.boottime, let monotonic = scene.host.clocks.monotonic else {
            return [finding(.warning, "\(words) does not count suspended time: there is no CLOCK_BOOTTIME.", mend: [])]
        }
        guard boottime - monotonic > -slack else {
            return [
                finding(
                    .warning, "\(words) may be wrong: CLOCK_BOOTTIME is behind CLOCK_MONOTONIC.",
                    "A time namespace or a virtual machine sets them apart.", mend: [])
            ]
        }
        let suspended = Int(clamping: (boottime - monotonic).rounded())
        let history = suspended > 0 ? "this system was suspended for \(suspended) s since its start" : "never suspended"
        return [ok("\(words) counts suspended time, too (CLOCK_BOOTTIME; \(history)).")]
    }
}

extension Int {
    /// The nearest number there is; 0 for what is no number.
    fileprivate init(clamping value: Double) {
        self = value.isNaN ? 0 : Int(exactly: Swift.min(Swift.max(value, -1e15), 1e15).rounded()) ?? 0
    }
}
