/// Reads the NDEF message of an identified tag, with the driver of its technology.
///
/// A tag without NDEF, or of a technology that has no driver yet, is not an error: the result says
/// ``NDEFStatus/notSupported`` and why.
/// - Throws: ``TagError`` when the tag is lost, refuses what it promised or answers nonsense.
public func readNDEF(from identity: TagIdentity, channel: some CardChannel) async throws(TagError) -> NDEFReadResult {
    switch identity.technology {
    case .type2: try await Type2Tag(channel: channel).readNDEF()
    default: .notSupported("reading NDEF from \(identity.technology) is not supported yet")
    }
}

/// The driver for the NDEF message of an identified tag; nil where there is none for its technology yet.
public func ndefTag(for identity: TagIdentity, channel: some CardChannel) -> (any NDEFTag)? {
    nil
}
