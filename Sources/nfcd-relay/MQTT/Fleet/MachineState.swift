import FoundationEssentials
import NFCProtocol
import NFCTypes

/// What is known of a reader: the retained message of its topic, and its entry in the inventory of the machine.
struct ReaderReport: Sendable, Hashable, Codable {
    /// Whether the reader can be used.
    enum Condition: String, Sendable, Codable {
        case attached, failed, detached
    }

    var state: Condition
    var reader: String
    var name: String
    var profile: String
    var technologies: [String]
    var serial: String?
    /// Why it failed, or why it cannot be used now.
    var failure: String?

    /// What nfcd reports.
    init(_ reader: ReadersList.Reader) {
        state = reader.state == .failed ? .failed : .attached
        self.reader = reader.reader
        name = reader.name
        profile = reader.profile
        technologies = reader.technologies
        serial = reader.serial
        failure = reader.failure ?? reader.blocked
    }

    init(
        state: Condition, reader: String, name: String, profile: String, technologies: [String], serial: String?,
        failure: String? = nil
    ) {
        self.state = state
        self.reader = reader
        self.name = name
        self.profile = profile
        self.technologies = technologies
        self.serial = serial
        self.failure = failure
    }
}

/// What is known of a machine: one subscription to `nfcd/+/+/state` shows all machines, whether they are online, and their readers.
struct MachineState: Sendable, Hashable {
    private struct Online: Encodable {
        let state = "online"
        let instance: String
        let connection: Int
        let site: String
        let device: String
        let relay: String
        let nfcd: String?
        let readers: [ReaderReport]
    }

    private struct Offline: Encodable {
        let state = "offline"
        let instance: String
        let connection: Int
        let site: String
        let device: String
    }

    /// The most readers of the inventory.
    private static let mostReaders = 64

    /// The release of nfcd; nil if there is no connection to it.
    var daemonVersion: String?
    /// The readers, those that were unplugged since the relay was started included; nil until nfcd was asked.
    var readers: [ReaderReport]?

    /// The retained message of a machine that is online.
    func online(_ identity: RelayIdentity, _ birth: Birth) -> MQTTMessage {
        let state = Online(
            instance: birth.instance, connection: birth.connection, site: identity.site, device: identity.device,
            relay: NFCDVersion.release, nfcd: daemonVersion, readers: readers ?? [])
        return MQTTMessage(topic: MachineTopics(identity).state, payload: JSON.data(state), isRetained: true)
    }

    /// The retained message of a machine that is offline: the will, and the last message of a clean end.
    static func offline(_ identity: RelayIdentity, _ birth: Birth) -> MQTTMessage {
        let state = Offline(
            instance: birth.instance, connection: birth.connection, site: identity.site, device: identity.device)
        return MQTTMessage(topic: MachineTopics(identity).state, payload: JSON.data(state), isRetained: true)
    }

    /// The retained messages of its readers.
    func readerMessages(_ identity: RelayIdentity) -> [MQTTMessage] {
        (readers ?? []).map { reader in
            MQTTMessage(
                topic: MachineTopics(identity).state(of: reader.reader), payload: JSON.data(reader), isRetained: true)
        }
    }

    /// Takes the readers that nfcd lists; those it no longer lists are detached.
    mutating func update(_ listed: [ReadersList.Reader]) {
        let current = listed.map { ReaderReport($0) }
        let names = Set(current.map(\.reader))
        let gone = (readers ?? []).filter { !names.contains($0.reader) }.map { reader in
            var reader = reader
            (reader.state, reader.failure) = (.detached, nil)
            return reader
        }
        readers = Array((current + gone).prefix(Self.mostReaders))
    }
}

/// JSON with its members in the order of their names, so that the same state is the same message.
enum JSON {
    static func data(_ value: some Encodable) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)) ?? Data()
    }
}
