import NFCTags
import Testing
import VirtualTags

@Suite struct `A card with native commands and its channel` {
    static let products: [(String, NFCTags.DESFireProduct, Int)] = [
        ("desfire-ev1", .desfireEV1, 4096), ("ntag424", .ntag424DNA, 256),
    ]

    @Test(arguments: products)
    func `returns its version in three exchanges`(
        model: String, product: NFCTags.DESFireProduct, storage: Int
    ) async throws {
        let reader = VirtualReader(tag: try VirtualTagModel.named(model).makeTag())
        let version = try await DESFireChannel(channel: ModelChannel(reader)).version()
        #expect(version.product == product)
        #expect(version.hardware.storageSize == storage)
        #expect(version.identifier == reader.tag.identifier)
        #expect(reader.exchanges.apdus == 3)
    }

    @Test func `writes and reads a long file in frames`() async throws {
        let reader = VirtualReader(tag: try VirtualDESFireCard(product: .desfireEV1))
        let channel = DESFireChannel(channel: ModelChannel(reader))
        #expect(try await channel.send(0x5A, [1, 0, 0]).status == .operationOK)
        let header: [UInt8] = [2, 0, 0, 0, 0x2C, 0x01, 0]
        #expect(try await channel.send(0x3D, header + content(300)).status == .operationOK)
        #expect(try await channel.send(0xBD, header) == DESFireResponse(status: .operationOK, data: content(300)))
        #expect(try await channel.send(0xBD, [1, 0, 0, 0, 0, 0, 0]).data.count == 15)
        #expect(try await channel.send(0x3D, [1, 0, 0, 0, 1, 0, 0, 0xFF]).status.rawValue == 0xAE)
        #expect(try await channel.send(0xBD, [7, 0, 0, 0, 0, 0, 0]).status.rawValue == 0xF0)
        #expect(try await channel.exchange(0xAA, [0]).status == .additionalFrame)
    }

    @Test func `reads as NDEF what was written by native commands`() async throws {
        let reader = VirtualReader(tag: try VirtualDESFireCard(product: .desfireEV1))
        let channel = ModelChannel(reader)
        let native = DESFireChannel(channel: channel)
        _ = try await native.send(0x5A, [1, 0, 0])
        _ = try await native.send(0x3D, [2, 0, 0, 0, 5, 0, 0, 0, 3, 0xD0, 0, 0])
        #expect(try await Type4Tag(channel: channel).readNDEF().message == [0xD0, 0, 0])
    }

    @Test func `is not a storage tag`() async throws {
        let reader = VirtualReader(tag: try VirtualType4Card())
        let error = await #expect(throws: TagError.self) {
            try await DESFireChannel(channel: ModelChannel(reader)).version()
        }
        #expect(error?.detail.contains("native command 60 not understood") == true)
    }

    static let models = ["type4", "type4-extended", "desfire-ev1", "ntag424"]

    @Test(arguments: models)
    func `is identified as ISO 14443-4 type A, and read`(name: String) async throws {
        let model = try VirtualTagModel.named(name)
        let channel = ModelChannel(try model.makeTag(ndefMessage: content(10)).inReader())
        let identity = try await identify(atr: channel.card.answerToReset, channel: channel)
        #expect(identity.technology == .iso14443Part4(.a))
        #expect(identity.identifier.count == 7)
        let result = try await Type4Tag(channel: channel).readNDEF()
        #expect(result.message == content(10))
        #expect(result.capacity == model.messageCapacity)
    }
}
