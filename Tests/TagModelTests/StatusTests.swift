import NFCTags
import TestSupport
import Testing
import VirtualTags

@Suite struct `Asking for the status alone` {
    struct Row: Sendable {
        let name: String
        let make: @Sendable ([UInt8]) throws -> any VirtualCard
        let tag: @Sendable (any VirtualCard) -> any NDEFTag
        let count: @Sendable (any VirtualCard) -> Int?
        /// Exchanges for the status, and for reading the message.
        let status: Int
        let read: Int
    }

    static func row(
        _ name: String, _ status: Int, _ read: Int,
        make: @escaping @Sendable ([UInt8]) throws -> any VirtualCard,
        tag: @escaping @Sendable (any VirtualCard) -> any NDEFTag
    ) -> Row {
        let count = { @Sendable (card: any VirtualCard) -> Int? in
            (card as? VirtualReader)?.exchanges.apdus ?? (card as? VirtualReader)?.exchanges.apdus
                ?? (card as? VirtualReader)?.exchanges.apdus
        }
        return Row(name: name, make: make, tag: tag, count: count, status: status, read: read)
    }

    static let rows: [Row] = [
        row("Topaz 512", 2, 3) {
            try `Type 1 tags from end to end`.reader(.topaz512, message: $0)
        } tag: {
            `Type 1 tags from end to end`.tag($0)
        },
        row("NTAG215", 5, 14) {
            try Type2Setup(model: "ntag215", reader: "generic").card($0)
        } tag: {
            Type2Setup(model: "ntag215", reader: "generic").tag($0)
        },
        row("FeliCa Lite-S", 2, 6) {
            try Type3Bench.reader(.liteS, message: $0)
        } tag: {
            Type3Bench.tag($0)
        },
        row("DESFire", 3, 8) {
            try Type4Case.desfire.reader($0)
        } tag: {
            Type4Case.desfire.tag($0)
        },
        row("ICODE SLIX2", 4, 5) {
            try Type5Cards.reader(.slix2, $0)
        } tag: {
            Type5Cards.native($0)
        },
        row("MIFARE Classic", 9, 29) {
            try ClassicCards.reader(.oneK, $0)
        } tag: {
            ClassicCards.tag($0, .oneK)
        },
    ]

    @Test(arguments: rows.indices) func `needs no more exchanges than to find the message and its lock bits`(index: Int)
        async throws
    {
        let row = Self.rows[index]
        let message = ClassicCards.message(200)
        let (asked, read) = (try row.make(message), try row.make(message))
        let status = try await row.tag(asked).queryStatus()
        let result = try await row.tag(read).readNDEF()
        #expect(status == NDEFStatusResult(result))
        #expect(result.message == message)
        #expect(row.count(asked) == row.status, "\(row.name)")
        #expect(row.count(read) == row.read, "\(row.name)")
    }
}

/// The lock bits decide, whatever the capability container declares.
@Suite struct `The status of a tag with lock bits set` {
    static let message = [UInt8](repeating: 0xA5, count: 120)

    @Test(arguments: ["ntag213", "ultralight-ev1-21", "ultralight"], Type2Setup.readers)
    func `is read-only on Type 2 by the static lock bytes`(model: String, reader: String) async throws {
        let setup = Type2Setup(model: model, reader: reader)
        let card = try `Formatting a Type 2 tag`.card(setup, page: 2, "00 00 F0 FF")
        #expect(try await setup.tag(card).queryStatus().status == .readOnly)
        #expect(
            await failure { try await setup.tag(card).writeNDEF([0xD0, 0, 0], verifying: true) }?.code
                == .tagNotWritable)
        #expect(try await setup.tag(try setup.card([])).queryStatus().status == .readWrite)
    }

    @Test(arguments: ["acr122u", "acr1252u", "acr1552u"])
    func `is read-only on Type 2 by the dynamic lock bytes, where the message reaches their pages`(
        reader: String
    ) async throws {
        let setup = Type2Setup(model: "ntag213", reader: reader)
        for (message, status) in [(Self.message, NDEFStatus.readOnly), ([0xD0, 0, 0], .readWrite)] {
            let tag = try #require(try setup.card(message).tag as? VirtualType2Tag)
            var memory = tag.memory
            memory.replaceSubrange(40 * 4..<40 * 4 + 2, with: [0xFF, 0x0F])
            let settings = try #require(VirtualReaderModel.named(reader)).settings
            let card = VirtualReader(
                tag: try VirtualType2Tag(product: tag.product, memory: memory), settings: settings)
            #expect(try await setup.tag(card).queryStatus().status == status)
            let other = message.map { ~$0 }
            #expect(
                (await failure { try await setup.tag(card).writeNDEF(other, verifying: true) } == nil)
                    == (status == .readWrite))
        }
    }

    @Test func `is read-only on Type 5 where a block of the message is locked`() async throws {
        let reader = try Type5Cards.reader(.slix2, Self.message)
        #expect(try await Type5Cards.native(reader).queryStatus().status == .readWrite)
        Type5Cards.lock(2, on: reader)
        #expect(try await Type5Cards.native(reader).queryStatus().status == .readOnly)
    }

    @Test func `is read-only on Type 1 where a block of the message is locked`() async throws {
        let tag = try VirtualTopazTag(product: .topaz512, ndefMessage: Self.message)
        var memory = tag.memory
        memory[112] = 0x10
        let reader = VirtualReader(tag: try VirtualTopazTag(product: .topaz512, memory: memory))
        #expect(try await `Type 1 tags from end to end`.tag(reader).queryStatus().status == .readOnly)
    }
}
