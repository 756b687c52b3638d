import NFCSessions
import NFCTypes
import ServiceSupport
import TapJournal

extension TapClock {
    /// The clocks of this machine.
    static func system(_ boot: BootID) -> TapClock {
        TapClock {
            TapTime(
                milliseconds: WallClock.milliseconds, sinceBoot: SystemClock.boottime.now, bootID: boot.text,
                clock: WallClock.isSynchronised ? .synchronised : .unsynchronised)
        }
    }
}
