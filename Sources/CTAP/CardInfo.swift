/// What a card reports of itself with authenticatorGetInfo (CTAP 2.1, §6.4), as far as the bridge needs it.
public struct CardInfo: Sendable, Hashable {
    /// The answer as the card gave it: status 00 and CBOR.
    public let answer: [UInt8]
    /// The longest request that the card takes, in bytes; 1024 where it does not say.
    public let longestRequest: Int
    /// Whether the card takes U2F commands too.
    public let hasU2F: Bool
    private let identity: [CBORItem?]
    /// Nil: a command may have changed them since.
    private var options: CBORItem?

    /// Reads an answer to getInfo.
    ///
    /// - Parameter answer: CTAP status and CBOR. Nil where the status is not 00, or the rest is not a map with versions.
    public init?(_ answer: [UInt8]) {
        guard answer.first == CTAPStatus.ok.rawValue, let map = try? CBORItem(answer.dropFirst()),
            case .array(let versions)? = map[Field.versions]
        else { return nil }
        self.answer = answer
        hasU2F = versions.contains(.text("U2F_V2"))
        longestRequest = max(map[Field.longestRequest]?.integer ?? 1024, 1024)
        identity = Field.identity.map { map[$0] }
        options = map[Field.options] ?? .map([:])
    }

    /// Whether another answer may be of the same card: model, versions, options, PIN protocols and extensions are equal.
    ///
    /// Two cards of one model look the same (CTAP 2.1 has no number of a card).
    public func mayBeSameCard(as other: CardInfo) -> Bool {
        identity == other.identity && (options == nil || other.options == nil || options == other.options)
    }

    /// Notes that a command may have changed the options: a PIN was set, or the card was reset.
    mutating func optionsChanged() { options = nil }

    private enum Field {
        static let versions = 0x01
        static let longestRequest = 0x05
        static let options = 0x04
        /// Versions, extensions, AAGUID, PIN/UV protocols.
        static let identity = [0x01, 0x02, 0x03, 0x06]
    }
}
