import Logging
import NFCClient
import NFCProtocol
import ServiceClient
import ServiceSupport

/// Follows nfcd's journal, and notifies the consumers of what it has: which readers, and up to which tap.
///
/// The consumers fetch the taps themselves, each at its own pace.
actor JournalFeed {
    private static let page = 500
    private static let saveTime = Duration.seconds(1)
    /// nfcd sends up to 100 taps before one is acknowledged.
    private static let acknowledgeEvery = 25
    private static let retryTime = Duration.seconds(15)

    /// nfcd has another journal than before.
    private struct JournalChanged: Error {}

    private let daemon: DaemonLink
    private let consumers: [Consumer]
    private let state: StateFile
    private let time: ServiceTime
    private let logger: Logger
    private var scan: JournalScan?
    private var savedAt: Duration?
    private var subscription: RecordedTaps?
    /// The consumers, and the readers of consumers, that were warned of.
    private var warned: Set<String> = []

    init(daemon: DaemonLink, consumers: [Consumer], state: StateFile, time: ServiceTime, logger: Logger) {
        self.daemon = daemon
        self.consumers = consumers
        self.state = state
        self.time = time
        self.logger = logger
    }

    /// Follows the journal until the task is cancelled.
    func run() async {
        scan = try? await KillPoint.around { try await state.scan() }
        await daemon.forEachConnection { [self] client in try await followConnection(client) }
        await save()
    }

    /// Looks at the taps after a sequence number again, so that the readers are known that have any.
    func goBack(to sequence: Int64) {
        scan?.goBack(to: sequence)
        subscription?.stop()
    }

    private func followConnection(_ client: NFCClient) async throws {
        while !Task.isCancelled {
            do {
                try await follow(client)
            } catch NFCClientError.connectionLost {
                for consumer in consumers { await consumer.journalClosed() }
                throw NFCClientError.connectionLost
            } catch is CancellationError {
                throw CancellationError()
            } catch is JournalChanged {
                logger.notice("nfcd has another journal")
            } catch {
                await notePause("\(error)")
                try await time.sleep(Self.retryTime)
            }
        }
    }

    private func notePause(_ reason: String) async {
        daemon.noteRefusal(reason)
        logger.warning("the taps cannot be read: \(reason)")
        for consumer in consumers { await consumer.journalClosed() }
    }

    private func follow(_ client: NFCClient) async throws {
        let taps = try await KillPoint.around { try await client.observeRecordedTaps() }
        subscription = taps
        defer { taps.stop() }
        let (epoch, newest) = (taps.subscription.epoch, taps.subscription.newest)
        daemon.noteRefusal(nil)
        try await open(client, epoch, newest)
        try await catchUp(client, through: taps.subscription.after)
        var unacknowledged = 0
        for try await tap in taps {
            guard tap.epoch == epoch else { throw JournalChanged() }
            await note([tap.known], through: tap.sequence)
            unacknowledged += 1
            guard unacknowledged == Self.acknowledgeEvery else { continue }
            unacknowledged = 0
            try await KillPoint.around { try await taps.acknowledge(tap) }
        }
    }

    /// Notifies the consumers of the journal, and determines from where on it has to be read.
    private func open(_ client: NFCClient, _ epoch: String, _ newest: Int64) async throws {
        let status = try await KillPoint.around { try await client.call(TapsStatus.self) }
        let acknowledged = Dictionary(status.consumers.map { ($0.name, $0.acknowledged) }) { $1 }
        warnOfForgotten(status.consumers)
        await warnOfUnknownReaders(client)
        var (start, startOfNew) = (newest, newest)
        for consumer in consumers {
            await consumer.journalStores(status.identifiers)
            let (begin, isNew) = await consumer.journalOpened(
                epoch, newest: newest, acknowledged: acknowledged[consumer.daemonName])
            start = min(start, begin)
            if isNew { startOfNew = min(startOfNew, begin) }
        }
        // The readers of a saved scan are known. A consumer that is new needs those from its start on.
        if scan?.epoch != epoch { scan = JournalScan(epoch: epoch, through: start) }
        scan?.goBack(to: startOfNew)
        if let scan { for consumer in consumers { await consumer.journalHas(scan.newest, through: scan.through) } }
    }

    /// nfcd keeps taps for consumers that are no longer configured; only a person knows whether they come back.
    private func warnOfForgotten(_ known: [TapsStatus.Consumer]) {
        let configured = Set(consumers.map(\.daemonName))
        for other in known where other.name.hasPrefix("relay:") && !configured.contains(other.name) {
            guard warned.insert(other.name).inserted else { continue }
            logger.warning(
                "nfcd keeps taps for consumer \(other.name), which is not configured; nfcctl taps remove-consumer \(other.name) ends that"
            )
        }
    }

    /// A consumer of a reader that is not there gets no tap: it may be plugged in later, or its name may be wrong.
    private func warnOfUnknownReaders(_ client: NFCClient) async {
        let wanted = consumers.filter { $0.readers != nil }
        guard !wanted.isEmpty, let readers = try? await client.call(ReadersList.self) else { return }
        let present = readers.map { "\($0.reader) (\($0.name))" }.joined(separator: ", ")
        for consumer in wanted {
            for name in (consumer.readers ?? []).sorted() where !readers.contains(where: { $0.isNamed(name) }) {
                guard warned.insert("\(consumer.name) \(name)").inserted else { continue }
                logger.warning(
                    "\(consumer.name): there is no reader \"\(name)\" now; present: \(present.isEmpty ? "none" : present)"
                )
            }
        }
    }

    /// Reads what was stored while the relay did not follow.
    private func catchUp(_ client: NFCClient, through end: Int64) async throws {
        while let position = scan?.through, position < end {
            let page = try await KillPoint.around {
                try await client.call(TapsList.self, .init(after: position, limit: Self.page))
            }
            guard page.epoch == scan?.epoch else { throw JournalChanged() }
            guard let last = page.taps.last else {
                return await note([], through: end)
            }
            guard last.sequence > position, page.taps.count <= Self.page else {
                throw InvalidPage(description: "nfcd sent taps up to \(last.sequence) after \(position)")
            }
            await note(page.taps.map(\.known), through: page.hasMore ? last.sequence : max(last.sequence, end))
        }
    }

    private func note(_ taps: [KnownTap], through sequence: Int64) async {
        for tap in taps { scan?.note(tap) }
        scan?.reach(sequence)
        var newest: [String: KnownTap] = [:]
        for tap in taps { newest[tap.reader] = tap }
        for consumer in consumers { await consumer.journalHas(Array(newest.values), through: sequence) }
        let now = time.now()
        if now - (savedAt ?? .zero) >= Self.saveTime, await save() { savedAt = now }
    }

    /// Saves how far the journal was read.
    ///
    /// - Returns: whether that is on the disk.
    @discardableResult
    private func save() async -> Bool {
        guard let scan else { return true }
        do {
            try await KillPoint.around { try await state.save(scan) }
            return true
        } catch {
            logger.debug("the state file cannot be written: \(error)")
            return false
        }
    }
}

extension ReadersList.Reader {
    /// Whether a text is its id or its name.
    fileprivate func isNamed(_ text: String) -> Bool { text == reader || text == name }
}

extension RecordedTap {
    fileprivate var known: KnownTap {
        KnownTap(reader: reader, sequence: sequence, readerSequence: readerSequence)
    }
}
