import NFCTags
import Testing
import TestSupport
import VirtualTags

@Suite struct `Setting the password of a Type 2 tag` {
    static let models = [
        "ntag213", "ntag215", "ntag216", "ntag210", "ntag212", "ultralight-ev1-11", "ultralight-ev1-21",
    ]
    static let readers = ["acr122u", "acr1252u", "acr1552u"]
    static let old = TagPassword(password: [1, 2, 3, 4], pack: [0xA1, 0xA2])
    static let new = TagPassword(password: [0x5A, 6, 7, 8], pack: [0xB1, 0xB2])

    /// A card, and the page of CFG0.
    static func blank(_ model: String, _ reader: String) throws -> (Type2Setup, VirtualReader, Int) {
        let setup = Type2Setup(model: model, reader: reader)
        let card = try setup.card(Type2Setup.message(20))
        return (setup, card, try #require(card.tag as? VirtualType2Tag).memory.count / 4 - 4)
    }

    /// The bytes of pages of a card.
    static func pages(_ card: VirtualReader, _ pages: Range<Int>) -> [UInt8] {
        (card.tag as? VirtualType2Tag).map { Array($0.memory[pages.lowerBound * 4..<pages.upperBound * 4]) } ?? []
    }

    @Test(arguments: models, readers)
    func `writes PWD and PACK first and AUTH0 last, and nothing else`(model: String, reader: String) async throws {
        let (setup, card, page) = try Self.blank(model, reader)
        let before = Self.pages(card, 0..<page + 4)
        let protection = try await setup.tag(card).setPassword(Self.new)
        #expect(protection.firstPage == 4 && protection.protects == .write && protection.attempts == 0)
        #expect(card.writtenPages == [page + 2, page + 3, page + 1, page].map { UInt8($0) })
        let after = Self.pages(card, 0..<page + 4)
        #expect(after.prefix(page * 4 + 3) == before.prefix(page * 4 + 3))
        #expect(after.suffix(13) == [4] + before[(page + 1) * 4..<(page + 2) * 4] + [0x5A, 6, 7, 8, 0xB1, 0xB2, 0, 0])
    }

    @Test(arguments: models, readers)
    func `the tag is then written with the password only`(model: String, reader: String) async throws {
        let (setup, card, _) = try Self.blank(model, reader)
        try await setup.tag(card).setPassword(Self.new)
        let stranger = await failure { try await setup.tag(card).writeNDEF([1], verifying: false) }
        #expect(stranger?.code == .tagNotWritable || stranger?.mayHaveKeptMessage == true)
        #expect(try await setup.tag(card).readNDEF().message == Type2Setup.message(20))
        let owner = setup.tag(card)
        #expect(try await owner.authenticate(password: [0x5A, 6, 7, 8]) == [0xB1, 0xB2])
        try await owner.writeNDEF([7], verifying: true)
        #expect(try await setup.tag(card).readNDEF().message == [7])
    }

    @Test(arguments: models)
    func `scope, first page and limit are bits of ACCESS and AUTH0, and the others stay`(model: String) async throws {
        let (setup, card, page) = try Self.blank(model, "acr1252u")
        let before = Self.pages(card, page..<page + 2)
        try await setup.tag(card).setPassword(
            TagPassword(password: [1, 2, 3, 4], firstPage: 6, protects: .readWrite, attempts: 5))
        var expected = before
        (expected[3], expected[4]) = (6, 0x85)
        #expect(Self.pages(card, page..<page + 2) == expected)
        let error = await failure { _ = try await setup.tag(card).readNDEF() }
        #expect(error?.detail.contains("needs a password") == true)
        let owner = setup.tag(card)
        _ = try await owner.authenticate(password: [1, 2, 3, 4])
        #expect(try await owner.readNDEF().message == Type2Setup.message(20))
    }

    @Test(arguments: models, readers)
    func `what is not given stays when it is changed`(model: String, reader: String) async throws {
        let (setup, card, page) = try Self.blank(model, reader)
        try await setup.tag(card).setPassword(
            TagPassword(password: [1, 2, 3, 4], firstPage: 6, protects: .readWrite, attempts: 3))
        let owner = setup.tag(card)
        _ = try await owner.authenticate(password: [1, 2, 3, 4])
        let protection = try await owner.setPassword(Self.new)
        #expect(protection.firstPage == 6 && protection.protects == .readWrite && protection.attempts == 3)
        #expect(Self.pages(card, page + 2..<page + 4) == [0x5A, 6, 7, 8, 0xB1, 0xB2, 0, 0])
    }

    @Test(arguments: models, readers)
    func `removing it restores the tag as it was delivered`(model: String, reader: String) async throws {
        let (setup, card, page) = try Self.blank(model, reader)
        let before = Self.pages(card, 0..<page + 4)
        try await setup.tag(card).setPassword(
            TagPassword(password: [1, 2, 3, 4], pack: [9, 9], protects: .readWrite, attempts: 7))
        let owner = setup.tag(card)
        _ = try await owner.authenticate(password: [1, 2, 3, 4])
        try await owner.removePassword()
        #expect(card.writtenPages.suffix(4) == [page, page + 1, page + 2, page + 3].map { UInt8($0) }[...])
        #expect(Self.pages(card, 0..<page + 4) == before)
        try await setup.tag(card).writeNDEF([1], verifying: true)
        // Once more, without the password: it completes a removal that was interrupted.
        try await setup.tag(card).removePassword()
        #expect(Self.pages(card, page..<page + 4) == before.suffix(16))
    }

    @Test(arguments: models, readers)
    func `and removing it are refused with 400 before anything is written without the present one`(
        model: String, reader: String
    ) async throws {
        for scope in [PasswordScope.write, .readWrite] {
            let (setup, card, page) = try Self.blank(model, reader)
            try await setup.tag(card).setPassword(TagPassword(password: [1, 2, 3, 4], protects: scope))
            let before = Self.pages(card, 0..<page + 4)
            for error in [
                await failure { _ = try await setup.tag(card).setPassword(Self.new) },
                await failure { try await setup.tag(card).removePassword() },
                await failure { _ = try await setup.tag(card).configure(TagSettingChanges(counter: .on)) },
            ] {
                // A reader that cannot select a tag again does not recognize the product in closed memory.
                let isRecognized = scope == .write || reader != "acr1252u"
                #expect(
                    error?.code == (isRecognized ? .tagNotWritable : .unsupportedFeature),
                    "\(String(describing: error))")
                #expect(error?.detail.contains("password") == true)
            }
            #expect(Self.pages(card, 0..<page + 4) == before)
        }
    }

