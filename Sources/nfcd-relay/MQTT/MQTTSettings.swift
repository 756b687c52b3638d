import RelayProtocol
import ServiceSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The keys of a `[[mqtt]]` table.
struct MQTTSettings: SinkSettings {
    /// What the relay does with a tap that no program subscribes to. MQTT 3.1.1 cannot know.
    enum NoSubscriber: String, CaseIterable, Sendable {
        /// It tries again until a program does.
        case wait
        /// The tap counts as delivered.
        case deliver
    }

    static let kind = RelayStatus.Kind.mqtt
    private static let mostServers = 16
    private static let port = 1883
    private static let securePort = 8883

    var servers: [BrokerServer]
    /// The only version to use; nil: 5, or 3.1.1 where the broker has no more.
    var version: MQTTVersion?
    /// Nil: derived from the machine, the name of the consumer and its topics.
    var clientID: String?
    var username: String?
    var password: Secret?
    var tls: BrokerTLS?
    var keepAlive = 30
    var topic = TopicTemplate.standard
    var replayWindow = Duration.seconds(120)
    var noSubscriber = NoSubscriber.wait
    /// Whether MQTT 3.1.1 is only trusted once a message came back.
    var probes = true
    /// The discovery prefix of Home Assistant; nil where it is not used.
    var homeAssistantPrefix: String?
    /// The time limits and budgets of a connection, which tests shorten.
    var limits = BrokerSettings.Limits()
    /// The remote commands that are allowed.
    var commands: Set<RemoteCommand.Name> = []

    var longestWait: Duration { .seconds(60) }

    init(servers: [BrokerServer]) {
        self.servers = servers
    }

    init(
        _ table: String, of source: inout ConfigurationSource, _ secrets: SecretReader
    ) throws(ConfigurationError) {
        let tls = try Self.tls(table, &source)
        servers = try Self.servers(table, &source, port: tls == nil ? Self.port : Self.securePort)
        self.tls = tls
        version = try source.choice("\(table).protocol", MQTTVersion.self)
        clientID = try Self.clientID("\(table).client-id", &source)
        username = try source.string("\(table).username")
        password = try secrets.secret("password", in: table, of: &source)
        if password != nil, username == nil {
            throw source.missing("username", in: table, example: "username = \"kiosk\"")
        }
        keepAlive = try source.integer("\(table).keep-alive", 5...3_600) ?? keepAlive
        topic = try Self.template("\(table).topic", &source) ?? topic
        replayWindow = try source.seconds("\(table).replay-window", 0...86_400) ?? replayWindow
        probes = try source.boolean("\(table).probe") ?? probes
        homeAssistantPrefix = try Self.homeAssistant(table, &source)
        // Home Assistant subscribes to the events of readers, not to the taps.
        noSubscriber =
            try source.choice("\(table).no-subscriber", NoSubscriber.self)
            ?? (homeAssistantPrefix == nil ? .wait : .deliver)
        commands = try Self.commands("\(table).commands", &source)
    }

    // MARK: Keys

    private static func servers(
        _ table: String, _ source: inout ConfigurationSource, port: Int
    ) throws(ConfigurationError) -> [BrokerServer] {
        let (hostKey, portKey, serversKey) = ("\(table).host", "\(table).port", "\(table).servers")
        let host = try source.string(hostKey)
        let ownPort = try source.integer(portKey, 1...65_535)
        let list = try source.list(serversKey, limit: mostServers, expected: "\"host\" or \"host:port\"") {
            server($0, port: ownPort ?? port)
        }
        switch (host, list) {
        case (let host?, nil):
            guard isHost(host) else { throw source.wrong(hostKey, "expected the name or the address of a host") }
            return [BrokerServer(host: host, port: ownPort ?? port)]
        case (nil, let list?) where !list.isEmpty: return list
        case (nil, _?): throw source.wrong(serversKey, "expected at least one, such as [\"broker.example:1883\"]")
        case (nil, nil): throw source.missing("host", in: table, example: "host = \"broker.example\"")
        case (_?, _?): throw source.wrong(serversKey, "there is a host already; keep one of them")
        }
    }

