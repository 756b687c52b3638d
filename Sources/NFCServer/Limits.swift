import NIOCore

extension NFCServer {
    /// What clients may use. The sizes are in bytes.
    public struct Limits: Sendable, Hashable {
        /// The connections of all users together. An eighth of them is for root and the user that the daemon runs as.
        public var connections = 1024
        /// The connections of one user.
        public var connectionsPerUser = 256
        /// What may be queued for a client that receives notifications and does not read them.
        public var outboundBytes = 4 * 1024 * 1024
        /// What all clients may use together for what they send, and as much for what they are sent. An eighth of it is for root
        /// and the user that the daemon runs as.
        public var bytes = 16 * 1024 * 1024
        /// What the clients of one user may use of `bytes`.
        public var bytesPerUser = 8 * 1024 * 1024
        /// The time for a line over 16 KiB to be complete.
        public var lineTime = Duration.seconds(10)

        /// The defaults.
        public init() {}

        /// The defaults, but for a client that does not read.
        public init(outboundBytes: Int) {
            self.outboundBytes = outboundBytes
        }
    }
}

/// The budgets for what clients send and are sent.
struct Budgets: Sendable {
    /// What each connection may use without borrowing.
    static let share = 16_384
    /// The number of queued bytes above which no further request of a client is started.
    static let mark = 262_144

    let incoming: Budget
    let outgoing: Budget
    /// The time for a line that is longer than the share of a connection.
    let patience: TimeAmount

    init(_ limits: NFCServer.Limits) {
        let pools = Budget.Limits(share: Self.share, perUser: limits.bytesPerUser, total: limits.bytes)
        incoming = Budget(pools)
        outgoing = Budget(pools)
        patience = TimeAmount(limits.lineTime)
    }
}
