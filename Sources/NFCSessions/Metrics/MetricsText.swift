import NFCReaders
import NFCTypes
import TapJournal
import NFCTags

/// The values that are not counted but read when the metrics are requested.
struct MetricsMoment: Sendable {
    let version: String
    let uptime: Duration
    let readers: [ReaderStatus]
    /// How many sessions wait for each reader.
    let queues: [(reader: String, length: Int)]
    let activeSessions: Int
    let queuedSessions: Int
    var backgroundSubscriptions = 0
    var eventSubscribers = 0
    /// The journal, and the time; nil without one.
    var journal: (status: JournalStatus, subscriptions: Int, now: TapTime)?

    init(
        version: String, uptime: Duration, readers: [ReaderStatus], _ sessions: SessionRegistry, in table: ReaderTable
    ) {
        (self.version, self.uptime, self.readers) = (version, uptime, readers)
        queues = sessions.queueLengths(in: table)
        (activeSessions, queuedSessions) = (sessions.activeCount, sessions.waitingCount)
    }
}

extension Metrics {
    /// All metrics as text.
    func text(_ moment: MetricsMoment) -> String {
        let values = snapshot
        var text = MetricsText()
        text.add(moment)
        text.add(outbound: outboundBytes)
        text.add(values)
        if let journal = moment.journal {
            text.add(journal.status, subscriptions: journal.subscriptions, now: journal.now)
            text.addJournal(values)
        }
        return text.text
    }
}

extension MetricsText {
    /// Adds a histogram: cumulative buckets, sum and count.
    fileprivate mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        begin(name, "histogram", help)
        var total: UInt64 = 0
        for (bound, count) in zip(histogram.bounds.map { "\($0)" } + ["+Inf"], histogram.counts) {
            total += count
            sample("\(name)_bucket", "\(total)", [("le", bound)])
        }
        sample("\(name)_sum", "\(histogram.sum)")
        sample("\(name)_count", "\(total)")
    }

    fileprivate mutating func add(_ moment: MetricsMoment) {
        begin("nfcd_build_info", "gauge", "The version of nfcd; the value is always 1.")
        sample("nfcd_build_info", "1", [("version", moment.version)])
        single("nfcd_uptime_seconds", "gauge", "Time since the start.", "\(moment.uptime / .seconds(1))")
        begin("nfcd_readers", "gauge", "Readers by state.")
        for state in ReaderStatus.allCases {
            sample("nfcd_readers", "\(moment.readers.count { $0 == state })", [("state", state.rawValue)])
        }
        begin("nfcd_sessions", "gauge", "Sessions by state.")
        sample("nfcd_sessions", "\(moment.activeSessions)", [("state", "active")])
        sample("nfcd_sessions", "\(moment.queuedSessions)", [("state", "queued")])
        begin("nfcd_reader_queue_length", "gauge", "Sessions that wait for the reader.")
        for queue in moment.queues { sample("nfcd_reader_queue_length", "\(queue.length)", [("reader", queue.reader)]) }
        single(
            "nfcd_background_subscriptions", "gauge", "Background subscriptions.", "\(moment.backgroundSubscriptions)")
        single(
            "nfcd_event_subscribers", "gauge", "Clients that monitor readers and sessions.",
            "\(moment.eventSubscribers)")
    }

    fileprivate mutating func add(outbound bytes: [Int]) {
        single(
            "nfcd_outbound_bytes", "gauge", "Bytes queued for all clients together.",
            "\(bytes.reduce(0, +))")
        single(
            "nfcd_outbound_bytes_largest", "gauge", "Bytes queued for the client with the longest queue.",
            "\(bytes.max() ?? 0)")
    }

    fileprivate mutating func add(_ values: MetricsValues) {
        single("nfcd_clients", "gauge", "Connected clients.", "\(values.clients)")
        single("nfcd_taps_total", "counter", "Tags that came into a field.", "\(values.taps)")
        single(
            "nfcd_taps_repeated_total", "counter", "Tags that returned within the rest time: no new taps.",
            "\(values.repeatedTaps)")
        results("nfcd_reads_total", "Tags read for their message, by result.", values.reads)
        results("nfcd_writes_total", "Tags written, formatted or locked, by result.", values.writes)
        codes("nfcd_errors_total", "Failed reads, writes and commands, by code.", values.errors)
        codes(
            "nfcd_connects_failed_total", "Failed connections to tags for sessions that receive tags, by code.",
            values.connectFailures)
        codes("nfcd_sessions_ended_total", "Sessions that ended, by code.", values.sessionEnds)
        histogram("nfcd_session_duration_seconds", "How long sessions were active.", values.sessions)
        histogram(
            "nfcd_exchange_duration_seconds", "Command APDUs, until the response or its failure.", values.exchanges)
        single(
            "nfcd_exchanges_failed_total", "counter", "Command APDUs without a response.", "\(values.unanswered)")
    }

    private mutating func results(_ name: String, _ help: String, _ counts: [NFCErrorCode?: UInt64]) {
        begin(name, "counter", help)
        for (code, count) in counts.sorted(by: { ($0.key?.rawValue ?? 0) < ($1.key?.rawValue ?? 0) }) {
            sample(name, "\(count)", [("result", code?.name ?? "ok")])
        }
    }

    private mutating func codes(_ name: String, _ help: String, _ counts: [NFCErrorCode: UInt64]) {
        begin(name, "counter", help)
        for (code, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            sample(name, "\(count)", [("code", "\(code.rawValue)"), ("name", code.name)])
        }
    }
}

