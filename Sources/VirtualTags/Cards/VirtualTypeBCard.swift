/// A card of ISO/IEC 14443-4 type B with applications that a program provides; otherwise a ``VirtualApplicationCard``.
public struct VirtualTypeBCard: TypeBCard {
    /// The PUPI, 4 bytes.
    public let identifier: [UInt8]
    /// What it answers to REQB.
    public let answerToRequest: VirtualAnswerToRequestB
    /// What answers its commands.
    public private(set) var card: VirtualApplicationCard

    /// Creates a card.
    ///
    /// - Parameters:
    ///   - identifier: the PUPI, 4 bytes; nil for a made-up one.
    ///   - answerToRequest: what it answers to REQB.
    ///   - applications: in the order in which a partial AID finds them.
    /// - Throws: ``VirtualTagError`` for an identifier or AIDs that no card has.
    public init(
        identifier: [UInt8]? = nil, answerToRequest: VirtualAnswerToRequestB,
        features: VirtualApplicationCard.Features = .init(), applications: [any VirtualApplication]
    ) throws(VirtualTagError) {
        let identifier = identifier ?? [0x78, 0x16, 0x04, 0x4B]
        guard identifier.count == 4 else { throw .wrongIdentifierSize(size: identifier.count, expected: 4) }
        self.identifier = identifier
        self.answerToRequest = answerToRequest
        card = try VirtualApplicationCard(identifier: identifier, features: features, applications: applications)
    }

    /// What its applications did not expect.
    public var objections: [String] { card.objections }

    /// Selects the tag; no application is selected on it.
    public mutating func activate() { card.activate() }

    /// Turns the field off, and resets the applications.
    public mutating func fieldDropped() { card.fieldDropped() }

    /// Answers one command.
    public mutating func exchange(_ bytes: [UInt8]) -> VirtualTagAnswer { card.exchange(bytes) }
}
