import Logging
import NFCReaders
import NFCServer
import NFCSessions
import PCSCReaders
import ServiceSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The settings of nfcd.toml, which `Config/nfcd.toml` explains.
///
/// A new key is a property with its default, and an entry of `keys`; where it takes effect on a reload, `Daemon` applies it.
struct Configuration: Sendable, Equatable {
    static let mostSimulatedReaders = 64
    private static let memory = 2_097_152...1_073_741_824

    var socket: String?
    var serverLimits = ServerLimits()
    var sessionLimits = SessionLimits()
    var logLevel = Logger.Level.info
    var readers: [ReaderConfiguration] = []
    var journal = JournalConfiguration()
    /// The keys and profiles of tags; nil: the credential, or the file of the instance.
    var keyFile: String?
    var sockets: [SocketConfiguration] = []
    var grants = [Grant.byDefault]
    var relayUser = RelayUser()
    var fidoUser = FIDOUser()
    var simulatedReaders = 0
    var simulatorModel: String?
    /// The sections and tables of the file.
    private(set) var sections: Set<String> = []
    private var filledSections: Set<String> = []

    /// Every key of the file.
    static var keys: [ConfigurationKey<Configuration>] {
        [
            ConfigurationKey("server.socket", \.socket, .text, .onRestart),
            ConfigurationKey(
                "server.outbound-limit", \.serverLimits.outboundBytes, .integer(65_536...1_073_741_824), .onRestart),
            ConfigurationKey("server.connections", \.serverLimits.connections, .integer(8...65_536), .onRestart),
            ConfigurationKey(
                "server.connections-per-user", \.serverLimits.connectionsPerUser, .integer(1...65_536), .onRestart),
            ConfigurationKey("server.memory", \.serverLimits.bytes, .integer(memory), .onRestart),
            ConfigurationKey("server.memory-per-user", \.serverLimits.bytesPerUser, .integer(memory), .onRestart),
            ConfigurationKey("session.timeout", \.sessionLimits.timeout, .seconds(1...86_400), .onReload),
            ConfigurationKey(
                "session.sessions-per-client", \.sessionLimits.sessionsPerClient, .integer(1...1_000), .onReload),
            ConfigurationKey("log.level", \.logLevel, .word, .onReload),
            ConfigurationKey("simulator.readers", \.simulatedReaders, .integer(0...mostSimulatedReaders), .onRestart),
            ConfigurationKey(
                "simulator.model", \.simulatorModel, .choice(of: SimulatedDriver.modelNames), .onRestart),
            ConfigurationKey(
                "reader", \.readers,
                .tables { table, source throws(ConfigurationError) in try ReaderConfiguration(table, of: &source) },
                .onReload),
            ConfigurationKey(
                "socket", \.sockets,
                .tables { table, source throws(ConfigurationError) in try SocketConfiguration(table, of: &source) },
                .onReload),
            ConfigurationKey(
                "grant", \.grants,
                .tables { table, source throws(ConfigurationError) in try Grant(table, of: &source) }, .onReload),
            ConfigurationKey("keys.file", \.keyFile, .file, .onRestart),
            ConfigurationKey("relay.user", \.relayUser, .relayUser, .onReload),
            ConfigurationKey("fido.user", \.fidoUser, .fidoUser, .onReload),
        ] + JournalConfiguration.keys
    }

    /// Refuses to replace another configuration by one that sets nothing of a section any more: most likely the file was cut off, and
    /// the defaults would give every user what its grants withhold.
    func check(replacing other: Configuration, file: String) throws(ConfigurationError) {
        let lost = other.filledSections.subtracting(filledSections).sorted().map { section in
            ["grant", "reader", "socket"].contains(section) ? "[[\(section)]]" : "[\(section)]"
        }
        guard !lost.isEmpty else { return }
        throw ConfigurationError(
            file: file,
            "it no longer sets \(lost.joined(separator: ", ")); restore the file, write grant = [] to have no grant, or restart nfcd"
                + " to apply it")
    }

    /// The names of the keys that differ from another configuration and take effect at a certain time.
    func changes(from other: Configuration, _ effect: ConfigurationKey<Configuration>.Effect) -> [String] {
        Self.keys.filter { $0.effect == effect && $0.differs(self, other) }.map(\.name)
    }

    /// The defaults.
    init() {}

