import SQLite
import NFCTypes
import TapJournal
import Threading

/// Changes the journal, on its own thread: commits, keeps the limits, and opens the file again after a failure.
actor JournalWriter {
    /// Why the file is closed.
    private enum Closed {
        /// It was not opened yet.
        case new
        /// It could not be used; it is opened again from `retry` on, and the next wait is `pause`.
        case failed(JournalError, retry: Duration, pause: Duration)
        /// The program ends.
        case ended
    }

    private let executor = ThreadExecutor()
    private let settings: SQLiteJournal.Settings
    private let clock: JournalClock
    private let vfs: String?
    private let board: JournalBoard
    private let queue: AppendQueue
    private let reader: JournalReader
    private let folder: JournalFolder
    private let onEvent: @Sendable (JournalEvent) -> Void
    private var lock: JournalLock?
    private var file: JournalFile?
    private var closed = Closed.new
    /// The file was too large to be checked when it was opened.
    private(set) var needsCheck = false
    /// Whether a damaged journal was moved aside: until there is a new one, an empty file is not damage.
    private var wasMovedAside = false
    private var commitsSinceTidying = 0
    private var losses: [JournalLoss] = []
    private var lossesReported: Duration?
    /// What was last noted of the journal; nil before it was opened.
    private var mark: JournalMark?
    private var reportedHolders: Set<JournalExtent.ConsumerKey> = []

    private static let longestPause = Duration.seconds(10)
    private static let maintenancePause = Duration.seconds(60)

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        _ settings: SQLiteJournal.Settings, clock: JournalClock, vfs: String?, board: JournalBoard, queue: AppendQueue,
        reader: JournalReader, onEvent: @escaping @Sendable (JournalEvent) -> Void
    ) {
        self.settings = settings
        self.clock = clock
        self.vfs = vfs
        self.board = board
        self.queue = queue
        self.reader = reader
        self.onEvent = onEvent
        folder = JournalFolder(path: settings.path)
    }

    /// Runs a function on the thread of the writer, after what was scheduled before.
    nonisolated func schedule(_ body: @escaping @Sendable (isolated JournalWriter) -> Void) {
        executor.run { self.assumeIsolated { body($0) } }
    }

    // MARK: Commits

    /// Commits the taps that wait, and then has the file tidied.
    func drain() {
        while true {
            let entries = queue.take()
            guard !entries.isEmpty else { break }
            commit(entries)
        }
        if commitsSinceTidying >= 64 { tidy() }
        reportLosses()
    }

    private func commit(_ entries: [AppendQueue.Entry]) {
        let start = clock.uptime()
        do {
            let taps = entries.map(\.tap)
            let results = try perform { file throws(SQLiteError) in try file.append(taps) }
            let stored = results.count { $0 != nil }
            board.countCommit(clock.uptime() - start, stored: stored, refused: results.count - stored)
            commitsSinceTidying += 1
            report(full: stored < results.count ? fullReason : nil)
            publish()
            for (entry, tap) in zip(entries, results) {
                entry.ticket.finish(tap.map { .success($0) } ?? .failure(.full(fullReason)))
            }
        } catch {
            board.countRefused(entries.count)
            for entry in entries { entry.ticket.finish(.failure(error)) }
        }
    }

    /// Compares and stores the counter of a proof whose tap is not stored.
    func settle(_ proof: TapProof, _ claim: CounterClaim, _ ticket: Ticket<TapProof, JournalError>) {
        guard !ticket.isDone else { return }
        do {
            let settled = try perform { file throws(SQLiteError) in try file.settle(proof, claim) }
            ticket.finish(settled.map { .success($0) } ?? .failure(.full(fullReason)))
        } catch {
            ticket.finish(.failure(error))
        }
    }

    private var fullReason: String {
        if file?.mayGrow == false { return "the disk of \(settings.path) has no space left: free space on it" }
        let limits =
            "\(settings.path) has reached its limit of \(settings.tapLimit) taps or \(settings.byteLimit) bytes"
        return limits
            + ": connect or remove the consumer that lacks the oldest taps, prune the journal, or raise the limit"
    }

    // MARK: Performing a change

    /// Changes the file. A full disk gets its reserve, a damaged file is replaced by a new one; then the change is made again.
    private func perform<Value>(
        _ body: (JournalFile) throws(SQLiteError) -> Value
    ) throws(JournalError) -> Value {
        let file = try openFile()
        file.mayGrow = hasSpace
        do {
            return try finish(body, file)
        } catch {
            switch error {
            case .damaged(let reason):
                try moveAside(reason)
                return try again(body, try openFile())
            case .full:
                folder.giveUpReserve()
                file.mayGrow = false
                try? file.tidy(isThorough: true)
                return try again(body, file)
            default: throw fail(error)
            }
        }
    }

    private func again<Value>(
        _ body: (JournalFile) throws(SQLiteError) -> Value, _ file: JournalFile
    ) throws(JournalError) -> Value {
        do {
            return try finish(body, file)
        } catch {
            throw fail(error)
        }
    }

    private func finish<Value>(
        _ body: (JournalFile) throws(SQLiteError) -> Value, _ file: JournalFile
    ) throws(JournalFault) -> Value {
        do {
            let value = try body(file)
            losses += file.takeLosses()
            return value
        } catch {
            throw JournalFault(error, path: settings.path)
        }
    }

    private var hasSpace: Bool { (folder.freeSpace ?? .max) >= settings.lowSpace }

    /// Closes the file after a failure; it is opened again later. A full disk leaves it open.
    private func fail(_ fault: JournalFault) -> JournalError {
        switch fault {
        case .full(let reason):
            report(full: reason)
            return .full(reason)
        case .damaged(let reason), .refused(let reason), .failed(let reason):
            let previous = if case .failed(_, _, let pause) = closed { pause } else { Duration.milliseconds(100) }
            let error = JournalError.failed(reason)
            closed = .failed(error, retry: clock.uptime() + previous, pause: min(previous * 2, Self.longestPause))
            closeFile()
            if board.status.state != .failed || board.status.reason != reason { onEvent(.failed(reason)) }
            board.set(.failed, reason: reason)
            return error
        }
    }

    private func report(full reason: String?) {
        guard let reason else { return board.set(.ready) }
        if board.status.state != .full { onEvent(.full(reason)) }
        board.set(.full, reason: reason)
    }

    private func publish() {
        guard let file, let bytes = try? file.bytes() else { return }
        board.set(file.extent, epoch: file.epoch, bytes: bytes)
    }
}

