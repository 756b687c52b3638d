/// What clients of the socket may use. The sizes are in bytes.
package struct ServerLimits: Sendable, Hashable {
    /// The connections of all users together. An eighth of them is for root and the user that the daemon runs as.
    package var connections = 1024
    /// The connections of one user.
    package var connectionsPerUser = 256
    /// What may be queued for a client that receives notifications and does not read them.
    package var outboundBytes = 4 * 1024 * 1024
    /// What all clients may use together for what they send, and as much for what they are sent. An eighth of it is for root
    /// and the user that the daemon runs as.
    package var bytes = 16 * 1024 * 1024
    /// What the clients of one user may use of `bytes`.
    package var bytesPerUser = 8 * 1024 * 1024
    /// The time for a line over 16 KiB to be complete.
    package var lineTime = Duration.seconds(10)

    /// The defaults.
    package init() {}

    /// The defaults, but for a client that does not read.
    package init(outboundBytes: Int) {
        self.outboundBytes = outboundBytes
    }
}
