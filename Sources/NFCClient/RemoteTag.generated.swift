// swift-format-ignore-file
// Made by `make generate` from the declarations in NFCProtocol/Methods. Change those, not this file.

public import NDEF
public import NFCProtocol

extension RemoteTag {
    /// Returns whether a tag holds NDEF, and how much fits.
    ///
    /// - Parameters:
    ///   - content: Whether to look for content that is recognized besides a message, which takes further reads; the default is false.
    public func queryNDEFStatus(content: Bool? = nil) async throws -> TagQueryNDEFStatus.Result {
        try await call(TagQueryNDEFStatus.self, .init(address, .init(content: content)))
    }

    /// Reads the message on a tag.
    ///
    /// - Parameters:
    ///   - content: Whether to look for content that is recognized besides the message, which takes further reads; the default is false.
    public func readNDEF(content: Bool? = nil) async throws -> TagReadNDEF.Result {
        try await call(TagReadNDEF.self, .init(address, .init(content: content)))
    }

    /// Writes a message to a tag and replaces the one on it.
    ///
    /// A message without records erases the tag. One that would reach into content of a known format behind the message, such as that of a filament tag, is refused, unless `overwrite` is true.
    ///
    /// - Parameters:
    ///   - message: The message to write.
    ///   - verify: Whether to read the message back and compare it; the default is false.
    ///   - overwrite: Whether content behind the message may be overwritten; the default is false.
    ///   - onProgress: Is called with the number of steps done and of all steps; it must not block.
    public func writeNDEF(_ message: NDEFMessage, verify: Bool? = nil, overwrite: Bool? = nil, progress onProgress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil) async throws {
        _ = try await call(TagWriteNDEF.self, .init(address, .init(message: message, verify: verify, overwrite: overwrite)), progress: onProgress)
    }

    /// Changes bytes inside the payload of a record, which keeps its length.
    ///
    /// Only the blocks that differ are written; the header of the message is not, and only the locks of those blocks count. If other bytes than `old` are there, nothing is written. Wherever it is interrupted, the bytes in front of the change stay; what the changed bytes may be is in the error.
    ///
    /// - Parameters:
    ///   - record: The index of the record in the message, from 0.
    ///   - offset: Where the first byte is in the record's payload, from 0.
    ///   - old: The bytes that have to be there.
    ///   - new: The bytes that replace them, as many.
    ///   - stop: A byte that hides what is behind it while several blocks are written.
    ///   - steps: What the bytes are between `old` and `new`, step by step: each has the same length. Not with `stop`.
    ///   - verify: Whether to read the blocks back and compare them; the default is false.
    ///   - onProgress: Is called with the number of steps done and of all steps; it must not block.
    public func updateRecord(record: Int, offset: Int, old: some Sequence<UInt8>, new: some Sequence<UInt8>, stop: TagUpdateRecord.Stop? = nil, steps: [[UInt8]]? = nil, verify: Bool? = nil, progress onProgress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil) async throws {
        _ = try await call(TagUpdateRecord.self, .init(address, .init(record: record, offset: offset, old: HexBytes(Array(old)), new: HexBytes(Array(new)), stop: stop, steps: steps.map { $0.map { HexBytes($0) } }, verify: verify)), progress: onProgress)
    }

    /// Formats a tag without NDEF, so that it holds an empty message.
    ///
    /// A tag whose memory holds other data is refused, unless `overwrite` is true.
    ///
    /// - Parameters:
    ///   - overwrite: Whether other data in the tag's memory may be overwritten; the default is false.
    public func format(overwrite: Bool? = nil) async throws {
        _ = try await call(TagFormat.self, .init(address, .init(overwrite: overwrite)))
    }

    /// Makes a tag permanently read-only.
    public func writeLock() async throws {
        _ = try await call(TagWriteLock.self, .init(address, .init()))
    }

