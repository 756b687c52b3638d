import NFCTags
import NFCTypes
import Synchronization
import Testing
import VirtualTags

/// An ICODE SLIX2 behind one of the readers that send requests.
enum ICODECards {
    static let readers = ["acr1552u", "identiv"]
    static let uid: [UInt8] = [0xE0, 0x04, 0x01, 0x08, 0x4D, 0x21, 0x5A, 0x37]
    /// An external record of type X with 57 bytes, which begin with byte 4.
    static let message: [UInt8] = [0xD4, 0x01, 57, 0x58] + ClassicCards.message(57)

    /// A reader of a model with a formatted tag.
    static func reader(_ model: String) throws -> VirtualReader {
        let tag = try VirtualISO15693Tag(product: .slix2, identifier: uid, ndefMessage: message)
        let settings = try #require(VirtualReaderModel.named(model)).settings
        return VirtualReader(tag: tag, settings: settings)
    }

    /// The driver as nfcd makes it, with a reset of the field.
    static func tag(_ card: any VirtualCard, _ model: String) throws -> Type5Tag {
        let channel = ModelChannel(card)
        let profile = try #require(ReaderProfile.named(model))
        let native = try #require(profile.iso15693Channel(over: channel))
        return Type5Tag(native: native, uid: uid) { () throws(TagError) in
            card.reset()
            guard card.isPresent else { throw TagError(.tagConnectionLost, "the tag left") }
        }
    }

    static func chip(_ reader: VirtualReader) throws -> VirtualICODE {
        try #require((reader.tag as? VirtualISO15693Tag)?.icode)
    }
}

@Suite struct `Passwords of an ICODE SLIX2` {
    private static let new: [UInt8] = [0xA1, 0xB2, 0xC3, 0xD4]
    private static let old: [UInt8] = [0x10, 0x20, 0x30, 0x40]

    private static func owner(_ reader: VirtualReader, _ model: String) async throws -> Type5Tag {
        let tag = try ICODECards.tag(reader, model)
        _ = try await tag.authenticate(password: new)
        return tag
    }

    @Test(arguments: ICODECards.readers)
    func `protect what is in front of a page, and leave the rest to everyone`(model: String) async throws {
        let reader = try ICODECards.reader(model)
        let protection = try await ICODECards.tag(reader, model).setPassword(
            TagPassword(password: HexBytes(Self.new), endPage: 10))
        #expect(protection == TagProtection(firstPage: 0, protects: .write, attempts: 0, endPage: 10, kind: .write))
        let chip = try ICODECards.chip(reader)
        #expect(chip.passwords[.write] == Self.new && chip.passwords[.read] == [0, 0, 0, 0])
        #expect(chip.pointer == 10 && chip.condition == 0x02)
        reader.reset()
        let stranger = try ICODECards.tag(reader, model)
        #expect(try await stranger.readNDEF().message == ICODECards.message)
        let refusal = await failure { try await stranger.writeNDEF([1, 2, 3], verifying: false) }
        #expect(refusal?.code == .tagNotWritable)
        #expect(refusal?.detail.contains("needs the write password of the tag; give it first") == true)
        #expect(try await ICODECards.tag(reader, model).readNDEF().message == ICODECards.message)
        try await Self.owner(reader, model).writeNDEF([1, 2, 3], verifying: true)
        reader.reset()
        #expect(try await ICODECards.tag(reader, model).readNDEF().message == [1, 2, 3])
    }

    struct Change: Sendable {
        var firstPage: Int?
        var endPage: Int?
        var protects: PasswordScope?
        var kind: PasswordKind?
        let pointer: UInt8
        let condition: UInt8
    }

    static let changes = [
        Change(pointer: 0, condition: 0x20), Change(firstPage: 0, pointer: 0, condition: 0x20),
        Change(firstPage: 20, pointer: 20, condition: 0x20), Change(endPage: 79, pointer: 0, condition: 0x20),
        Change(endPage: 1, pointer: 1, condition: 0x02), Change(endPage: 78, pointer: 78, condition: 0x02),
        Change(protects: .readWrite, pointer: 0, condition: 0x10), Change(kind: .read, pointer: 0, condition: 0x10),
        Change(endPage: 30, protects: .readWrite, pointer: 30, condition: 0x01),
        Change(firstPage: 78, kind: .write, pointer: 78, condition: 0x20),
    ]

