import NFCReaders
import NFCTags

// What stands between a session and its readers, and how long it waits and lasts.

extension SessionCoordinator {
    func standing(
        of id: SessionID, wanting claim: ReaderClaims.Claim, _ request: SessionRequest
    ) -> SessionMachine.Standing {
        if let reason = table.unavailable { return .serviceUnavailable(reason) }
        guard hasReader(claim) else { return .noReader(missing(request.readerNames)) }
        if let lack = lack(within: claim, of: request.polling) { return .noReader(lack) }
        guard let other = claims.obstacle(to: id, wanting: claim) else { return .clear }
        return .busy("held by \(sessions[other]?.client.label ?? "another session")")
    }

    func hasReader(_ claim: ReaderClaims.Claim?) -> Bool {
        table.entries.contains { claim?.contains($0.description.id) ?? false }
    }

    private func missing(_ wanted: [String]?) -> String {
        guard let wanted, !table.entries.isEmpty else { return "no reader is plugged in" }
        let known = table.entries.map(\.description.id.rawValue).joined(separator: ", ")
        return "no reader is called \(wanted.joined(separator: " or ")); there are: \(known)"
    }

    /// Says that none of the readers has any of the technologies; nil where one has.
    private func lack(within claim: ReaderClaims.Claim, of technologies: Set<PollingTechnology>) -> String? {
        let readers = table.entries.map(\.description).filter { claim.contains($0.id) }
        let needed = Set(technologies.map(\.readerTechnology))
        guard readers.allSatisfy({ needed.isDisjoint(with: $0.technologies) }) else { return nil }
        let words = technologies.map(\.rawValue).sorted().joined(separator: " or ")
        let known = readers.map { "\($0.id) has \($0.technologies.joined(separator: ", "))" }
        return "no reader of the session has \(words); \(known.joined(separator: "; "))"
    }

    func activate(_ id: SessionID) {
        guard let request = sessions[id]?.machine.request else { return }
        claims.hold(id, claim(for: request))
        let limit = min(request.timeout ?? limits.timeout, limits.timeout)
        startTimer(of: id, limit) { coordinator in
            coordinator.end(id, Invalidation(.sessionTimeout, "the session was active for \(limit)"))
        }
    }

    /// Starts the clock of a session's waiting, once.
    func limitWaiting(_ id: SessionID) {
        guard let limit = sessions[id]?.machine.request.queueTimeout, sessions[id]?.timer == nil else { return }
        startTimer(of: id, limit) { coordinator in coordinator.update(id) { $0.waitedTooLong() } }
    }

    /// Starts a session's clock, in place of the one before.
    private func startTimer(
        of id: SessionID, _ limit: Duration, _ body: @escaping @Sendable (isolated SessionCoordinator) -> Void
    ) {
        sessions[id]?.timer?.cancel()
        sessions[id]?.timer = Task { [clock] in
            guard (try? await clock.sleep(for: limit)) != nil, !Task.isCancelled else { return }
            body(self)
        }
    }
}
