import FoundationEssentials
import Logging
import NFCReaders
import NFCServer
import NFCSessions

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What nfcd.toml can say; `Config/nfcd.toml` explains each key.
struct Configuration: Sendable, Equatable {
    static let mostSimulatedReaders = 64
    /// A configuration is a page of text; more is a mistake.
    static let longestFile = 1024 * 1024

    var socket: String?
    var serverLimits = NFCServer.Limits()
    var sessionLimits = SessionLimits()
    var logLevel = Logger.Level.info
    var readers: [ReaderSetting] = []
    /// Nil: the file has none, and the default holds.
    var grants: [Grant]?
    var simulatedReaders = 0
    var simulatorModel: String?

    /// The defaults.
    init() {}

    /// Who may do what. Nothing is refused to root, nor to the user nfcd runs as.
    var accessRules: AccessRules { AccessRules(grants: grants ?? [.byDefault], superusers: [0, geteuid()]) }

    /// Reads a file.
    init(file: String) throws(ConfigurationError) {
        guard access(file, R_OK) == 0 else {
            throw ConfigurationError(file: file, "cannot be read: \(String(cString: strerror(errno)))")
        }
        guard let data = try? Data(contentsOf: URL(filePath: file)) else {
            throw ConfigurationError(file: file, "cannot be read; it has to be a file")
        }
        guard data.count <= Self.longestFile else { throw ConfigurationError(file: file, "is longer than 1 MiB") }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw ConfigurationError(file: file, "is not UTF-8")
        }
        try self.init(text: text, file: file)
    }

    /// Reads a file's text. An unknown key or a bad value is an error that names file, line and key.
    init(text: String, file: String) throws(ConfigurationError) {
        var source = try ConfigurationSource(text: text, file: file)
        if let value = try source.string("server.socket") { socket = value }
        if let value = try source.integer("server.outbound-limit", 65_536...1_073_741_824) {
            serverLimits.outboundBytes = value
        }
        if let value = try source.integer("session.timeout", 1...86_400) { sessionLimits.timeout = .seconds(value) }
        if let value = try source.integer("session.sessions-per-client", 1...1_000) {
            sessionLimits.sessionsPerClient = value
        }
        if let value = try source.choice("log.level", Logger.Level.self) { logLevel = value }
        if let value = try source.integer("simulator.readers", 0...Self.mostSimulatedReaders) {
            simulatedReaders = value
        }
        if let value = try source.choice("simulator.model", of: SimulatedDriver.modelNames) { simulatorModel = value }
        for table in try source.tables("reader") { readers.append(try ReaderSetting(table, of: &source)) }
        if source.contains("grant") { grants = [] }
        for table in try source.tables("grant") { grants?.append(try Grant(table, of: &source)) }
        try source.refuseRest(sections: ["server", "session", "log", "simulator"])
    }
}

extension ReaderSetting {
    /// A `[[reader]]` of the file.
    fileprivate init(_ table: String, of source: inout ConfigurationSource) throws(ConfigurationError) {
        let match = try source.string("\(table).match")
        let profile = try source.choice("\(table).profile", of: Self.profileNames)
        let feedback = try source.boolean("\(table).feedback")
        guard let match, let setting = ReaderSetting(match: match, profile: profile, givesFeedback: feedback) else {
            throw source.missing("match", in: table)
        }
        self = setting
    }
}

/// Reads the configuration, at start and again on SIGHUP: the file's settings, with those of the command line on top.
struct ConfigurationLoader: Sendable {
    /// The file, which has to be there.
    var file: String?
    /// The file that is read in its place if it is there; without either the defaults hold.
    var usualFile: String?
    /// `--log-level`.
    var logLevel: Logger.Level?
    /// `--simulator`.
    var simulatedReaders: Int?
    /// `--simulator-model`.
    var simulatorModel: String?

    /// The file that is to be read.
    var currentFile: String? { file ?? usualFile.flatMap { access($0, F_OK) == 0 ? $0 : nil } }

    func load() throws(ConfigurationError) -> Configuration {
        var configuration = if let file = currentFile { try Configuration(file: file) } else { Configuration() }
        configuration.logLevel = logLevel ?? configuration.logLevel
        configuration.simulatedReaders = simulatedReaders ?? configuration.simulatedReaders
        configuration.simulatorModel = simulatorModel ?? configuration.simulatorModel
        return configuration
    }
}
