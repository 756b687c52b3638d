/// `server.metrics`: what nfcd has counted since its start.
public enum ServerMetrics: Method {
    /// The name on the wire.
    public static let name = "server.metrics"
    /// No parameters.
    public typealias Parameters = Empty

    /// What the daemon answers.
    public struct Result: Codable, Sendable, Hashable {
        /// The metrics in the text format 0.0.4 of Prometheus.
        public var text: String

        /// All fields.
        public init(text: String) {
            self.text = text
        }
    }
}
