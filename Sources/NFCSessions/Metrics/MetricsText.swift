/// Metrics in the text format 0.0.4 of Prometheus: per metric a line of help, one of its type, and its samples.
struct MetricsText {
    private(set) var text = ""

    /// Begins a metric; its samples follow.
    mutating func begin(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// A sample.
    mutating func sample(_ name: String, _ value: String, _ labels: [(name: String, value: String)] = []) {
        let pairs = labels.map { "\($0.name)=\"\($0.value.labelEscaped)\"" }.joined(separator: ",")
        text += pairs.isEmpty ? "\(name) \(value)\n" : "\(name){\(pairs)} \(value)\n"
    }

    /// A metric of one sample.
    mutating func single(_ name: String, _ type: String, _ help: String, _ value: String) {
        begin(name, type, help)
        sample(name, value)
    }

    /// A histogram: its buckets each with those below, the sum and the count.
    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        begin(name, "histogram", help)
        var total: UInt64 = 0
        for (bound, count) in zip(histogram.bounds.map { "\($0)" } + ["+Inf"], histogram.counts) {
            total += count
            sample("\(name)_bucket", "\(total)", [("le", bound)])
        }
        sample("\(name)_sum", "\(histogram.sum)")
        sample("\(name)_count", "\(total)")
    }
}

extension String {
    /// As it stands between the quotation marks of a label.
    fileprivate var labelEscaped: String {
        replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
