/// The driver for the NDEF message of an identified tag; nil where there is none for its technology yet.
///
/// It is made once for a connection; its calls are made one after another.
/// - Parameters:
///   - profile: what the reader lets pass.
///   - reconnection: how to get a card back that a refusal has put to sleep; without, some steps are not tried.
public func ndefTag(
    for identity: TagIdentity, channel: some CardChannel, profile: ReaderProfile = .generic,
    reconnection: CardReconnection? = nil
) -> (any NDEFTag)? {
    switch identity.technology {
    case .type2: Type2Tag(channel: channel, profile: profile, expectedIdentifier: identity.identifier)
    case .mifareClassic:
        MIFAREClassicNDEFTag(channel: channel, size: identity.classicSize, reconnection: reconnection)
    case .iso15693:
        if let native = profile.iso15693Channel(over: channel) {
            Type5Tag(native: native, uid: identity.identifier.isEmpty ? nil : identity.identifier)
        } else {
            Type5Tag(channel: channel)
        }
    case .iso14443Part4: Type4Tag(channel: channel)
    case .feliCa: Type3Tag(channel: profile.feliCaChannel(over: channel), identifier: identity.identifier)
    case .type1Topaz: Type1Tag(channel: profile.type1Channel(over: channel), identifier: identity.identifier)
    default: nil
    }
}

/// Reads the NDEF message of an identified tag, with the driver of its technology.
///
/// A tag without NDEF, or of a technology that has no driver yet, is not an error: the result says
/// ``NDEFStatus/notSupported`` and why.
/// - Throws: ``TagError`` when the tag is lost, refuses what it promised or answers nonsense.
public func readNDEF(
    from identity: TagIdentity, channel: some CardChannel, profile: ReaderProfile = .generic
) async throws(TagError) -> NDEFReadResult {
    guard let tag = ndefTag(for: identity, channel: channel, profile: profile) else {
        return .notSupported("reading NDEF from \(identity.technology) is not supported yet")
    }
    return try await tag.readNDEF()
}

extension TagIdentity {
    /// The size that the answer to reset tells; where it tells none, that of most cards.
    public var classicSize: MIFAREClassicSize {
        storageCard.flatMap { MIFAREClassicSize(cardName: $0.cardName) } ?? .oneK
    }
}
