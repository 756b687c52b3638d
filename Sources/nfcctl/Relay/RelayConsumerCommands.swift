import ArgumentParser
import NDEF
import NFCProtocol
import RelayProtocol

/// The argument that selects a consumer.
struct RelayConsumerOptions: ParsableArguments {
    @Argument(help: "The name of the consumer, as in relay.toml.")
    var consumer: String

    @OptionGroup var relay: RelayOptions
}

/// `nfcctl relay test`: delivers a test event.
struct RelayTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Deliver a test event to a consumer, once.",
        discussion: """
            Prints what the receiver answered, or what failed; then the exit code is 69. The event has the type \
            org.nfcd.test, and no tap of the journal.

            Examples:
              sudo nfcctl relay test home
            """)

    @Flag(help: "Print one line of JSON.")
    var json = false

    @OptionGroup var options: RelayConsumerOptions

    func run() async throws {
        let result = try await options.relay.call(RelayTest.self, .init(consumer: options.consumer))
        if json {
            Terminal.print(json: result)
        } else if result.delivered {
            Terminal.print("Delivered: \(result.detail.printable)")
        } else {
            Terminal.error(
                "nfcctl: the test event was not delivered to \(options.consumer.escaped): \(result.detail.printable)")
        }
        if !result.delivered { throw ExitCode.unavailable }
    }
}

/// `nfcctl relay pause`: stops the deliveries of a consumer.
struct RelayPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop the deliveries of a consumer.",
        discussion: """
            The journal keeps its taps until 'nfcctl relay resume'. A pause outlasts a restart of the relay.

            Examples:
              sudo nfcctl relay pause till
            """)

    @OptionGroup var options: RelayConsumerOptions

    func run() async throws {
        _ = try await options.relay.call(RelayPause.self, .init(consumer: options.consumer, paused: true))
    }
}

/// `nfcctl relay resume`: starts the deliveries of a consumer again.
struct RelayResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Start the deliveries of a paused consumer again.",
        discussion: """
            Examples:
              sudo nfcctl relay resume till
            """)

    @OptionGroup var options: RelayConsumerOptions

    func run() async throws {
        _ = try await options.relay.call(RelayPause.self, .init(consumer: options.consumer, paused: false))
    }
}

/// `nfcctl relay replay`: delivers taps again.
struct RelayReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Deliver the taps after a sequence number again.",
        discussion: """
            The taps keep their ids, so that a receiver can recognise those it has. 'nfcctl taps list' shows the sequence \
            numbers; 0 is everything that the journal has.

            Examples:
              sudo nfcctl relay replay till --after 1000
            """)

    @Option(help: ArgumentHelp("The sequence number after which to begin.", valueName: "sequence"))
    var after: Int64

    @OptionGroup var options: RelayConsumerOptions

    func validate() throws {
        if after < 0 { throw ValidationError("--after takes a sequence number of at least 0") }
    }

    func run() async throws {
        _ = try await options.relay.call(RelayReplay.self, .init(consumer: options.consumer, after: after))
    }
}
