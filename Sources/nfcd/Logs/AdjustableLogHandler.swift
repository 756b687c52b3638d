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

/// Writes from a common level on. The level of a logger of its own can only be stricter.
struct AdjustableLogHandler: LogHandler {
    var metadata = Logger.Metadata()
    var metadataProvider: Logger.MetadataProvider?
    private let sink: any LogSink
    private let common: CommonLogLevel
    private var own = Logger.Level.trace

    init(_ sink: any LogSink, _ common: CommonLogLevel) {
        self.sink = sink
        self.common = common
    }

    var logLevel: Logger.Level {
        get { max(common.level, own) }
        set { own = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        let provided = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }
        event.metadata = provided.merging(event.metadata ?? [:]) { $1 }
        sink.write(event)
    }
}
