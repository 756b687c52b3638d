import FoundationEssentials
import NFCProtocol
import Synchronization

/// A command that arrived over MQTT.
struct RemoteCommand: Sendable, Hashable, Decodable {
    /// What can be asked of a machine. Nothing here writes a tag, changes a configuration or runs a program.
    enum Name: String, CaseIterable, Sendable, Codable {
        /// Shows which machine or reader this is, by its light.
        case identify
        /// Lets tags that are in the field be detected again.
        case restartPolling = "restart-polling"
        /// Returns the metrics of the relay.
        case metrics
    }

    /// The longest command.
    static let longest = 4_096

    /// Chosen by the sender; the answer has it.
    let id: String
    let command: String
    /// The reader; nil: all.
    var reader: String?
    /// When the command is no longer to be executed: RFC 3339.
    let expires: String
}

/// The answer to a command.
struct RemoteReply: Sendable, Hashable, Encodable {
    let id: String
    let ok: Bool
    var error: String?
    /// What `metrics` returns.
    var text: String?
}

/// Decides which commands are executed: allowed ones, once each, before they expire, and not too many.
///
/// A value that uses no clock.
struct CommandGate: Sendable {
    private static let mostIDs = 256
    private static let longestID = 64
    /// An expiry further away is a mistake, or a clock that is wrong.
    private static let longestLife: TimeInterval = 3_600
    /// How many commands are taken in a minute.
    private static let rate = 30
    private static let ratePeriod: TimeInterval = 60

    private let allowed: Set<RemoteCommand.Name>
    private var ids: [String] = []
    private var times: [Date] = []

    init(_ allowed: Set<RemoteCommand.Name>) {
        self.allowed = allowed
    }

    /// Whether any command is allowed.
    var isOpen: Bool { !allowed.isEmpty }

    /// What came of a message on the topic of commands.
    enum Verdict: Sendable, Hashable {
        case execute(RemoteCommand.Name, RemoteCommand)
        case refuse(RemoteReply)
        /// Not answered: there are too many, or it has no id.
        case ignore(String)
    }

    /// Judges a message.
    mutating func judge(_ payload: [UInt8], isRetained: Bool, now: Date) -> Verdict {
        guard !isRetained else { return .ignore("a retained command is not executed; publish it without retain") }
        times.removeAll { now.timeIntervalSince($0) > Self.ratePeriod || $0 > now }
        guard times.count < Self.rate else { return .ignore("more than \(Self.rate) commands in a minute") }
        times.append(now)
        guard payload.count <= RemoteCommand.longest,
            let command = try? JSONDecoder().decode(RemoteCommand.self, from: Data(payload)),
            (1...Self.longestID).contains(command.id.utf8.count)
        else {
            return .ignore(
                "a command is not valid: expected {\"id\":…,\"command\":…,\"expires\":…} of at most \(RemoteCommand.longest) bytes"
            )
        }
        return judge(command, now: now)
    }

    private mutating func judge(_ command: RemoteCommand, now: Date) -> Verdict {
        func refuse(_ reason: String) -> Verdict { .refuse(RemoteReply(id: command.id, ok: false, error: reason)) }
        guard !ids.contains(command.id) else {
            return refuse("this id was used before; use a new one for each command")
        }
        guard let expires = try? Date(command.expires, strategy: .iso8601) else {
            return refuse("expires is not a time; write it as 2026-01-31T12:00:00Z")
        }
        guard expires > now else { return refuse("the command has expired") }
        guard expires.timeIntervalSince(now) <= Self.longestLife else {
            return refuse("expires is more than an hour away; set it to a few minutes from now")
        }
        guard let name = RemoteCommand.Name(rawValue: command.command), allowed.contains(name) else {
            return refuse("this command is not allowed here; add it to commands in relay.toml of the machine")
        }
        ids = ids.suffix(Self.mostIDs - 1) + [command.id]
        return .execute(name, command)
    }
}
