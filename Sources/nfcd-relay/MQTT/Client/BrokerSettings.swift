/// Where a broker listens.
struct BrokerServer: Sendable, Hashable, CustomStringConvertible {
    let host: String
    let port: Int

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// How a connection is encrypted, and the broker verified.
struct BrokerTLS: Sendable, Hashable {
    /// The certificate authorities of the system.
    static let systemAuthorities = "/etc/ssl/certs"

    /// The certificate authorities of the broker; nil: those of the system.
    var caFile: String?
    /// The certificate that the relay shows, and its key.
    var certificateFile: String?
    var keyFile: String?
    /// Whether the broker's certificate is accepted whatever it says.
    var isInsecure = false
}

/// What a connection needs to know.
struct BrokerSettings: Sendable {
    /// Its time limits and budgets.
    struct Limits: Sendable {
        /// From the first packet to CONNACK.
        var connect = Duration.seconds(20)
        /// From PUBLISH to PUBACK.
        var acknowledgement = Duration.seconds(30)
        /// For the last message, before a clean end.
        var farewell = Duration.seconds(2)
        /// How many messages may wait for their acknowledgement, if the broker does not allow fewer.
        var window = 16
        /// The longest message that is taken from the broker.
        var incomingBytes = 8_192
        /// How many incoming messages may wait to be handled.
        var incomingQueue = 64
        /// The longest packet that is passed to the library.
        var incomingPacket = 131_072
        /// How many packets the broker may send in 10 seconds that answer nothing, before the connection is closed.
        var unaskedRate = 100
        /// How many messages the broker may send in 10 seconds, before the connection is closed.
        var incomingRate = 1_000
    }

    var clientID: String
    var username: String?
    var tls: BrokerTLS?
    var keepAlive = 30
    /// How long the broker remembers the session, in seconds.
    var sessionExpiry: UInt32 = 7 * 86_400
    var limits = Limits()
}
