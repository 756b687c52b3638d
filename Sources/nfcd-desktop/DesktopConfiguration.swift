import Logging
import NFCProtocol
import NFCTypes
import ServiceSupport

/// The settings of desktop.toml, which `Config/desktop.toml` explains.
///
/// A new key is a property with its default, and an entry of `keys`.
struct DesktopConfiguration: KeyedConfiguration, Sendable, Equatable {
    /// What applies where nothing reports whether the session is locked.
    enum UnknownLock: String, CaseIterable, Sendable {
        case locked, unlocked
    }

    /// Whether a tap shows a notification.
    var shows = true
    /// The schemes that a click may open.
    var schemes: [String] = ["https"]
    /// The hosts whose links are opened without a click.
    var hosts: [OpenPolicy.Host] = []
    /// The ids or the names of the readers; empty: all.
    var readers: [String] = []
    var uriPrefix: String?
    var uriHost: String?
    var mediaType: String?
    var externalType: String?
    var kind: String?
    var require: String?
    var unknownLock = UnknownLock.locked
    var typing: [TypingRule] = []
    var logLevel = Logger.Level.info
    var sections: Set<String> = []

    static var keys: [ConfigurationKey<DesktopConfiguration>] {
        [
            ConfigurationKey("notifications.show", \.shows, .truth, .onRestart),
            ConfigurationKey("open.schemes", \.schemes, .schemes, .onRestart),
            ConfigurationKey("open.hosts", \.hosts, .hosts, .onRestart),
            ConfigurationKey("taps.readers", \.readers, .readers, .onRestart),
            ConfigurationKey("taps.uri-prefix", \.uriPrefix, .text, .onRestart),
            ConfigurationKey("taps.uri-host", \.uriHost, .text, .onRestart),
            ConfigurationKey("taps.media-type", \.mediaType, .text, .onRestart),
            ConfigurationKey("taps.external-type", \.externalType, .text, .onRestart),
            ConfigurationKey("taps.kind", \.kind, .text, .onRestart),
            ConfigurationKey(
                "taps.require", \.require, .choice(of: ProofRequirement.allCases.map(\.rawValue)), .onRestart),
            ConfigurationKey("session.unknown-lock", \.unknownLock, .word, .onRestart),
            ConfigurationKey("typing", \.typing, .tables(TypingRule.init), .onRestart),
            ConfigurationKey("log.level", \.logLevel, .word, .onRestart),
        ]
    }

    /// What may be opened.
    var policy: OpenPolicy { OpenPolicy(schemes: Set(schemes), hosts: hosts) }

    /// The taps that nfcd delivers; nil for all.
    var filter: BackgroundSubscribe.Filter? {
        let parts = [uriPrefix, uriHost, mediaType, externalType, kind].compactMap(\.self)
        guard !parts.isEmpty else { return nil }
        return BackgroundSubscribe.Filter(
            uriPrefix: uriPrefix, uriHost: uriHost, uriSchemes: ["*"], mimeType: mediaType, externalType: externalType,
            kind: kind)
    }

    /// What nfcd has to know of a tag before it reports it.
    var requirement: ProofRequirement? { require.flatMap { ProofRequirement(rawValue: $0) } }

    /// Whether a reader is used.
    func uses(reader id: String, name: String) -> Bool {
        readers.isEmpty || readers.contains(id) || readers.contains(name)
    }

    /// What is typed for taps on a reader; nil: nothing.
    func typingRule(reader id: String, name: String) -> TypingRule? {
        typing.first { $0.reader == id || $0.reader == name }
    }

    /// The file of the user if it exists, otherwise the system's.
    ///
    /// - Parameter exists: whether there is a file.
    static func file(_ environment: [String: String], exists: (String) -> Bool) -> String {
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? "\($0)/.config" : nil }
        let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
        return folder.map { "\($0)/nfcd/desktop.toml" }.flatMap { exists($0) ? $0 : nil } ?? "/etc/nfcd/desktop.toml"
    }
}

extension TypingRule {
    fileprivate init(_ table: String, _ source: inout ConfigurationSource) throws(ConfigurationError) {
        guard let reader = try source.string("\(table).reader") else {
            throw source.missing("reader", in: table, advice: "nfcctl readers prints the readers")
        }
        self.init(reader: reader)
        content = try source.choice("\(table).content", Content.self) ?? content
        form = try source.choice("\(table).form", TypedForm.self) ?? form
        prefix = try Self.keys("\(table).prefix", &source) ?? prefix
        suffix = try Self.keys("\(table).suffix", &source) ?? suffix
    }

    private static func keys(_ key: String, _ source: inout ConfigurationSource) throws(ConfigurationError) -> String? {
        guard let text = try source.string(key) else { return nil }
        let isTypable = text.unicodeScalars.allSatisfy { $0.isVisible || $0 == "\n" || $0 == "\t" }
        guard isTypable, text.unicodeScalars.count <= 100 else {
            throw source.wrong(key, #"expected at most 100 characters; "\n" is the Enter key, "\t" the Tab key"#)
        }
        return text
    }
}

extension ConfigurationValue<[String]> {
    fileprivate static var schemes: Self {
        Self(take: { source, key throws(ConfigurationError) in
            try source.list(
                key, limit: 64,
                expected:
                    #"a scheme in lower case such as "https" or "tel"; those that run scripts or show files, such as "#
                    + #""javascript", "data" and "file", cannot be allowed"#
            ) { OpenPolicy.canAllow($0) ? $0 : nil }
        })
    }
}

extension ConfigurationValue<[OpenPolicy.Host]> {
    fileprivate static var hosts: Self {
        Self(take: { source, key throws(ConfigurationError) in
            try source.list(key, expected: #"a host such as "example.com", or "*.example.com" for all below it"#) {
                OpenPolicy.Host($0)
            }
        })
    }
}
