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