// MARK: Opening, closing, damage

extension JournalWriter {
    /// The open file; opens it where it is closed and the pause after the last failure is over.
    private func openFile() throws(JournalError) -> JournalFile {
        if let file { return file }
        switch closed {
        case .ended: throw .failed("\(settings.path) is closed: nfcd ends")
        case .failed(let error, let retry, _) where clock.uptime() < retry: throw error
        case .new, .failed: break
        }
        do throws(JournalFault) {
            return try open()
        } catch {
            switch error {
            case .damaged(let reason): try moveAside(reason)
            case .full where folder.hasReserve: folder.giveUpReserve()
            default: throw fail(error)
            }
        }
        do throws(JournalFault) {
            return try open()
        } catch {
            throw fail(error)
        }
    }

    private func open() throws(JournalFault) -> JournalFile {
        reader.disconnect()
        let lock = try takeLock()
        let opening = JournalOpening(
            folder: folder, settings: settings, vfs: vfs,
            wasJournal: lock.mark != nil && !wasMovedAside, mark: mark ?? lock.mark)
        let (database, isChecked, repairs) = try opening.open()
        let opened: JournalFile
        do {
            opened = try JournalFile(database, settings: settings)
        } catch {
            throw error.code == .error ? .damaged(error.description) : JournalFault(error, path: settings.path)
        }
        wasMovedAside = false
        file = opened
        noteMark()
        closed = .new
        needsCheck = !isChecked
        board.set(.ready)
        board.set(movedAside: folder.file.damaged.count)
        publish()
        if !repairs.isEmpty { onEvent(.repaired(repairs)) }
        onEvent(.opened(path: settings.path, epoch: opened.epoch, taps: opened.extent.taps))
        return opened
    }

