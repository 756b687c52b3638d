import NFCTags
import Testing
import VirtualTags

/// Damaged answers may cost the message, but neither an endless loop nor a byte outside the data.
@Suite struct `Damaged answers` {
    @Test(arguments: 1...60) func `never make a MIFARE Classic driver touch a trailer while writing`(seed: Int)
        async throws
    {
        let tag = try MIFAREClassicTag(product: .oneK, ndefMessage: ClassicCards.message(60))
        let card = ClassicCards.reader(tag)
        let channel = CorruptingChannel(card, seed: UInt64(seed), rate: UInt64(3 + seed % 20))
        for count in [10, 100, 0, 300] {
            card.reset()
            let driver = MIFAREClassicNDEFTag(
                channel: channel, size: .oneK,
                reconnection: CardReconnection(identifier: tag.identifier) { () async throws(CardChannelError) in
                    card.reset()
                })
            try? await driver.writeNDEF(ClassicCards.message(count), verifying: seed.isMultiple(of: 2))
            try? await driver.formatNDEF()
        }
        let memory = ClassicCards.memory(card)
        #expect(memory.prefix(64) == tag.memory.prefix(64))
        for trailer in stride(from: 112, to: 1024, by: 64) {
            #expect(memory[trailer..<trailer + 16] == tag.memory[trailer..<trailer + 16])
        }
        #expect(channel.count < 2000)
    }

    @Test(arguments: 1...60) func `never make a Type 5 driver touch the container or a lock while writing`(
        seed: Int
    ) async throws {
        let tag = try ISO15693Tag(product: .slix2, ndefMessage: ClassicCards.message(60))
        let card = Type5Cards.reader(tag)
        let channel = CorruptingChannel(card, seed: UInt64(seed), rate: UInt64(3 + seed % 20))
        for count in [10, 100, 0, 290] {
            let driver =
                seed.isMultiple(of: 3)
                ? Type5Tag(channel: channel) : Type5Tag(native: UTrustISO15693Channel(channel: channel))
            try? await driver.writeNDEF(ClassicCards.message(count), verifying: seed.isMultiple(of: 2))
        }
        #expect(Type5Cards.memory(card).prefix(4) == tag.memory.prefix(4))
        #expect(Type5Cards.model(card)?.lockedBlocks == [])
        #expect(channel.count < 2000)
    }

    /// Every kind of tag, behind a channel that damages answers.
    private static func drivers(_ seed: UInt64) throws -> [(CorruptingChannel, any NDEFTag)] {
        func channel(_ card: any VirtualCard) -> CorruptingChannel {
            CorruptingChannel(card, seed: seed, rate: 3 + seed % 20)
        }
        let topaz = channel(try `Type 1 tags from end to end`.reader(.topaz512, message: [0xD0, 0, 0]))
        let ultralight = channel(try Type2Setup(model: "ultralight-ev1-11", reader: "acr122u").card([0xD0, 0, 0]))
        let felica = channel(try Type3Bench.reader(.liteS, message: [0xD0, 0, 0]))
        let desfire = channel(try Type4Case.desfire.reader([0xD0, 0, 0]))
        let vicinity = channel(try Type5Cards.reader(.slix2, [0xD0, 0, 0]))
        let classic = channel(try ClassicCards.reader(.mini, [0xD0, 0, 0]))
        return [
            (topaz, Type1Tag(channel: ACR122UDataExchange(channel: topaz))),
            (ultralight, NFCTags.Type2Tag(channel: ultralight, profile: .profile(reader: "acr122u"))),
            (felica, Type3Tag(channel: ACR122UDataExchange(channel: felica))),
            (desfire, Type4Tag(channel: desfire)),
            (vicinity, Type5Tag(native: UTrustISO15693Channel(channel: vicinity))),
            (classic, MIFAREClassicNDEFTag(channel: classic, size: .mini)),
        ]
    }

    @Test(arguments: 1...60) func `never trap or keep a driver busy that describes or dumps`(seed: Int) async throws {
        for (channel, tag) in try Self.drivers(UInt64(seed)) {
            for _ in 0..<3 {
                _ = try? await tag.queryStatus()
                _ = try? await tag.describe()
                let dump = try? await tag.dump()
                for section in dump?.sections ?? [] {
                    for block in section.blocks.dropLast() {
                        #expect([nil, dump?.blockSize].contains(block.bytes?.count))
                    }
                }
            }
            #expect(channel.count < 600)
        }
    }
}
