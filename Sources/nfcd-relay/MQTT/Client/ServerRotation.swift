import Threading

/// Which server and version of MQTT the next attempt uses, and when it begins.
///
/// A value that uses no clock or randomness.
struct ServerRotation: Sendable {
    /// What to do after a connection has ended.
    struct Next: Sendable, Hashable {
        /// The time to wait.
        let wait: Duration
        /// Why, for people.
        let reason: String
        /// Whether a person has to change something.
        let isHeld: Bool
    }

    /// After so long, a connection counts as good: the waits begin from the shortest again.
    private static let goodConnection = Duration.seconds(60)
    /// The wait after a refused login: trying often locks accounts.
    private static let heldWait = Duration.seconds(300)

    /// After so many short connections, the cause is probably not the network.
    private static let mostShortConnections = 3

    private let servers: [BrokerServer]
    private let clientID: String
    private let forced: MQTTVersion?
    private var shortConnections = 0
    private var index = 0
    /// Servers that refused MQTT 5.
    private var older: Set<BrokerServer> = []
    /// At most 30 s: after an outage of any length, a fleet has delivered its backlog within a minute of the broker's return.
    private var backOff = BackOff(base: .seconds(1), cap: .seconds(30))
    /// Whether the last attempt failed, so that a server may not answer at all.
    private(set) var hasFailed = false

    /// - Parameters:
    ///   - servers: at least one.
    ///   - clientID: for messages.
    ///   - forced: the only version to use; nil: 5, or 3.1.1 where the broker has no more.
    init(servers: [BrokerServer], clientID: String, forced: MQTTVersion?) {
        self.servers = servers
        self.clientID = clientID
        self.forced = forced
    }

    /// The server of the next attempt.
    var server: BrokerServer { servers[index % max(1, servers.count)] }

    /// The version of the next attempt.
    var version: MQTTVersion { forced ?? (older.contains(server) ? .v311 : .v5) }

    /// Takes the end of a connection.
    ///
    /// - Parameters:
    ///   - lasted: how long the connection was ready; nil where it never was.
    ///   - random: a number from 0 to below 1.
    mutating func ended(_ end: ConnectionEnd, lasted: Duration?, random: Double) -> Next {
        let version = version
        hasFailed = true
        count(lasted)
        switch end {
        case .stopped: return Next(wait: .zero, reason: "the relay stops", isHeld: false)
        case .refused(let code, let reason): return refused(code, reason, version, random)
        case .misconfigured(let reason): return held(reason)
        case .failed(let reason), .cut(let reason):
            index += 1
            return Next(wait: backOff.next(random), reason: reason + advice, isHeld: false)
        }
    }

    private mutating func count(_ lasted: Duration?) {
        guard let lasted else { return }
        let isGood = lasted >= Self.goodConnection
        if isGood { backOff.reset() }
        shortConnections = isGood ? 0 : shortConnections + 1
    }

    /// mosquitto 2.0.11 does not say that it ends a connection because of another one with the same client id.
    private var advice: String {
        guard shortConnections >= Self.mostShortConnections else { return "" }
        return
            "; this happened \(shortConnections) times soon after connecting: another client may use the client id \(clientID)"
    }

    private mutating func refused(_ code: UInt8, _ words: String?, _ version: MQTTVersion, _ random: Double) -> Next {
        let name = words ?? ReasonCode.connectName(code, version)
        switch ReasonCode.refusal(code, version) {
        case .unsupportedVersion where version == .v5 && forced == nil:
            older.insert(server)
            return Next(wait: .zero, reason: "\(server) has no MQTT 5; using 3.1.1", isHeld: false)
        case .unsupportedVersion:
            return held("\(server) does not support MQTT \(version.rawValue): \(name); change protocol")
        case .held:
            defer { index += 1 }
            return held("\(server) refuses the connection: \(name); check username, password and client-id")
        case .retry:
            defer { index += 1 }
            return Next(
                wait: backOff.next(random), reason: "\(server) refuses the connection for now: \(name)", isHeld: false)
        }
    }

    private func held(_ reason: String) -> Next {
        Next(wait: Self.heldWait, reason: reason, isHeld: true)
    }
}
