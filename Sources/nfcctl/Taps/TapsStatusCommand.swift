import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol

/// `nfcctl taps status`: shows the state of the journal and its consumers.
struct TapsStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the state of the journal and its consumers.",
        discussion: """
            The journal keeps a tap until every consumer has acknowledged it. A consumer that is gone permanently is removed \
            with 'nfcctl taps remove-consumer'.

            Examples:
              nfcctl taps status
              nfcctl taps status --json | jq '.consumers[] | select(.backlog > 0)'
            """)

    @Flag(help: "Print one line of JSON.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let status = try await connection.withJournal { _, status in status }
        guard !json else { return Terminal.print(json: status) }
        for line in TextTable(rows: status.facts).lines(width: OutputStyle.output.width) { Terminal.print(line) }
        Terminal.print("")
        guard !status.consumers.isEmpty else { return Terminal.print("There are no consumers.") }
        let rows = status.consumers.map(\.row)
        for line in TextTable(rows: rows).lines(width: OutputStyle.output.width) { Terminal.print(line) }
    }
}

extension TapsStatus.Result {
    /// The part of the limits that is used, in percent: of the taps or of the bytes, whichever is more.
    var fillLevel: Int {
        let ofTaps = tapLimit > 0 ? Double(taps) / Double(tapLimit) : 0
        let ofBytes = byteLimit > 0 ? Double(bytes) / Double(byteLimit) : 0
        return Int((max(ofTaps, ofBytes) * 100).rounded(.down))
    }

    /// The consumer that keeps the most taps in the journal; nil if none keeps any.
    var slowest: TapsStatus.Consumer? {
        consumers.filter { $0.backlog > 0 }.min { $0.acknowledged < $1.acknowledged }
    }

    /// The state, names and values.
    fileprivate var facts: [[String]] {
        [
            ["state", reason.map { "\(state.rawValue): \($0.escaped)" } ?? state.rawValue],
            ["taps", taps == 0 ? "none" : "\(taps) of \(tapLimit), \(oldest) to \(newest)"],
            ["size", "\(ByteCount(bytes)) of \(ByteCount(byteLimit)), \(fillLevel) % full"],
            ["lost", "\(dropped) taps deleted before a consumer had them, \(movedAside) damaged journals moved aside"],
            ["journal", epoch],
        ]
    }
}

extension TapsStatus.Consumer {
    fileprivate var row: [String] {
        let rest = backlog == 0 ? "has all" : "\(backlog) to deliver, oldest \(oldest ?? "unknown")"
        let losses = lost.map { $0 > 0 ? "\($0) lost" : "" } ?? ""
        return [name.escaped, "uid \(uid)", "acknowledged \(acknowledged)", rest, losses]
    }
}

/// A number of bytes for people: `12.5 MiB`.
struct ByteCount: CustomStringConvertible {
    private let bytes: Int64

    init(_ bytes: Int64) {
        self.bytes = bytes
    }

    var description: String {
        let units: [(name: String, size: Int64)] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
        guard let unit = units.first(where: { bytes >= $0.size }) else { return "\(bytes) bytes" }
        let tenths = bytes * 10 / unit.size
        return tenths % 10 == 0 ? "\(tenths / 10) \(unit.name)" : "\(tenths / 10).\(tenths % 10) \(unit.name)"
    }
}

/// `nfcctl taps remove-consumer`: removes a consumer that is gone permanently.
struct TapsRemoveConsumerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-consumer",
        abstract: "Remove a consumer that is gone permanently.",
        discussion: """
            The journal no longer keeps taps for it. 'nfcctl taps status' lists the consumers. The consumer of another user \
            needs the capability manage. A consumer that returns begins with new taps.

            Examples:
              nfcctl taps remove-consumer relay:old-broker
            """)

    @Argument(help: "The name of the consumer.")
    var consumer: String

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        try await connection.withJournal { client, status in
            guard status.consumers.contains(where: { $0.name == consumer }) else {
                Terminal.error(
                    "nfcctl: the journal has no consumer \(consumer.escaped). 'nfcctl taps status' lists those it has.")
                throw ExitCode.badData
            }
            _ = try await client.call(TapsRemoveConsumer.self, .init(consumer: consumer))
        }
    }
}
