import Logging
import Synchronization

/// The level of all loggers, which can be changed while they are in use.
final class CommonLogLevel: Sendable {
    private let value: Mutex<Logger.Level>

    init(_ level: Logger.Level) { value = Mutex(level) }

    var level: Logger.Level {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// Writes to standard error from a common level on. The level of a logger of its own can only be stricter.
struct AdjustableLogHandler: LogHandler {
    private var base: StreamLogHandler
    private let common: CommonLogLevel
    private var own = Logger.Level.trace

    init(label: String, _ common: CommonLogLevel) {
        base = .standardError(label: label)
        self.common = common
    }

    var logLevel: Logger.Level {
        get { max(common.level, own) }
        set { own = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) { base.log(event: event) }
}
