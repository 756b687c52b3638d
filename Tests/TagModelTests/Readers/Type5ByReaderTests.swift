import NFCTags
import Testing
import VirtualTags

@Suite struct `A Type 5 Tag by reader` {
    static func slix(_ reader: String) throws -> (card: VirtualReader, model: VirtualReaderModel) {
        let model = try #require(VirtualReaderModel.named(reader))
        let tag = try VirtualTagModel.named("slix").makeTag(ndefMessage: [1, 2, 3])
        return (try #require(model.card(tag) as? VirtualReader), model)
    }

    @Test(arguments: ["acr1552u", "identiv"]) func `is locked through frames`(reader: String) async throws {
        let (card, model) = try Self.slix(reader)
        let (identity, tag) = try await `Every tag in every reader`.tag(card, model)
        #expect(identity.identifier.first == 0xE0)
        try await tag.makeReadOnly()
        let result = try await `Every tag in every reader`.tag(card, model).driver.readNDEF()
        #expect(result.message == [1, 2, 3])
        #expect(result.status == .readOnly)
        let before = (card.tag as? ISO15693Tag)?.memory
        // The tag itself refuses as well.
        #expect(card.transmit([0xFF, 0xD6, 0x00, 0x01, 0x04, 9, 9, 9, 9]) == [0x63, 0x00])
        #expect(before != nil && (card.tag as? ISO15693Tag)?.memory == before)
    }

    @Test func `shows its UID least significant byte first on an ACR1552U`() throws {
        let (card, _) = try Self.slix("acr1552u")
        card.powerOn()
        #expect(card.transmit([0xFF, 0xCA, 0x00, 0x00, 0x00]) == card.tag.identifier.reversed() + [0x90, 0x00])
        #expect(card.tag.identifier.first == 0xE0)
    }

    @Test(arguments: ["generic", "omnikey-5321", "omnikey-5422"])
    func `is not locked where only blocks can be written`(reader: String) async throws {
        let (card, model) = try Self.slix(reader)
        let tag = try await `Every tag in every reader`.tag(card, model).driver
        let before = (card.tag as? ISO15693Tag)?.memory
        #expect(await failure { try await tag.makeReadOnly() }?.code == .unsupportedFeature)
        #expect(before != nil && (card.tag as? ISO15693Tag)?.memory == before)
    }
}