    /// Authenticates to a tag with its password.
    ///
    /// The authentication lasts until the tag leaves the field, or until a raw command is sent to it. An ICODE SLIX2 answers nothing after a wrong password until it is reset, which the command does: then no password is in force.
    ///
    /// - Parameters:
    ///   - password: The password, 4 bytes for Type 2 and ICODE SLIX2; 16 bytes are the AES key (DataProtKey) of MIFARE Ultralight AES.
    ///   - kind: Which password of an ICODE SLIX2; the default is `read` where reading needs one, else `write`.
    /// - Returns: The proof that the tag knows the password too: PACK of Type 2. Empty for an AES key, which the tag has proved to know, and for ICODE SLIX2.
    @discardableResult
    public func authenticate(_ password: some Sequence<UInt8>, kind: PasswordKind? = nil) async throws -> [UInt8] {
        try await call(TagAuthenticate.self, .init(address, .init(password: HexBytes(Array(password)), kind: kind))).acknowledge.bytes
    }

    /// Cancels the commands to a tag that have not started.
    ///
    /// Each of them is answered with error -32800.
    ///
    /// - Returns: The number of cancelled commands.
    @discardableResult
    public func cancelCommands() async throws -> Int {
        try await call(TagCancelCommands.self, address).cancelled
    }

    /// Returns the product, the memory and the lock state of a tag, as far as the tag reports them.
    public func describe() async throws -> TagDescribe.Result {
        try await call(TagDescribe.self, .init(address, .init()))
    }

    /// Reads all readable memory of a tag.
    ///
    /// - Parameters:
    ///   - onProgress: Is called with the number of steps done and of all steps; it must not block.
    public func dump(progress onProgress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil) async throws -> TagDumpMemory.Result {
        try await call(TagDumpMemory.self, .init(address, .init()), progress: onProgress)
    }

    /// Replaces blocks of a tag's memory that hold data, and verifies them.
    ///
    /// Supported by Type 2 Tags whose product is recognized (the user pages from page 4 on) and by Type 5 Tags (all blocks). Lock bits, one-time bits, configuration and keys are never written. Blocks that have their content already are left. Content of a known format, that of a spool or of an item of a library, is not overwritten unless `overwrite` is true; what changes with the use of a spool, the remaining amount of a TigerTag, always may be. Wherever it is interrupted, the tag holds the old message, none, or the new content.
    ///
    /// - Parameters:
    ///   - blocks: The pages or blocks, each once.
    ///   - overwrite: Whether content of a known format may be overwritten: a TigerTag, an OpenPrintTag, the data of a maker of filament or a library; the default is false.
    ///   - onProgress: Is called with the number of steps done and of all steps; it must not block.
    /// - Returns: How many blocks had another content.
    @discardableResult
    public func writeMemory(_ blocks: [TagWriteMemory.Block], overwrite: Bool? = nil, progress onProgress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil) async throws -> Int {
        try await call(TagWriteMemory.self, .init(address, .init(blocks: blocks, overwrite: overwrite)), progress: onProgress).written
    }

