import Logging
import NFCTypes
import RelayProtocol
import ServiceClient
import ServiceSupport

/// The settings of a receiver: the keys of a `[[mqtt]]`, `[[webhook]]` or `[[command]]` table that other kinds do not have.
protocol SinkSettings: Sendable {
    /// The kind, which is also the name of the table.
    static var kind: RelayStatus.Kind { get }
    /// The longest time between two attempts.
    var longestWait: Duration { get }
    /// How long it remembers what was acknowledged, because its receiver can lose that; zero: it cannot.
    var replayWindow: Duration { get }
    /// The age above which taps are left out where the consumer names none; nil: taps of every age are delivered.
    var usualMaxAge: Duration? { get }
    /// Whether one tap is delivered at a time, whatever its reader.
    var isSerial: Bool { get }
    /// Why the receiver can use no tap of a journal that stores UIDs in this form, and what to do; nil: it can.
    func objection(to form: IdentifierForm) -> String?

    /// Reads the keys of a table.
    init(
        _ table: String, of source: inout ConfigurationSource, _ secrets: SecretReader
    ) throws(ConfigurationError)

    /// The sink of a consumer with these settings.
    func makeSink(_ context: SinkContext) throws -> any Sink
}

extension SinkSettings {
    var replayWindow: Duration { .zero }
    var usualMaxAge: Duration? { nil }
    var isSerial: Bool { false }
    func objection(to form: IdentifierForm) -> String? { nil }
}

/// What a sink gets from the relay.
struct SinkContext: Sendable {
    /// The name of the consumer, which is unique.
    let consumer: String
    /// Which machine this is.
    let identity: RelayIdentity
    /// nfcd, for readers and their events.
    let daemon: DaemonLink
    let logger: Logger
    /// The state and the actions of all consumers, for remote commands.
    let operations: any RelayOperations
    /// What sinks remember across restarts.
    let memory: any SinkMemory
}

/// What sinks remember across restarts.
protocol SinkMemory: Sendable {
    /// What a consumer's sink has noted; nil: nothing.
    func note(_ key: String, of consumer: String) async throws -> String?
    /// Notes something.
    func setNote(_ value: String, for key: String, of consumer: String) async throws
}

/// The kinds of receivers. A new kind is a type of settings and an entry here.
enum SinkKinds {
    static let all: [any SinkSettings.Type] = [MQTTSettings.self, WebhookSettings.self, CommandSettings.self]
}
