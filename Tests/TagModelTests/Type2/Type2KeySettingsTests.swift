import NFCTags
import Testing
import TestSupport
import VirtualTags

/// The key of MIFARE Ultralight AES, instead of a password.
@Suite struct `Setting the key of a MIFARE Ultralight AES` {
    typealias Setting = `Setting the password of a Type 2 tag`

    static let old: [UInt8] = (1...16).map { $0 }
    static let new: [UInt8] = (0..<16).map { 0x5A ^ ($0 * 7) }
    /// A blank card with a message.
    static func blank(_ reader: String) throws -> (Type2Setup, VirtualReader) {
        let setup = Type2Setup(model: "ultralight-aes", reader: reader)
        return (setup, try setup.card(Type2Setup.message(20)))
    }

    @Test(arguments: Setting.readers)
    func `writes the key first, last byte first, and AUTH0 last`(reader: String) async throws {
        let (setup, card) = try Self.blank(reader)
        let protection = try await setup.tag(card).setPassword(TagPassword(password: HexBytes(Self.new), attempts: 300))
        #expect(protection.firstPage == 4 && protection.protects == .write && protection.attempts == 300)
        #expect(card.writtenPages == [48, 49, 50, 51, 42, 41])
        #expect(Setting.pages(card, 48..<52) == Self.new.reversed())
        // PROT off, AUTH_LIM 300; the counter's bits and VCTID stay.
        #expect(Setting.pages(card, 41..<43) == [0, 0, 0, 4, 0x0C, 5, 0x2C, 0x01])
    }

    @Test(arguments: Setting.readers)
    func `the tag is then written with the key only, until it is removed`(reader: String) async throws {
        let (setup, card) = try Self.blank(reader)
        let before = Setting.pages(card, 0..<60)
        try await setup.tag(card).setPassword(TagPassword(password: HexBytes(Self.new), protects: .readWrite))
        let stranger = await failure { try await setup.tag(card).writeNDEF([1], verifying: false) }
        #expect(stranger?.code == .tagNotWritable || stranger?.leaves == .old || stranger?.code == .tagResponseError)
        card.reset()
        let wrong = await failure { _ = try await setup.tag(card).authenticate(password: Self.old) }
        #expect(wrong?.code == .tagResponseError && wrong?.detail == "the key is not accepted")
        card.reset()
        let owner = setup.tag(card)
        #expect(try await owner.authenticate(password: Self.new) == [])
        try await owner.writeNDEF([7], verifying: true)
        try await owner.writeNDEF(Type2Setup.message(20), verifying: true)
        try await owner.setPassword(TagPassword(password: HexBytes(Self.old)))
        #expect(Setting.pages(card, 41..<43) == [0, 0, 0, 4, 0x8C, 5, 0, 0])
        try await owner.removePassword()
        let after = Setting.pages(card, 0..<60)
        // PROT, which is on as delivered, has no effect without AUTH0.
        #expect(after[..<168] == before[..<168] && after[169...] == before[169...] && after[168] == 0x0C)
        try await setup.tag(card).writeNDEF([1], verifying: true)
    }

    @Test func `describes it`() async throws {
        let (setup, card) = try Self.blank("acr122u")
        var description = try await setup.tag(card).describe()
        #expect(description.product == "MIFARE Ultralight AES" && description.memorySize == 240)
        #expect(description.fields.contains(.init("AES key", "not used")))
        try await setup.tag(card).setPassword(TagPassword(password: HexBytes(Self.new), firstPage: 8, attempts: 5))
        description = try await setup.tag(card).describe()
        #expect(description.lockState == .passwordProtected)
        #expect(description.fields.contains(.init("AES key", "needed from page 8 on, to write")))
        #expect(description.fields.contains(.init("Wrong keys taken", "5")))
        let dump = try await setup.tag(card).dump(progress: nil)
        let meanings = dump.sections.flatMap(\.blocks).map(\.meaning)
        #expect(meanings[41] == "configuration, AUTH0" && meanings[45] == "key lock")
        #expect(meanings[48] == "DataProtKey, reads as zeros" && meanings[52] == nil)
    }

    @Test(arguments: [
        ("00", "00", "SEC_MSG_ACT is off, and LOCK_KEYS is open"), ("02", "00", "because LOCK_KEYS is open"),
        ("00", "40", "because SEC_MSG_ACT is off"), ("02", "40", "possible: it can prove"),
    ])
    func `its key proves nothing unless its commands are authenticated and the key is locked`(
        messaging: String, lock: String, words: String
    ) async throws {
        let setup = Type2Setup(model: "ultralight-aes", reader: "acr122u")
        let card = try `Locking a Type 2 tag`.card(
            setup, [1], [41: "\(messaging)00003C", 42: "0C050000", 45: "\(lock)000000"])
        let field = try await setup.tag(card).describe().fields.first
        #expect(field?.label == "Proof" && field?.value.contains(words) == true, "\(String(describing: field))")
    }

