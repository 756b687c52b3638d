import ArgumentParser
import NDEF
import NFCProtocol
import RelayProtocol

/// `nfcctl relay parked`: the taps that a receiver refused permanently.
struct RelayParkedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parked",
        abstract: "List, retry or discard the taps that a receiver refused permanently.",
        discussion: """
            The relay parks a tap that its receiver keeps refusing, and continues with the next one. A parked tap stays \
            until it is retried or discarded.

            Examples:
              nfcctl relay parked
              nfcctl relay parked list --consumer till --json
              sudo nfcctl relay parked retry till --all
              sudo nfcctl relay parked discard till 0192f0c1-2b00-7000-8000-000000000001
            """,
        subcommands: [RelayParkedListCommand.self, RelayParkedRetryCommand.self, RelayParkedDiscardCommand.self],
        defaultSubcommand: RelayParkedListCommand.self)
}

/// `nfcctl relay parked list`: lists the parked taps.
struct RelayParkedListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the parked taps.",
        discussion: """
            Examples:
              nfcctl relay parked list --json | jq -r .reason
            """)

    @Option(help: ArgumentHelp("Only those of this consumer.", valueName: "name"))
    var consumer: String?

    @Flag(help: "Print one line of JSON per tap.")
    var json = false

    @OptionGroup var relay: RelayOptions

    func run() async throws {
        let taps = try await relay.call(RelayParked.self, .init(consumer: consumer))
        guard !json else { return taps.forEach { Terminal.print(json: $0) } }
        guard !taps.isEmpty else { return Terminal.error("No tap is parked.") }
        for line in TextTable(rows: taps.map(\.row)).lines(width: OutputStyle.output.width) { Terminal.print(line) }
    }
}

extension RelayParked.Tap {
    fileprivate var row: [String] {
        [
            consumer.escaped, "\(sequence)", id.escaped, reader.escaped, time.escaped, "\(attempts) attempts",
            reason.escaped,
        ]
    }
}

/// The arguments that select parked taps.
struct RelayParkedSelection: ParsableArguments {
    @OptionGroup var options: RelayConsumerOptions

    @Argument(help: "The id of the tap.")
    var id: String?

    @Flag(help: "All parked taps of the consumer.")
    var all = false

    func validate() throws {
        if all == (id != nil) { throw ValidationError("give either the id of a tap or --all") }
    }

    /// Does the same with every selected tap, and returns their number.
    ///
    /// - Throws: `ExitCode` 65 if there is no such tap, after printing that.
    func apply(_ action: RelayUnpark.Action) async throws -> Int {
        let result = try await options.relay.call(
            RelayUnpark.self, .init(consumer: options.consumer, id: id, action: action))
        guard result.changed > 0 else {
            Terminal.error(
                "nfcctl: \(options.consumer.escaped) has no such parked tap. 'nfcctl relay parked' lists those it has.")
            throw ExitCode.badData
        }
        return result.changed
    }
}

/// `nfcctl relay parked retry`: delivers parked taps again.
struct RelayParkedRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Deliver parked taps again.",
        discussion: """
            Examples:
              sudo nfcctl relay parked retry till --all
            """)

    @OptionGroup var selection: RelayParkedSelection

    func run() async throws {
        let count = try await selection.apply(.retry)
        Terminal.print("\(count) \(count == 1 ? "tap is" : "taps are") delivered again.")
    }
}

/// `nfcctl relay parked discard`: discards parked taps.
struct RelayParkedDiscardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Discard parked taps.",
        discussion: """
            The receiver never gets them.

            Examples:
              sudo nfcctl relay parked discard till --all
            """)

    @OptionGroup var selection: RelayParkedSelection

    func run() async throws {
        let count = try await selection.apply(.discard)
        Terminal.print("Discarded \(count) \(count == 1 ? "tap" : "taps").")
    }
}