    /// Protects a tag with a password, or changes its password.
    ///
    /// Supported by NTAG21x and MIFARE Ultralight EV1, and by MIFARE Ultralight AES with an AES key instead of the password, on a reader that sends raw commands; and by ICODE SLIX2, whose pages are blocks, on a reader that sends ISO 15693 requests. Where the tag has a password already, give it first with `tag.authenticate`. The tag has to accept the new password before it is in force; wherever the command is interrupted, the tag has the old password, none, or the new one. A tag whose password is lost stays unchanged. An ICODE SLIX2 takes its read and its write password for a change of what they protect; those that were not given are tried as delivered, 00000000, where no page needs them.
    ///
    /// - Parameters:
    ///   - password: The new password, 4 bytes; 16 for the AES key of MIFARE Ultralight AES.
    ///   - pack: PACK, the 2 bytes with which the tag answers the right password; the default is 0000. A tag with a key has none.
    ///   - firstPage: The first page that needs the password. The default is that of the password on the tag; without one, 4, and 0 for ICODE SLIX2.
    ///   - protects: Whether the password is needed to write, or to read as well. The default is as it is on the tag; without a password, to write.
    ///   - attempts: How many wrong passwords close the protected pages permanently, 1 to 7, of keys 1 to 1023; 0 for no limit. The default is as it is on the tag.
    ///   - endPage: ICODE SLIX2: the first page that does not need the password, with `firstPage` 0. The default is as it is on the tag; without a password, every page needs it.
    ///   - kind: ICODE SLIX2: which password. The default is `write`, and `read` where reading needs the password as well.
    @discardableResult
    public func setPassword(_ password: some Sequence<UInt8>, pack: [UInt8]? = nil, firstPage: Int? = nil, protects: PasswordScope? = nil, attempts: Int? = nil, endPage: Int? = nil, kind: PasswordKind? = nil) async throws -> TagSetPassword.Result {
        try await call(TagSetPassword.self, .init(address, .init(password: HexBytes(Array(password)), pack: pack.map { HexBytes($0) }, firstPage: firstPage, protects: protects, attempts: attempts, endPage: endPage, kind: kind)))
    }

    /// Removes the password of a tag.
    ///
    /// Give the password first with `tag.authenticate`. Afterwards the tag has the password FFFFFFFF, or the key of zeros, that it was delivered with, and no page needs it. Those of an ICODE SLIX2 that were given become 00000000.
    public func removePassword() async throws {
        _ = try await call(TagRemovePassword.self, .init(address, .init()))
    }

    /// Changes settings of an NTAG21x or an ICODE SLIX2.
    ///
    /// What is not given stays unchanged. An NTAG21x has the NFC counter and the ASCII mirror, an ICODE SLIX2 the counter, AFI, EAS, permanent locks and privacy mode. The NTAG's counter and its mirror are supported by NTAG213, 215 and 216, the mirror of the UID by NTAG210 and 212 too. The tag shows the mirror instead of the stored bytes whenever it is read. Locks cannot be undone. In privacy mode no reader finds the tag: nfcd cannot see it any more, and only a device that sends the privacy password without looking for a tag ends it.
    ///
    /// - Parameters:
    ///   - counter: Whether the tag counts the times it is read, and who can read the counter.
    ///   - mirror: What the tag shows instead of its memory.
    ///   - mirrorPage: The page in which the mirror begins; required with a mirror.
    ///   - mirrorByte: The byte of that page, 0 to 3; the default is 0.
    ///   - counterValue: ICODE SLIX2: the value to which the counter is set, 0 to 65535.
    ///   - afi: ICODE SLIX2: the application family identifier, 1 byte.
    ///   - eas: ICODE SLIX2: whether gates against theft notice the tag (EAS).
    ///   - locks: ICODE SLIX2: what is locked permanently.
    ///   - privacy: ICODE SLIX2: true turns privacy mode on, in which the tag shows no UID and readers do not find it; nfcd cannot turn it off. Its password has to be given with `tag.authenticate` first.
    @discardableResult
    public func configure(counter: CounterUse? = nil, mirror: MirrorContent? = nil, mirrorPage: Int? = nil, mirrorByte: Int? = nil, counterValue: Int? = nil, afi: [UInt8]? = nil, eas: Bool? = nil, locks: [TagLock]? = nil, privacy: Bool? = nil) async throws -> TagConfigure.Result {
        try await call(TagConfigure.self, .init(address, .init(counter: counter, mirror: mirror, mirrorPage: mirrorPage, mirrorByte: mirrorByte, counterValue: counterValue, afi: afi.map { HexBytes($0) }, eas: eas, locks: locks, privacy: privacy)))
    }

