import NFCSessions
import NFCTypes
import SQLiteJournal
import ServiceSupport

/// `[journal]` of the file.
struct JournalConfiguration: Sendable, Equatable {
    static let days = 1...3_650
    static let taps = 100...100_000_000
    static let bytes = 1_048_576...68_719_476_736

    var isEnabled = false
    /// Nil: that of the instance.
    var path: String?
    var mostTaps = 1_000_000
    var mostBytes = 67_108_864
    var mostDays = 30
    var whenFull = FullJournalPolicy.refuse
    var identifiers = IdentifierForm.plain
    /// Nil: beside the journal.
    var identifierKey: String?
    var includesSessions = false
    var debounce = RestTimes().general

    /// The keys of the section.
    static var keys: [ConfigurationKey<Configuration>] {
        [
            ConfigurationKey("journal.enabled", \.journal.isEnabled, .boolean, .onRestart),
            ConfigurationKey("journal.path", \.journal.path, .file, .onRestart),
            ConfigurationKey("journal.max-taps", \.journal.mostTaps, .integer(taps), .onRestart),
            ConfigurationKey("journal.max-bytes", \.journal.mostBytes, .integer(bytes), .onRestart),
            ConfigurationKey("journal.max-age", \.journal.mostDays, .integer(days), .onRestart),
            ConfigurationKey("journal.when-full", \.journal.whenFull, .word, .onRestart),
            ConfigurationKey("journal.identifiers", \.journal.identifiers, .word, .onRestart),
            ConfigurationKey("journal.identifier-key-file", \.journal.identifierKey, .keyFile, .onRestart),
            ConfigurationKey("journal.sessions", \.journal.includesSessions, .boolean, .onRestart),
            ConfigurationKey("journal.debounce", \.journal.debounce, .milliseconds, .onReload),
        ]
    }

    /// The file of the journal.
    ///
    /// - Returns: nil where the instance has no directory for it.
    func file(_ instance: Instance, _ environment: [String: String]) -> String? {
        path ?? instance.stateDirectory(environment).map { "\($0)/taps.db" }
    }

    /// The folder of the records of tags that are set up, beside the journal, also of one that is not enabled.
    ///
    /// - Returns: nil where the instance has no directory for it.
    func setUpFolder(_ instance: Instance, _ environment: [String: String]) -> String? {
        file(instance, environment).map { "\($0[..<($0.lastIndex(of: "/") ?? $0.startIndex)])/setups" }
    }

    /// Whether the file of the journal really is in the state directory of the instance, by its path without links and dots.
    func isInStateDirectory(_ instance: Instance, _ environment: [String: String]) -> Bool {
        guard let file = file(instance, environment), let folder = instance.stateDirectory(environment) else {
            return false
        }
        return SQLiteJournal.isFile(file, inside: folder)
    }

    /// The file of the key that hashes UIDs, beside a journal.
    func keyFile(besides journal: String) -> String {
        identifierKey ?? journal[..<(journal.lastIndex(of: "/") ?? journal.startIndex)] + "/identifier.key"
    }
}

extension ConfigurationValue<Bool> {
    fileprivate static var boolean: Self {
        Self { source, key throws(ConfigurationError) in try source.boolean(key) }
    }
}

extension ConfigurationValue<String?> {
    /// The absolute path of a file.
    static var file: Self {
        Self { source, key throws(ConfigurationError) in
            guard let path = try source.string(key) else { return nil }
            guard path.hasPrefix("/"), !path.hasSuffix("/") else {
                throw source.wrong(
                    key, "expected the path of a file that begins with /, such as \"/var/lib/nfcd/taps.db\"")
            }
            return .some(path)
        }
    }

    /// The absolute path of a key, which is checked where it exists.
    fileprivate static var keyFile: Self {
        Self { source, key throws(ConfigurationError) in
            guard let path = try file.take(&source, key) else { return nil }
            guard let path, let objection = IdentifierKey.objection(to: path) else { return path }
            throw source.wrong(key, "\(path) \(objection)")
        }
    }
}

extension ConfigurationValue<Duration> {
    /// A time up to a minute.
    fileprivate static var milliseconds: Self {
        Self { source, key throws(ConfigurationError) in
            try source.integer(key, RestTimes.milliseconds).map { .milliseconds($0) }
        }
    }
}

extension RestTimes {
    /// The times that may be set.
    static let milliseconds = 0...60_000
}
