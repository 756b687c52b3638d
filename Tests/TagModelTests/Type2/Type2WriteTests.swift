import NFCTags
import Testing
import VirtualTags

@Suite struct `Writing a Type 2 tag` {
    @Test(arguments: Type2Setup.all)
    func `writes every message that fits, and refuses one byte more`(setup: Type2Setup) async throws {
        let card = try setup.card([])
        let tag = setup.tag(card)
        let capacity = try setup.capacity()
        for count in [1, 20, capacity, 0, capacity - 1, 3] {
            try await tag.writeNDEF(Type2Setup.message(count), verifying: true)
            let found = try await setup.tag(card).readNDEF()
            #expect(found.message ?? [] == Type2Setup.message(count))
            #expect(found.capacity == capacity)
            #expect(found.status == .readWrite)
        }
        let memory = (card.tag as? VirtualType2Tag)?.memory
        let error = await failure { try await tag.writeNDEF(Type2Setup.message(capacity + 1), verifying: false) }
        #expect(error?.code == .tagSizeTooSmall)
        #expect((card.tag as? VirtualType2Tag)?.memory == memory)
    }

    @Test(arguments: Type2Setup.all)
    func `does not change the bytes before the message`(setup: Type2Setup) async throws {
        let card = try setup.card([])
        let before = try #require(card.tag as? VirtualType2Tag).memory
        try await setup.tag(card).writeNDEF(Type2Setup.message(try setup.capacity()), verifying: false)
        let after = try #require(card.tag as? VirtualType2Tag)
        #expect(after.memory.prefix(20) == before.prefix(20) || !before[16..<20].starts(with: [1, 3]))
        #expect(after.memory.prefix(16) == before.prefix(16))
        let end = 16 + after.product.dataAreaSize
        #expect(after.memory.dropFirst(end) == before.dropFirst(end))
    }

    @Test(arguments: Type2Setup.readers)
    func `is skipped if the tag has the message already`(reader: String) async throws {
        let setup = Type2Setup(model: "ntag215", reader: reader)
        let card = try setup.card(Type2Setup.message(100))
        try await setup.tag(card).writeNDEF(Type2Setup.message(100), verifying: true)
        #expect(
            try #require(card.tag as? VirtualType2Tag).memory
                == (try setup.card(Type2Setup.message(100)).tag as? VirtualType2Tag)?.memory)
    }

    @Test(arguments: Type2Setup.readers)
    func `is refused on another tag than expected`(reader: String) async throws {
        let setup = Type2Setup(model: "ntag213", reader: reader)
        let card = try setup.card([])
        let before = (card.tag as? VirtualType2Tag)?.memory
        let other = setup.tag(card, expecting: [4, 1, 2, 3, 4, 5, 6])
        for error in [
            await failure { try await other.writeNDEF([1], verifying: false) },
            await failure { try await other.makeReadOnly() },
            await failure { try await other.formatNDEF() },
        ] {
            #expect(error?.code == .tagConnectionLost)
        }
        #expect((card.tag as? VirtualType2Tag)?.memory == before)
        try await setup.tag(card, expecting: card.tag.identifier).writeNDEF([1], verifying: true)
        #expect(try await setup.tag(card).readNDEF().message == [1])
    }

    @Test(arguments: Type2Setup.lockable)
    func `is refused with 400 once the tag is locked`(setup: Type2Setup) async throws {
        let card = try setup.card(Type2Setup.message(10))
        try await setup.tag(card).makeReadOnly()
        let locked = try #require(card.tag as? VirtualType2Tag).memory
        let tag = setup.tag(card)
        #expect(await failure { try await tag.writeNDEF([1], verifying: false) }?.code == .tagNotWritable)
        #expect(await failure { try await tag.makeReadOnly() }?.code == .tagNotWritable)
        let found = try await tag.readNDEF()
        #expect(found.status == .readOnly)
        #expect(found.message == Type2Setup.message(10))
        #expect((card.tag as? VirtualType2Tag)?.memory == locked)
        #expect(try await tag.describe().lockState == .locked)
        // No user page can be written any more.
        var chip = try #require(card.tag as? VirtualType2Tag)
        for page in 3..<4 + chip.product.dataAreaSize / 4 {
            chip.activate()
            #expect(chip.exchange([0xA2, UInt8(page), 1, 2, 3, 4]) == .nak(0), "page \(page)")
        }
    }

    /// Old and new message by length.
    static let pairs = [(0, 20), (20, 0), (10, 30), (30, 10), (100, 120), (0, 137), (137, 1), (20, 20)]
    static let longPairs = [(254, 255), (255, 254), (0, 300), (300, 0), (300, 10), (200, 400)]

    @Test(arguments: Type2Setup.readers, pairs)
    func `leaves the old message, none or the new one wherever it is interrupted`(
        reader: String, pair: (Int, Int)
    ) async throws {
        let cases = try await tear(Type2Setup(model: "ntag213", reader: reader), pair)
        #expect(cases > 5)
    }

    @Test(arguments: longPairs)
    func `leaves the old message, none or the new one across the length forms`(pair: (Int, Int)) async throws {
        let cases =
            try await tear(Type2Setup(model: "ntag215", reader: "generic"), pair)
            + tear(Type2Setup(model: "ntag215", reader: "acr122u"), pair)
        #expect(cases > 10)
    }

    private func tear(_ setup: Type2Setup, _ pair: (Int, Int)) async throws -> Int {
        let new = Type2Setup.message(pair.1 + 1).dropFirst()
        return try await TearTest(
            makeCard: { try setup.card(Type2Setup.message(pair.0)) }, makeTag: { setup.tag($0.card) },
            old: Type2Setup.message(pair.0), new: Array(new)
        ).run()
    }
}

/// A tag of the catalogue behind a reader of the catalogue.
struct Type2Setup: Sendable, CustomTestStringConvertible {
    let model: String
    let reader: String

    var testDescription: String { "\(model) on \(reader)" }

    static let models = [
        "ntag213", "ntag215", "ntag216", "ultralight-ev1-11", "ultralight-ev1-21", "ultralight", "ultralight-c",
        "ultralight-aes", "ntag203", "ntag210", "ntag212",
    ]
    static let readers = ["generic", "acr122u", "acr1252u", "acr1552u"]
    static let all = models.flatMap { model in readers.map { Type2Setup(model: model, reader: $0) } }
    /// Without the product whose locks are not known for certain.
    static let lockable = all.filter { $0.model != "ultralight-aes" }

    func capacity() throws -> Int { try VirtualTagModel.named(model).messageCapacity }

    func card(_ message: [UInt8]?) throws -> VirtualReader {
        var settings = try #require(VirtualReaderModel.named(reader)).settings
        settings.traceLimit = 2_000
        return VirtualReader(
            tag: try VirtualTagModel.named(model).makeTag(ndefMessage: message), settings: settings)
    }

    func tag(_ card: any VirtualCard, expecting identifier: [UInt8]? = nil) -> NFCTags.Type2Tag {
        NFCTags.Type2Tag(
            channel: ModelChannel(card), profile: .profile(reader: reader), expectedIdentifier: identifier)
    }

    static func message(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 200 + 4) } }
}

extension VirtualReader {
    /// The pages that were written, in order.
    var writtenPages: [UInt8] {
        trace.compactMap { entry in
            guard case .frame(let command, _) = entry, command.first == 0xA2 else { return nil }
            return command.dropFirst().first
        }
    }
}
