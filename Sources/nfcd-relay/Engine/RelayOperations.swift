import NFCProtocol
import RelayProtocol

/// What a person or a fleet can ask of the relay: on the control socket, and in part over MQTT.
protocol RelayOperations: Sendable {
    /// The state of every consumer.
    func status() async -> RelayStatus.Result
    /// Counters, backlogs and ages in the text format of Prometheus.
    func metrics() async -> String
    /// Delivers a test event once.
    func test(_ consumer: String) async throws(RPCError) -> RelayTest.Result
    /// The taps that receivers refused permanently.
    func parked(_ consumer: String?) async throws(RPCError) -> [RelayParked.Tap]
    /// Delivers parked taps again, or discards them; returns how many.
    func unpark(_ parameters: RelayUnpark.Parameters) async throws(RPCError) -> Int
    /// Stops or starts the deliveries of a consumer.
    func pause(_ consumer: String, _ isPaused: Bool) async throws(RPCError)
    /// Delivers the taps after a sequence number again.
    func replay(_ consumer: String, after sequence: Int64) async throws(RPCError)
}
