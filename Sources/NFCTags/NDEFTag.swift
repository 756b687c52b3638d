/// The NDEF message of a tag of any type. Made once for a connection; what cannot change while the tag is
/// connected is read once.
public protocol NDEFTag: Actor {
    /// Status, capacity and message, with no more exchanges than it takes to get there.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when its answer is malformed or it refuses what it declared.
    func readNDEF() async throws(TagError) -> NDEFReadResult

    /// Status and capacity alone: as ``readNDEF()``, but no further than to where the message begins.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when its answer is malformed or it refuses what it declared.
    func queryStatus() async throws(TagError) -> NDEFStatusResult

    /// Replaces the message. No bytes erase it: the tag is formatted and empty then.
    ///
    /// Wherever it is interrupted, the tag holds the old message, none, or the new one.
    /// - Parameters:
    ///   - message: the encoded message.
    ///   - verifying: reads back what was written and compares.
    ///   - overwriting: whether content of a known format behind the message may be overwritten, see ``findContent()``.
    ///   - progress: receives every step of the write.
    /// - Throws: ``TagError``, before the first byte is written: 1 if there is no NDEF, or the message would reach into such content and
    ///   `overwriting` is false; 400 on a read-only tag, 402 where the message does not fit. While writing: 401, or 100, with
    ///   ``TagError/leaves``.
    func writeNDEF(
        _ message: [UInt8], verifying: Bool, overwriting: Bool, progress: TagProgress?
    ) async throws(TagError)

    /// Changes bytes inside the payload of a record, and writes no other blocks than those which differ.
    ///
    /// Container, length and headers are read again and never written, and a container that declares no write access does not stop it:
    /// only the locks of the blocks that change count. Where one block changes, the tag holds the old bytes or the new ones, wherever it
    /// is interrupted; where several do, ``RecordUpdate/stop`` and ``RecordUpdate/steps`` decide what it may hold in between.
    /// - Parameters:
    ///   - update: the change.
    ///   - verifying: reads the blocks back and compares.
    ///   - progress: receives every write.
    /// - Throws: ``TagError``, before the first byte is written: 1 if there is no NDEF or the record is in chunks, 400 if a block is
    ///   locked, 401 where the record does not hold the old bytes, 403 if there is no message. While writing: 401, or 100, with
    ///   ``TagError/leaves``.
    func updateRecord(_ update: RecordUpdate, verifying: Bool, progress: TagProgress?) async throws(TagError)

    /// Formats a tag without NDEF, so that its message is empty. A tag that is formatted keeps its message.
    ///
    /// - Parameter overwriting: whether other data in the memory for data may be overwritten. Locks, configuration and keys never are.
    /// - Throws: ``TagError`` 1 if this tag cannot be formatted, or holds other data and `overwriting` is false.
    func formatNDEF(overwriting: Bool) async throws(TagError)

    /// What ``formatNDEF(overwriting:)`` would find. Reads the whole memory for data of a tag without NDEF, and writes nothing.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when its answer is malformed.
    func formatState() async throws(TagError) -> TagFormatState

    /// What the memory holds besides a message, in a format that is recognized. It takes further reads, and changes nothing.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves.
    func findContent() async throws(TagError) -> TagContent?

    /// Makes the message read-only permanently.
    ///
    /// - Throws: ``TagError`` 1 if this tag has no lock that is known for certain, 400 if it is already read-only.
    func makeReadOnly() async throws(TagError)

    /// Sends the tag's password; the tag accepts it until it leaves the field. No password is ever tried otherwise: too many
    /// wrong ones can close a tag permanently.
    ///
    /// - Returns: the bytes that show that the tag has this password.
    /// - Throws: ``TagError`` 1 if this tag or reader does not support passwords, 102 if the password is wrong.
    func authenticate(password: [UInt8]) async throws(TagError) -> [UInt8]

    /// Sends one of several passwords of a tag, as ``authenticate(password:)``.
    ///
    /// - Parameter kind: which password of an ICODE SLIX2; nil for the usual one.
    func authenticate(password: [UInt8], kind: PasswordKind?) async throws(TagError) -> [UInt8]

    /// Whether wrong passwords of this kind may be counted, so that a few of them close the tag permanently.
    ///
    /// - Throws: ``TagError`` where the tag leaves.
    func mayLimitAttempts(of password: [UInt8]) async throws(TagError) -> Bool

    /// Describes the tag: product, maker, memory, locks, counters and signature, as far as available.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when its answer is malformed.
    func describe() async throws(TagError) -> TagDescription

