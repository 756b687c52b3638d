import Synchronization

/// The tags that take commands of their sessions, for callers that need not wait for the coordinator: a command would begin with two more
/// jobs. A session's tag is forgotten before anything changes about the session, and noted again by its next command.
///
/// A command that has found its tag just before a change is queued as one that came earlier: the tag itself refuses what comes too late.
final class ConnectedTags: Sendable {
    private struct Connection {
        let client: ClientID
        let tag: TagID
        let held: HeldTag
    }

    private let connections = Mutex<[SessionID: Connection]>([:])

    /// The tag that takes the commands of a client's session, if it is known.
    func find(_ tag: TagID, of session: SessionID, by client: ClientID) -> HeldTag? {
        connections.withLock { connections in
            guard let found = connections[session], found.client == client, found.tag == tag else { return nil }
            return found.held
        }
    }

    /// Notes the tag that takes the commands of a session.
    func note(_ held: HeldTag, _ tag: TagID, of session: SessionID, by client: ClientID) {
        let former = connections.withLock {
            $0.updateValue(Connection(client: client, tag: tag, held: held), forKey: session)
        }
        withExtendedLifetime(former) {}
    }

    /// Forgets the tag of a session, which is about to change.
    func forget(_ session: SessionID) {
        let former = connections.withLock { $0.removeValue(forKey: session) }
        withExtendedLifetime(former) {}
    }
}
