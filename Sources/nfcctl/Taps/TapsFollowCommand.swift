import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes

/// `nfcctl taps follow`: prints taps as the journal stores them.
struct TapsFollowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "follow",
        abstract: "Print each tap as the journal stores it.",
        discussion: """
            Begins with the next tap, or after a sequence number. When nfcd restarts, it connects again and continues where \
            it was: no tap is lost.

            With --consumer, the journal keeps taps for this name, also while nfcctl does not run, and each is acknowledged \
            after its line was written. If nfcctl ends between the two, the tap comes again at the next start, with the same \
            id. Press Ctrl-C to stop.

            With --require proven, taps whose tag has not proven itself are passed over, and acknowledged for the consumer.

            Examples:
              nfcctl taps follow
              nfcctl taps follow --json --after 0 | jq -r .tag.identifier
              nfcctl taps follow --json --consumer till >> taps.jsonl
              nfcctl taps follow --require proven --consumer door
            """)

    @Flag(help: "Print one line of JSON per tap.")
    var json = false

    @Option(help: ArgumentHelp("Keep and acknowledge taps under this name.", valueName: "name"))
    var consumer: String?

    @Option(
        help: ArgumentHelp(
            "Begin after this sequence number (default: where the consumer was, or with new taps).",
            valueName: "sequence"))
    var after: Int64?

    @Option(help: ArgumentHelp("Stop after this many taps.", valueName: "number"))
    var count: Int?

    @OptionGroup var proof: ProofOption
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if let after, after < 0 { throw ValidationError("--after takes a sequence number of at least 0") }
        if let count, count < 1 { throw ValidationError("--count takes a number of at least 1") }
        if let consumer, !(1...128).contains(consumer.utf8.count) {
            throw ValidationError("--consumer takes a name of 1 to 128 bytes")
        }
    }

    func run() async throws {
        let interruption = await Interruption()
        let follower = TapFollower(
            path: connection.path, consumer: consumer, start: after, limit: count ?? .max, json: json,
            requirement: proof.require)
        let connection = connection
        _ = try await interruption.cancelling {
            // A daemon that is not there at first may never be; one that was there comes back.
            try await connection.withJournal { _, _ in }
            try await connection.reportingErrors { try await follower.run() }
        }
    }
}

/// Prints the taps of the journal over any number of connections.
private struct TapFollower: Sendable {
    let path: String
    let consumer: String?
    let start: Int64?
    let limit: Int
    let json: Bool
    let requirement: ProofRequirement?

    /// What was printed.
    private struct Place {
        var epoch: String?
        /// The last tap that was printed, or before the first one, where it began.
        var sequence: Int64?
        var count = 0
    }

    /// Returns when as many taps as wanted were printed.
    ///
    /// - Throws: `NFCClientError` if the daemon refuses to send taps; `ExitCode` if a line cannot be written.
    func run() async throws {
        var place = Place()
        var reconnection = Reconnection()
        while !Task.isCancelled {
            let old = place.count
            do {
                return try await NFCClient.answering(at: path) { try await follow($0, &place) }
            } catch let error as NFCClientError {
                if place.count > old { reconnection.succeeded() }
                try await reconnection.pause(after: error)
            }
        }
    }

    private func follow(_ client: NFCClient, _ place: inout Place) async throws {
        let position = try await position(client, &place)
        let taps = try await client.observeRecordedTaps(
            consumer: consumer, after: position, requiring: requirement)
        if place.epoch == nil { place = Place(epoch: taps.subscription.epoch, sequence: taps.subscription.after) }
        for try await tap in taps {
            // A tap whose acknowledgement was lost with the connection comes again.
            if tap.sequence > place.sequence ?? 0 {
                try print(tap)
                place.sequence = tap.sequence
                place.count += 1
            }
            try await taps.acknowledge(tap)
            if place.count >= limit { return }
        }
    }

    /// Where a connection begins; nil where the consumer was, or with new taps.
    private func position(_ client: NFCClient, _ place: inout Place) async throws -> TapPosition? {
        guard let epoch = place.epoch else { return start.map { .sequence($0) } }
        if try await client.call(TapsStatus.self).epoch != epoch {
            Terminal.error("nfcctl: the journal was replaced; its sequence numbers begin again")
            place = Place(count: place.count)
            return .sequence(0)
        }
        return consumer == nil ? place.sequence.map { .sequence($0) } : nil
    }

    private func print(_ tap: RecordedTap) throws {
        let output = OutputBuffer()
        if json { try output.put(json: [tap]) } else { try output.put(line: tap.summary) }
        try output.flush()
    }
}