    /// A change, and a word of the error.
    static let faults: [(TagPassword, String)] = [
        (TagPassword(password: [1, 2, 3]), "4 bytes, not 3"), (TagPassword(password: [1, 2, 3, 4], pack: [1]), "PACK"),
        (TagPassword(password: [1, 2, 3, 4], firstPage: 42), "begins at page 0 to 41"),
        (TagPassword(password: [1, 2, 3, 4], firstPage: -1), "begins at page 0 to 41"),
        (TagPassword(password: [1, 2, 3, 4], firstPage: 3, protects: .readWrite), "stay readable"),
        (TagPassword(password: [1, 2, 3, 4], attempts: 8), "1 to 7"),
        (TagPassword(password: [1, 2, 3, 4], attempts: -1), "1 to 7"),
    ]

    @Test(arguments: faults) func `is refused out of its ranges`(password: TagPassword, word: String) async throws {
        let (setup, card, _) = try Self.blank("ntag213", "acr1252u")
        let error = await failure { _ = try await setup.tag(card).setPassword(password) }
        #expect(
            error?.code == .unsupportedFeature && error?.detail.contains(word) == true, "\(String(describing: error))")
        #expect(card.writtenPages.isEmpty)
    }

    @Test(arguments: ["ultralight", "ultralight-c", "ntag203"], Type2Setup.readers)
    func `is refused on products without one`(model: String, reader: String) async throws {
        let setup = Type2Setup(model: model, reader: reader)
        let card = try setup.card([])
        for error in [
            await failure { _ = try await setup.tag(card).setPassword(Self.new) },
            await failure { try await setup.tag(card).removePassword() },
            await failure { _ = try await setup.tag(card).configure(TagSettingChanges(counter: .on)) },
        ] {
            #expect(error?.code == .unsupportedFeature)
        }
        #expect(card.writtenPages.isEmpty)
    }

    @Test func `is refused on a reader that cannot send it`() async throws {
        let (setup, card, _) = try Self.blank("ntag213", "generic")
        let error = await failure { _ = try await setup.tag(card).setPassword(Self.new) }
        #expect(error?.code == .unsupportedFeature && error?.detail.contains("cannot send a password") == true)
        #expect(card.writtenPages.isEmpty)
    }

    @Test(arguments: readers) func `is refused once the configuration is locked`(reader: String) async throws {
        let setup = Type2Setup(model: "ntag213", reader: reader)
        let card = try `Locking a Type 2 tag`.card(setup, [1], [42: "40050000"])
        for error in [
            await failure { _ = try await setup.tag(card).setPassword(Self.new) },
            await failure { try await setup.tag(card).removePassword() },
            await failure { _ = try await setup.tag(card).configure(TagSettingChanges(counter: .on)) },
        ] {
            #expect(error?.code == .tagNotWritable && error?.detail.contains("CFGLCK") == true)
        }
        #expect(card.writtenPages.isEmpty)
    }

    @Test func `is refused on another tag than expected`() async throws {
        let (setup, card, _) = try Self.blank("ntag213", "acr1252u")
        let other = setup.tag(card, expecting: [4, 1, 2, 3, 4, 5, 6])
        #expect(await failure { _ = try await other.setPassword(Self.new) }?.code == .tagConnectionLost)
        #expect(card.writtenPages.isEmpty)
    }
}

