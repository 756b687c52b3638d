import Logging
import NFCTypes
import RelayProtocol
import ServiceSupport

/// The settings of relay.toml.
///
/// A new key is a property with its default, and an entry of `keys`. The keys of a receiver are in its `SinkSettings`.
struct RelayConfiguration: Sendable {
    private static let mostConsumers = 64

    var site = "default"
    /// Nil: derived from the machine id.
    var device: String?
    /// What the source of an event begins with; nil: nothing.
    var sourcePrefix: String?
    /// How many taps a consumer delivers in a second.
    var drainLimit = 50
    /// Within this time after a lost connection is back, deliveries begin.
    var reconnectJitter = Duration.seconds(5)
    var statePath: String?
    var controlSocket: String?
    var logLevel = Logger.Level.info
    var consumers: [ConsumerSettings] = []
    /// The sections and tables of the files.
    private(set) var sections: Set<String> = []

    private static var keys: [ConfigurationKey<RelayConfiguration>] {
        [
            ConfigurationKey("relay.site", \.site, .topicLevel, .onRestart),
            ConfigurationKey("relay.device", \.device, .optionalTopicLevel, .onRestart),
            ConfigurationKey("relay.source-prefix", \.sourcePrefix, .sourcePrefix, .onRestart),
            ConfigurationKey("relay.drain-limit", \.drainLimit, .integer(1...100_000), .onRestart),
            ConfigurationKey("relay.reconnect-jitter", \.reconnectJitter, .seconds(0...600), .onRestart),
            ConfigurationKey("state.path", \.statePath, .absolutePath, .onRestart),
            ConfigurationKey("control.socket", \.controlSocket, .absolutePath, .onRestart),
            ConfigurationKey("log.level", \.logLevel, .word, .onRestart),
        ]
    }

    /// Reads a file that only root and the relay's own user can change, and then those of its drop-in folder, by name: what a fleet
    /// adds to the file of the package. `/etc/nfcd/relay.toml` has `/etc/nfcd/relay.d/*.toml`.
    init(file: String, _ secrets: SecretReader) throws(ConfigurationError) {
        try read(ConfigurationFile.text(file), file, secrets)
        for dropIn in ConfigurationFile.dropIns(of: file) {
            try read(ConfigurationFile.text(dropIn), dropIn, secrets)
        }
    }

    /// Reads a file's text. An unknown key or a bad value is an error that names file, line and key.
    init(text: String, file: String, _ secrets: SecretReader) throws(ConfigurationError) {
        try read(text, file, secrets)
    }

    /// Adds what a file has: its keys take precedence over those of earlier files, its consumers are more of them.
    private mutating func read(
        _ text: String, _ file: String, _ secrets: SecretReader
    ) throws(ConfigurationError) {
        var source = try ConfigurationSource(text: text, file: file)
        sections.formUnion(source.sections)
        for key in Self.keys { try key.read(&self, &source) }
        for kind in SinkKinds.all {
            for table in try source.tables(kind.kind.rawValue) {
                let consumer = try ConsumerSettings(table, of: &source, kind, secrets)
                try check(consumer, source)
                consumers.append(consumer)
            }
        }
        try source.refuseRest(sections: Set(Self.keys.compactMap(\.section)))
    }

    private func check(_ consumer: ConsumerSettings, _ source: ConfigurationSource) throws(ConfigurationError) {
        guard !consumers.contains(where: { $0.name.lowercased() == consumer.name.lowercased() }) else {
            throw source.wrong(
                "\(consumer.table).name", "there is another consumer \"\(consumer.name)\"; use another name")
        }
        guard consumers.count < Self.mostConsumers else {
            throw source.wrong(consumer.table, "at most \(Self.mostConsumers) consumers are allowed")
        }
    }
}

/// A consumer: who gets the taps, and what happens where it does not take them.
struct ConsumerSettings: Sendable {
    /// Where a consumer begins that is new.
    enum Start: String, CaseIterable, Sendable {
        case new, oldest
    }

    /// A year, in seconds.
    private static let longestMaxAge = 31_536_000

    /// The table it was read from, for errors.
    let table: String
    let name: String
    var start = Start.new
    /// After how many attempts a tap is parked that the receiver refuses.
    var attempts = 5
    /// The readers whose taps are delivered, by id or name; nil: all.
    var readers: Set<String>?
    /// Whether taps are passed over whose tag has not proven itself.
    var requiresProof = false
    /// The age above which taps are left out; nil: taps of every age are delivered.
    var maxAge: Duration?
    let sink: any SinkSettings

