import NFCTags
import Testing
import VirtualTags

/// Readers that report NN 0003, an Ultralight, for a MIFARE Classic.
@Suite struct `A card that a reader reports as Ultralight` {
    /// The tag behind a reader that takes everything for an Ultralight and leaves it mute after a refusal.
    static func reader(_ tag: any VirtualTag) -> VirtualReader {
        VirtualReader(tag: tag, settings: .init(cardName: 0x0003, reactivatesAfterRefusal: false, traceLimit: 100))
    }

    static func settled(_ reader: any VirtualCard) async throws -> TagIdentity {
        let channel = ModelChannel(reader)
        let identity = try await identify(atr: reader.answerToReset, channel: channel)
        #expect(identity.technology == .type2)
        return try await identity.settled(over: channel, reconnection: reconnection(reader, identity.identifier))
    }

    static func reconnection(_ reader: any VirtualCard, _ identifier: [UInt8]) -> CardReconnection {
        CardReconnection(identifier: identifier) { () async throws(CardChannelError) in
            guard reader.isPresent else { throw .tagLost }
            reader.reset()
        }
    }

    @Test func `is a MIFARE Classic if the directory's key opens it, and is read`() async throws {
        let message: [UInt8] = [0xD1, 0x01, 0x04, 0x55, 0x04, 0x61, 0x2E, 0x62]
        let reader = Self.reader(
            try VirtualMIFAREClassicTag(product: .oneK, identifier: [1, 2, 3, 4], ndefMessage: message))
        let identity = try await Self.settled(reader)
        #expect(identity.technology == .mifareClassic)
        #expect(identity.identifier == [1, 2, 3, 4])
        #expect(reader.writes == 0)
        let tag = ndefTag(
            for: identity, channel: ModelChannel(reader), reconnection: Self.reconnection(reader, identity.identifier))
        #expect(try await tag?.readNDEF().message == message)
    }

    @Test func `stays an Ultralight if no key fits, and answers afterwards`() async throws {
        let reader = Self.reader(try VirtualMIFAREClassicTag(product: .oneK, identifier: [1, 2, 3, 4]))
        #expect(try await Self.settled(reader).technology == .type2)
        #expect(reader.transmit([0xFF, 0xCA, 0, 0, 0]) == [1, 2, 3, 4, 0x90, 0x00])
    }

    @Test func `is not tested if its identifier has 7 bytes`() async throws {
        let reader = Self.reader(try VirtualTagModel.named("ntag213").makeTag())
        #expect(try await Self.settled(reader).technology == .type2)
        // The identifier is all that was asked for.
        #expect(reader.exchanges.apdus == 1)
    }

    @Test func `remains undecided if the card leaves`() async throws {
        for exchange in 2...5 {
            let tag = try VirtualMIFAREClassicTag(product: .oneK, identifier: [1, 2, 3, 4], ndefMessage: [])
            let card = FaultInjectingCard(Self.reader(tag), plan: FaultPlan(.removeBefore, at: exchange))
            if exchange == 5 {
                #expect(try await Self.settled(card).technology == .mifareClassic)
                continue
            }
            let error = await #expect(throws: TagError.self) { try await Self.settled(card) }
            #expect(error?.code == .tagConnectionLost)
        }
    }
}