    @Test(arguments: changes.indices, ICODECards.readers)
    func `pages are a pointer and its conditions`(index: Int, model: String) async throws {
        let row = Self.changes[index]
        let reader = try ICODECards.reader(model)
        try await ICODECards.tag(reader, model).setPassword(
            TagPassword(
                password: HexBytes(Self.new), firstPage: row.firstPage, protects: row.protects, endPage: row.endPage,
                kind: row.kind))
        let chip = try ICODECards.chip(reader)
        #expect(chip.pointer == row.pointer && chip.condition == row.condition)
        reader.reset()
        try await Self.owner(reader, model).removePassword()
        let open = try ICODECards.chip(reader)
        #expect(open.pointer == 0 && open.condition == 0 && open.passwords == VirtualICODE().passwords)
    }

    static let refused: [TagPassword] = [
        TagPassword(password: [1, 2, 3]), TagPassword(password: [1, 2, 3, 4], pack: [0, 0]),
        TagPassword(password: [1, 2, 3, 4], attempts: 3), TagPassword(password: [1, 2, 3, 4], firstPage: 79),
        TagPassword(password: [1, 2, 3, 4], endPage: 80), TagPassword(password: [1, 2, 3, 4], endPage: 0),
        TagPassword(password: [1, 2, 3, 4], firstPage: 5, endPage: 5),
        TagPassword(password: [1, 2, 3, 4], firstPage: 5, endPage: 20),
        TagPassword(password: [1, 2, 3, 4], firstPage: -1),
        TagPassword(password: [1, 2, 3, 4], protects: .write, kind: .read),
        TagPassword(password: [1, 2, 3, 4], protects: .readWrite, kind: .write),
        TagPassword(password: [1, 2, 3, 4], firstPage: 1, kind: .privacy),
        TagPassword(password: [1, 2, 3, 4], protects: .write, kind: .easAFI),
    ]

    @Test(arguments: refused.indices) func `what the chip does not have is refused before anything is sent`(
        index: Int
    ) async throws {
        let reader = try ICODECards.reader("acr1552u")
        let error = await failure { try await ICODECards.tag(reader, "acr1552u").setPassword(Self.refused[index]) }
        #expect(error?.code == .unsupportedFeature)
        #expect(try ICODECards.chip(reader).condition == 0)
        #expect(try ICODECards.chip(reader).passwords == VirtualICODE().passwords)
    }

    @Test(arguments: ICODECards.readers) func `are changed, and what is not given stays`(model: String) async throws {
        let reader = try ICODECards.reader(model)
        try await ICODECards.tag(reader, model).setPassword(TagPassword(password: HexBytes(Self.new), endPage: 12))
        reader.reset()
        let error = await failure {
            try await ICODECards.tag(reader, model).setPassword(TagPassword(password: HexBytes(Self.old)))
        }
        #expect(error?.code == .tagNotWritable)
        #expect(error?.detail.contains("present write password") == true)
        reader.reset()
        try await Self.owner(reader, model).setPassword(TagPassword(password: HexBytes(Self.old)))
        let chip = try ICODECards.chip(reader)
        #expect(chip.passwords[.write] == Self.old && chip.pointer == 12 && chip.condition == 0x02)
    }

    @Test(arguments: ICODECards.readers, [PasswordKind.privacy, .destroy, .easAFI])
    func `that protect no pages are changed alone`(model: String, kind: PasswordKind) async throws {
        let reader = try ICODECards.reader(model)
        let protection = try await ICODECards.tag(reader, model).setPassword(
            TagPassword(password: HexBytes(Self.new), kind: kind))
        #expect(protection.kind == kind && protection.firstPage == protection.endPage)
        var expected = VirtualICODE().passwords
        expected[[.privacy: .privacy, .destroy: .destroy, .easAFI: .easAFI][kind] ?? .read] = Self.new
        let chip = try ICODECards.chip(reader)
        #expect(chip.passwords == expected && chip.condition == 0 && !chip.isDestroyed && !chip.isPrivate)
    }