@Suite struct `Changing the password of a Type 2 tag while it is taken away` {
    typealias Setting = `Setting the password of a Type 2 tag`

    enum Change: String, CaseIterable { case set, change, remove }

    /// The tag before the change.
    private func card(_ model: String, _ reader: String, _ change: Change) async throws -> (
        Type2Setup, VirtualReader, Int
    ) {
        let (setup, card, page) = try Setting.blank(model, reader)
        if change != .set {
            try await setup.tag(card).setPassword(
                TagPassword(password: [1, 2, 3, 4], pack: [0xA1, 0xA2], protects: .readWrite, attempts: 2))
        }
        card.reset()
        return (setup, card, page)
    }

    private func run(_ change: Change, on tag: NFCTags.Type2Tag) async throws {
        if change != .set { _ = try await tag.authenticate(password: [1, 2, 3, 4]) }
        if change == .remove { try await tag.removePassword() } else { _ = try await tag.setPassword(Setting.new) }
    }

    @Test(arguments: ["ntag213", "ntag216", "ultralight-ev1-21"], Setting.readers)
    func `never locks the owner out`(model: String, reader: String) async throws {
        for change in Change.allCases {
            var torn = 0
            exchanges: for exchange in 1... {
                for fault in [Fault.removeBefore, .removeDuring, .removeAfter] {
                    let (setup, card, _) = try await card(model, reader, change)
                    let faulty = FaultInjectingCard(card, plan: FaultPlan(fault, at: exchange))
                    let error = await failure { try await run(change, on: setup.tag(faulty)) }
                    if faulty.isPresent { break exchanges }
                    torn += 1
                    try await expectOpen(setup, card, error, "\(change), \(fault) at exchange \(exchange)")
                }
            }
            #expect(torn > 10)
        }
    }

    /// The tag has the old password, none, or the new one; the error is right about it, and the change can be completed.
    private func expectOpen(
        _ setup: Type2Setup, _ card: VirtualReader, _ error: TagError?, _ place: String
    ) async throws {
        card.reset()
        let tag = setup.tag(card)
        let chip = try #require(card.tag as? VirtualType2Tag)
        let page = chip.memory.count / 4 - 4
        if chip.memory[page * 4 + 3] != 0xFF {
            let password = Array(chip.memory[(page + 2) * 4..<(page + 3) * 4])
            #expect([[1, 2, 3, 4], [0x5A, 6, 7, 8]].contains(password), "\(place)")
            _ = try await tag.authenticate(password: password)
            #expect(error?.detail.contains("has no password") != true, "\(place)")
        }
        #expect(try await tag.readNDEF().message == Type2Setup.message(20), "\(place)")
        try await tag.writeNDEF([1], verifying: true)
        try await tag.setPassword(TagPassword(password: [9, 9, 9, 9]))
        #expect(chip.failedAttempts == 0, "\(place)")
    }
}
