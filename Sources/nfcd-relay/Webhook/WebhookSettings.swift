import FoundationEssentials
import NFCTypes
import RelayProtocol
import ServiceSupport

/// A `[[webhook]]` of relay.toml.
struct WebhookSettings: SinkSettings {
    static let kind = RelayStatus.Kind.webhook

    /// What the receiver understands.
    enum Preset: String, CaseIterable, Sendable {
        /// CloudEvents 1.0.
        case cloudevents
        /// The tap alone.
        case json
        /// A scan; see ``SpoolmanScan``.
        case spoolman
        /// The active spool; see ``Moonraker``.
        case moonraker
        case ntfy

        /// Whether it is about the spool that a tag is on: what was tapped long ago is wrong by now.
        var isAboutSpools: Bool {
            switch self {
            case .spoolman, .moonraker: true
            case .cloudevents, .json, .ntfy: false
            }
        }
    }

    let url: String
    let preset: Preset
    /// Whether what the tag holds is sent; the other presets always send it, or never.
    let contents: Bool
    /// The keys for signatures, the newest first; none: not signed.
    let keys: [WebhookSigner.Key]
    /// Additional headers.
    let headers: [(name: String, value: String)]
    /// Certificates of private authorities; nil: those of the system.
    let authorities: String?
    let timeout: Duration
    /// How long the body of an answer is read, after the status.
    let bodyWait: Duration

    var longestWait: Duration { .seconds(900) }
    var usualMaxAge: Duration? { preset.isAboutSpools ? .seconds(10) : nil }
    var isSerial: Bool { preset.isAboutSpools }

    func objection(to form: IdentifierForm) -> String? { preset.isAboutSpools ? SpoolmanScan.objection(to: form) : nil }

    init(
        url: String, preset: Preset = .cloudevents, contents: Bool = false, keys: [WebhookSigner.Key] = [],
        headers: [(name: String, value: String)] = [], authorities: String? = nil, timeout: Duration = .seconds(20),
        bodyWait: Duration = .seconds(2)
    ) {
        self.url = url
        self.preset = preset
        self.contents = contents
        self.keys = keys
        self.headers = headers
        self.authorities = authorities
        self.timeout = timeout
        self.bodyWait = bodyWait
    }

    init(
        _ table: String, of source: inout ConfigurationSource, _ secrets: SecretReader
    ) throws(ConfigurationError) {
        preset = try source.choice("\(table).preset", Preset.self) ?? .cloudevents
        url = try Self.url(table, &source, preset)
        contents = try Self.contents("\(table).contents", &source, preset)
        keys = try Self.keys(table, &source, secrets)
        headers = try Self.headers(table, &source, secrets)
        authorities = try Self.authorities("\(table).ca-file", &source)
        timeout = try source.seconds("\(table).timeout", 1...120) ?? .seconds(preset.isAboutSpools ? 5 : 20)
        bodyWait = .seconds(2)
    }

    func makeSink(_ context: SinkContext) throws -> any Sink {
        WebhookSink(self, identity: context.identity, logger: context.logger, name: context.consumer)
    }

    // MARK: Keys

    private static func contents(
        _ key: String, _ source: inout ConfigurationSource, _ preset: Preset
    ) throws(ConfigurationError) -> Bool {
        guard try source.boolean(key) ?? false else { return false }
        guard preset.isAboutSpools else {
            throw source.wrong(key, "preset = \"\(preset.rawValue)\" has no contents to add; remove the line")
        }
        return true
    }

    private static func url(
        _ table: String, _ source: inout ConfigurationSource, _ preset: Preset
    ) throws(ConfigurationError) -> String {
        let key = "\(table).url"
        guard let text = try source.string(key) else {
            throw source.missing("url", in: table, example: "url = \"https://example.com/taps\"")
        }
        let isInsecure = try source.boolean("\(table).insecure") ?? false
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host(), !host.isEmpty
        else { throw source.wrong(key, "expected an address such as \"https://example.com/taps\"") }
        guard url.user() == nil, url.password() == nil else {
            throw source.wrong(key, "an address has no password here; write an Authorization header into headers-file")
        }
        guard scheme == "https" || isInsecure || isLoopback(host) else {
            throw source.wrong(
                key, "http:// is not encrypted, and \(host) is another machine; use https://, or set insecure = true")
        }
        return try WebhookBody.address(url, preset, for: key, source)
    }

    private static func isLoopback(_ host: String) -> Bool {
        ["localhost", "::1", "[::1]"].contains(host.lowercased())
            || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (48...57).contains($0) }
    }

    private static func keys(
        _ table: String, _ source: inout ConfigurationSource, _ secrets: SecretReader
    ) throws(ConfigurationError) -> [WebhookSigner.Key] {
        var keys =
            try secrets.secret("secret", in: table, of: &source).map { secret throws(ConfigurationError) in
                try Self.keys(in: secret, "\(table).secret-file", source)
            } ?? []
        let filesKey = "\(table).secret-files"
        let files = try source.list(filesKey, limit: 8, expected: "an absolute path") { $0.hasPrefix("/") ? $0 : nil }
        for (index, file) in (files ?? []).enumerated() {
            let key = "\(filesKey)[\(index)]"
            keys += try Self.keys(in: try secrets.read(file, for: key, source), key, source)
        }
        return keys
    }

    private static func keys(
        in secret: Secret, _ key: String, _ source: ConfigurationSource
    ) throws(ConfigurationError) -> [WebhookSigner.Key] {
        var keys: [WebhookSigner.Key] = []
        for (index, line) in secret.lines.enumerated() {
            guard let parsed = WebhookSigner.Key(line) else {
                throw source.wrong(
                    key,
                    "line \(index + 1) of the secret is not whsec_ and the base64 of 24 to 64 bytes; make one with:"
                        + " echo whsec_$(openssl rand -base64 32)")
            }
            keys.append(parsed)
        }
        return keys
    }

    /// The headers that say where a request ends.
    private static let framing: Set = [
        "connection", "content-length", "expect", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    private static func headers(
        _ table: String, _ source: inout ConfigurationSource, _ secrets: SecretReader
    ) throws(ConfigurationError) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        for (index, line) in (try secrets.secret("headers", in: table, of: &source)?.lines ?? []).enumerated() {
            guard let header = header(line.text) else {
                throw source.wrong("\(table).headers-file", "line \(index + 1) of the headers is not \"Name: value\"")
            }
            guard !framing.contains(header.name.lowercased()) else {
                throw source.wrong(
                    "\(table).headers-file", "line \(index + 1): nfcd-relay sets \(header.name) itself; remove the line"
                )
            }
            headers.append(header)
        }
        return headers
    }

    /// A name of letters, digits and dashes, and a value of printable ASCII.
    private static func header(_ line: String) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let (name, value) = (String(line[..<colon]), line[line.index(after: colon)...].drop { $0 == " " })
        guard name.isTopicLevel, !value.isEmpty, value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return nil
        }
        return (name, String(value))
    }

    private static func authorities(
        _ key: String, _ source: inout ConfigurationSource
    ) throws(ConfigurationError) -> String? {
        guard let file = try source.path(key) else { return nil }
        let text = (try? Data(contentsOf: URL(filePath: file))).map {
            String(decoding: $0.prefix(1_048_576), as: UTF8.self)
        }
        guard let text, text.contains("-----BEGIN CERTIFICATE-----") else {
            throw source.wrong(
                key, "\(file) has no certificate in PEM form; write the certificate of the authority into it")
        }
        return file
    }
}