    @Test(arguments: ICODECards.readers) func `a wrong one is sent once, and the field is reset`(model: String)
        async throws
    {
        let reader = try ICODECards.reader(model)
        try await ICODECards.tag(reader, model).setPassword(TagPassword(password: HexBytes(Self.new), endPage: 10))
        reader.reset()
        let tag = try ICODECards.tag(reader, model)
        let error = await failure { _ = try await tag.authenticate(password: Self.old) }
        #expect(error?.code == .tagResponseError)
        #expect(error?.detail.contains("not the write password") == true && error?.detail.contains("reset") == true)
        #expect(try await tag.readNDEF().message == ICODECards.message)
        #expect(await failure { try await tag.writeNDEF([1], verifying: false) }?.code == .tagNotWritable)
        _ = try await tag.authenticate(password: Self.new)
        try await tag.writeNDEF([1], verifying: true)
    }

    @Test(arguments: ICODECards.readers) func `a locked one stays, and so does what it protects`(model: String)
        async throws
    {
        let reader = try ICODECards.reader(model)
        try await ICODECards.tag(reader, model).setPassword(TagPassword(password: HexBytes(Self.new), endPage: 10))
        reader.reset()
        try await Self.owner(reader, model).configure(TagSettingChanges(locks: [.writePassword]))
        reader.reset()
        let owner = try await Self.owner(reader, model)
        let error = await failure { try await owner.setPassword(TagPassword(password: HexBytes(Self.old))) }
        #expect(error?.code == .tagNotWritable)
        #expect(error?.detail.contains("locked") == true)
        let chip = try ICODECards.chip(reader)
        #expect(chip.passwords[.write] == Self.new && chip.pointer == 10 && chip.condition == 0x02)
    }

    @Test func `a reader of blocks, and a tag without passwords, are refused`() async throws {
        let reader = try ICODECards.reader("generic")
        let error = await failure {
            try await Type5Cards.blocks(reader).setPassword(TagPassword(password: [1, 2, 3, 4]))
        }
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.detail.contains("ISO 15693 requests") == true)
        let other = try Type5Cards.reader(.slix, [])
        let refusal = await failure { try await Type5Cards.native(other).removePassword() }
        #expect(refusal?.code == .unsupportedFeature)
        #expect(refusal?.detail.contains("ICODE SLIX has no password") == true)
    }

    @Test(arguments: ICODECards.readers)
    func `a record behind the protected pages is updated without the password, the others with it`(
        model: String
    ) async throws {
        let reader = try ICODECards.reader(model)
        try await ICODECards.tag(reader, model).setPassword(TagPassword(password: HexBytes(Self.new), endPage: 10))
        reader.reset()
        let stranger = try ICODECards.tag(reader, model)
        func update(_ offset: Int) throws -> RecordUpdate {
            let old = ICODECards.message[4 + offset]
            return try RecordUpdate(record: 0, offset: offset, old: [old], new: [old ^ 0x55])
        }
        try await stranger.updateRecord(try update(50), verifying: true, progress: nil)
        let refusal = await failure { try await stranger.updateRecord(try update(5), verifying: true, progress: nil) }
        #expect(refusal?.code == .tagNotWritable)
        try await Self.owner(reader, model).updateRecord(try update(5), verifying: true, progress: nil)
    }
}

extension `Passwords of an ICODE SLIX2` {
    /// What a torn task may leave: passwords that the owner knows, and no page that needs another one.
    private static func isKnown(_ chip: VirtualICODE, _ passwords: [[UInt8]]) -> Bool {
        guard let write = chip.passwords[.write], passwords.contains(write) else { return false }
        return chip.passwords[.read] == [0, 0, 0, 0]
    }

    /// Runs a task torn before, during and after every exchange, and returns how many ways there were.
    private static func tear(
        _ model: String, protected: Bool, _ task: (Type5Tag) async throws -> Void,
        _ check: (VirtualICODE, TagError?) -> Void
    ) async throws -> Int {
        var (cases, exchange) = (0, 1)
        while true {
            var hasHappened = false
            for fault in [Fault.removeBefore, .removeDuring, .removeAfter] {
                let reader = try ICODECards.reader(model)
                if protected {
                    try await ICODECards.tag(reader, model).setPassword(
                        TagPassword(password: HexBytes(new), endPage: 10))
                    reader.reset()
                }
                let torn = FaultInjectingCard(reader, plan: FaultPlan(fault, at: exchange))
                let tag = try ICODECards.tag(torn, model)
                let error = await failure {
                    if protected { _ = try await tag.authenticate(password: new) }
                    try await task(tag)
                }
                if torn.isPresent { continue }
                hasHappened = true
                cases += 1
                check(try ICODECards.chip(reader), error)
            }
            guard hasHappened else { return cases }
            exchange += 1
        }
    }