    /// The access rules. Root and the user that nfcd runs as may do everything, the relay's user may receive taps, and the user
    /// of nfcd-fido may use security keys.
    var accessRules: AccessRules {
        AccessRules(
            grants: grants + grantOfUsers + relayUser.grants + fidoUser.grants, superusers: [0, geteuid()],
            rootSockets: Set(sockets.filter(\.trustsRoot).map(\.name)))
    }

    /// The built-in grant, where all grants of the file are for further sockets: those replace nothing.
    private var grantOfUsers: [Grant] {
        !grants.isEmpty && grants.allSatisfy { $0.socket != nil } ? [.byDefault] : []
    }

    /// The users of the services that come with nfcd.
    var services: Set<UInt32> { Set(relayUser.userIDs + fidoUser.userIDs) }

    /// How long a tag has to be away for its return to be a new tap.
    var restTimes: RestTimes {
        var times = RestTimes(general: journal.debounce)
        for reader in readers {
            if let time = reader.debounce { times.set(time, forReadersMatching: reader.setting.match) }
        }
        return times
    }

    /// Reads a file that only root and the daemon's own user can change.
    init(file: String) throws(ConfigurationError) {
        try self.init(text: ConfigurationFile.text(file), file: file)
    }

    /// Reads a file's text. An unknown key or a bad value is an error that names file, line and key.
    init(text: String, file: String) throws(ConfigurationError) {
        var source = try ConfigurationSource(text: text, file: file)
        (sections, filledSections) = (source.sections, source.filledSections)
        for key in Self.keys { try key.read(&self, &source) }
        try source.refuseRest(sections: Set(Self.keys.compactMap(\.section)))
    }
}

/// A `[[reader]]` of the file.
struct ReaderConfiguration: Sendable, Equatable {
    let setting: ReaderSetting
    /// Nil: that of the journal.
    let debounce: Duration?

    fileprivate init(_ table: String, of source: inout ConfigurationSource) throws(ConfigurationError) {
        let match = try source.string("\(table).match")
        let profile = try source.choice("\(table).profile", of: ReaderSetting.profileNames)
        let feedback = try source.boolean("\(table).feedback")
        debounce = try source.integer("\(table).debounce", RestTimes.milliseconds).map { .milliseconds($0) }
        guard let match, let setting = ReaderSetting(match: match, profile: profile, givesFeedback: feedback) else {
            throw source.missing("match", in: table)
        }
        self.setting = setting
    }
}

/// Reads the configuration, at start and again on SIGHUP: the settings of the file, overridden by the command line.
struct ConfigurationLoader: Sendable {
    /// The file of `--config`, which must exist.
    var file: String?
    /// The file that is read without `--config`, if it exists; without either, the defaults apply.
    var usualFile: String?
    /// `--log-level`.
    var logLevel: Logger.Level?
    /// `--simulator`.
    var simulatedReaders: Int?
    /// `--simulator-model`.
    var simulatorModel: String?

    /// The file to read; nil for the defaults.
    var currentFile: String? { file ?? usualFile.flatMap { access($0, F_OK) == 0 ? $0 : nil } }

    /// What `--check` prints of a configuration without errors, with its warnings.
    func checked(_ configuration: Configuration, _ keys: TagKeys) -> String {
        let verdict =
            currentFile.map { "\($0): ok" }
            ?? (usualFile.map { "\($0) does not exist" } ?? "there is no configuration file") + ": the defaults apply"
        let warnings =
            [suspicion(of: configuration)].compactMap(\.self) + configuration.grantWarnings + keys.warnings
        return ([verdict] + [keys.summary].compactMap(\.self) + warnings.map { "warning: \($0)" }).joined(
            separator: "\n")
    }

    /// What to report at start, where the file looks as if it had been cut off.
    func suspicion(of configuration: Configuration) -> String? {
        currentFile.flatMap { file in
            ConfigurationFile.suspicion(
                of: file, sections: configuration.sections, required: "grant",
                consequence: "the built-in grant applies, so every user who can open the socket may read and write tags"
            )
        }
    }

    func load() throws(ConfigurationError) -> Configuration {
        var configuration = if let file = currentFile { try Configuration(file: file) } else { Configuration() }
        configuration.logLevel = logLevel ?? configuration.logLevel
        configuration.simulatedReaders = simulatedReaders ?? configuration.simulatedReaders
        configuration.simulatorModel = simulatorModel ?? configuration.simulatorModel
        return configuration
    }
}
