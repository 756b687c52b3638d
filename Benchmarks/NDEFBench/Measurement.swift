import CAllocations

/// What one operation takes.
struct Measurement {
    /// Nanoseconds, the median over several batches.
    let nanoseconds: Double
    /// How often memory is asked for.
    let allocations: Double

    private static let batches = 21
    private static let batchTime = Duration.milliseconds(20)
    private static let countedRuns = 100

    /// Measures an operation; what it returns is only there so that nothing is optimised away.
    init(_ operation: () throws -> Int) rethrows {
        var sink = try operation()
        var size = 1
        while try Self.time(size, operation, &sink) < Self.batchTime { size *= 2 }
        let runs = size
        let times = try (0..<Self.batches).map { _ in try Self.time(runs, operation, &sink) }.sorted()
        nanoseconds = (times[Self.batches / 2] / Duration.nanoseconds(1)) / Double(runs)

        allocations_start()
        for _ in 0..<Self.countedRuns { sink &+= try operation() }
        allocations = Double(allocations_stop()) / Double(Self.countedRuns)
        keep(sink)
    }

    private static func time(_ runs: Int, _ operation: () throws -> Int, _ sink: inout Int) rethrows -> Duration {
        try ContinuousClock().measure {
            for _ in 0..<runs { sink &+= try operation() }
        }
    }
}

@inline(never) private func keep(_: Int) {}
