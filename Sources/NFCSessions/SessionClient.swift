/// A client as the coordinator sees it.
public protocol SessionClient: Sendable {
    /// Different for every client.
    var id: ClientID { get }

    /// Who it is, for the log and for those who wait for its session to end: `uid 1000, pid 4711`.
    var label: String { get }

    /// Tells it about a session. Called in order; must not block.
    func send(_ event: SessionEvent, of session: SessionID)
}

/// The name of a client within nfcd.
public struct ClientID: RawRepresentable, Sendable, Hashable {
    /// The number, counted up from 1.
    public let rawValue: UInt64

    /// Any value is carried.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
