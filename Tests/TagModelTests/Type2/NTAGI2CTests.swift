import NFCTags
import Testing
import VirtualTags

@Suite struct `An NTAG I2C` {
    static let setups = Type2Setup.readers.map { Type2Setup(model: "ntag-i2c-1k", reader: $0) }

    @Test(arguments: setups)
    func `is read and written, and not locked as its lock is not known for sure`(setup: Type2Setup) async throws {
        let card = try setup.card([])
        let tag = setup.tag(card, expecting: card.tag.identifier)
        for count in [868, 0, 300] {
            try await tag.writeNDEF(Type2Setup.message(count), verifying: true)
            #expect(try await setup.tag(card).readNDEF().message ?? [] == Type2Setup.message(count))
        }
        let before = (card.tag as? NTAGI2CTag)?.memory
        #expect(await failure { try await tag.makeReadOnly() }?.code == .unsupportedFeature)
        #expect((card.tag as? NTAGI2CTag)?.memory == before)
        #expect((card.tag as? NTAGI2CTag)?.dynamicLock == [0, 0, 0, 0])
    }

    @Test func `is told by GET_VERSION`() async throws {
        for (model, name) in [("ntag-i2c-1k", "NTAG I2C 1K"), ("ntag-i2c-2k", "NTAG I2C 2K")] {
            let setup = Type2Setup(model: model, reader: "acr122u")
            let description = try await setup.tag(try setup.card([])).describe()
            #expect(description.productName == name)
            #expect(description.lockState == .unknown)
        }
    }

    @Test(arguments: Type2Setup.readers)
    func `with two sectors is used as far as sector 0 goes`(reader: String) async throws {
        let setup = Type2Setup(model: "ntag-i2c-2k", reader: reader)
        let card = try setup.card([])
        try await setup.tag(card).writeNDEF(Type2Setup.message(900), verifying: true)
        #expect(try await setup.tag(card).readNDEF().message == Type2Setup.message(900))
        let before = (card.tag as? NTAGI2CTag)?.memory
        let error = await failure { try await setup.tag(card).writeNDEF(Type2Setup.message(1500), verifying: false) }
        #expect(error?.code == .tagResponseError)
        #expect((card.tag as? NTAGI2CTag)?.memory == before)
    }
}
