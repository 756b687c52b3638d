/// A strict reader of Prometheus' text format 0.0.4, as far as nfcd writes it: HELP and TYPE once and before the samples
/// of a metric, samples of one metric together, each series once, buckets cumulative.
struct PrometheusText {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    struct Sample {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    struct Metric {
        let name: String
        let help: String
        var type = ""
        var samples: [Sample] = []
    }

    private(set) var metrics: [Metric] = []

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Failure(description: "the last line has no end") }
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) { try take(String(line)) }
        for metric in metrics { try Self.check(metric) }
    }

    /// The value of a series; nil where there is none.
    subscript(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        metrics.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
    }

    private mutating func take(_ line: String) throws {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        if line.hasPrefix("# HELP ") {
            guard words.count == 4, Self.isName(words[2]), !metrics.contains(where: { $0.name == words[2] }) else {
                throw Failure(description: "HELP: \(line)")
            }
            metrics.append(Metric(name: words[2], help: words[3]))
        } else if line.hasPrefix("# TYPE ") {
            let types = ["counter", "gauge", "histogram"]
            guard words.count == 4, types.contains(words[3]), let last = metrics.indices.last,
                metrics[last].name == words[2], metrics[last].type.isEmpty, metrics[last].samples.isEmpty
            else { throw Failure(description: "TYPE: \(line)") }
            metrics[last].type = words[3]
        } else {
            try add(try Self.sample(line))
        }
    }

    private mutating func add(_ sample: Sample) throws {
        guard let last = metrics.indices.last, !metrics[last].type.isEmpty else {
            throw Failure(description: "\(sample.name) stands before HELP and TYPE")
        }
        let metric = metrics[last]
        let names = metric.type == "histogram" ? ["_bucket", "_sum", "_count"].map { metric.name + $0 } : [metric.name]
        guard names.contains(sample.name) else {
            throw Failure(description: "\(sample.name) stands among those of \(metric.name)")
        }
        guard !metric.samples.contains(where: { $0.name == sample.name && $0.labels == sample.labels }) else {
            throw Failure(description: "\(sample.name) \(sample.labels) comes twice")
        }
        metrics[last].samples.append(sample)
    }

    private static func isName(_ name: String) -> Bool {
        name.wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil
    }

    private static func sample(_ line: String) throws -> Sample {
        guard let parts = line.wholeMatch(of: /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([^ ]+)/),
            let value = parts.3 == "+Inf" ? Double.infinity : Double(parts.3)
        else { throw Failure(description: "no sample: \(line)") }
        return Sample(name: String(parts.1), labels: try labels(parts.2.map(String.init) ?? ""), value: value)
    }

    private static func labels(_ text: String) throws -> [String: String] {
        var rest = text[...]
        var labels: [String: String] = [:]
        while !rest.isEmpty {
            guard let pair = rest.prefixMatch(of: /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,(?=.)|$)/),
                labels[String(pair.1)] == nil
            else { throw Failure(description: "labels: \(text)") }
            labels[String(pair.1)] = unescaped(pair.2)
            rest = rest[pair.range.upperBound...]
        }
        return labels
    }

    private static func unescaped(_ text: Substring) -> String {
        var result = ""
        var isEscape = false
        for character in text {
            if isEscape {
                result.append(character == "n" ? "\n" : character)
                isEscape = false
            } else if character == "\\" {
                isEscape = true
            } else {
                result.append(character)
            }
        }
        return result
    }

    private static func check(_ metric: Metric) throws {
        guard !metric.type.isEmpty else { throw Failure(description: "\(metric.name) has no TYPE") }
        guard metric.type == "histogram" else { return }
        let buckets = metric.samples.filter { $0.name.hasSuffix("_bucket") }
        let bounds = buckets.compactMap { $0.labels["le"].flatMap { $0 == "+Inf" ? .infinity : Double($0) } }
        let counts = buckets.map(\.value)
        guard bounds.count == buckets.count, zip(bounds, bounds.dropFirst()).allSatisfy(<),
            zip(counts, counts.dropFirst()).allSatisfy(<=), bounds.last == .infinity,
            counts.last == metric.samples.first(where: { $0.name.hasSuffix("_count") })?.value,
            metric.samples.contains(where: { $0.name.hasSuffix("_sum") })
        else { throw Failure(description: "\(metric.name) is no histogram") }
    }
}