    @Test(arguments: ICODECards.readers) func `setting one torn at every exchange leaves a known state`(
        model: String
    ) async throws {
        let cases = try await Self.tear(model, protected: false) { tag in
            try await tag.setPassword(TagPassword(password: HexBytes(Self.new), endPage: 10))
        } _: { chip, error in
            #expect(Self.isKnown(chip, [[0, 0, 0, 0], Self.new]))
            #expect(chip.condition == 0 || chip.condition == 0x02 && chip.passwords[.write] == Self.new)
            #expect(error == nil ? chip.condition == 0x02 : true)
            if let detail = error?.detail, detail.contains("no page needs it") { #expect(chip.condition == 0) }
        }
        #expect(cases > 20)
    }

    @Test(arguments: ICODECards.readers) func `changing one torn at every exchange leaves a known state`(
        model: String
    ) async throws {
        let cases = try await Self.tear(model, protected: true) { tag in
            try await tag.setPassword(TagPassword(password: HexBytes(Self.old)))
        } _: { chip, error in
            #expect(Self.isKnown(chip, [Self.old, Self.new]))
            #expect(chip.condition == 0 || chip.condition == 0x02)
            #expect(error != nil || chip.passwords[.write] == Self.old && chip.condition == 0x02)
            if let detail = error?.detail, detail.contains("no page needs it") { #expect(chip.condition == 0) }
        }
        #expect(cases > 20)
    }

    @Test(arguments: ICODECards.readers) func `removing one torn at every exchange leaves a known state`(
        model: String
    ) async throws {
        let cases = try await Self.tear(model, protected: true) { tag in
            try await tag.removePassword()
        } _: { chip, error in
            #expect(Self.isKnown(chip, [[0, 0, 0, 0], Self.new]))
            #expect(chip.condition == 0 || chip.condition == 0x02 && chip.passwords[.write] == Self.new)
            #expect(error != nil || chip.condition == 0 && chip.passwords[.write] == [0, 0, 0, 0])
        }
        #expect(cases > 20)
    }
}

@Suite struct `Settings of an ICODE SLIX2` {
    private static func changed(
        _ reader: VirtualReader, _ changes: TagSettingChanges, model: String = "acr1552u",
        giving kind: PasswordKind? = nil
    ) async throws -> TagSettings {
        reader.reset()
        let tag = try ICODECards.tag(reader, model)
        if let kind { _ = try await tag.authenticate(password: [0x0F, 0x0F, 0x0F, 0x0F], kind: kind) }
        return try await tag.configure(changes)
    }

    @Test(arguments: ICODECards.readers) func `counter, AFI and EAS are set and read back`(model: String) async throws {
        let reader = try ICODECards.reader(model)
        for value in [0, 1, 2, 513, 65535, 1] {
            let settings = try await Self.changed(
                reader, TagSettingChanges(counter: .password, counterValue: value), model: model)
            #expect(settings.counterValue == value && settings.counter == .password)
            #expect(Type5Cards.memory(reader).suffix(4) == [UInt8(value & 0xFF), UInt8(value >> 8), 0, 1])
        }
        let settings = try await Self.changed(
            reader, TagSettingChanges(counter: .on, afi: [0x07], eas: true), model: model)
        #expect(settings.afi == [0x07] && settings.eas == true && settings.counter == .on)
        #expect(settings.counterValue == 1)
        #expect(try ICODECards.chip(reader).hasEAS)
        #expect(try await Self.changed(reader, TagSettingChanges(eas: false), model: model).eas == false)
        #expect(try !ICODECards.chip(reader).hasEAS)
    }

    static let refused: [TagSettingChanges] = [
        TagSettingChanges(mirror: .uid), TagSettingChanges(mirror: .off), TagSettingChanges(mirrorPage: 4),
        TagSettingChanges(counter: .off),
        TagSettingChanges(counterValue: 65536), TagSettingChanges(counterValue: -1), TagSettingChanges(afi: [1, 2]),
        TagSettingChanges(privacy: false), TagSettingChanges(locks: [.afi, .afi]),
    ]

    @Test(arguments: refused.indices) func `what the chip does not have is refused`(index: Int) async throws {
        let reader = try ICODECards.reader("acr1552u")
        let error = await failure { _ = try await Self.changed(reader, Self.refused[index]) }
        #expect(error?.code == .unsupportedFeature)
        #expect(try ICODECards.chip(reader) == VirtualICODE())
    }

    @Test func `locks are permanent, and refuse what they lock`() async throws {
        let reader = try ICODECards.reader("acr1552u")
        let all: [TagLock] = [.afi, .eas, .afiPassword, .easPassword, .protection, .readPassword]
        for lock in all {
            #expect(try await Self.changed(reader, TagSettingChanges(locks: [lock])).locks == [lock])
        }
        let chip = try ICODECards.chip(reader)
        #expect(chip.isAFIProtected && chip.isEASProtected && chip.isEASLocked && chip.isProtectionLocked)
        #expect(!chip.needsBothPasswords && chip.lockedPasswords == [.read])
        for changes in [TagSettingChanges(afi: [1]), TagSettingChanges(eas: true), TagSettingChanges(locks: [.eas])] {
            #expect(await failure { _ = try await Self.changed(reader, changes) }?.code == .tagNotWritable)
        }
        let tag = try ICODECards.tag(reader, "acr1552u")
        let error = await failure { try await tag.setPassword(TagPassword(password: [1, 2, 3, 4])) }
        #expect(error?.code == .tagNotWritable)
        #expect(try ICODECards.chip(reader).passwords == VirtualICODE().passwords)
    }

    /// What the tag shows to be locked, and changes of it.
    static let shown: [(TagLock, [TagSettingChanges])] = [
        (
            .eas,
            [.init(afi: [7], eas: true), .init(afi: [7], locks: [.afi, .eas]), .init(counterValue: 9, eas: false)]
        ),
        (.afi, [.init(afi: [7], eas: true), .init(eas: true, locks: [.afi]), .init(counterValue: 9, afi: [7])]),
        (.protection, [.init(eas: true, locks: [.protection]), .init(afi: [7], locks: [.afi, .protection])]),
    ]

    @Test(arguments: shown.indices) func `what the tag shows to be locked is refused before the first change`(
        index: Int
    ) async throws {
        for changes in Self.shown[index].1 {
            let reader = try ICODECards.reader("acr1552u")
            _ = try await Self.changed(reader, TagSettingChanges(locks: [Self.shown[index].0]))
            let (chip, memory) = (try ICODECards.chip(reader), Type5Cards.memory(reader))
            let afi = Type5Cards.model(reader)?.afi
            let error = await failure { _ = try await Self.changed(reader, changes) }
            #expect(error?.code == .tagNotWritable && error?.detail.contains("nothing was changed") == true)
            let after = try ICODECards.chip(reader)
            #expect(after.hasEAS == chip.hasEAS && after.isEASLocked == chip.isEASLocked)
            #expect(after.isProtectionLocked == chip.isProtectionLocked && after.needsBothPasswords == false)
            #expect(Type5Cards.memory(reader) == memory && Type5Cards.model(reader)?.afi == afi)
        }
    }

    @Test func `a password that is needed later is checked before the first change`() async throws {
        let reader = try ICODECards.reader("acr1552u")
        try await ICODECards.tag(reader, "acr1552u").setPassword(
            TagPassword(password: [0xA1, 0xB2, 0xC3, 0xD4], endPage: 10))
        let changes = [
            TagSettingChanges(counterValue: 9, afi: [7], eas: true),
            TagSettingChanges(afi: [7], locks: [.writePassword]),
            TagSettingChanges(eas: true, locks: [.afi, .protection]),
        ]
        for change in changes {
            let error = await failure { _ = try await Self.changed(reader, change) }
            #expect(error?.code == .tagNotWritable && error?.detail.contains("give it first") == true)
            #expect(Type5Cards.model(reader)?.afi == 0)
            #expect(try !ICODECards.chip(reader).hasEAS)
        }
    }

    @Test func `an error that the tag did not announce names what was done before it`() async throws {
        let reader = try ICODECards.reader("acr1552u")
        _ = try await Self.changed(reader, TagSettingChanges(locks: [.readPassword]))
        let error = await failure {
            _ = try await Self.changed(
                reader, TagSettingChanges(counterValue: 9, afi: [7], eas: true, locks: [.afi, .readPassword]))
        }
        #expect(error?.code == .tagUpdateFailure)
        #expect(
            error?.detail.hasSuffix("done before: the AFI, EAS, the counter, the lock of the AFI") == true,
            "\(String(describing: error))")
    }

    @Test func `a description shows the AFI that was set in the same connection`() async throws {
        let reader = try ICODECards.reader("acr1552u")
        let tag = try ICODECards.tag(reader, "acr1552u")
        #expect(try await tag.describe().fields.contains(.init("AFI", "00")))
        try await tag.configure(TagSettingChanges(afi: [0x07]))
        #expect(try await tag.describe().fields.contains(.init("AFI", "07")))
    }

    @Test func `privacy takes its password, and hides the tag`() async throws {
        let reader = try ICODECards.reader("acr1552u")
        let error = await failure { _ = try await Self.changed(reader, TagSettingChanges(privacy: true)) }
        #expect(error?.code == .tagNotWritable)
        #expect(reader.isPresent)
        let settings = try await Self.changed(reader, TagSettingChanges(privacy: true), giving: .privacy)
        #expect(settings.privacy == true)
        #expect(try ICODECards.chip(reader).isPrivate)
        #expect(!reader.isPresent)
    }

    @Test func `a description shows them`() async throws {
        let reader = try ICODECards.reader("acr1552u")
        _ = try await Self.changed(reader, TagSettingChanges(counterValue: 42, eas: true, locks: [.afi]))
        try await ICODECards.tag(reader, "acr1552u").setPassword(TagPassword(password: [1, 2, 3, 4], endPage: 67))
        let description = try await ICODECards.tag(reader, "acr1552u").describe()
        let fields = Dictionary(description.fields.map { ($0.label, $0.value) }) { first, _ in first }
        #expect(fields["Passwords"] == "writing blocks 0–66 needs the write password")
        #expect(fields["Permanent locks"]?.hasPrefix("AFI; not reported by the chip: locked passwords") == true)
        #expect(fields["Both passwords needed"] == "not reported by the chip")
        #expect(fields["Counter"] == "42; everyone can count")
        #expect(fields["EAS"] == "on")
        #expect(fields["Features"]?.contains("page protection") == true)
        #expect(description.lockState == .partlyLocked)
    }
}

/// A reader whose answers to one code are replaced.
private struct LyingChannel: NativeChannel {
    let channel: any NativeChannel
    let code: UInt8
    let answer: [UInt8]

