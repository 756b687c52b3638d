import NFCTags
import Testing
import TestSupport
import VirtualTags

@Suite struct `Changing the counter and the mirror of a Type 2 tag` {
    typealias Setting = `Setting the password of a Type 2 tag`

    static let counting = ["ntag213", "ntag215", "ntag216"]

    @Test(arguments: counting, Type2Setup.readers)
    func `writes CFG1 and CFG0 where they change, and no other bit`(model: String, reader: String) async throws {
        let (setup, card, page) = try Setting.blank(model, reader)
        var expected = Setting.pages(card, 0..<page + 4)
        let settings = try await setup.tag(card).configure(
            TagSettingChanges(counter: .on, mirror: .uidAndCounter, mirrorPage: 5, mirrorByte: 2))
        #expect(settings == TagSettings(counter: .on, mirror: .uidAndCounter, mirrorPage: 5, mirrorByte: 2))
        // MIRROR_CONF 11, MIRROR_BYTE 10, STRG_MOD_EN stays; NFC_CNT_EN.
        expected[page * 4] = 0xE4
        expected[page * 4 + 2] = 5
        expected[page * 4 + 4] = 0x10
        #expect(Setting.pages(card, 0..<page + 4) == expected)
        #expect(card.writtenPages == [UInt8(page + 1), UInt8(page)])
        let off = try await setup.tag(card).configure(TagSettingChanges(counter: .off, mirror: .off))
        #expect(off == TagSettings(counter: .off, mirror: .off))
        (expected[page * 4], expected[page * 4 + 2], expected[page * 4 + 4]) = (0x04, 0, 0)
        #expect(Setting.pages(card, 0..<page + 4) == expected)
    }

    @Test(arguments: Type2Setup.readers) func `a link then carries the UID and the count`(reader: String) async throws {
        let setup = Type2Setup(model: "ntag213", reader: reader)
        // A text record of 24 bytes: its status byte, "en", and 21 characters.
        let text = hex("D101185402656E") + [UInt8](repeating: 0x30, count: 21)
        let card = try setup.card(text)
        let memory = try #require(card.tag as? VirtualType2Tag).memory
        let start = try #require(memory.firstRange(of: [UInt8](repeating: 0x30, count: 21))).lowerBound
        try await setup.tag(card).configure(
            TagSettingChanges(counter: .on, mirror: .uidAndCounter, mirrorPage: start / 4, mirrorByte: start % 4))
        card.reset()
        let shown = try #require(try await setup.tag(card).readNDEF().message).suffix(21)
        let uid = card.tag.identifier.map { hex([$0]) }.joined()
        let counted = try #require(card.tag as? VirtualType2Tag).counters[2]
        #expect(String(decoding: shown, as: UTF8.self) == "\(uid)x00000\(counted)")
        #expect(counted > 0)
    }

