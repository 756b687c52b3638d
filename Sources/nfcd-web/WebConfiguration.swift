import Logging
import ServiceSupport

/// The settings of web.toml, which `Config/web.toml` explains.
///
/// A new key is a property with its default, and an entry of `keys`.
struct WebConfiguration: KeyedConfiguration, Sendable, Equatable {
    /// The extensions that may start nfcd-web besides its own, as browsers name them.
    var extensions: [String] = []
    var logLevel = Logger.Level.notice
    var sections: Set<String> = []

    static var keys: [ConfigurationKey<WebConfiguration>] {
        [
            ConfigurationKey("browser.extensions", \.extensions, .extensions, .onRestart),
            ConfigurationKey("log.level", \.logLevel, .word, .onRestart),
        ]
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
