import NFCTags
import Testing
import VirtualTags

@Suite struct `A Type 2 tag with a password` {
    /// NTAG213 with PWD 01020304, PACK A1A2, AUTH0 and ACCESS as given.
    static func card(_ reader: String, firstPage: UInt8, access: UInt8) throws -> (Type2Setup, VirtualReader) {
        let setup = Type2Setup(model: "ntag213", reader: reader)
        let tag = try #require(try setup.card(Type2Setup.message(30)).tag as? VirtualType2Tag)
        var memory = tag.memory
        memory[41 * 4 + 3] = firstPage
        memory[42 * 4] = access
        memory.replaceSubrange(43 * 4..<45 * 4, with: [1, 2, 3, 4, 0xA1, 0xA2, 0, 0])
        let settings = try #require(VirtualReaderModel.named(reader)).settings
        return (
            setup,
            VirtualReader(tag: try VirtualType2Tag(product: tag.product, memory: memory), settings: settings)
        )
    }

    @Test(arguments: Type2Setup.readers)
    func `reports that it cannot be read`(reader: String) async throws {
        let (setup, card) = try Self.card(reader, firstPage: 4, access: 0x80)
        let error = await failure { _ = try await setup.tag(card).readNDEF() }
        #expect(error?.code == .tagResponseError)
        #expect(error?.detail.contains("needs a password") == true)
        #expect(try await setup.tag(card).describe().lockState != .unlocked)
    }

    @Test(arguments: Type2Setup.readers)
    func `never shows page 0 instead of a page that is protected`(reader: String) async throws {
        // The message goes from page 5 to page 12; READ starts over in front of page 10.
        let (setup, card) = try Self.card(reader, firstPage: 10, access: 0x80)
        let error = await failure { _ = try await setup.tag(card).readNDEF() }
        #expect(error?.code == .tagResponseError)
        #expect(error?.detail.contains("needs a password") == true)
    }

    @Test func `is refused with 400 before the first byte`() async throws {
        for reader in ["acr122u"] {
            let (setup, card) = try Self.card(reader, firstPage: 4, access: 0)
            let before = (card.tag as? VirtualType2Tag)?.memory
            let tag = setup.tag(card)
            for error in [
                await failure { try await tag.writeNDEF([1], verifying: false) },
                await failure { try await tag.makeReadOnly() },
            ] {
                #expect(error?.code == .tagNotWritable)
                #expect(error?.detail == "the tag needs a password or key from page 4 on")
            }
            #expect((card.tag as? VirtualType2Tag)?.memory == before)
        }
    }

    @Test(arguments: Type2Setup.readers)
    func `is never changed if the password protection is detected late`(reader: String) async throws {
        let (setup, card) = try Self.card(reader, firstPage: 4, access: 0)
        let before = (card.tag as? VirtualType2Tag)?.memory
        let error = await failure { try await setup.tag(card).writeNDEF([1], verifying: false) }
        #expect(error?.code == .tagNotWritable || error?.mayHaveKeptMessage == true)
        #expect((card.tag as? VirtualType2Tag)?.memory == before)
    }

    @Test(arguments: ["acr122u", "acr1252u", "acr1552u"])
    func `is read and written once it is given`(reader: String) async throws {
        let (setup, card) = try Self.card(reader, firstPage: 4, access: 0x80)
        let tag = setup.tag(card)
        #expect(try await tag.authenticate(password: [1, 2, 3, 4]) == [0xA1, 0xA2])
        #expect(try await tag.readNDEF().message == Type2Setup.message(30))
        try await tag.writeNDEF(Type2Setup.message(50), verifying: true)
        #expect(try await tag.readNDEF().message == Type2Setup.message(50))
    }

    @Test(arguments: ["acr122u", "acr1552u"])
    func `refuses a wrong password, and no other is tried`(reader: String) async throws {
        let (setup, card) = try Self.card(reader, firstPage: 4, access: 0x83)
        let tag = setup.tag(card)
        let error = await failure { _ = try await tag.authenticate(password: [4, 3, 2, 1]) }
        #expect(error?.code == .tagResponseError)
        #expect(error?.detail == "the password is not accepted")
        #expect((card.tag as? VirtualType2Tag)?.failedAttempts == 1)
        #expect(await failure { _ = try await tag.authenticate(password: [1, 2]) }?.code == .unsupportedFeature)
        #expect(try await tag.authenticate(password: [1, 2, 3, 4]) == [0xA1, 0xA2])
    }

    @Test func `needs a reader with a pass-through`() async throws {
        let (setup, card) = try Self.card("generic", firstPage: 4, access: 0)
        let error = await failure { _ = try await setup.tag(card).authenticate(password: [1, 2, 3, 4]) }
        #expect(error?.code == .unsupportedFeature)
    }

    @Test(arguments: Type2Setup.readers, ["01", "00"])
    func `or a key is neither locked nor written if that could not be finished`(
        reader: String, access: String
    ) async throws {
        // AUTH0 of MIFARE Ultralight C: everything from page 20 on.
        let setup = Type2Setup(model: "ultralight-c", reader: reader)
        let card = try `Locking a Type 2 tag`.card(setup, [1, 2], [42: "14000000", 43: access + "000000"])
        let lock = await failure { try await setup.tag(card).makeReadOnly() }
        #expect(lock?.code == (access == "01" ? .tagNotWritable : .unsupportedFeature))
        let write = await failure { try await setup.tag(card).writeNDEF(Type2Setup.message(100), verifying: false) }
        #expect(write?.code == (access == "01" ? .tagNotWritable : .tagSizeTooSmall))
        #expect(card.writtenPages.isEmpty)
        #expect(try await setup.tag(card).readNDEF().message == [1, 2])
    }
}
