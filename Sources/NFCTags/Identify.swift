import ISO7816

/// Finds out what was put on the reader: the technology from the answer to reset, the identifier with `FF CA`
/// (PC/SC Part 3, Get Data).
///
/// A malformed answer to reset gives ``TagTechnology/unknown``, a reader without an identifier an empty one. A card
/// with contacts is not asked for an identifier.
/// - Throws: ``TagError`` when the tag or the reader does not answer at all, or answers without a status word.
public func identify(atr: [UInt8], channel: some CardChannel) async throws(TagError) -> TagIdentity {
    let answer = AnswerToReset.parsed(atr)
    let technology = answer.map { TagTechnology($0) } ?? .unknown
    guard technology != .contact else { return TagIdentity(technology: technology, identifier: [], atr: atr) }
    let identifier = try await IdentifierReader(channel: channel, technology: technology).read()
    let refined = technology.refined(identifier: identifier, historicalBytes: answer?.historicalBytes ?? [])
    return TagIdentity(technology: refined, identifier: identifier, atr: atr)
}