// The journal.

extension MetricsText {
    fileprivate mutating func add(_ status: JournalStatus, subscriptions: Int, now: TapTime) {
        begin("nfcd_journal_state", "gauge", "The state of the journal: 1 for the present one.")
        for state in JournalState.allCases where state != .disabled {
            sample("nfcd_journal_state", state == status.state ? "1" : "0", [("state", state.rawValue)])
        }
        single("nfcd_journal_taps", "gauge", "Taps in the journal.", "\(status.taps)")
        single("nfcd_journal_taps_limit", "gauge", "The most taps it may have.", "\(status.tapLimit)")
        single("nfcd_journal_bytes", "gauge", "The size of its taps.", "\(status.bytes)")
        single("nfcd_journal_bytes_limit", "gauge", "The most bytes they may have.", "\(status.byteLimit)")
        single(
            "nfcd_journal_dropped_total", "counter", "Taps that were deleted although a consumer did not have them.",
            "\(status.dropped)")
        single(
            "nfcd_journal_damaged_total", "counter", "Damaged taps of the journal that are not delivered.",
            "\(status.damaged)")
        single("nfcd_journal_moved_aside", "gauge", "Damaged journals that were moved aside.", "\(status.movedAside)")
        single("nfcd_journal_subscriptions", "gauge", "Subscriptions to the journal.", "\(subscriptions)")
        begin("nfcd_journal_backlog", "gauge", "Taps that the consumer does not have.")
        for consumer in status.consumers {
            sample("nfcd_journal_backlog", "\(consumer.backlog)", consumer.labels)
        }
        begin("nfcd_journal_lost_total", "counter", "Taps that were deleted before the consumer had them.")
        for consumer in status.consumers {
            sample("nfcd_journal_lost_total", "\(consumer.lost)", consumer.labels)
        }
        begin("nfcd_journal_backlog_age_seconds", "gauge", "The age of the oldest tap that the consumer does not have.")
        for consumer in status.consumers {
            let age = consumer.oldest.map { Double(max(0, now.milliseconds - $0)) / 1000 } ?? 0
            sample("nfcd_journal_backlog_age_seconds", "\(age)", consumer.labels)
        }
    }

    fileprivate mutating func addJournal(_ values: MetricsValues) {
        single(
            "nfcd_journal_refused_total", "counter", "Taps that the journal did not store.", "\(values.refusedTaps)")
        histogram("nfcd_journal_commit_seconds", "How long it took to store a tap.", values.commits)
    }
}

extension JournalConsumer {
    /// Names belong to users: two users may have a consumer of the same name.
    fileprivate var labels: [(name: String, value: String)] { [("consumer", name), ("uid", "\(owner)")] }
}
