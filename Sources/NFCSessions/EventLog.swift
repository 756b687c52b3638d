/// Where the parts of nfcd log. It takes what swift-log takes; the package that has nfcd chooses where the lines go, and the one that
/// only tests an app needs no package for it.
package struct EventLog: Sendable {
    /// How important a line is.
    package enum Level: String, Sendable {
        case debug, info, notice, warning, error
    }

    /// What a line is about, such as the session, the client and the reader.
    package typealias Metadata = [String: String]
    /// Takes a line. The message is made only where it is called.
    package typealias Sink = @Sendable (_ level: Level, _ message: () -> String, _ metadata: Metadata) -> Void

    private let sink: Sink

    /// A log whose lines go to a function.
    package init(_ sink: @escaping Sink) {
        self.sink = sink
    }

    /// Logs nothing.
    package static let silent = EventLog { _, _, _ in }

    /// Logs what only helps to find a fault.
    package func debug(_ message: @autoclosure () -> String, metadata: Metadata = [:]) {
        sink(.debug, message, metadata)
    }

    /// Logs what usually happens.
    package func info(_ message: @autoclosure () -> String, metadata: Metadata = [:]) {
        sink(.info, message, metadata)
    }

    /// Logs what an operator may want to know.
    package func notice(_ message: @autoclosure () -> String, metadata: Metadata = [:]) {
        sink(.notice, message, metadata)
    }

    /// Logs what an operator should look at.
    package func warning(_ message: @autoclosure () -> String, metadata: Metadata = [:]) {
        sink(.warning, message, metadata)
    }

    /// Logs what has failed.
    package func error(_ message: @autoclosure () -> String, metadata: Metadata = [:]) {
        sink(.error, message, metadata)
    }
}
