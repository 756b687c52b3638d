/// A technology that tags are looked for in.
public enum PollingOption: String, Choice {
    /// ISO/IEC 14443 type A and B, MIFARE.
    case iso14443
    /// ISO/IEC 15693.
    case iso15693
    /// FeliCa.
    case iso18092
    /// Of the cards of ISO/IEC 14443-4 those that speak PACE. Only for sessions of kind tag.
    case pace
}

/// Parameters that say what is looked for.
public protocol PollingParameters {
    /// The technologies; at least one.
    var pollingOption: [PollingOption]? { get }
    /// Names of applications.
    var iso7816SelectIdentifiers: [HexBytes]? { get }
    /// FeliCa systems.
    var feliCaSystemCodes: [HexBytes]? { get }
}

/// `session.restartPolling`: tags in the field are detected anew, under new names. Commands for the old names are refused.
public enum SessionRestartPolling: Method {
    /// The name on the wire.
    public static let name = "session.restartPolling"
    /// Nothing to say.
    public typealias Result = Empty

    /// What is asked for. What is given holds for this restart only; what is absent is as in `session.begin`.
    public struct Parameters: Codable, Sendable, Hashable, PollingParameters {
        /// The session's name.
        public var session: String
        /// As in `session.begin`.
        public var pollingOption: [PollingOption]?
        /// As in `session.begin`.
        public var iso7816SelectIdentifiers: [HexBytes]?
        /// As in `session.begin`.
        public var feliCaSystemCodes: [HexBytes]?

        /// All fields; what may be absent is nil unless given.
        public init(
            session: String, pollingOption: [PollingOption]? = nil, iso7816SelectIdentifiers: [HexBytes]? = nil,
            feliCaSystemCodes: [HexBytes]? = nil
        ) {
            self.session = session
            self.pollingOption = pollingOption
            self.iso7816SelectIdentifiers = iso7816SelectIdentifiers
            self.feliCaSystemCodes = feliCaSystemCodes
        }
    }
}
