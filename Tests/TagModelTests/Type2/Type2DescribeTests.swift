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
        #expect(description.productName == (asksVersion ? row.byVersion : row.byMemory))
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
                .init("Capability container", "E1100600"), .init("Static lock bytes", "0000"),
                .init("Version", "0004030101000B03"),
                .init("Originality signature", String(repeating: "0", count: 64)),
                .init("Originality", "not genuine: NXP did not sign this UID"),
                .init("Counter 0", "0"), .init("Counter 1", "0"), .init("Counter 2", "0"),
                .init("Password", "not used"), .init("Configuration", "not locked"),
            ])
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
            #expect(page.bytes == Array(chip.memory.dropFirst(page.number * 4).prefix(4)), "page \(page.number)")
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
            #expect(page.bytes == bytes, "page \(page.number)")
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
        #expect(facts.signature == [UInt8](repeating: 0, count: 32))
        #expect(facts.counters == [0: 0, 1: 0, 2: 0])
    }

    @Test func `a refused counter is omitted, and the tag is unchanged`() async throws {
        let setup = Type2Setup(model: "ntag216", reader: "acr122u")
        let tag = setup.tag(try setup.card(Type2Setup.message(20)))
        let dump = try await tag.dump()
        #expect(dump.facts.version != nil)
        #expect(dump.facts.counters == [:])
        #expect(try await tag.readNDEF().message == Type2Setup.message(20))
    }

    @Test func `reports the progress of a dump after every read`() async throws {
        let setup = Type2Setup(model: "ntag213", reader: "generic")
        let log = ProgressLog()
        _ = try await setup.tag(try setup.card([])).dump(progress: log.listener)
        // 45 pages, 4 a read.
        #expect(log.count() == 12)
    }
}
