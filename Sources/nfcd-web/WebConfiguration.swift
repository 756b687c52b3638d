import Logging
import ServiceSupport

/// The settings of web.toml, which `Config/web.toml` explains.
///
/// A new key is a property with its default, and an entry of `keys`.
struct WebConfiguration: Sendable, Equatable {
    /// The extensions that may start nfcd-web besides its own, as browsers name them.
    var extensions: [String] = []
    var logLevel = Logger.Level.notice

    private static var keys: [ConfigurationKey<WebConfiguration>] {
        [
            ConfigurationKey("browser.extensions", \.extensions, .extensions, .onRestart),
            ConfigurationKey("log.level", \.logLevel, .word, .onRestart),
        ]
    }

    /// The defaults.
    init() {}

    /// Reads a file that only root and the user who runs the browser can change, and those of its drop-in folder.
    init(file: String) throws(ConfigurationError) {
        for part in [file] + ConfigurationFile.dropIns(of: file) { try read(ConfigurationFile.text(part), part) }
    }

    /// Reads a file's text. An unknown key or a bad value is an error that names file, line and key.
    init(text: String, file: String) throws(ConfigurationError) { try read(text, file) }

    private mutating func read(_ text: String, _ file: String) throws(ConfigurationError) {
        var source = try ConfigurationSource(text: text, file: file)
        for key in Self.keys { try key.read(&self, &source) }
        try source.refuseRest(sections: Set(Self.keys.compactMap(\.section)))
    }
}

extension ConfigurationValue<[String]> {
    fileprivate static var extensions: Self {
        Self(take: { source, key throws(ConfigurationError) in
            try source.list(key, expected: "chrome-extension://ID/, or the id of a Firefox extension") {
                $0.hasPrefix("chrome-extension://") ? $0.hasSuffix("/") ? $0 : nil : $0.contains("@") ? $0 : nil
            }
        })
    }
}