    /// Makes a tag one of a profile, with keys by which it proves itself; changes or undoes that.
    ///
    /// The profiles and keys are those of nfcd's key file. The tag has to rest on the reader. Before the first change nfcd stores a record, from which `resume` finishes a tag that left early: no interruption loses a key. It is finished with any profile of the same keys. A tag with keys as delivered whose UID is that of one with other keys may be an imitation, and is refused. No key is in a request or in an answer. A permanent setting needs the capability `personalise-permanently` as well. Afterwards, the tag is as newly activated: select again what you need.
    ///
    /// - Parameters:
    ///   - task: What is done.
    ///   - profile: The name of the profile; the default is the only one for tags of this product.
    ///   - dryRun: Whether nothing is changed: the tag is asked, and the steps are returned. The default is false.
    ///   - permanent: What the tag gets permanently; the default is nothing.
    ///   - overwriteMessage: Whether a message that is on the tag may be lost; the default is false.
    ///   - requireSignature: Whether a tag without the right signature of its maker is refused; the default is false.
    ///   - identifier: The UID, 7 bytes, of a tag that hides it.
    ///   - credential: What the protected file of a MIFARE DESFire says of its holder, at most 23 bytes; the default is what is in it, or its UID.
    ///   - keepCardKey: Whether the master key of a MIFARE DESFire card is left alone; that of a card with other applications always is. The default is false.
    ///   - forgetRecord: Whether `reset` has nfcd forget which keys it gave to a tag with this UID, although this one has keys as delivered. Whoever holds an imitation of that tag could then have its keys written to it: ask a person who knows that the tag was reset elsewhere. Without it, nfcd refuses such a tag. The default is false.
    ///   - onProgress: Is called with the number of steps done and of all steps; it must not block.
    @discardableResult
    public func personalise(_ task: PersonalisationTask, profile: String? = nil, dryRun: Bool? = nil, permanent: [PermanentSetting]? = nil, overwriteMessage: Bool? = nil, requireSignature: Bool? = nil, identifier: [UInt8]? = nil, credential: [UInt8]? = nil, keepCardKey: Bool? = nil, forgetRecord: Bool? = nil, progress onProgress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil) async throws -> TagPersonalise.Result {
        try await call(TagPersonalise.self, .init(address, .init(task: task, profile: profile, dryRun: dryRun, permanent: permanent, overwriteMessage: overwriteMessage, requireSignature: requireSignature, identifier: identifier.map { HexBytes($0) }, credential: credential.map { HexBytes($0) }, keepCardKey: keepCardKey, forgetRecord: forgetRecord)), progress: onProgress)
    }

    /// Returns how far a tag is one of a profile, as it claims. Nothing on the tag changes.
    ///
    /// No key of the profile is tried. A UID that was given for a tag that hides its own is not compared with the tag's; `tag.personalise` with the task `verify` proves it.
    ///
    /// - Parameters:
    ///   - profile: The name of the profile; the default is the only one for tags of this product.
    ///   - identifier: The UID, 7 bytes, of a tag that hides it.
    @discardableResult
    public func queryPersonalisation(profile: String? = nil, identifier: [UInt8]? = nil) async throws -> TagQueryPersonalisation.Result {
        try await call(TagQueryPersonalisation.self, .init(address, .init(profile: profile, identifier: identifier.map { HexBytes($0) })))
    }

    /// The commands of tags of type `iso7816`.
    public var iso7816: ISO7816Commands { ISO7816Commands(tag: self) }

    /// The commands of tags of type `miFare`.
    public var miFare: MiFareCommands { MiFareCommands(tag: self) }

    /// The commands of tags of type `feliCa`.
    public var feliCa: FeliCaCommands { FeliCaCommands(tag: self) }

    /// The commands of tags of type `iso15693`.
    public var iso15693: ISO15693Commands { ISO15693Commands(tag: self) }

    /// The commands of MIFARE Classic. One sector at a time is open: that of the block that was authenticated last.
    public var miFareClassic: MIFAREClassicCommands { MIFAREClassicCommands(tag: self) }
}

