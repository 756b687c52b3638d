import Logging
import NFCSessions

extension EventLog {
    /// The log of the parts of nfcd, as lines of a logger.
    init(_ logger: Logger) {
        self.init { level, message, metadata in
            let level = Logger.Level(level)
            guard logger.logLevel <= level else { return }
            logger.log(level: level, "\(message())", metadata: metadata.mapValues { .string($0) })
        }
    }
}

extension Logger.Level {
    fileprivate init(_ level: EventLog.Level) {
        self =
            switch level {
            case .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            }
    }
}