    /// The maker's name for the product, as far as what was read has shown it: no command is sent for it.
    var shownProduct: String? { get }

    /// Reads everything that can be read without a secret, with the purpose of each block.
    ///
    /// - Parameter progress: receives every block or file read.
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when its answer is malformed.
    func dump(progress: TagProgress?) async throws(TagError) -> TagDump
}

extension NDEFTag {
    /// ``writeNDEF(_:verifying:overwriting:progress:)`` over nothing but the message.
    public func writeNDEF(
        _ message: [UInt8], verifying: Bool, progress: TagProgress? = nil
    ) async throws(TagError) {
        try await writeNDEF(message, verifying: verifying, overwriting: false, progress: progress)
    }

    /// ``dump(progress:)`` without progress.
    public func dump() async throws(TagError) -> TagDump { try await dump(progress: nil) }

    /// Most tags do not show their product while their message is read.
    public var shownProduct: String? { nil }

    /// No other format is known for most tags.
    public func findContent() async throws(TagError) -> TagContent? { nil }

    /// Formats a tag without NDEF whose memory is blank.
    public func formatNDEF() async throws(TagError) { try await formatNDEF(overwriting: false) }

    /// Tags without a password count no attempts.
    public func mayLimitAttempts(of password: [UInt8]) async throws(TagError) -> Bool { false }

    /// Most tags have at most one password.
    public func authenticate(password: [UInt8], kind: PasswordKind?) async throws(TagError) -> [UInt8] {
        guard let kind else { return try await authenticate(password: password) }
        throw TagError(
            .unsupportedFeature, "tags of this type have no \(kind.words); give the password without a kind")
    }

    /// Most tags do not support a password.
    public func authenticate(password: [UInt8]) async throws(TagError) -> [UInt8] {
        throw TagError(.unsupportedFeature, "tags of this type have no password")
    }
}

/// The driver for the NDEF message of an identified tag; nil if there is none for its technology yet.
///
/// It is made once for a connection; its calls are made one after another.
/// - Parameters:
///   - profile: what the reader supports.
///   - reconnection: how to reconnect to a card that a refusal has halted; without it, some steps are not tried.
public func ndefTag(
    for identity: TagIdentity, channel: some CardChannel, profile: ReaderProfile = .generic,
    reconnection: CardReconnection? = nil
) -> (any NDEFTag)? {
    switch identity.technology {
    case .type2:
        Type2Tag(
            channel: channel, profile: profile, expectedIdentifier: identity.identifier, reconnection: reconnection)
    case .mifareClassic:
        MIFAREClassicNDEFTag(
            channel: channel, size: identity.classicSize, reader: profile.mifareClassic, reconnection: reconnection)
    case .iso15693:
        if let native = profile.iso15693Channel(over: channel) {
            Type5Tag(
                native: native, uid: identity.identifier.isEmpty ? nil : identity.identifier,
                reset: reconnection?.resetting(channel, .iso15693))
        } else {
            Type5Tag(channel: channel)
        }
    case .iso14443Part4: Type4Tag(channel: channel)
    case .feliCa: Type3Tag(channel: profile.feliCaChannel(over: channel), identifier: identity.identifier)
    case .type1Topaz: Type1Tag(channel: profile.type1Channel(over: channel), identifier: identity.identifier)
    default: nil
    }
}

/// The driver for the blocks of an identified MIFARE Classic card; nil for other tags.
///
/// Parameters as for ``ndefTag(for:channel:profile:reconnection:)``.
public func mifareClassic(
    for identity: TagIdentity, channel: some CardChannel, profile: ReaderProfile = .generic,
    reconnection: CardReconnection? = nil
) -> MIFAREClassic? {
    guard identity.technology == .mifareClassic else { return nil }
    return MIFAREClassic(
        channel: channel, size: identity.classicSize, reader: profile.mifareClassic, reconnection: reconnection)
}

/// Reads the NDEF message of an identified tag, with the driver of its technology.
///
/// A tag without NDEF, or of a technology that has no driver yet, is not an error: the result has
/// ``NDEFStatus/notSupported`` and why.
/// - Throws: ``TagError`` when the tag is lost, refuses what it declared or its answer is malformed.
public func readNDEF(
    from identity: TagIdentity, channel: some CardChannel, profile: ReaderProfile = .generic
) async throws(TagError) -> NDEFReadResult {
    guard let tag = ndefTag(for: identity, channel: channel, profile: profile) else {
        return .notSupported("reading NDEF from \(identity.technology) is not supported yet")
    }
    return try await tag.readNDEF()
}
