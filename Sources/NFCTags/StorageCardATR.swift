/// The answer to reset a reader makes up for a storage card (PC/SC Part 3): standard and card name stand in the
/// historical bytes behind the RID of the PC/SC Workgroup.
public struct StorageCardATR: Sendable, Hashable {
    /// SS: the standard the card follows.
    public let standard: CardStandard
    /// NN NN: the card name.
    public let cardName: CardName

    /// Recognises `80 4F 0C`, RID `A0 00 00 03 06`, SS, NN NN; `nil` for other historical bytes.
    ///
    /// The four reserved bytes behind NN may be anything, or missing.
    public init?(historicalBytes: [UInt8]) {
        guard historicalBytes.starts(with: [0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06]) else { return nil }
        let fields = Array(historicalBytes.dropFirst(8).prefix(3))
        guard fields.count == 3 else { return nil }
        standard = CardStandard(rawValue: fields[0])
        cardName = CardName(rawValue: UInt16(fields[1]) << 8 | UInt16(fields[2]))
    }

    /// What kind of tag this is, as far as standard and card name tell.
    public var technology: TagTechnology {
        if let named = cardName.technology { return named }
        // Readers that name no card do so for type 2 tags; those of other layouts have a number.
        if standard == .iso14443Part3A && cardName == .unspecified { return .type2 }
        return standard.technology
    }
}
