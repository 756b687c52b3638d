import NFCTags
import Testing
import VirtualTags

@Suite struct `Describing a Type 2 tag` {
    static let names: [(model: String, byMemory: String, byVersion: String)] = [
        ("ntag213", "NTAG213", "NTAG213"), ("ntag215", "NTAG215", "NTAG215"), ("ntag216", "NTAG216", "NTAG216"),
        ("ultralight", "MIFARE Ultralight", "MIFARE Ultralight"),
        ("ultralight-c", "MIFARE Ultralight C", "MIFARE Ultralight C"), ("ntag203", "NTAG203", "NTAG203"),
        ("ultralight-ev1-11", "MIFARE Ultralight EV1 or NTAG210", "MIFARE Ultralight EV1 (MF0UL11)"),
        ("ultralight-ev1-21", "MIFARE Ultralight EV1 or NTAG212", "MIFARE Ultralight EV1 (MF0UL21)"),
        ("ntag210", "MIFARE Ultralight EV1 or NTAG210", "NTAG210"),
        ("ntag212", "MIFARE Ultralight EV1 or NTAG212", "NTAG212"),
    ]

    @Test(arguments: names, Type2Setup.readers)
    func `reports the product`(row: (model: String, byMemory: String, byVersion: String), reader: String) async throws {
        let setup = Type2Setup(model: row.model, reader: reader)
        let description = try await setup.tag(try setup.card([])).describe()
        let asksVersion = reader == "acr122u" || reader == "acr1552u"
        #expect(description.product == (asksVersion ? row.byVersion : row.byMemory))
        #expect(description.manufacturer == "NXP")
        #expect(description.blockSize == 4)
        #expect(description.lockState == .unlocked)
        let hidden = row.model == "ultralight-c" ? 16 : 0
        #expect(description.memorySize == (try VirtualTagModel.named(row.model)).memorySize - hidden)
    }

