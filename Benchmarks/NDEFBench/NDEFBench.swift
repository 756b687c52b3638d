import CAllocations
import FoundationEssentials
import NDEF

/// `ndef-bench FILE …`: decodes and encodes the message in each file again and again, and prints a line of JSON for each
/// operation: nanoseconds and allocations for one message.
@main
enum NDEFBench {
    static func main() throws {
        for path in CommandLine.arguments.dropFirst() {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
            let message = try NDEFMessage(decoding: bytes)
            report(path, "decode", try Measurement { try NDEFMessage(decoding: bytes).records.count })
            report(
                path, "decode, typed",
                try Measurement {
                    try NDEFMessage(decoding: bytes).records.count { $0.saysSomething }
                })
            report(path, "encode", try Measurement { try message.encoded().count })
            let contents = message.records.compactMap { $0.decoded.content }
            report(
                path, "encode, typed",
                try Measurement { try NDEFMessage(records: contents.map { NDEFRecord($0) }).encoded().count })
        }
    }

    private static func report(_ path: String, _ operation: String, _ measurement: Measurement) {
        let file = path.split(separator: "/").last ?? ""
        print(
            #"{"file":"\#(file)","operation":"\#(operation)","nanoseconds":\#(measurement.nanoseconds),"#
                + #""allocations":\#(measurement.allocations)}"#)
    }
}

extension NDEFRecord {
    /// Decodes the payload.
    fileprivate var saysSomething: Bool {
        if case .undecoded = decoded { false } else { true }
    }
}

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