    private func takeLock() throws(JournalFault) -> JournalLock {
        if let lock { return lock }
        folder.make()
        do throws(FileFailure) {
            lock = try JournalLock(path: settings.path)
        } catch {
            throw JournalFault(error)
        }
        guard let lock else { throw .refused("another nfcd uses \(settings.path): end it, or set another path") }
        return lock
    }

    private func closeFile() {
        noteMark()
        reader.disconnect()
        file = nil
    }

    /// Notes beside the journal what an older copy of it would lack.
    private func noteMark() {
        guard let file else { return }
        let mark = JournalMark(epoch: file.epoch, counters: file.storedCounters)
        self.mark = mark
        lock?.note(mark)
    }

    private func moveAside(_ reason: String) throws(JournalError) {
        closeFile()
        do {
            let path = try folder.file.moveAside(milliseconds: clock.wall().milliseconds)
            board.set(movedAside: folder.file.damaged.count)
            wasMovedAside = true
            onEvent(.movedAside(path: path, reason: reason))
        } catch {
            throw fail(.failed("the damaged journal cannot be moved aside: \(error)"))
        }
    }

    /// Ends a check of the whole file.
    ///
    /// - Parameter damage: what is wrong with it; nil where nothing is.
    func finishCheck(_ damage: String?) {
        needsCheck = false
        guard let damage, file != nil else { return }
        do {
            try moveAside(damage)
            _ = try openFile()
        } catch {
            board.set(.failed, reason: error.description)
        }
    }

    /// Stores what waits, and closes the file.
    func close() {
        drain()
        try? file?.tidy(isThorough: true)
        closeFile()
        closed = .ended
        lock = nil
        board.set(.failed, reason: "\(settings.path) is closed")
    }
}

// MARK: Maintenance

extension JournalWriter {
    /// Opens the file where it is closed, deletes what need not be kept, and has the reserve made.
    func maintain() {
        do {
            let now = clock.wall()
            let milliseconds = now.isSynchronised ? now.milliseconds : nil
            let hasMore = try perform { file throws(SQLiteError) in try file.retain(now: milliseconds) }
            // Between the batches, taps are committed.
            if hasMore { schedule { $0.maintain() } }
            if try perform({ file throws(SQLiteError) in try file.hasRoom() }) { report(full: nil) }
            publish()
        } catch {
            return
        }
        tidy()
        noteMark()
        makeReserve()
        reportLosses(isDue: true)
        reportHolders()
    }

    /// Maintains the journal; returns how long to wait until the next time.
    func maintainWithPause() -> Duration {
        maintain()
        guard case .failed(_, let retry, _) = closed, file == nil else { return Self.maintenancePause }
        return max(.milliseconds(100), retry - clock.uptime())
    }

    private func tidy() {
        commitsSinceTidying = 0
        // A full disk keeps the log from being copied; the next commit shows it.
        _ = try? perform { file throws(SQLiteError) in try file.tidy() }
    }

    private func makeReserve() {
        guard let free = folder.freeSpace, free >= settings.lowSpace + settings.reserve else { return }
        folder.makeReserve(bytes: settings.reserve)
    }

    /// Reports what was dropped, at most once a minute.
    private func reportLosses(isDue: Bool = false) {
        guard let first = losses.first, let last = losses.last else { return }
        let now = clock.uptime()
        guard isDue || lossesReported.map({ now - $0 >= Self.maintenancePause }) ?? true else { return }
        let consumers = losses.reduce(into: [:]) { $0.merge($1.consumers, uniquingKeysWith: +) }
        board.countDropped(losses.reduce(0) { $0 + $1.count })
        onEvent(.dropped(first.range.lowerBound...last.range.upperBound, consumers: consumers))
        (losses, lossesReported) = ([], now)
    }
}

