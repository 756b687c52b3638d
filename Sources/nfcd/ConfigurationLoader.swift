import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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
