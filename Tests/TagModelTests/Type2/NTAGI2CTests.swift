import NFCTags
import Testing
import TestSupport
import VirtualTags

@Suite struct `An NTAG I2C` {
    static let setups = Type2Setup.readers.map { Type2Setup(model: "ntag-i2c-1k", reader: $0) }

    @Test(arguments: setups)
    func `is read and written, and not locked as its lock is unknown`(setup: Type2Setup) async throws {
        let card = try setup.card([])
        let tag = setup.tag(card, expecting: card.tag.identifier)
        for count in [868, 0, 300] {
            try await tag.writeNDEF(Type2Setup.message(count), verifying: true)
            #expect(try await setup.tag(card).readNDEF().message ?? [] == Type2Setup.message(count))
        }
        let before = (card.tag as? VirtualNTAGI2CTag)?.memory
        #expect(await failure { try await tag.makeReadOnly() }?.code == .unsupportedFeature)
        #expect((card.tag as? VirtualNTAGI2CTag)?.memory == before)
        #expect((card.tag as? VirtualNTAGI2CTag)?.dynamicLock == [0, 0, 0, 0])
    }

    @Test func `is identified by GET_VERSION`() async throws {
        for (model, name) in [("ntag-i2c-1k", "NTAG I2C 1K"), ("ntag-i2c-2k", "NTAG I2C 2K")] {
            let setup = Type2Setup(model: model, reader: "acr122u")
            let description = try await setup.tag(try setup.card([])).describe()
            #expect(description.product == name)
            #expect(description.lockState == .unknown)
        }
    }

    @Test(arguments: [("generic", 884), ("acr122u", 1004), ("acr1252u", 884)])
    func `with two sectors is used as far as it is certain to be memory`(reader: String, capacity: Int) async throws {
        // Sector 0 ends at byte 1024. Where the reader hides the product, NTAG I2C Plus may be there, whose lock bytes are in it.
        let setup = Type2Setup(model: "ntag-i2c-2k", reader: reader)
        let card = try setup.card([])
        try await setup.tag(card).writeNDEF(Type2Setup.message(capacity), verifying: true)
        #expect(try await setup.tag(card).readNDEF().message == Type2Setup.message(capacity))
        #expect(try await setup.tag(card).queryStatus().capacity == capacity)
        let before = (card.tag as? VirtualNTAGI2CTag)?.memory
        let error = await failure {
            try await setup.tag(card).writeNDEF(Type2Setup.message(capacity + 1), verifying: false)
        }
        #expect(error?.code == .tagSizeTooSmall)
        #expect((card.tag as? VirtualNTAGI2CTag)?.memory == before)
    }

    @Test(arguments: ["acr122u", "acr1552u"])
    func `with two sectors and without a message is formatted, as far as the reader reaches`(reader: String)
        async throws
    {
        var memory = try VirtualNTAGI2CTag(size: .twoKilobytes, ndefMessage: []).memory
        memory.replaceSubrange(16..<19, with: [0, 0, 0])
        let tag = try VirtualNTAGI2CTag(size: .twoKilobytes, memory: memory)
        let setup = Type2Setup(model: "ntag-i2c-2k", reader: reader)
        let card = VirtualReader(tag: tag, settings: try #require(VirtualReaderModel.named(reader)).settings)
        #expect(try await setup.tag(card).formatState() == .blank)
        try await setup.tag(card).formatNDEF()
        #expect(try await setup.tag(card).queryStatus().status == .readWrite)
    }

    @Test(arguments: [0, 900, 1003, 1004, 1005, 1500, 1868])
    func `with two sectors is used as a whole through transparent sessions`(count: Int) async throws {
        let setup = Type2Setup(model: "ntag-i2c-2k", reader: "acr1552u")
        let card = try setup.card(Array(Type2Setup.message(1501).dropFirst()))
        try await setup.tag(card).writeNDEF(Type2Setup.message(count), verifying: true)
        let result = try await setup.tag(card).readNDEF()
        #expect(result.message ?? [] == Type2Setup.message(count))
        #expect(result.capacity == 1868)
        // The tag is back in sector 0 for the next client.
        #expect(card.transmit([0xFF, 0xB0, 0x00, 0x03, 0x04]) == hex("E110EA00 9000"))
        let error = await failure { try await setup.tag(card).writeNDEF(Type2Setup.message(1869), verifying: false) }
        #expect(error?.code == .tagSizeTooSmall)
    }

    @Test func `is not written beyond its memory, whatever its container declares`() async throws {
        let setup = Type2Setup(model: "ntag-i2c-2k", reader: "acr1552u")
        let card = try setup.card([])
        // A container that declares more than there is.
        var image = try #require(card.tag as? VirtualNTAGI2CTag).memory
        #expect(image[14] == 0xEA)
        image[14] = 0xFE
        let tag = setup.tag(card)
        _ = card.transmit([0xFF, 0xD6, 0x00, 0x03, 0x04] + image[12..<16])
        let error = await failure { try await tag.writeNDEF(Type2Setup.message(1950), verifying: false) }
        #expect(error?.code == .tagSizeTooSmall)
        #expect(card.transmit([0xFF, 0xB0, 0x00, 0x03, 0x04]) == hex("E110FE00 9000"))
    }

    @Test func `with two full sectors needs few exchanges through transparent sessions`() async throws {
        let setup = Type2Setup(model: "ntag-i2c-2k", reader: "acr1552u")
        let card = try setup.card(Type2Setup.message(1868))
        #expect(try await setup.tag(card).readNDEF().message == Type2Setup.message(1868))
        #expect(card.exchanges.apdus == 21)
    }
}
