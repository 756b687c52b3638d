import ServiceSupport
import Testing

@testable import nfcd_relay

@Suite struct MQTTSettingsTests {
    private func settings(_ lines: String) throws -> MQTTSettings {
        let text = "[[mqtt]]\nname = \"home\"\n\(lines)\n"
        let configuration = try RelayConfiguration(
            text: text, file: "relay.toml", SecretReader(credentials: nil, isCheck: true))
        return try #require(configuration.consumers.first?.sink as? MQTTSettings)
    }

    @Test func `the defaults are safe`() throws {
        let settings = try settings("host = \"broker\"")
        #expect(settings.servers == [BrokerServer(host: "broker", port: 1883)])
        #expect(settings.version == nil && settings.tls == nil && settings.commands.isEmpty)
        #expect(settings.homeAssistantPrefix == nil && settings.noSubscriber == .wait && settings.probes)
        #expect(settings.replayWindow == .seconds(120) && settings.topic == .standard)
    }

    @Test(arguments: [
        ("host = \"b\"\nport = 1", ["b:1"]), ("host = \"b\"\ntls = true", ["b:8883"]),
        ("servers = [\"a\", \"b:7\", \"[::1]\", \"[::1]:9\"]", ["a:1883", "b:7", "[::1]:1883", "[::1]:9"]),
        ("servers = [\"a\"]\nport = 5", ["a:5"]),
    ])
    func `servers are read`(lines: String, servers: [String]) throws {
        #expect(try settings(lines).servers.map(\.description) == servers)
    }

    @Test func `Home Assistant makes a tap count as delivered without other programs`() throws {
        #expect(try settings("host = \"b\"\nhome-assistant = true").homeAssistantPrefix == "homeassistant")
        #expect(try settings("host = \"b\"\nhome-assistant = true").noSubscriber == .deliver)
        #expect(try settings("host = \"b\"\nhome-assistant = true\nno-subscriber = \"wait\"").noSubscriber == .wait)
        #expect(
            try settings("host = \"b\"\nhome-assistant = true\nhome-assistant-prefix = \"ha/x\"").homeAssistantPrefix
                == "ha/x")
    }

    @Test(arguments: [
        ("", 1, "mqtt[0]: host is missing"),
        ("host = \"a b\"", 3, "mqtt[0].host: expected the name or the address of a host"),
        ("host = \"a\"\nservers = [\"b\"]", 4, "mqtt[0].servers: there is a host already; keep one of them"),
        ("servers = []", 3, "mqtt[0].servers: expected at least one"),
        ("servers = [\"a:0\"]", 3, "mqtt[0].servers[0]: expected \"host\" or \"host:port\""),
        ("host = \"a\"\nport = 0", 4, "mqtt[0].port: expected a whole number from 1 to 65535"),
        ("host = \"a\"\nprotocol = \"3.1\"", 4, "mqtt[0].protocol: expected one of \"5\", \"3.1.1\""),
        ("host = \"a\"\ntopic = \"taps/#\"", 4, "mqtt[0].topic: \"#\" is not allowed"),
        ("host = \"a\"\ntopic = \"{serial}\"", 4, "mqtt[0].topic: {serial} is not a placeholder"),
        ("host = \"a\"\nca-file = \"/ca.pem\"", 4, "mqtt[0].ca-file: needs tls = true"),
        ("host = \"a\"\ninsecure = true", 4, "mqtt[0].insecure: needs tls = true"),
        ("host = \"a\"\ntls = true\nca-file = \"ca.pem\"", 5, "mqtt[0].ca-file: expected an absolute path"),
        (
            "host = \"a\"\ntls = true\nca-file = \"/nonexistent/ca.pem\"", 5,
            "mqtt[0].ca-file: /nonexistent/ca.pem cannot be read"
        ),
        ("host = \"a\"\ntls = true\ncert-file = \"/dev/null\"", 5, "mqtt[0].cert-file: key-file is missing"),
        ("host = \"a\"\npassword-credential = \"p\"", 1, "mqtt[0]: username is missing"),
        ("host = \"a\"\nclient-id = \"a b\"", 4, "mqtt[0].client-id: expected 1 to 64 letters"),
        ("host = \"a\"\nkeep-alive = 4", 4, "mqtt[0].keep-alive: expected a whole number from 5 to 3600"),
        ("host = \"a\"\nreplay-window = -1", 4, "mqtt[0].replay-window: expected a whole number from 0 to 86400"),
        ("host = \"a\"\nno-subscriber = \"drop\"", 4, "mqtt[0].no-subscriber: expected one of \"wait\", \"deliver\""),
        ("host = \"a\"\nhome-assistant = \"yes\"", 4, "mqtt[0].home-assistant: expected true or false"),
        ("host = \"a\"\nhome-assistant-prefix = \"a/+\"", 4, "mqtt[0].home-assistant-prefix: expected a topic"),
        (
            "host = \"a\"\ncommands = [\"reboot\"]", 4,
            "mqtt[0].commands[0]: expected one of \"identify\", \"restart-polling\", \"metrics\""
        ),
        ("host = \"a\"\nqos = 2", 4, "mqtt[0].qos: unknown key"),
    ])
    func `a wrong key is named with its line and what to write`(lines: String, line: Int, words: String) {
        let error = #expect(throws: ConfigurationError.self) { try settings(lines) }
        #expect(error?.description.hasPrefix("relay.toml:\(line): \(words)") == true, "\(error?.description ?? "")")
    }
}
