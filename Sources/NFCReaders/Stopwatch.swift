/// Tells the time since it was made, by a clock of whatever kind. It has no type parameter: code that is generic over clocks
/// looks up types at every call, which takes longer than the call.
package struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// Starts.
    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        read = { start.duration(to: clock.now) }
        wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// The time since it was made.
    package var elapsed: Duration { read() }

    /// Returns when so much time has passed since it was made; throws when cancelled before.
    package func sleep(until time: Duration) async throws { try await wait(time) }
}
