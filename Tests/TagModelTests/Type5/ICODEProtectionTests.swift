import NFCTags
import NFCTypes
import Testing
import VirtualTags

/// A protected ICODE SLIX2, and what the errors say to a user who does not have, or not yet has, its passwords.
@Suite struct `A protected ICODE SLIX2` {
    private static let read: [UInt8] = [0x5A, 0x06, 0xE7, 0xC8]
    private static let write: [UInt8] = [0xC1, 0xD2, 0xE3, 0xF4]

    /// A tag with the passwords of these kinds, each in front of block 10, and the driver after a reset.
    private static func protected(
        _ kinds: [PasswordKind], on model: String = "acr1552u"
    ) async throws -> (VirtualReader, Type5Tag) {
        let reader = try ICODECards.reader(model)
        let owner = try ICODECards.tag(reader, model)
        for kind in kinds {
            let password = kind == .read ? read : write
            _ = try await owner.setPassword(TagPassword(password: HexBytes(password), endPage: 10, kind: kind))
        }
        reader.reset()
        return (reader, try ICODECards.tag(reader, model))
    }

    private static func give(_ kinds: [PasswordKind], to tag: Type5Tag) async throws {
        for kind in kinds { _ = try await tag.authenticate(password: kind == .read ? read : write, kind: kind) }
    }

    @Test(arguments: ICODECards.readers)
    func `names the block and the password that reading needs`(model: String) async throws {
        let (_, tag) = try await Self.protected([.read], on: model)
        let error = await failure { _ = try await tag.readNDEF() }
        #expect(error?.code == .tagResponseError)
        let words = "block 0 needs the read password of the tag; give it first"
        #expect(error?.detail.hasPrefix(words) == true, "\(error?.detail ?? "")")
        try await Self.give([.read], to: tag)
        #expect(try await tag.readNDEF().message == ICODECards.message)
    }

    @Test(arguments: ICODECards.readers, [PasswordKind.read, .write])
    func `of which both passwords are needed together names both`(model: String, given: PasswordKind) async throws {
        let (reader, owner) = try await Self.protected([.write, .read], on: model)
        try await Self.give([.read, .write], to: owner)
        _ = try await owner.configure(TagSettingChanges(locks: [.bothPasswords]))
        #expect(try ICODECards.chip(reader).needsBothPasswords)
        reader.reset()
        let tag = try ICODECards.tag(reader, model)
        try await Self.give([given], to: tag)
        let error = await failure { _ = try await tag.readNDEF() }
        #expect(error?.code == .tagResponseError)
        #expect(error?.detail.contains("block 0 needs the read password") == true, "\(error?.detail ?? "")")
        if given == .read { #expect(error?.detail.contains("and the write password together") == true) }
        try await Self.give([.read, .write], to: tag)
        #expect(try await tag.readNDEF().message == ICODECards.message)
    }

    struct Lock: Sendable {
        let has: [PasswordKind]
        let given: [PasswordKind]
        /// What the refusal names.
        let words: String
    }

    static let refusedLocks = [
        Lock(has: [], given: [], words: "needs its read password; give it first"),
        Lock(has: [], given: [.read], words: "read password is still the one as delivered"),
        Lock(has: [.read, .write], given: [], words: "needs its read password; give it first"),
        Lock(has: [.read, .write], given: [.read], words: "needs its write password; give it first"),
        Lock(has: [.read, .write], given: [.write], words: "needs its read password; give it first"),
        Lock(has: [.read], given: [.read, .write], words: "write password is still the one as delivered"),
        Lock(has: [.write], given: [.write, .read], words: "read password is still the one as delivered"),
    ]

    @Test(arguments: refusedLocks.indices, [[TagLock.bothPasswords], [.eas, .bothPasswords]])
    func `is not set to need both passwords unless both are proven and secret`(
        index: Int, locks: [TagLock]
    ) async throws {
        let row = Self.refusedLocks[index]
        let (reader, tag) = try await Self.protected(row.has)
        for kind in row.given {
            let secret = kind == .read ? Self.read : Self.write
            _ = try await tag.authenticate(password: row.has.contains(kind) ? secret : [0, 0, 0, 0], kind: kind)
        }
        let error = await failure { _ = try await tag.configure(TagSettingChanges(locks: locks)) }
        #expect(error?.code == .tagNotWritable)
        #expect(error?.detail.contains(row.words) == true, "\(error?.detail ?? "")")
        let chip = try ICODECards.chip(reader)
        #expect(!chip.needsBothPasswords && !chip.isEASLocked)
    }

    @Test func `whose write password is locked is opened, and the error states that`() async throws {
        let (reader, owner) = try await Self.protected([.write])
        try await Self.give([.write], to: owner)
        _ = try await owner.configure(TagSettingChanges(locks: [.writePassword]))
        reader.reset()
        let tag = try ICODECards.tag(reader, "acr1552u")
        try await Self.give([.write], to: tag)
        let error = await failure { try await tag.removePassword() }
        #expect(error?.code == .tagUpdateFailure)
        #expect(error?.detail.contains("may be locked permanently") == true)
        #expect(error?.detail.hasSuffix("done before: no page needs a password") == true, "\(error?.detail ?? "")")
        #expect(try ICODECards.chip(reader).condition == 0)
    }

    @Test func `is described with what its chip does not report`() async throws {
        let (_, tag) = try await Self.protected([.write])
        let fields = try await tag.describe().fields
        let locks = fields.first { $0.label == "Permanent locks" }?.value
        #expect(locks?.hasPrefix("none of AFI, DSFID, EAS and page protection; not reported by the chip") == true)
        #expect(fields.contains { $0.label == "Both passwords needed" && $0.value == "not reported by the chip" })
    }
}