    @Test(arguments: ["acr122u", "acr1252u", "acr1552u"])
    func `shows version, signature and counter through a pass-through`(reader: String) async throws {
        let setup = Type2Setup(model: "ultralight-ev1-11", reader: reader)
        let fields = try await setup.tag(try setup.card([])).describe().fields
        #expect(
            fields == [
                .init("Proof", "weak: its password is transmitted unencrypted, and what it shows can be copied"),
                .init("Capability container", "E1100600"), .init("Static lock bytes", "0000"),
                .init("Version", "0004030101000B03"),
                .init("Originality signature", String(repeating: "0", count: 64)),
                .init("Originality", "not genuine: NXP did not sign this UID"),
                .init("Counter 0", "0"), .init("Counter 1", "0"), .init("Counter 2", "0"),
                .init("Password", "not used"), .init("Configuration", "not locked"),
            ])
    }

    @Test(arguments: [
        ("ultralight", "weak: it has no secret"), ("ntag203", "weak: it has no secret"),
        ("ntag213", "weak: its password is transmitted unencrypted"),
        ("ultralight-c", "weak: its key can be recovered"),
        ("ntag-i2c-1k", "weak: it has no secret"),
    ])
    func `reports that the product proves nothing, and why`(model: String, reason: String) async throws {
        let setup = Type2Setup(model: model, reader: "acr122u")
        let field = try await setup.tag(try setup.card([])).describe().fields.first
        #expect(field?.label == "Proof" && field?.value.hasPrefix(reason) == true, "\(String(describing: field))")
    }

    /// The signature of a UID, and whether the tag has this UID.
    static let signed: [(identifier: String, originality: TagOriginality)] = [
        ("04AB87F2CA1190", .genuine), ("04AB87F2CA1191", .notGenuine),
    ]

    @Test(arguments: signed, ["acr122u", "acr1252u", "acr1552u"])
    func `checks the signature with the UID`(
        row: (identifier: String, originality: TagOriginality), reader: String
    ) async throws {
        let product = VirtualType2Product.ntag215
        let identifier = try #require(Hexadecimal.bytes(row.identifier))
        let tag = try VirtualType2Tag(
            product: product, memory: try VirtualType2Tag(product: product, identifier: identifier).memory,
            signature: Hexadecimal.bytes("67B1750BCCEB1174F9A33BF20E0226551A6366939B31F949848C3C087350FA90"))
        let settings = try #require(VirtualReaderModel.named(reader)).settings
        let setup = Type2Setup(model: "ntag215", reader: reader)
        let description = try await setup.tag(VirtualReader(tag: tag, settings: settings)).describe()
        #expect(description.originality == row.originality)
    }

    @Test(arguments: [("ntag215", TagOriginality.unknown), ("ultralight", nil), ("ntag203", nil)])
    func `without pass-through the originality is unknown`(model: String, expected: TagOriginality?) async throws {
        let setup = Type2Setup(model: model, reader: "generic")
        #expect(try await setup.tag(try setup.card([])).describe().originality == expected)
    }

    @Test(arguments: Type2Setup.all)
    func `dumps every page that can be read`(setup: Type2Setup) async throws {
        let card = try setup.card(Type2Setup.message(40))
        let pages = try await setup.tag(card).dump().blocks
        let chip = try #require(card.tag as? VirtualType2Tag)
        #expect(pages.map(\.number) == Array(pages.indices))
        for page in pages where page.meaning?.contains("reads as zeros") != true {
            #expect(page.bytes?.bytes == Array(chip.memory.dropFirst(page.number * 4).prefix(4)), "page \(page.number)")
        }
        #expect(pages[2].meaning == "static lock")
        #expect(pages[3].meaning == "capability container")
        let hidden = setup.model == "ultralight-c" ? 4 : 0
        #expect(pages.count == chip.product.pageCount - hidden)
    }

    @Test func `names the special pages`() async throws {
        let setup = Type2Setup(model: "ntag213", reader: "generic")
        let meanings = try await setup.tag(try setup.card([])).dump().blocks.suffix(6).map(\.meaning)
        #expect(
            meanings == [
                nil, "dynamic lock", "configuration, AUTH0", "configuration, ACCESS", "password, reads as zeros",
                "PACK, reads as zeros",
            ])
    }

    @Test(arguments: ["generic", "acr122u", "acr1552u"])
    func `omits pages that need a password`(reader: String) async throws {
        let setup = Type2Setup(model: "ntag213", reader: reader)
        let tag = try #require(try setup.card(Type2Setup.message(60)).tag as? VirtualType2Tag)
        var memory = tag.memory
        memory[41 * 4 + 3] = 10
        memory[42 * 4] = 0x80
        let settings = try #require(VirtualReaderModel.named(reader)).settings
        let card = VirtualReader(
            tag: try VirtualType2Tag(product: tag.product, memory: memory), settings: settings)
        let pages = try await setup.tag(card).dump().blocks
        #expect(pages.count > 10)
        for page in pages {
            let bytes = page.number < 10 ? Array(memory.dropFirst(page.number * 4).prefix(4)) : nil
            #expect(page.bytes?.bytes == bytes, "page \(page.number)")
        }
    }

    @Test(arguments: ["acr122u", "acr1252u", "acr1552u", "generic"])
    func `dumps version, signature and counters through a pass-through`(reader: String) async throws {
        let setup = Type2Setup(model: "ultralight-ev1-11", reader: reader)
        let log = ProgressLog()
        let facts = try await setup.tag(try setup.card([])).dump(progress: log.listener).facts
        #expect(log.count() >= 1)
        guard reader != "generic" else {
            #expect(facts == TagDump.Facts())
            return
        }
        #expect(facts.version == [0x00, 0x04, 0x03, 0x01, 0x01, 0x00, 0x0B, 0x03])
        #expect(facts.signature?.bytes == [UInt8](repeating: 0, count: 32))
        #expect(facts.counters == [0: 0, 1: 0, 2: 0])
    }

    @Test func `a refused counter is omitted, and the tag is unchanged`() async throws {
        let setup = Type2Setup(model: "ntag216", reader: "acr122u")
        let tag = setup.tag(try setup.card(Type2Setup.message(20)))
        let dump = try await tag.dump()
        #expect(dump.facts.version != nil)
        #expect(dump.facts.counters == nil)
        #expect(try await tag.readNDEF().message == Type2Setup.message(20))
    }

    @Test func `reports the progress of a dump after every read`() async throws {
        let setup = Type2Setup(model: "ntag213", reader: "generic")
        let log = ProgressLog()
        _ = try await setup.tag(try setup.card([])).dump(progress: log.listener)
        // 45 pages, 4 a read.
        #expect(log.count() == 12)
    }

    /// Pages 3 that are not a capability container: they declare no size.
    static let noContainers = [
        "BFEBFFFF", "F110FFEE", "FFFFFFFF", "E0106D00", "E2FFFF00", "00000000", "03D1FFFF", "E10000FF", "E11000F0",
    ]

    @Test(arguments: noContainers, ["generic", "acr122u", "acr1252u", "acr1552u"])
    func `takes the size from the product or a probe where page 3 is not a container`(
        page: String, reader: String
    ) async throws {
        for model in ["ultralight", "ntag213", "ntag215", "ntag216"] where page != "00000000" || model != "ntag216" {
            let setup = Type2Setup(model: model, reader: reader)
            let made = try #require(try setup.card([]).tag as? VirtualType2Tag)
            var memory = made.memory
            memory.replaceSubrange(12..<16, with: try #require(Hexadecimal.bytes(page)))
            let settings = try #require(VirtualReaderModel.named(reader)).settings
            func card() throws -> VirtualReader {
                VirtualReader(tag: try VirtualType2Tag(product: made.product, memory: memory), settings: settings)
            }
            let description = try await setup.tag(card()).describe()
            let pages = try await setup.tag(card()).dump().blocks
            let isKnown = description.memorySize != nil
            #expect(pages.count == (isKnown ? made.product.pageCount : 16), "\(model) \(page)")
            if isKnown { #expect(description.memorySize == made.product.pageCount * 4) }
            if reader == "acr122u" || page != "00000000" { #expect(isKnown, "\(model) \(page)") }
        }
    }

    static let protectedModels = ["ntag213", "ntag215", "ultralight-ev1-11"]
    static let passwordReaders = ["acr122u", "acr1252u", "acr1552u"]

    /// A tag that shows nothing from a page on without its password.
    static func protectedCard(_ model: String, from first: UInt8, _ reader: String) throws -> VirtualReader {
        let setup = Type2Setup(model: model, reader: reader)
        let made = try #require(try setup.card(Type2Setup.message(30)).tag as? VirtualType2Tag)
        var memory = made.memory
        let configuration = (made.product.pageCount - 4) * 4
        memory[configuration + 3] = first
        memory[configuration + 4] = 0x80
        memory.replaceSubrange(configuration + 8..<configuration + 14, with: [1, 2, 3, 4, 5, 6])
        let settings = try #require(VirtualReaderModel.named(reader)).settings
        return VirtualReader(tag: try VirtualType2Tag(product: made.product, memory: memory), settings: settings)
    }

    @Test(arguments: protectedModels, passwordReaders)
    func `shows what is known of a tag that refuses to be read, and says what it refused`(
        model: String, reader: String
    ) async throws {
        for first in [0, 3, 4, 10] as [UInt8] { try await Self.checkRefusal(model, from: first, reader) }
    }

    static func checkRefusal(_ model: String, from first: UInt8, _ reader: String) async throws {
        let card = try Self.protectedCard(model, from: first, reader)
        let profile = try #require(ReaderProfile.named(reader))
        let reconnection = CardReconnection(identifier: card.tag.identifier) { card.reset() }
        let tag = NFCTags.Type2Tag(channel: ModelChannel(card), profile: profile, reconnection: reconnection)
        let description = try await tag.describe()
        let labels = description.fields.map(\.label)
        #expect(labels.contains("Refused"), "\(labels)")
        #expect(labels.contains("Version"))
        if description.product != nil { #expect(description.lockState == .passwordProtected) }
    }

    @Test(arguments: ["ntag213", "ntag215", "ntag216", "ultralight-ev1-11"], passwordReaders)
    func `keeps the password where the tag refuses a counter`(model: String, reader: String) async throws {
        let setup = Type2Setup(model: model, reader: reader)
        let card = try Self.protectedCard(model, from: 4, reader)
        let tag = setup.tag(card)
        #expect(try await tag.authenticate(password: [1, 2, 3, 4]) == [5, 6])
        let description = try await tag.describe()
        #expect(!description.fields.contains { $0.label == "Refused" })
        #expect(try await tag.queryStatus().status == .readWrite)
        #expect(try await tag.readNDEF().message == Type2Setup.message(30))
        #expect(try await tag.dump().blocks.count { $0.bytes == nil } == 0)
        try await tag.writeNDEF(Type2Setup.message(20), verifying: true)
        _ = try await tag.describe()
        #expect(try await tag.readNDEF().message == Type2Setup.message(20))
    }

    /// A version that no product of the table has.
    static let versions = [
        ("0004040209000F03", "NXP, NTAG, subtype 02, version 9.0, more than 128 bytes; not known"),
        ("0004080101001103", "NXP, type 08, subtype 01, version 1.0, more than 256 bytes; not known"),
        ("0004030103000E03", "NXP, Ultralight, subtype 01, version 3.0, 128 bytes; not known"),
    ]

    @Test(arguments: versions)
    func `shows vendor, type and bytes of a version that is not known`(version: String, words: String) async throws {
        let reader = try Type2Setup(model: "ntag213", reader: "acr122u").card([])
        let answer = [0xD5, 0x43, 0x00] + (Hexadecimal.bytes(version) ?? []) + [0x90, 0x00]
        let card = FaultInjectingCard(reader, plan: FaultPlan(.answer(answer), at: 1))
        let tag = NFCTags.Type2Tag(channel: ModelChannel(card), profile: .acr122u)
        let description = try await tag.describe()
        #expect(description.product == nil)
        #expect(description.manufacturer == "NXP")
        #expect(description.fields.contains(.init("Version", version)))
        #expect(description.fields.contains(.init("Chip", words)), "\(description.fields)")
    }

    static let makers: [(identifier: String, manufacturer: String, name: String)] = [
        ("04112233445566", "NXP", "NTAG213"), ("1D112233445566", "Shanghai Fudan Microelectronics", "like NTAG213"),
        ("05112233445566", "Infineon", "like NTAG213"), ("A1112233445566", "maker A1", "like NTAG213"),
        ("02112233445566", "STMicroelectronics", "like NTAG213"),
    ]

    @Test(arguments: makers) func `names the maker by the identifier on a reader that shows no version`(
        row: (identifier: String, manufacturer: String, name: String)
    ) async throws {
        let tag = try VirtualType2Tag(product: .ntag213, identifier: Hexadecimal.bytes(row.identifier), ndefMessage: [])
        let setup = Type2Setup(model: "ntag213", reader: "generic")
        let description = try await setup.tag(VirtualReader(tag: tag)).describe()
        #expect(description.manufacturer == row.manufacturer)
        #expect(description.product == row.name)
    }
}

@Suite struct `A reader that leaves a tag mute after a refusal` {
    /// What a connection can do besides: a reset.
    static func tag(_ model: String, _ reader: String, message: [UInt8]?) throws -> (VirtualReader, NFCTags.Type2Tag) {
        let made = try VirtualTagModel.named(model).makeTag(ndefMessage: message)
        var settings = try #require(VirtualReaderModel.named(reader)).settings
        settings.reactivatesAfterRefusal = false
        let card = VirtualReader(tag: made, settings: settings)
        let profile = try #require(ReaderProfile.named(reader))
        let reconnection = CardReconnection(identifier: made.identifier) { card.reset() }
        let tag = NFCTags.Type2Tag(
            channel: ModelChannel(card), profile: profile, expectedIdentifier: made.identifier,
            reconnection: reconnection)
        return (card, tag)
    }

    static let models = [
        "ntag213", "ntag215", "ultralight", "ultralight-c", "ntag203", "ultralight-ev1-11", "ntag210", "ntag212",
    ]

    @Test(arguments: models, ["generic", "acr122u", "acr1252u"])
    func `is given the tag again before the next command`(model: String, reader: String) async throws {
        let (_, tag) = try Self.tag(model, reader, message: [0xD0, 0, 0])
        let description = try await tag.describe()
        #expect(description.product != nil)
        #expect(try await tag.readNDEF().message == [0xD0, 0, 0])
        _ = try await tag.dump()
        try await tag.writeNDEF([0xD0, 0, 0, 0xD0, 0, 0], verifying: true)
        #expect(try await tag.readNDEF().message == [0xD0, 0, 0, 0xD0, 0, 0])
        let (_, blank) = try Self.tag(model, reader, message: nil)
        try await blank.formatNDEF()
        #expect(try await blank.queryStatus().status == .readWrite)
    }

    @Test func `never continues with another tag`() async throws {
        let made = try `Describing a Type 2 tag`.protectedCard("ntag213", from: 4, "generic").tag
        var settings = VirtualReader.Settings()
        settings.reactivatesAfterRefusal = false
        let card = VirtualReader(tag: made, settings: settings)
        let reconnection = CardReconnection(identifier: [1, 2, 3, 4, 5, 6, 7]) { card.reset() }
        let tag = NFCTags.Type2Tag(channel: ModelChannel(card), reconnection: reconnection)
        #expect(await failure { _ = try await tag.readNDEF() }?.code == .tagConnectionLost)
    }
}