// MARK: Consumers

extension JournalWriter {
    /// Records what a consumer has; adds it where it is new.
    func acknowledge(
        _ name: String, owner: UInt32, through sequence: Int64?, mayTakeOver: Bool
    ) throws(JournalError) -> JournalConsumer {
        let extent = try openFile().extent
        let key = JournalExtent.ConsumerKey(name: name, owner: owner)
        let foreign = mayTakeOver ? extent.foreignKey(of: key) : nil
        let known = extent.consumers[foreign ?? key]
        if known == nil { try checkRoom(for: key, extent) }
        let target = max(0, sequence ?? known?.acknowledged ?? extent.newest)
        guard target <= extent.newest else { throw .unknownSequence(target, newest: extent.newest) }
        if known?.acknowledged != target || foreign != nil {
            try perform { file throws(SQLiteError) in
                if let foreign { try file.move(foreign, to: owner) }
                try file.acknowledge(key, through: target)
            }
            publish()
        }
        guard let extent = file?.extent, let consumer = extent.consumers[key] else {
            throw .failed("\(settings.path) was replaced")
        }
        return extent.consumer(key, consumer)
    }

    /// Removes a consumer; false if there is none of that name.
    func removeConsumer(_ name: String, owner: UInt32, mayTakeOver: Bool) throws(JournalError) -> Bool {
        let extent = try openFile().extent
        var key = JournalExtent.ConsumerKey(name: name, owner: owner)
        if extent.consumers[key] == nil {
            guard let foreign = extent.foreignKey(of: key) else { return false }
            guard mayTakeOver else { throw .foreignConsumer(name) }
            key = foreign
        }
        try perform { [key] file throws(SQLiteError) in try file.removeConsumer(key) }
        publish()
        return true
    }

    /// Whether a user may have another consumer, and of this name.
    private func checkRoom(for key: JournalExtent.ConsumerKey, _ extent: JournalExtent) throws(JournalError) {
        let isService = settings.services.contains(key.owner)
        guard isService || !key.name.hasPrefix(SQLiteJournal.Settings.reservedPrefix) else {
            throw .reservedConsumer(key.name)
        }
        let own = extent.consumers.keys.count { $0.owner == key.owner }
        guard isService || own < settings.consumersPerUser else {
            throw .tooManyConsumersOfUser(key.owner, limit: settings.consumersPerUser)
        }
        let limit = isService ? settings.consumerLimit : settings.consumerLimit - settings.consumerLimit / 4
        guard extent.consumers.count < limit else { throw .tooManyConsumers(limit: limit) }
    }

    /// Reports the consumers that keep more than half of a journal that is nearly full, each once until it has caught up.
    private func reportHolders() {
        guard let extent = file?.extent,
            extent.taps > settings.tapLimit / 2 || board.status.bytes > settings.byteLimit / 2
        else { return reportedHolders = [] }
        let holders = Set(extent.holders)
        let new = holders.subtracting(reportedHolders)
        reportedHolders = holders
        guard !new.isEmpty else { return }
        onEvent(.heldUp(new.map { "\($0.name) of uid \($0.owner)" }.sorted()))
    }

    /// Deletes the oldest taps, in batches; taps are committed between them.
    func prune(through sequence: Int64, includingUndelivered: Bool) async throws(JournalError) -> Int {
        var total = 0
        while true {
            let count = try perform { file throws(SQLiteError) in
                try file.prune(through: sequence, includingUndelivered: includingUndelivered)
            }
            publish()
            guard count > 0 else { break }
            total += count
            await Task.yield()
        }
        tidy()
        reportLosses(isDue: true)
        return total
    }
}
