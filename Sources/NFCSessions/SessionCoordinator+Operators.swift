import Logging
import NFCReaders
import NFCTags

// What an operator sees and does.

extension SessionCoordinator {
    /// The sessions that are active, then those that wait in their order.
    public func summaries() -> [SessionSummary] {
        takeEvents()
        let active = sessions.filter { $0.value.machine.isActive }.keys.compactMap { summary(of: $0) }
        return active.sorted { $0.age > $1.age } + claims.waiting.compactMap { summary(of: $0) }
    }

    /// Ends anybody's session with 200. The message is kept as the detail.
    ///
    /// - Throws: ``SessionError`` where it is over, or never was.
    public func cancel(_ id: SessionID, errorMessage: String?) throws(SessionError) {
        guard sessions[id] != nil else { throw .invalidated(id) }
        end(id, Invalidation(.userCanceled, errorMessage ?? "an operator ended the session"))
    }

    /// The system slept: whatever lay on a reader may be gone, and nobody saw it go. Every session ends with 202.
    public func systemWasSuspended(for duration: Duration) {
        logger.notice("the system was suspended for \(duration)")
        endAll(Invalidation(.sessionTerminatedUnexpectedly, "the system was suspended")) { _ in true }
    }

    /// The metrics of the moment as Prometheus text; see ``MetricsText``.
    public func metricsText(version: String) async -> String {
        let readers = await readers()
        let waiting = claims.waiting
        var queues: [ReaderID: Int] = [:]
        for id in waiting { for reader in wantedReaders(of: id) { queues[reader, default: 0] += 1 } }
        let moment = MetricsMoment(
            version: version, uptime: uptime.elapsed, readers: readers.map { ReaderState($0, isInUse: $1) },
            queues: readers.map { ($0.entry.description.id.rawValue, queues[$0.entry.description.id] ?? 0) },
            activeSessions: sessions.values.count { $0.machine.isActive }, queuedSessions: waiting.count,
            backgroundSubscriptions: background.count, eventSubscribers: listeners.count)
        return metrics.text(moment)
    }

    /// A session as an operator sees it; nil while it neither waits nor is active.
    func summary(of id: SessionID) -> SessionSummary? {
        guard let session = sessions[id], session.machine.isActive || session.machine.isWaiting else { return nil }
        let isActive = session.machine.isActive
        let age = times.age(of: id, at: uptime.elapsed)
        let limit = min(session.machine.request.timeout ?? limits.timeout, limits.timeout)
        return SessionSummary(
            id: id, client: session.client, request: session.machine.request, alertMessage: session.alertMessage,
            state: isActive ? .active : .queued, readers: wantedReaders(of: id), age: age,
            remaining: isActive ? max(.zero, limit - age) : nil)
    }

    private func wantedReaders(of id: SessionID) -> [ReaderID] {
        guard let session = sessions[id] else { return [] }
        let claim = claims.claim(of: id) ?? claim(for: session.machine.request)
        return table.entries.map(\.description.id).filter { claim.contains($0) }
    }
}
