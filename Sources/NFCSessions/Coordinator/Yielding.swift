import NFCReaders

// Sessions that yield: they hold a reader only as long as no other client's session wants it.

extension SessionCoordinator {
    /// Changes whether a session yields its readers to the sessions of other clients, and its tags to other programs.
    public func setYielding(_ yields: Bool, of id: SessionID, by client: ClientID) async throws(SessionError) {
        try sessions.check(id, client)
        update(id) {
            $0.setYielding(yields)
            return []
        }
        yieldToWaiting(id)
        startNext()
        for held in sessions[id]?.machine.heldTags ?? [] { await held.share(yields) }
    }

    /// Shares a tag that is to be offered to a session with other programs, if the session yields.
    func shareIfYielding(_ held: HeldTag, of id: SessionID) async {
        while let yields = sessions[id]?.machine.yields, yields != held.isShared { await held.share(yields) }
    }

    /// Ends the sessions that yield, where this one becomes active without them.
    func makeWay(for id: SessionID, in table: ReaderTable) {
        guard let taker = sessions[id]?.client.label else { return }
        for holder in sessions.yielding(to: id, in: table) { apply(holder) { $0.yield(to: taker) } }
    }

    /// Ends a session that yields, where one that waits could become active without it.
    func yieldToWaiting(_ id: SessionID) {
        guard let machine = sessions[id]?.machine, machine.isActive, machine.yields else { return }
        for other in sessions.waiting where sessions[id] != nil { start(other) }
    }
}