    /// A change in the place of the mirror, and one in the same page in front of it.
    @Test(arguments: Type2Setup.readers, [3, 2])
    func `what the mirror hides is not overwritten with what it shows`(reader: String, offset: Int) async throws {
        let setup = Type2Setup(model: "ntag213", reader: reader)
        let card = try setup.card(hex("D101185402656E") + [UInt8](repeating: 0x30, count: 21))
        let memory = try #require(card.tag as? VirtualType2Tag).memory
        let start = try #require(memory.firstRange(of: [UInt8](repeating: 0x30, count: 21))).lowerBound
        #expect(!start.isMultiple(of: 4))
        try await setup.tag(card).configure(
            TagSettingChanges(mirror: .uid, mirrorPage: start / 4, mirrorByte: start % 4))
        card.reset()
        let before = try #require(card.tag as? VirtualType2Tag).memory
        let shown = try #require(try await setup.tag(card).readNDEF().message)[4 + offset]
        let update = try RecordUpdate(record: 0, offset: offset, old: [shown], new: [0x5A])
        let error = await #expect(throws: TagError.self) {
            try await setup.tag(card).updateRecord(update, verifying: true, progress: nil)
        }
        #expect(error?.code == .tagNotWritable && error?.detail.contains("mirror") == true)
        #expect((card.tag as? VirtualType2Tag)?.memory == before)
        let behind = try RecordUpdate(record: 0, offset: 20, old: [0x30], new: [0x5A])
        try await setup.tag(card).updateRecord(behind, verifying: true, progress: nil)
    }

    /// A product, a change, and a word of the error.
    static let faults: [(String, TagSettingChanges, String)] = [
        ("ntag210", .init(counter: .on), "no NFC counter"),
        ("ultralight-ev1-21", .init(counter: .on), "no NFC counter"),
        ("ntag212", .init(mirror: .counter, mirrorPage: 5), "its UID only"),
        ("ultralight-ev1-11", .init(mirror: .uid, mirrorPage: 5), "has no mirror"),
        ("ntag213", .init(mirror: .counter, mirrorPage: 5), "counter, which is off"),
        ("ntag213", .init(mirror: .uid, mirrorPage: 3), "does not fit"),
        ("ntag213", .init(mirror: .uid, mirrorPage: 4, mirrorByte: 4), "does not fit"),
        ("ntag213", .init(mirror: .uid, mirrorPage: 4, mirrorByte: -1), "does not fit"),
        // 14 bytes from page 36, byte 3 end behind page 39, the last one with data.
        ("ntag213", .init(mirror: .uid, mirrorPage: 36, mirrorByte: 3), "does not fit"),
        ("ntag213", .init(mirror: .uid, mirrorPage: Int.max / 4, mirrorByte: 3), "does not fit"),
    ]

    @Test(arguments: faults) func `is refused before anything is written where the product cannot do it`(
        model: String, change: TagSettingChanges, word: String
    ) async throws {
        let (setup, card, _) = try Setting.blank(model, "acr122u")
        let error = await failure { _ = try await setup.tag(card).configure(change) }
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.detail.contains(word) == true, "\(String(describing: error))")
        #expect(card.writtenPages.isEmpty)
    }

    @Test(arguments: Type2Setup.readers) func `a message under a mirror is written, and the mirror named`(
        reader: String
    ) async throws {
        let setup = Type2Setup(model: "ntag213", reader: reader)
        let message = { (digit: UInt8) in hex("D101185402656E") + [UInt8](repeating: digit, count: 21) }
        let card = try setup.card(message(0x30))
        let memory = try #require(card.tag as? VirtualType2Tag).memory
        let start = try #require(memory.firstRange(of: [UInt8](repeating: 0x30, count: 21))).lowerBound
        try await setup.tag(card).configure(
            TagSettingChanges(counter: .on, mirror: .uidAndCounter, mirrorPage: start / 4, mirrorByte: start % 4))
        card.reset()
        let error = await failure { try await setup.tag(card).writeNDEF(message(0x31), verifying: true) }
        #expect(error?.code == .tagUpdateFailure)
        #expect(error?.leaves == .new)
        #expect(error?.detail.contains("mirror") == true)
        let written = try #require(card.tag as? VirtualType2Tag).memory
        #expect(written.firstRange(of: message(0x31)) != nil)
        // Elsewhere, a difference is still one.
        try await setup.tag(card).configure(TagSettingChanges(mirror: .off))
        card.reset()
        #expect(try await setup.tag(card).readNDEF().message == message(0x31))
        try await setup.tag(card).writeNDEF(message(0x32), verifying: true)
    }

    @Test func `keeps the place of a mirror that ends with the last byte`() async throws {
        let (setup, card, _) = try Setting.blank("ntag213", "generic")
        let settings = try await setup.tag(card).configure(
            TagSettingChanges(mirror: .uid, mirrorPage: 36, mirrorByte: 2))
        #expect(settings == TagSettings(counter: .off, mirror: .uid, mirrorPage: 36, mirrorByte: 2))
    }

    @Test func `needs the password where the tag has one`() async throws {
        let (setup, card, _) = try Setting.blank("ntag213", "acr122u")
        try await setup.tag(card).setPassword(Setting.old)
        let stranger = await failure { _ = try await setup.tag(card).configure(TagSettingChanges(counter: .on)) }
        #expect(stranger?.code == .tagNotWritable)
        let owner = setup.tag(card)
        _ = try await owner.authenticate(password: [1, 2, 3, 4])
        #expect(try await owner.configure(TagSettingChanges(counter: .password)).counter == .password)
    }
}
