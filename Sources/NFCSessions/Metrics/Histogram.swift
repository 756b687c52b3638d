/// Durations, counted in fixed buckets.
struct Histogram: Sendable, Hashable {
    /// The upper bounds of the buckets in seconds, ascending; above the last there is one without a bound.
    let bounds: [Double]
    /// How many fell into each bucket alone.
    private(set) var counts: [UInt64]
    /// All durations together, in seconds.
    private(set) var sum = 0.0

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// Counts a duration; one that equals a bound is below it.
    mutating func add(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        counts[bounds.firstIndex { seconds <= $0 } ?? bounds.count] += 1
        sum += seconds
    }
}