    init(
        table: String = "", name: String, start: Start = .new, attempts: Int = 5, readers: Set<String>? = nil,
        requiresProof: Bool = false, maxAge: Duration? = nil, sink: any SinkSettings
    ) {
        self.table = table
        self.name = name
        self.start = start
        self.attempts = attempts
        self.readers = readers
        self.requiresProof = requiresProof
        self.maxAge = maxAge
        self.sink = sink
    }

    fileprivate init(
        _ table: String, of source: inout ConfigurationSource, _ kind: any SinkSettings.Type, _ secrets: SecretReader
    ) throws(ConfigurationError) {
        self.table = table
        guard let name = try source.string("\(table).name") else {
            throw source.missing("name", in: table, example: "name = \"kitchen\"")
        }
        guard name.isTopicLevel else { throw source.wrong("\(table).name", "expected \(String.topicLevelRule)") }
        self.name = name
        start = try source.choice("\(table).start", Start.self) ?? start
        attempts = try source.integer("\(table).attempts", 1...1_000) ?? attempts
        readers = try Self.readers("\(table).readers", &source)
        requiresProof = try source.choice("\(table).require", ProofRequirement.self) != nil
        sink = try kind.init(table, of: &source, secrets)
        maxAge = try source.seconds("\(table).max-age", 1...Self.longestMaxAge) ?? sink.usualMaxAge
    }
}

extension ConsumerSettings {
    private static let (mostReaders, longestReader) = (64, 256)

    /// A list without readers would leave out every tap, so it is refused.
    private static func readers(
        _ key: String, _ source: inout ConfigurationSource
    ) throws(ConfigurationError) -> Set<String>? {
        let expected =
            "the id or the name of a reader, as nfcctl readers shows it: no control characters, and no pattern with *; without the line, all readers are meant"
        let names = try source.list(key, limit: mostReaders, expected: expected) { name in
            let isName = (1...longestReader).contains(name.utf8.count) && !name.contains("*")
            return isName && name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) ? name : nil
        }
        guard let names else { return nil }
        guard !names.isEmpty else { throw source.wrong(key, "the list is empty; name a reader, or remove the line") }
        return Set(names)
    }
}

extension String {
    /// What `isTopicLevel` demands.
    static let topicLevelRule = "1 to 64 letters, digits, - and _"

    /// Whether it can be a level of an MQTT topic on any broker, and a name in a file.
    var isTopicLevel: Bool {
        (1...64).contains(utf8.count)
            && utf8.allSatisfy { byte in
                let scalar = Unicode.Scalar(byte)
                return scalar.properties.isAlphabetic && scalar.isASCII || (48...57).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }
}

extension ConfigurationSource {
    /// The error for a key that is missing, with what to write.
    func missing(_ key: String, in table: String, example: String) -> ConfigurationError {
        missing(key, in: table, advice: "write \(example)")
    }

    /// An absolute path.
    mutating func path(_ key: String) throws(ConfigurationError) -> String? {
        guard let path = try string(key) else { return nil }
        guard path.hasPrefix("/") else { throw wrong(key, "expected an absolute path, such as \"/etc/nfcd/secret\"") }
        return path
    }

    /// A whole number of seconds within a range.
    mutating func seconds(_ key: String, _ range: ClosedRange<Int>) throws(ConfigurationError) -> Duration? {
        try integer(key, range).map { .seconds($0) }
    }
}

extension ConfigurationValue<String> {
    fileprivate static var topicLevel: Self {
        Self(take: { source, key throws(ConfigurationError) in try topicLevelText(&source, key) })
    }
}

extension ConfigurationValue<String?> {
    fileprivate static var optionalTopicLevel: Self {
        Self(take: { source, key throws(ConfigurationError) in try topicLevelText(&source, key).map { .some($0) } })
    }

    fileprivate static var absolutePath: Self {
        Self(take: { source, key throws(ConfigurationError) in try source.path(key).map { .some($0) } })
    }

    /// An absolute URI without a slash at its end.
    fileprivate static var sourcePrefix: Self {
        Self(take: { source, key throws(ConfigurationError) in
            guard let text = try source.string(key) else { return nil }
            guard text.contains("://"), text.utf8.count <= 256, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else {
                throw source.wrong(key, "expected the beginning of a URL, such as \"https://example.com\"")
            }
            return .some(text.hasSuffix("/") ? String(text.dropLast()) : text)
        })
    }
}

private func topicLevelText(
    _ source: inout ConfigurationSource, _ key: String
) throws(ConfigurationError) -> String? {
    guard let text = try source.string(key) else { return nil }
    guard text.isTopicLevel else { throw source.wrong(key, "expected \(String.topicLevelRule)") }
    return text
}
