package import NFCTypes
import SQLite
package import TapJournal
import Threading

/// A journal in an SQLite file: one thread writes, with one commit for all taps that wait, another one reads lists.
package final class SQLiteJournal: TapStore {
    private let settings: Settings
    private let clock: JournalClock
    private let board: JournalBoard
    private let queue = AppendQueue()
    private let reader: JournalReader
    private let writer: JournalWriter
    private let opening = Ticket<Void, Never>()
    /// The turns of those who read.
    private let reading = FairGate<ClientAccount>()

    /// Starts to open the journal, on its own thread. Taps that come meanwhile wait.
    ///
    /// - Parameters:
    ///   - vfs: the name of a file system of SQLite; nil for the default one.
    ///   - onEvent: is called on the thread that writes.
    package init(
        _ settings: Settings, clock: JournalClock, vfs: String? = nil,
        onEvent: @escaping @Sendable (JournalEvent) -> Void = { _ in }
    ) {
        self.settings = settings
        self.clock = clock
        board = JournalBoard(settings)
        reader = JournalReader(path: settings.path, vfs: vfs) { [board] sequences in
            board.countDamaged(sequences.count)
            onEvent(.leftOut(sequences))
        }
        writer = JournalWriter(
            settings, clock: clock, vfs: vfs, board: board, queue: queue, reader: reader, onEvent: onEvent)
        let (writer, opening) = (writer, opening)
        writer.schedule {
            $0.maintain()
            opening.finish(.success(()))
        }
    }

    /// Keeps the journal within its limits and opens it again after a failure, until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            let pause = await writer.maintainWithPause()
            if await writer.needsCheck { await check() }
            do { try await clock.sleep(pause) } catch { return }
        }
    }

    /// Stores what waits, and closes the file. Later calls fail.
    package func close() async {
        await writer.close()
    }

    /// Counts since the start.
    package var metrics: JournalMetrics { board.metrics }

    package func append(_ tap: TapRecord) async throws(JournalError) -> JournalTap {
        let ticket = Ticket<JournalTap, JournalError>()
        guard let isFirst = queue.add(AppendQueue.Entry(tap: tap, ticket: ticket)) else {
            board.countRefused(1)
            throw .failed("\(AppendQueue.limit) taps wait for \(settings.path): check the disk")
        }
        if isFirst { writer.schedule { $0.drain() } }
        async let _: Void = expire(ticket)
        return try await ticket.value()
    }

    package func settle(_ proof: TapProof, _ claim: CounterClaim) async throws(JournalError) -> TapProof {
        let ticket = Ticket<TapProof, JournalError>()
        writer.schedule { $0.settle(proof, claim, ticket) }
        async let _: Void = expire(ticket)
        return try await ticket.value()
    }

    /// Ends the wait for a commit at the deadline.
    private func expire<Value: Sendable>(_ ticket: Ticket<Value, JournalError>) async {
        do { try await clock.sleep(settings.commitLimit) } catch { return }
        guard ticket.finish(.failure(.timedOut(settings.commitLimit))) else { return }
        queue.removeExpired()
        board.countRefused(1)
    }

    package func taps(_ query: TapQuery) async throws(JournalError) -> TapPage {
        await opening.value()
        let status = board.status
        guard !status.epoch.isEmpty else { throw .failed(status.reason ?? "it is not open") }
        do {
            return try await reading.run(for: query.user) { () async throws(SQLiteError) in try await reader.page(query)
            }
        } catch {
            if case .damaged = JournalFault(error, path: settings.path) { await check() }
            throw .failed("\(settings.path) cannot be read: \(error)")
        }
    }

    /// Reads the whole file, and moves it aside where it is damaged.
    private func check() async {
        do {
            let damage = try await reader.damage()
            await writer.finishCheck(damage)
        } catch {
            await writer.finishCheck(error.code == .corrupt || error.code == .notADatabase ? error.description : nil)
        }
    }

    package func status() async -> JournalStatus {
        await opening.value()
        var status = board.status
        let waiting = status.consumers.indices.filter { status.consumers[$0].backlog > 0 }
        let next = waiting.map { status.consumers[$0].acknowledged + 1 }
        let times = (try? await reader.times(of: next)) ?? []
        for (index, time) in zip(waiting, times) { status.consumers[index].oldest = time }
        return status
    }

    package func acknowledge(
        _ consumer: String, owner: UInt32, through sequence: Int64?, mayTakeOver: Bool
    ) async throws(JournalError) -> JournalConsumer {
        var result = try await writer.acknowledge(consumer, owner: owner, through: sequence, mayTakeOver: mayTakeOver)
        if result.backlog > 0 { result.oldest = (try? await reader.times(of: [result.acknowledged + 1]))?.first ?? nil }
        return result
    }

    package func removeConsumer(
        _ consumer: String, owner: UInt32, mayTakeOver: Bool
    ) async throws(JournalError) -> Bool {
        try await writer.removeConsumer(consumer, owner: owner, mayTakeOver: mayTakeOver)
    }

    package func prune(through sequence: Int64, includingUndelivered: Bool) async throws(JournalError) -> Int {
        try await writer.prune(through: sequence, includingUndelivered: includingUndelivered)
    }
}
