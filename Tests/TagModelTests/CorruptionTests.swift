import NFCTags
import Synchronization
import Testing
import VirtualTags

/// Damaged answers may cost the message, but neither an endless loop nor a byte outside the data.
@Suite struct `Damaged answers` {
    @Test(arguments: 1...60) func `never make a MIFARE Classic driver touch a trailer while writing`(seed: Int)
        async throws
    {
        let tag = try VirtualMIFAREClassicTag(product: .oneK, ndefMessage: ClassicCards.message(60))
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
        let tag = try VirtualISO15693Tag(product: .slix2, ndefMessage: ClassicCards.message(60))
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

    @Test(arguments: 1...60) func `never trap or block a driver that describes or dumps`(seed: Int) async throws {
        for (channel, tag) in try Self.drivers(UInt64(seed)) {
            for _ in 0..<3 {
                _ = try? await tag.queryStatus()
                _ = try? await tag.describe()
                let dump = try? await tag.dump()
                for section in dump?.sections ?? [] {
                    for block in section.blocks.dropLast() {
                        #expect(block.bytes == nil || block.bytes?.bytes.count == dump?.blockSize)
                    }
                }
            }
            #expect(channel.count < 600)
        }
    }
}

/// A virtual card some of whose answers arrive damaged: cut, lengthened, changed in a bit, or with another status word.
final class CorruptingChannel: CardChannel {
    private let card: any VirtualCard
    private let state: Mutex<(random: UInt64, count: Int)>
    /// One answer in so many is damaged.
    private let rate: UInt64

    init(_ card: any VirtualCard, seed: UInt64, rate: UInt64) {
        self.card = card
        self.rate = rate
        state = Mutex((seed &* 0x9E37_79B9_7F4A_7C15 | 1, 0))
        card.powerOn()
    }

    /// How much was sent.
    var count: Int { state.withLock { $0.count } }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let number = state.withLock { state -> UInt64 in
            state.count += 1
            state.random ^= state.random << 13
            state.random ^= state.random >> 7
            state.random ^= state.random << 17
            return state.random >> 8
        }
        let answer = card.transmit(command)
        guard number % rate == 0 else { return answer }
        let choice = number / rate
        switch choice % 6 {
        case 0: throw .timedOut
        case 1: return Array(answer.dropLast(Int(choice / 6 % 8)))
        case 2: return [0x63, 0x00]
        case 3: return Array(answer.dropLast(2)) + [0xFF, 0xFF, 0xFF, 0x90, 0x00]
        case 4: return []
        default:
            var changed = answer
            if let index = changed.indices.randomElement(of: choice / 6) {
                changed[index] ^= 1 << UInt8(choice / 97 % 8)
            }
            return changed
        }
    }
}

extension Range<Int> {
    fileprivate func randomElement(of number: UInt64) -> Int? {
        isEmpty ? nil : lowerBound + Int(number % UInt64(count))
    }
}
