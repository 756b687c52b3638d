import CTimer

/// The wall clock.
package enum WallClock {
    /// Whether a time source has set it since the machine was started (adjtimex(2)). A machine without a battery for its clock starts
    /// in the past.
    package static var isSynchronised: Bool { ctimer_is_wall_clock_synchronised() == 1 }
}
