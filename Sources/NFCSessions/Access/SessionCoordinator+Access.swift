public import NFCTags

extension SessionCoordinator {
    /// Begins a session, or ends it at once where its client is not entitled to it.
    public func begin(_ id: SessionID, unless objection: TagError?) async {
        guard let objection else { return await begin(id) }
        end(id, Invalidation(objection.code, objection.detail))
    }

    /// Puts other limits in force; a session that is active keeps the time it was given.
    public func replace(limits: SessionLimits) { self.limits = limits }
}