/// The commands of tags of type `iso7816`.
public struct ISO7816Commands: Sendable {
    fileprivate let tag: RemoteTag

    /// Sends a command APDU.
    ///
    /// - Parameters:
    ///   - apdu: The command APDU, 4 to 65,544 bytes.
    ///   - timeout: The limit of the command, at most 60 s; nil for the reader's own limit of each exchange.
    @discardableResult
    public func sendCommand(_ apdu: some Sequence<UInt8>, timeout: Duration? = nil) async throws -> ISO7816SendCommand.Result {
        try await tag.call(ISO7816SendCommand.self, .init(tag.address, .init(apdu: HexBytes(Array(apdu))), timeout: timeout.map { $0 / .seconds(1) }))
    }
}

/// The commands of tags of type `miFare`.
public struct MiFareCommands: Sendable {
    fileprivate let tag: RemoteTag

    /// Sends a command of a MIFARE tag's own command set.
    ///
    /// MIFARE Plus and DESFire cards that are delivered as `miFare` take their native commands, one frame at a time; the answer begins with the status byte. A frame to MIFARE Plus is sent unchanged; some readers pass only command APDUs. An ACK of an NTAG or Ultralight is the byte 0A; where the reader hides it, a WRITE is verified by reading the page back.
    ///
    /// - Parameters:
    ///   - command: The frame, at least one byte. The reader appends the CRC.
    ///   - timeout: The limit of the command, at most 60 s; nil for the reader's own limit of each exchange.
    /// - Returns: The bytes of the answer; of a FeliCa card from the response code on.
    @discardableResult
    public func sendCommand(_ command: some Sequence<UInt8>, timeout: Duration? = nil) async throws -> [UInt8] {
        try await tag.call(MiFareSendCommand.self, .init(tag.address, .init(command: HexBytes(Array(command))), timeout: timeout.map { $0 / .seconds(1) })).data.bytes
    }

    /// Sends a command APDU to a MIFARE tag.
    ///
    /// CoreNFC has two names for this command; the other one is `iso7816.sendCommand`.
    ///
    /// - Parameters:
    ///   - apdu: The command APDU, 4 to 65,544 bytes.
    ///   - timeout: The limit of the command, at most 60 s; nil for the reader's own limit of each exchange.
    @discardableResult
    public func sendISO7816Command(_ apdu: some Sequence<UInt8>, timeout: Duration? = nil) async throws -> MiFareSendISO7816Command.Result {
        try await tag.call(MiFareSendISO7816Command.self, .init(tag.address, .init(apdu: HexBytes(Array(apdu))), timeout: timeout.map { $0 / .seconds(1) }))
    }
}

/// The commands of tags of type `feliCa`.
public struct FeliCaCommands: Sendable {
    fileprivate let tag: RemoteTag

    /// Sends a FeliCa command.
    ///
    /// - Parameters:
    ///   - packet: The packet from the command code on, 1 to 254 bytes. As in CoreNFC, the length byte and the CRC are added.
    ///   - timeout: The limit of the command, at most 60 s; nil for the reader's own limit of each exchange.
    /// - Returns: The bytes of the answer; of a FeliCa card from the response code on.
    @discardableResult
    public func sendCommand(_ packet: some Sequence<UInt8>, timeout: Duration? = nil) async throws -> [UInt8] {
        try await tag.call(FeliCaSendCommand.self, .init(tag.address, .init(packet: HexBytes(Array(packet))), timeout: timeout.map { $0 / .seconds(1) })).data.bytes
    }
}

/// The commands of tags of type `iso15693`.
public struct ISO15693Commands: Sendable {
    fileprivate let tag: RemoteTag

