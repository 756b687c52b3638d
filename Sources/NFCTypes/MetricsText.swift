/// Metrics in the text format 0.0.4 of Prometheus: per metric a line of help, one of its type, and its samples.
package struct MetricsText: Sendable {
    /// The text so far.
    package private(set) var text = ""

    /// No metrics.
    package init() {}

    /// Begins a metric; its samples follow.
    package mutating func begin(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// Adds a sample.
    package mutating func sample(_ name: String, _ value: String, _ labels: [(name: String, value: String)] = []) {
        let pairs = labels.map { "\($0.name)=\"\($0.value.labelEscaped)\"" }.joined(separator: ",")
        text += pairs.isEmpty ? "\(name) \(value)\n" : "\(name){\(pairs)} \(value)\n"
    }

    /// Adds a metric of one sample.
    package mutating func single(_ name: String, _ type: String, _ help: String, _ value: String) {
        begin(name, type, help)
        sample(name, value)
    }
}

extension String {
    /// The text escaped for the value of a label.
    fileprivate var labelEscaped: String {
        replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            // CR and LF are one character.
            .replacing("\r\n", with: "\\n").replacing("\n", with: "\\n")
    }
}
