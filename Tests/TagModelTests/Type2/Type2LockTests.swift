import NFCTags
import Testing
import TestSupport
import VirtualTags

@Suite struct `Formatting a Type 2 tag` {
    static let blank = ["ultralight", "ultralight-c", "ultralight-ev1-11", "ultralight-ev1-21"].flatMap { model in
        Type2Setup.readers.map { Type2Setup(model: model, reader: $0) }
    }

    @Test(arguments: blank)
    func `makes a blank tag an empty NDEF tag`(setup: Type2Setup) async throws {
        let card = try setup.card(nil)
        let tag = setup.tag(card)
        #expect(try await tag.readNDEF().status == .notSupported)
        try await tag.formatNDEF()
        let wanted = try #require(try setup.card([]).tag as? VirtualType2Tag).memory
        #expect((card.tag as? VirtualType2Tag)?.memory == wanted)
        let found = try await tag.readNDEF()
        #expect(found.status == .readWrite)
        #expect(found.message == nil)
        try await tag.writeNDEF(Type2Setup.message(try setup.capacity()), verifying: true)
    }

    @Test(arguments: Type2Setup.all)
    func `keeps the content of a formatted tag`(setup: Type2Setup) async throws {
        let card = try setup.card(Type2Setup.message(12))
        let before = (card.tag as? VirtualType2Tag)?.memory
        try await setup.tag(card).formatNDEF()
        #expect((card.tag as? VirtualType2Tag)?.memory == before)
    }

    @Test(arguments: ["F110FFEE", "E1000000", "FFFFFFFF", "E2101200"], Type2Setup.readers)
    func `refuses a container with other data`(container: String, reader: String) async throws {
        let setup = Type2Setup(model: "ntag213", reader: reader)
        let card = try Self.card(setup, page: 3, container)
        let before = (card.tag as? VirtualType2Tag)?.memory
        #expect(await failure { try await setup.tag(card).formatNDEF() }?.code == .unsupportedFeature)
        #expect((card.tag as? VirtualType2Tag)?.memory == before)
    }

    @Test(arguments: Type2Setup.readers)
    func `restores a missing message TLV`(reader: String) async throws {
        let setup = Type2Setup(model: "ntag215", reader: reader)
        let card = try Self.card(setup, page: 4, "FE000000")
        try await setup.tag(card).formatNDEF()
        #expect(try await setup.tag(card).readNDEF().status == .readWrite)
    }

    @Test(arguments: [Fault.removeBefore, .removeDuring, .removeAfter], Type2Setup.readers)
    func `can be repeated wherever it was interrupted`(fault: Fault, reader: String) async throws {
        let setup = Type2Setup(model: "ultralight-ev1-21", reader: reader)
        for exchange in 1...30 {
            let card = try setup.card(nil)
            let torn = FaultInjectingCard(card, plan: FaultPlan(fault, at: exchange))
            _ = await failure { try await setup.tag(torn).formatNDEF() }
            card.reset()
            try await setup.tag(card).formatNDEF()
            #expect(try await setup.tag(card).readNDEF().status == .readWrite)
        }
    }

    /// A tag with one page changed.
    static func card(_ setup: Type2Setup, page: Int, _ bytes: String) throws -> VirtualReader {
        let tag = try #require(try setup.card([]).tag as? VirtualType2Tag)
        var memory = tag.memory
        memory.replaceSubrange(page * 4..<page * 4 + 4, with: hex(bytes))
        let settings = try #require(VirtualReaderModel.named(setup.reader)).settings
        return VirtualReader(
            tag: try VirtualType2Tag(product: tag.product, memory: memory), settings: settings)
    }
}

@Suite struct `Locking a Type 2 tag` {
    /// A tag with some pages changed before it comes to the reader.
    static func card(_ setup: Type2Setup, _ message: [UInt8], _ changes: [Int: String]) throws -> VirtualReader {
        let tag = try #require(try setup.card(message).tag as? VirtualType2Tag)
        var memory = tag.memory
        for (page, bytes) in changes { memory.replaceSubrange(page * 4..<page * 4 + 4, with: hex(bytes)) }
        var settings = try #require(VirtualReaderModel.named(setup.reader)).settings
        settings.traceLimit = 2_000
        return VirtualReader(
            tag: try VirtualType2Tag(product: tag.product, memory: memory), settings: settings)
    }

    @Test(arguments: Type2Setup.readers)
    func `is refused where the locks of the product are not known for certain`(reader: String) async throws {
        let setup = Type2Setup(model: "ultralight-aes", reader: reader)
        let card = try setup.card([1])
        let error = await failure { try await setup.tag(card).makeReadOnly() }
        #expect(error?.code == .unsupportedFeature && error?.detail.contains("MIFARE Ultralight AES is locked") == true)
        #expect(card.writtenPages.isEmpty)
    }

    @Test(arguments: Type2Setup.lockable)
    func `writes the container, the static and the dynamic lock bytes, and nothing else`(
        setup: Type2Setup
    ) async throws {
        let card = try Self.card(setup, [1, 2, 3], [:])
        let before = try #require(card.tag as? VirtualType2Tag).memory
        try await setup.tag(card).makeReadOnly()
        let dynamic: [String: UInt8] = [
            "ntag213": 40, "ntag215": 130, "ntag216": 226, "ultralight-ev1-21": 36, "ntag212": 36, "ultralight-c": 40,
            "ntag203": 40,
        ]
        let pages = [3, 2] + (dynamic[setup.model].map { [$0] } ?? [])
        #expect(card.writtenPages == pages)
        let after = try #require(card.tag as? VirtualType2Tag).memory
        for page in 0..<before.count / 4 where !pages.contains(UInt8(page)) {
            #expect(after[page * 4..<page * 4 + 4] == before[page * 4..<page * 4 + 4], "page \(page)")
        }
    }

