import NFCReaders

/// How much there is of everything, for a line of status.
public struct Overview: Sendable, Hashable, CustomStringConvertible {
    /// Why no reader can be seen; nil: they can.
    public let unavailable: String?
    /// Readers that are plugged in.
    public let readers: Int
    /// Those of them that failed.
    public let failedReaders: Int
    /// Sessions that are active.
    public let sessions: Int
    /// Sessions that wait for a reader.
    public let waitingSessions: Int
    /// Connected clients.
    public let clients: Int

    /// Such as `2 readers, 1 session, 5 clients`.
    public var description: String {
        let failed = failedReaders > 0 ? " (\(failedReaders) failed)" : ""
        let waiting = waitingSessions > 0 ? " (\(waitingSessions) more waiting)" : ""
        let seen = unavailable.map { "no readers: \($0)" } ?? Self.count(readers, "reader") + failed
        return [seen, Self.count(sessions, "session") + waiting, Self.count(clients, "client")].joined(separator: ", ")
    }

    private static func count(_ number: Int, _ thing: String) -> String {
        "\(number) \(thing)\(number == 1 ? "" : "s")"
    }
}

extension SessionCoordinator {
    /// How much there is of everything. An answer also shows that the coordinator is alive.
    public func overview() -> Overview {
        Overview(
            unavailable: table.unavailable, readers: table.entries.count,
            failedReaders: table.entries.count { $0.failure != nil },
            sessions: sessions.values.count { $0.machine.isActive }, waitingSessions: claims.waiting.count,
            clients: metrics.snapshot.clients)
    }
}