    /// `host`, `host:port`, `[address]` or `[address]:port`.
    private static func server(_ text: String, port: Int) -> BrokerServer? {
        var (host, rest) = (Substring(text), Substring())
        if text.hasPrefix("["), let close = text.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<close]
            rest = text[text.index(after: close)...]
        } else if let colon = text.lastIndex(of: ":"), colon == text.firstIndex(of: ":") {
            (host, rest) = (text[..<colon], text[colon...])
        }
        guard isHost(String(host)) else { return nil }
        if rest.isEmpty { return BrokerServer(host: String(host), port: port) }
        guard rest.hasPrefix(":"), let port = Int(rest.dropFirst()), (1...65_535).contains(port) else { return nil }
        return BrokerServer(host: String(host), port: port)
    }

    private static func isHost(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                TopicLevel.isSafe($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "%")
            }
    }

    private static func tls(
        _ table: String, _ source: inout ConfigurationSource
    ) throws(ConfigurationError) -> BrokerTLS? {
        guard try source.boolean("\(table).tls") ?? false else {
            for key in ["ca-file", "cert-file", "key-file", "insecure"] where source.contains("\(table).\(key)") {
                throw source.wrong("\(table).\(key)", "needs tls = true")
            }
            return nil
        }
        var tls = BrokerTLS()
        tls.caFile = try file("\(table).ca-file", &source)
        tls.certificateFile = try file("\(table).cert-file", &source)
        tls.keyFile = try file("\(table).key-file", &source)
        tls.isInsecure = try source.boolean("\(table).insecure") ?? false
        guard (tls.certificateFile == nil) == (tls.keyFile == nil) else {
            let (there, missing) = tls.keyFile == nil ? ("cert-file", "key-file") : ("key-file", "cert-file")
            throw source.wrong("\(table).\(there)", "\(missing) is missing; a certificate and its key belong together")
        }
        return tls
    }

    private static func file(
        _ key: String, _ source: inout ConfigurationSource
    ) throws(ConfigurationError) -> String? {
        guard let path = try source.path(key) else { return nil }
        guard access(path, R_OK) == 0 else {
            throw source.wrong(key, "\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        return path
    }

    private static func clientID(
        _ key: String, _ source: inout ConfigurationSource
    ) throws(ConfigurationError) -> String? {
        guard let id = try source.string(key) else { return nil }
        guard id.isTopicLevel else { throw source.wrong(key, "expected \(String.topicLevelRule)") }
        return id
    }

    private static func template(
        _ key: String, _ source: inout ConfigurationSource
    ) throws(ConfigurationError) -> TopicTemplate? {
        guard let text = try source.string(key) else { return nil }
        do {
            return try TopicTemplate(text)
        } catch {
            throw source.wrong(key, "\(error)")
        }
    }

    private static func homeAssistant(
        _ table: String, _ source: inout ConfigurationSource
    ) throws(ConfigurationError) -> String? {
        let isOn = try source.boolean("\(table).home-assistant") ?? false
        let key = "\(table).home-assistant-prefix"
        guard let prefix = try source.string(key) else { return isOn ? "homeassistant" : nil }
        guard prefix.split(separator: "/", omittingEmptySubsequences: false).allSatisfy({ String($0).isTopicLevel })
        else {
            throw source.wrong(key, "expected a topic such as \"homeassistant\"")
        }
        return isOn ? prefix : nil
    }

    private static func commands(
        _ key: String, _ source: inout ConfigurationSource
    ) throws(ConfigurationError) -> Set<RemoteCommand.Name> {
        let expected = "one of " + ConfigurationSource.quoted(RemoteCommand.Name.allCases.map(\.rawValue))
        return Set(try source.list(key, expected: expected) { RemoteCommand.Name(rawValue: $0) } ?? [])
    }

    // MARK: Use

    func makeSink(_ context: SinkContext) throws -> any Sink {
        MQTTSink(self, context)
    }

    /// What a connection needs to know.
    func broker(_ context: SinkContext) -> BrokerSettings {
        var broker = BrokerSettings(
            clientID: clientID ?? BrokerClientID.derived(context.identity, consumer: context.consumer))
        broker.username = username
        broker.tls = tls
        broker.keepAlive = keepAlive
        broker.limits = limits
        return broker
    }
}
