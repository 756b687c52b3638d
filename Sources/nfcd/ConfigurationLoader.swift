import Logging

/// Reads the configuration, at start and again on SIGHUP: the file's settings, with those of the command line on top.
struct ConfigurationLoader: Sendable {
    /// The file; nil: the defaults hold.
    var file: String?
    /// `--log-level`.
    var logLevel: Logger.Level?
    /// `--simulator`.
    var simulatedReaders: Int?
    /// `--simulator-model`.
    var simulatorModel: String?

    func load() throws(ConfigurationError) -> Configuration {
        var configuration = if let file { try Configuration(file: file) } else { Configuration() }
        configuration.logLevel = logLevel ?? configuration.logLevel
        configuration.simulatedReaders = simulatedReaders ?? configuration.simulatedReaders
        configuration.simulatorModel = simulatorModel ?? configuration.simulatorModel
        return configuration
    }
}