    /// Sends a request of ISO/IEC 15693.
    ///
    /// If the address flag is set, `data` begins with the UID.
    ///
    /// - Parameters:
    ///   - requestFlags: The flags byte.
    ///   - commandCode: The command code.
    ///   - data: The bytes after the command code; by default there are none.
    ///   - timeout: The limit of the command, at most 60 s; nil for the reader's own limit of each exchange.
    @discardableResult
    public func sendRequest(requestFlags: UInt8, commandCode: UInt8, data: [UInt8]? = nil, timeout: Duration? = nil) async throws -> ISO15693SendRequest.Result {
        try await tag.call(ISO15693SendRequest.self, .init(tag.address, .init(requestFlags: requestFlags, commandCode: commandCode, data: data.map { HexBytes($0) }), timeout: timeout.map { $0 / .seconds(1) }))
    }
}

/// The commands of MIFARE Classic. One sector at a time is open: that of the block that was authenticated last.
public struct MIFAREClassicCommands: Sendable {
    fileprivate let tag: RemoteTag

    /// Authenticates to the sector of a block with one of its keys.
    ///
    /// The sector stays authenticated until another one is, or until the card receives a command other than those of `miFareClassic`. A wrong key halts the card.
    ///
    /// - Parameters:
    ///   - block: The number of any block of the sector.
    ///   - keyType: Which of the two keys of the sector: A or B.
    ///   - key: The key, 6 bytes.
    public func authenticate(block: Int, keyType: MiFareClassicAuthenticate.KeyType, key: some Sequence<UInt8>) async throws {
        _ = try await tag.call(MiFareClassicAuthenticate.self, .init(tag.address, .init(block: block, keyType: keyType, key: HexBytes(Array(key)))))
    }

    /// Reads a block of the authenticated sector.
    ///
    /// Key A in a sector trailer reads as zeros.
    ///
    /// - Parameters:
    ///   - block: The number of the block.
    /// - Returns: The bytes of the answer; of a FeliCa card from the response code on.
    @discardableResult
    public func readBlock(_ block: Int) async throws -> [UInt8] {
        try await tag.call(MiFareClassicReadBlock.self, .init(tag.address, .init(block: block))).data.bytes
    }

    /// Writes a block of the authenticated sector.
    ///
    /// Block 0 is refused, and a sector trailer unless `allowTrailer` is set.
    ///
    /// - Parameters:
    ///   - block: The number of the block.
    ///   - data: The new content, 16 bytes.
    ///   - allowTrailer: Whether a sector trailer may be written; the default is false. A wrong trailer makes its sector permanently unusable.
    public func writeBlock(block: Int, data: some Sequence<UInt8>, allowTrailer: Bool? = nil) async throws {
        _ = try await tag.call(MiFareClassicWriteBlock.self, .init(tag.address, .init(block: block, data: HexBytes(Array(data)), allowTrailer: allowTrailer)))
    }

    /// Increases the value in a value block of the authenticated sector.
    ///
    /// Sends INCREMENT and TRANSFER.
    ///
    /// - Parameters:
    ///   - block: The number of the value block.
    ///   - amount: The amount to change the value by, not negative.
    public func increment(block: Int, amount: Int32) async throws {
        _ = try await tag.call(MiFareClassicIncrement.self, .init(tag.address, .init(block: block, amount: amount)))
    }

    /// Decreases the value in a value block of the authenticated sector.
    ///
    /// Sends DECREMENT and TRANSFER.
    ///
    /// - Parameters:
    ///   - block: The number of the value block.
    ///   - amount: The amount to change the value by, not negative.
    public func decrement(block: Int, amount: Int32) async throws {
        _ = try await tag.call(MiFareClassicDecrement.self, .init(tag.address, .init(block: block, amount: amount)))
    }

    /// Copies a value block of the authenticated sector to another block of the sector.
    ///
    /// Sends RESTORE and TRANSFER, which readers offer as one command only.
    ///
    /// - Parameters:
    ///   - block: The number of the block to copy.
    ///   - destination: The number of the block to copy it to.
    public func restore(block: Int, destination: Int) async throws {
        _ = try await tag.call(MiFareClassicRestore.self, .init(tag.address, .init(block: block, destination: destination)))
    }
}