    func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        let right = try await channel.transceive(frame)
        return frame.dropFirst().first == code ? answer : right
    }
}

@Suite struct `Answers of a hostile ICODE` {
    static let codes: [UInt8] = [0xAB, 0xB2, 0xB3, 0xB4, 0xB6, 0xB8, 0x20, 0x2B]
    static let answers: [[UInt8]] = [
        [], [0x00], [0x01], [0x01, 0x0F], [0x00, 0x00], [0x00, 0xFF, 0xFF], [0x00] + [UInt8](repeating: 0xFF, count: 7),
        [0x00] + [UInt8](repeating: 0x00, count: 7), [0x00] + [UInt8](repeating: 0xA5, count: 100),
    ]

    @Test(arguments: codes) func `never make a password that was not seen a success`(code: UInt8) async throws {
        for answer in Self.answers {
            let reader = try ICODECards.reader("identiv")
            let native = UTrustISO15693Channel(channel: ModelChannel(reader))
            let tag = Type5Tag(
                native: LyingChannel(channel: native, code: code, answer: answer), uid: ICODECards.uid
            ) { () throws(TagError) in reader.reset() }
            do {
                let protection = try await tag.setPassword(TagPassword(password: [1, 2, 3, 4], endPage: 10))
                let chip = try ICODECards.chip(reader)
                // The tag did what was asked, and its answers said so.
                #expect(chip.passwords[.write] == [1, 2, 3, 4], "\(code): \(answer)")
                #expect(chip.condition == 0x02 && protection.endPage == 10, "\(code): \(answer)")
            } catch {
                #expect(error is TagError)
            }
            let other = Type5Tag(
                native: LyingChannel(channel: native, code: code, answer: answer), uid: ICODECards.uid)
            _ = try? await other.describe()
            _ = try? await other.configure(TagSettingChanges(counterValue: 7, eas: true))
        }
    }
}
