import NFCReaders
import NFCTags
import Testing
import TestSupport

@testable import NFCSessions

/// What is counted, and how it is reported.
@Suite(.timeLimit(.minutes(20))) struct `Metrics of nfcd` {
    static func text(_ desk: Desk) async throws -> PrometheusText {
        try PrometheusText(await desk.coordinator.metricsText(version: "1.2.3"))
    }

    @Test func `are complete before anything happened`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            desk.clock.advance(by: .seconds(90))
            let text = try await Self.text(desk)
            #expect(text["nfcd_build_info", ["version": "1.2.3"]] == 1)
            #expect(text["nfcd_uptime_seconds"] == 90)
            #expect(text["nfcd_readers", ["state": "empty"]] == 2)
            #expect(text["nfcd_readers", ["state": "failed"]] == 0)
            let names = [
                "nfcd_taps_total", "nfcd_clients", "nfcd_background_subscriptions", "nfcd_event_subscribers",
                "nfcd_outbound_bytes", "nfcd_outbound_bytes_largest",
            ]
            for name in names {
                #expect(text[name] == 0, "\(name)")
            }
            #expect(text["nfcd_reads_total", ["result": "ok"]] == 0)
            #expect(text["nfcd_writes_total", ["result": "ok"]] == 0)
            #expect(text["nfcd_exchange_duration_seconds_count"] == 0)
            #expect(text["nfcd_session_duration_seconds_count"] == 0)
        }
    }

    @Test func `count taps, reads, errors and exchanges of sessions and of the background`() async throws {
        try await Desk.open { desk in
            let watcher = Watcher(7)
            await desk.settle()
            try await desk.subscribe(watcher)
            await desk.coordinator.addListener(watcher)
            for card in [FakeCard.url, .empty, .url.failing(at: 1, with: .tagLost)] {
                desk.driver.tap(card)
                _ = await watcher.receive(2)
                desk.lift()
                _ = await watcher.receive()
            }
            try await desk.begin()
            desk.driver.tap(.url)
            _ = await desk.client.receive(2)
            let text = try await Self.text(desk)
            #expect(text["nfcd_taps_total"] == 4)
            #expect(text["nfcd_reads_total", ["result": "ok"]] == 2)
            #expect(text["nfcd_reads_total", ["result": "ZeroLengthMessage"]] == 1)
            #expect(text["nfcd_errors_total", ["code": "403", "name": "ZeroLengthMessage"]] == 1)
            #expect(text["nfcd_errors_total", ["code": "100", "name": "TagConnectionLost"]] == 1)
            #expect(text["nfcd_exchanges_failed_total"] == 1)
            #expect(text["nfcd_exchange_duration_seconds_count"] ?? 0 > 8)
            #expect(text["nfcd_background_subscriptions"] == 1)
            #expect(text["nfcd_event_subscribers"] == 1)
            #expect(text["nfcd_readers", ["state": "inUse"]] == 1)
        }
    }

    @Test func `measure sessions, and count those that wait`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            let first = try await desk.begin(SessionRequest(readers: ["desk"]))
            try await desk.begin(SessionRequest(readers: ["desk"], whenBusy: .queue), by: desk.other)
            try await desk.begin(by: desk.other)
            desk.clock.advance(by: .seconds(7))
            let before = try await Self.text(desk)
            #expect(before["nfcd_sessions", ["state": "active"]] == 1)
            #expect(before["nfcd_sessions", ["state": "queued"]] == 1)
            #expect(before["nfcd_reader_queue_length", ["reader": "desk"]] == 1)
            #expect(before["nfcd_reader_queue_length", ["reader": "door"]] == 0)
            #expect(before["nfcd_sessions_ended_total", ["code": "203", "name": "SystemIsBusy"]] == 1)
            #expect(before["nfcd_session_duration_seconds_count"] == 0)
            try await desk.coordinator.invalidate(first, errorMessage: nil, by: desk.client.id)
            let after = try await Self.text(desk)
            #expect(after["nfcd_session_duration_seconds_sum"] == 7)
            #expect(after["nfcd_session_duration_seconds_bucket", ["le": "5.0"]] == 0)
            #expect(after["nfcd_session_duration_seconds_bucket", ["le": "10.0"]] == 1)
            #expect(after["nfcd_sessions_ended_total", ["code": "200", "name": "UserCanceled"]] == 1)
        }
    }

    @Test func `show the bytes queued for all clients, and for the longest queue`() async throws {
        try await Desk.open { desk in
            let metrics = desk.coordinator.metrics
            metrics.addOutbound(of: desk.client.id) { 300 }
            metrics.addOutbound(of: desk.other.id) { 40 }
            let both = try await Self.text(desk)
            #expect(both["nfcd_outbound_bytes"] == 340)
            #expect(both["nfcd_outbound_bytes_largest"] == 300)
            metrics.removeOutbound(of: desk.client.id)
            let one = try await Self.text(desk)
            #expect(one["nfcd_outbound_bytes"] == 40)
            #expect(one["nfcd_outbound_bytes_largest"] == 40)
        }
    }

    @Test func `count tags that a session of tags could not connect to`() async throws {
        try await Desk.open { desk in
            try await desk.begin(SessionRequest(detection: .tags))
            desk.driver.tap(.url.failing(at: 1, with: .tagLost))
            _ = await desk.client.receive(2)
            let text = try await Self.text(desk)
            #expect(text["nfcd_connects_failed_total", ["code": "100", "name": "TagConnectionLost"]] == 1)
            #expect(text["nfcd_taps_total"] == 1)
        }
    }

    @Test func `escape what is in a label`() throws {
        var text = MetricsText()
        text.begin("a_total", "counter", "Help.")
        let name = "back\\slash \"quoted\"\nnext, {line}"
        text.sample("a_total", "3", [("reader", name), ("b", "}")])
        #expect(text.text.split(separator: "\n").count == 3)
        #expect(try PrometheusText(text.text)["a_total", ["reader": name, "b": "}"]] == 3)
    }

    @Test func `a label with CR and LF stays in its line`() {
        var text = MetricsText()
        text.sample("a_total", "3", [("reader", "one\r\ntwo")])
        #expect(text.text == "a_total{reader=\"one\\ntwo\"} 3\n")
    }

    @Test(arguments: [
        (0, 0), (100, 0), (101, 1), (250, 1), (2_500_000, 11), (2_500_001, 12), (900_000_000, 12),
    ])
    func `put a duration into the bucket it belongs to`(microseconds: Int, bucket: Int) {
        var histogram = MetricsValues().exchanges
        histogram.add(.microseconds(microseconds))
        #expect(histogram.counts.firstIndex(of: 1) == bucket)
        #expect(histogram.counts.reduce(0, +) == 1)
    }

    @Test func `measure an exchange by the clock, answered or not`() async throws {
        let clock = TestClock()
        let metrics = Metrics()
        let card = FakeCard.url.failing(at: 2, with: .timedOut)
        let slow = SlowConnection(connection: FakeConnection(card) {}, clock: clock)
        let connection = MeasuredConnection(connection: slow, clock: Stopwatch(clock), metrics: metrics)
        _ = try await connection.transmit(hex("FFCA000000"))
        await #expect(throws: CardChannelError.timedOut) { try await connection.transmit(hex("FFCA000000")) }
        #expect(metrics.snapshot.exchanges.sum == 0.08)
        #expect(metrics.snapshot.exchanges.counts.reduce(0, +) == 2)
        #expect(metrics.snapshot.unanswered == 1)
    }

    @Test func `count reads and writes of a held tag by their results`() async throws {
        let metrics = Metrics()
        let contact = TagContact(
            identity: Fixtures.identity, connection: FakeConnection(.url.failing(at: 9, with: .tagLost)) {},
            profile: .generic)
        let tag = HeldTag(contact, on: Fixtures.desk, metrics: metrics)
        _ = try await tag.takePlace().run { tag throws(TagError) in try await tag.readNDEF() }
        await #expect(throws: CommandFailure.self) {
            try await tag.takePlace().run { tag throws(TagError) in try await tag.writeNDEF([], verifying: false) }
        }
        let values = metrics.snapshot
        #expect(values.reads == [nil: 1])
        #expect(values.writes[nil] == 0 && values.writes.values.reduce(0, +) == 1)
        #expect(values.errors.values.reduce(0, +) == 1)
    }
}

/// A connection on which each exchange takes 40 ms.
private struct SlowConnection: CardConnection {
    let connection: FakeConnection
    let clock: TestClock

    var answerToReset: [UInt8] { connection.answerToReset }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        clock.advance(by: .milliseconds(40))
        return try await connection.transmit(command)
    }

    func reconnect() async throws(CardChannelError) {}

    func limited(to limit: Duration) -> any CardConnection { self }

    var sharing: (any TagSharing)? { nil }

    func close() async {}
}

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

    /// The value of a series; nil if there is none.
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
            throw Failure(description: "\(sample.name) precedes HELP and TYPE")
        }
        let metric = metrics[last]
        let names = metric.type == "histogram" ? ["_bucket", "_sum", "_count"].map { metric.name + $0 } : [metric.name]
        guard names.contains(sample.name) else {
            throw Failure(description: "\(sample.name) is among those of \(metric.name)")
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
        else { throw Failure(description: "\(metric.name) is not a histogram") }
    }
}
