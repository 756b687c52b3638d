import NFCReaders

// Sessions that yield: they hold a reader only as long as no other client's session wants it.

extension SessionCoordinator {
    /// Changes whether a session yields its readers to the sessions of other clients.
    public func setYielding(_ yields: Bool, of id: SessionID, by client: ClientID) throws(SessionError) {
        try sessions.check(id, client)
        update(id) {
            $0.setYielding(yields)
            return []
        }
        yieldToWaiting(id)
        startNext()
    }

    /// Ends the sessions that yield, where this one becomes active without them.
    func makeWay(for id: SessionID, in table: ReaderTable) {
        guard let taker = sessions[id]?.client.label else { return }
        for holder in sessions.yielding(to: id, in: table) { apply(holder) { $0.yield(to: taker) } }
    }

    /// Ends a session that yields, where one that waits could become active but for it.
    func yieldToWaiting(_ id: SessionID) {
        guard let machine = sessions[id]?.machine, machine.isActive, machine.yields else { return }
        for other in sessions.waiting where sessions[id] != nil { start(other) }
    }
}
