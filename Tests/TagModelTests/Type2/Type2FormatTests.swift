import NFCTags
import Testing
import VirtualTags

@Suite struct `Formatting a Type 2 tag` {
    static let blank = ["ultralight", "ultralight-c", "ultralight-ev1-11", "ultralight-ev1-21"].flatMap { model in
        Type2Setup.readers.map { Type2Setup(model: model, reader: $0) }
    }

    @Test(arguments: blank)
    func `makes a blank tag an empty one`(setup: Type2Setup) async throws {
        let card = try setup.card(nil)
        let tag = setup.tag(card)
        #expect(try await tag.readNDEF().status == .notSupported)
        try await tag.formatNDEF()
        let wanted = try #require(try setup.card([]).tag as? VirtualTags.Type2Tag).memory
        #expect((card.tag as? VirtualTags.Type2Tag)?.memory == wanted)
        let found = try await tag.readNDEF()
        #expect(found.status == .readWrite)
        #expect(found.message == nil)
        try await tag.writeNDEF(Type2Setup.message(try setup.capacity()), verifying: true)
    }

    @Test(arguments: Type2Setup.all)
    func `keeps what a formatted tag has`(setup: Type2Setup) async throws {
        let card = try setup.card(Type2Setup.message(12))
        let before = (card.tag as? VirtualTags.Type2Tag)?.memory
        try await setup.tag(card).formatNDEF()
        #expect((card.tag as? VirtualTags.Type2Tag)?.memory == before)
    }

    @Test(arguments: ["F110FFEE", "E1000000", "FFFFFFFF", "E2101200"], Type2Setup.readers)
    func `refuses a container that holds something else`(container: String, reader: String) async throws {
        let setup = Type2Setup(model: "ntag213", reader: reader)
        let card = try Self.card(setup, page: 3, container)
        let before = (card.tag as? VirtualTags.Type2Tag)?.memory
        #expect(await failure { try await setup.tag(card).formatNDEF() }?.code == .unsupportedFeature)
        #expect((card.tag as? VirtualTags.Type2Tag)?.memory == before)
    }

    @Test(arguments: Type2Setup.readers)
    func `brings back a message TLV that is gone`(reader: String) async throws {
        let setup = Type2Setup(model: "ntag215", reader: reader)
        let card = try Self.card(setup, page: 4, "FE000000")
        try await setup.tag(card).formatNDEF()
        #expect(try await setup.tag(card).readNDEF().status == .readWrite)
    }

    @Test(arguments: [Fault.removeBefore, .removeDuring, .removeAfter], Type2Setup.readers)
    func `can be done again wherever it was torn`(fault: Fault, reader: String) async throws {
        let setup = Type2Setup(model: "ultralight-ev1-21", reader: reader)
        for exchange in 1...30 {
            let card = try setup.card(nil)
            let torn = FaultInjectingCard(card, plan: FaultPlan(fault, at: exchange))
            _ = await failure { try await setup.tag(torn).formatNDEF() }
            card.reset()
            try await setup.tag(card).formatNDEF()
            #expect(try await setup.tag(card).readNDEF().status == .readWrite)
        }
    }

    /// A tag with one page changed.
    static func card(_ setup: Type2Setup, page: Int, _ bytes: String) throws -> VirtualReader {
        let tag = try #require(try setup.card([]).tag as? VirtualTags.Type2Tag)
        var memory = tag.memory
        memory.replaceSubrange(page * 4..<page * 4 + 4, with: hexadecimal(bytes))
        let settings = try #require(VirtualReaderModel.named(setup.reader)).settings
        return VirtualReader(
            tag: try VirtualTags.Type2Tag(product: tag.product, memory: memory), settings: settings)
    }
}

func hexadecimal(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