    @Test(arguments: ["ntag213", "ntag215", "ultralight", "ntag203"], Type2Setup.readers)
    func `can be finished wherever it was interrupted, and the message stays`(model: String, reader: String)
        async throws
    {
        let setup = Type2Setup(model: model, reader: reader)
        for exchange in 1...20 {
            for fault in [Fault.removeBefore, .removeDuring, .removeAfter] {
                let card = try setup.card([1, 2, 3])
                let torn = FaultInjectingCard(card, plan: FaultPlan(fault, at: exchange))
                let error = await failure { try await setup.tag(torn).makeReadOnly() }
                if error == nil { continue }
                #expect(error?.code == .tagConnectionLost)
                #expect(try await setup.tag(card).readNDEF().message == [1, 2, 3])
                let again = await failure { try await setup.tag(card).makeReadOnly() }
                #expect(again == nil || again?.detail == "the tag is already read-only")
                #expect(try await setup.tag(card).describe().lockState == .locked)
            }
        }
    }

    /// Page 2, dynamic lock page: bits that freeze others before they were set.
    static let frozen: [(model: String, changes: [Int: String])] = [
        ("ntag213", [2: "A2480100"]), ("ntag213", [2: "A2480200"]), ("ntag213", [40: "000001BD"]),
        ("ntag215", [130: "000008BD"]), ("ntag203", [40: "01000000"]), ("ultralight", [2: "A2480400"]),
    ]

    @Test(arguments: frozen, Type2Setup.readers)
    func `is refused if lock bits are frozen`(
        row: (model: String, changes: [Int: String]), reader: String
    ) async throws {
        let setup = Type2Setup(model: row.model, reader: reader)
        let card = try Self.card(setup, [1], row.changes)
        let error = await failure { try await setup.tag(card).makeReadOnly() }
        #expect(error?.code == .unsupportedFeature)
        #expect(card.writtenPages.isEmpty)
    }

    @Test(arguments: ["E1103E00", "00000000", "E1104200"], ["generic", "acr1252u"])
    func `is refused if the product is unknown`(container: String, reader: String) async throws {
        let setup = Type2Setup(model: "ntag213", reader: reader)
        let card = try Self.card(setup, [1], [3: container])
        #expect(await failure { try await setup.tag(card).makeReadOnly() }?.code == .unsupportedFeature)
        #expect(card.writtenPages.isEmpty)
    }

    /// A dynamic lock page, a message that reaches a locked page, and one that does not.
    static let partly: [(model: String, changes: [Int: String], refused: Int, accepted: Int)] = [
        ("ntag213", [40: "020000BD"], 60, 40), ("ntag213", [40: "000800BD"], 137, 100),
        ("ntag215", [130: "010000BD"], 60, 40), ("ntag215", [130: "400000BD"], 490, 400),
        ("ntag203", [40: "02000000"], 60, 40), ("ultralight-c", [40: "80000000"], 130, 100),
        ("ntag216", [2: "A2480001"], 60, 10), ("ultralight", [2: "A2480080"], 46, 40),
    ]

    @Test(arguments: partly, Type2Setup.readers)
    func `in part, it is refused with 400 if the message needs locked pages`(
        row: (model: String, changes: [Int: String], refused: Int, accepted: Int), reader: String
    ) async throws {
        let setup = Type2Setup(model: row.model, reader: reader)
        let card = try Self.card(setup, [], row.changes)
        let tag = setup.tag(card)
        let error = await failure { try await tag.writeNDEF(Type2Setup.message(row.refused), verifying: false) }
        #expect(error?.code == .tagNotWritable)
        #expect(error?.detail.contains("is locked") == true)
        #expect(card.writtenPages.isEmpty)
        try await tag.writeNDEF(Type2Setup.message(row.accepted), verifying: true)
        #expect(try await tag.describe().lockState == .partlyLocked)
    }

    @Test func `container access 8 is written after the password only`() async throws {
        let setup = Type2Setup(model: "ntag213", reader: "acr122u")
        let card = try Self.card(setup, [], [3: "E1101208"])
        let tag = setup.tag(card)
        #expect(await failure { try await tag.writeNDEF([1], verifying: false) }?.code == .tagNotWritable)
        #expect(card.writtenPages.isEmpty)
        _ = try await tag.authenticate(password: [0xFF, 0xFF, 0xFF, 0xFF])
        try await tag.writeNDEF([1], verifying: true)
        #expect(try await setup.tag(card).readNDEF().message == [1])
    }

    @Test func `never trusts the container for the layout`() async throws {
        // The container of an NTAG216 on the memory of an NTAG215: the last page is not where it should be.
        let setup = Type2Setup(model: "ntag215", reader: "generic")
        let card = try Self.card(setup, [1], [3: "E1106D00"])
        #expect(await failure { try await setup.tag(card).makeReadOnly() }?.code == .unsupportedFeature)
        #expect(card.writtenPages.isEmpty)
    }
}