    static let faults: [(TagPassword, String)] = [
        (TagPassword(password: [1, 2, 3, 4]), "has 16 bytes, not 4"),
        (TagPassword(password: HexBytes(old), pack: [1, 2]), "no PACK"),
        (TagPassword(password: HexBytes(old), firstPage: 42), "begins at page 0 to 41"),
        (TagPassword(password: HexBytes(old), attempts: 1024), "1 to 1023"),
        (TagPassword(password: HexBytes(old), firstPage: 3, protects: .readWrite), "stay readable"),
    ]

    @Test(arguments: faults) func `is refused out of its ranges`(password: TagPassword, word: String) async throws {
        let (setup, card) = try Self.blank("acr1252u")
        let error = await failure { _ = try await setup.tag(card).setPassword(password) }
        #expect(
            error?.code == .unsupportedFeature && error?.detail.contains(word) == true, "\(String(describing: error))")
        #expect(card.writtenPages.isEmpty)
    }

    @Test(arguments: Setting.readers) func `is refused where the key is locked`(reader: String) async throws {
        let setup = Type2Setup(model: "ultralight-aes", reader: reader)
        let card = try `Locking a Type 2 tag`.card(setup, [1], [45: "40000000"])
        for error in [
            await failure { _ = try await setup.tag(card).setPassword(TagPassword(password: HexBytes(Self.new))) },
            await failure { try await setup.tag(card).removePassword() },
        ] {
            #expect(error?.code == .tagNotWritable && error?.detail.contains("LOCK_KEYS") == true)
        }
        #expect(card.writtenPages.isEmpty)
    }

    @Test(arguments: Setting.readers) func `secure messaging is refused before and after the key`(reader: String)
        async throws
    {
        let setup = Type2Setup(model: "ultralight-aes", reader: reader)
        let card = try `Locking a Type 2 tag`.card(setup, [1], [41: "02000004", 42: "0C050000"])
        for error in [
            await failure { _ = try await setup.tag(card).setPassword(TagPassword(password: HexBytes(Self.new))) },
            await failure { _ = try await setup.tag(card).authenticate(password: [UInt8](repeating: 0, count: 16)) },
        ] {
            #expect(error?.code == .unsupportedFeature && error?.detail.contains("SEC_MSG_ACT") == true)
        }
        #expect(card.writtenPages.isEmpty)
    }

    @Test(arguments: ["ntag213", "ultralight-c", "ultralight-ev1-21"])
    func `a key is not accepted by a tag without one`(model: String) async throws {
        let setup = Type2Setup(model: model, reader: "acr122u")
        let card = try setup.card([1])
        let error = await failure { _ = try await setup.tag(card).authenticate(password: Self.old) }
        #expect(error?.code == .tagResponseError && error?.detail.contains("AES key") == true)
        #expect(try await setup.tag(card).readNDEF().message == [1])
    }
}

@Suite struct `Changing the key of a MIFARE Ultralight AES while it is taken away` {
    typealias Setting = `Setting the key of a MIFARE Ultralight AES`

    @Test(arguments: ["set", "change", "remove"], `Setting the password of a Type 2 tag`.readers)
    func `never locks the owner out`(change: String, reader: String) async throws {
        var torn = 0
        exchanges: for exchange in 1... {
            for fault in [Fault.removeBefore, .removeDuring, .removeAfter] {
                let (setup, card) = try Setting.blank(reader)
                if change != "set" {
                    try await setup.tag(card).setPassword(
                        TagPassword(password: HexBytes(Setting.old), protects: .readWrite, attempts: 3))
                }
                card.reset()
                let faulty = FaultInjectingCard(card, plan: FaultPlan(fault, at: exchange))
                _ = await failure {
                    let tag = setup.tag(faulty)
                    if change != "set" { _ = try await tag.authenticate(password: Setting.old) }
                    if change == "remove" {
                        try await tag.removePassword()
                    } else {
                        _ = try await tag.setPassword(TagPassword(password: HexBytes(Setting.new)))
                    }
                }
                if faulty.isPresent { break exchanges }
                torn += 1
                try await expectOpen(setup, card, "\(fault) at exchange \(exchange)")
            }
        }
        #expect(torn > 10)
    }

    /// The tag has the old key, none, or the new one.
    private func expectOpen(_ setup: Type2Setup, _ card: VirtualReader, _ place: String) async throws {
        card.reset()
        let tag = setup.tag(card)
        let chip = try #require(card.tag as? VirtualType2Tag)
        if chip.memory[41 * 4 + 3] < 60 {
            let key = Array(chip.memory[48 * 4..<52 * 4].reversed())
            #expect([Setting.old, Setting.new].contains(key), "\(place)")
            _ = try await tag.authenticate(password: key)
        }
        #expect(try await tag.readNDEF().message == Type2Setup.message(20), "\(place)")
        try await tag.writeNDEF([1], verifying: true)
        try await tag.setPassword(TagPassword(password: HexBytes(Setting.new)))
        #expect(try #require(card.tag as? VirtualType2Tag).failedAttempts == 0, "\(place)")
    }
}
