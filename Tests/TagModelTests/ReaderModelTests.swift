import NFCTags
import Testing
import TestSupport
import VirtualTags

@Suite struct `Every tag in every reader` {
    struct Pair: Sendable, CustomTestStringConvertible {
        let reader: VirtualReaderModel
        let model: String

        var testDescription: String { "\(model) in \(reader.name)" }
    }

    static let pairs = VirtualReaderModel.all.flatMap { reader in
        VirtualTagModel.all.map { Pair(reader: reader, model: $0.name) }
    }

    static let type5 = ["slix", "slix2", "st25dv04k", "st25dv64k", "tag-it"]
    static let type3 = ["felica-lite", "felica-lite-s", "type3"]
    static let type1 = ["topaz", "topaz512"]
    static let classic = ["mifare-classic-mini", "mifare-classic-1k", "mifare-classic-4k"]

    /// What a reader does not find in its field.
    static let unseen = [
        "acr122u": type5, "acr1252u": type5 + type1, "acr1552u": type1, "omnikey-5321": type3 + type1,
        "omnikey-5422": type3 + type1, "springcard": type5 + type1, "rc-s300": type5 + type1 + classic,
    ]

    static func tag(
        _ card: any VirtualCard, _ reader: VirtualReaderModel
    ) async throws -> (identity: TagIdentity, driver: any NDEFTag) {
        let channel = ModelChannel(card)
        let identity = try await identify(atr: card.answerToReset, channel: channel)
        let reconnection = CardReconnection(identifier: identity.identifier) { () async throws(CardChannelError) in
            guard card.isPresent else { throw .tagLost }
            card.reset()
        }
        let driver = ndefTag(
            for: identity, channel: channel, profile: .profile(reader: reader.readerName), reconnection: reconnection)
        return (identity, try #require(driver))
    }

    @Test(arguments: pairs) func `is identified, read and written, or not detected`(pair: Pair) async throws {
        let model = try VirtualTagModel.named(pair.model).makeTag(ndefMessage: Type2Setup.message(20))
        let isUnseen = Self.unseen[pair.reader.name]?.contains(pair.model) ?? false
        let made = pair.reader.card(model)
        #expect((made == nil) == isUnseen)
        guard let card = made else { return }
        let (identity, driver) = try await Self.tag(card, pair.reader)
        #expect(identity.identifier == model.identifier)
        if pair.reader.name == "springcard", Self.type3.contains(pair.model) {
            #expect(await failure { _ = try await driver.readNDEF() }?.code == .unsupportedFeature)
            return
        }
        #expect(try await driver.readNDEF().message == Type2Setup.message(20))
        if Self.needsFrames.contains(pair.model), !Self.passesFrames.contains(pair.reader.name) { return }
        let other = Array(Type2Setup.message(35).dropFirst())
        try await driver.writeNDEF(other, verifying: true)
        #expect(try await Self.tag(card, pair.reader).driver.readNDEF().message == other)
    }

    /// The TI chip requires the option flag for a write, which `FF D6` may not send.
    static let needsFrames = ["tag-it"]
    static let passesFrames = ["acr1552u", "identiv"]

    @Test func `shows FeliCa and Topaz by the name its reader gives them`() throws {
        let rows = [
            ("acr122u", "type3", "0003 06 03 F011"), ("acr1252u", "type3", "0003 06 11 003B"),
            ("acr1552u", "type3", "0003 06 11 003B"), ("identiv", "type3", "0003 06 11 003B"),
            ("acr122u", "topaz", "0003 06 03 F004"), ("identiv", "topaz", "0003 06 03 0030"),
            ("generic", "type3", "0003 06 11 003B"), ("generic", "topaz", "0003 06 03 F004"),
        ]
        for (reader, model, name) in rows {
            let card = try VirtualReaderModel.named(reader)?.card(VirtualTagModel.named(model).makeTag())
            let shown = card.map { Array($0.answerToReset.dropFirst(9).prefix(6)) }
            #expect(shown == Array(hex(name)), "\(model) in \(reader)")
        }
    }
}

@Suite struct `A reader model` {
    static let profiles: [(name: String, profile: ReaderProfile)] = [
        ("generic", .generic), ("acr122u", .acr122u), ("acr1252u", .acr1252u), ("acr1552u", .acr1552u),
        ("omnikey-5321", .omnikey5321), ("omnikey-5422", .omnikey5422), ("identiv", .identiv),
        ("springcard", .springCard), ("rc-s300", .rcS300),
    ]

    @Test func `has the name by which its profile is found`() {
        #expect(VirtualReaderModel.all.map(\.name) == Self.profiles.map(\.name))
        for (model, row) in zip(VirtualReaderModel.all, Self.profiles) {
            #expect(ReaderProfile.profile(reader: model.readerName) == row.profile)
            #expect(ReaderProfile.profile(reader: model.readerName + " 00 00") == row.profile)
        }
    }
}

/// How many APDUs reading and writing take on a new connection, `FF CA` of the detection among them.
@Suite struct `Exchanges by reader` {
    struct Row: Sendable, CustomTestStringConvertible {
        let reader: String
        let model: String
        /// Bytes of the message that is read, and of the one that takes its place.
        let old: Int
        let new: Int
        let read: Int
        let write: Int

        var testDescription: String { "\(model) in \(reader), \(old) → \(new)" }
    }

    static let rows = [
        Row(reader: "acr1552u", model: "ntag213", old: 20, new: 30, read: 4, write: 15),
        Row(reader: "acr1552u", model: "ntag216", old: 868, new: 868, read: 10, write: 234),
        Row(reader: "rc-s300", model: "ntag216", old: 868, new: 868, read: 10, write: 234),
        Row(reader: "identiv", model: "ntag213", old: 20, new: 30, read: 10, write: 25),
        Row(reader: "acr1552u", model: "slix", old: 20, new: 100, read: 6, write: 34),
        Row(reader: "acr1552u", model: "st25dv64k", old: 8000, new: 100, read: 72, write: 38),
        Row(reader: "identiv", model: "slix", old: 20, new: 100, read: 5, write: 33),
        Row(reader: "identiv", model: "st25dv64k", old: 8000, new: 100, read: 69, write: 35),
        Row(reader: "omnikey-5422", model: "slix", old: 20, new: 100, read: 9, write: 56),
        Row(reader: "acr122u", model: "type3", old: 200, new: 250, read: 5, write: 9),
        Row(reader: "acr1252u", model: "type3", old: 200, new: 250, read: 5, write: 9),
        Row(reader: "acr1552u", model: "type3", old: 200, new: 250, read: 17, write: 45),
        Row(reader: "identiv", model: "type3", old: 200, new: 250, read: 5, write: 9),
        Row(reader: "acr122u", model: "topaz512", old: 200, new: 250, read: 4, write: 39),
        Row(reader: "identiv", model: "topaz512", old: 200, new: 250, read: 4, write: 39),
    ]

    @Test(arguments: rows) func `have the expected number`(row: Row) async throws {
        let read = try await count(row) { (tag: any NDEFTag) async throws -> Void in
            let message = try await tag.readNDEF().message
            #expect(message == Type2Setup.message(row.old))
        }
        let write = try await count(row) { (tag: any NDEFTag) async throws -> Void in
            try await tag.writeNDEF(Array(Type2Setup.message(row.new + 1).dropFirst()), verifying: false)
        }
        #expect([read, write] == [row.read, row.write])
    }

    private func count(_ row: Row, _ body: (any NDEFTag) async throws -> Void) async throws -> Int {
        let model = try #require(VirtualReaderModel.named(row.reader))
        let tag = try VirtualTagModel.named(row.model).makeTag(ndefMessage: Type2Setup.message(row.old))
        let card = try #require(model.card(tag) as? VirtualReader)
        try await body(try await `Every tag in every reader`.tag(card, model).driver)
        return card.exchanges.apdus
    }
}

@Suite struct `Probing a reader model` {
    struct Row: Sendable, CustomTestStringConvertible {
        let reader: String
        let model: String
        let profile: ReaderProfile
        var needsReset = false

        var testDescription: String { "\(reader) with \(model)" }
    }

    static let rows =
        ["ntag213", "ultralight"].flatMap { model in
            [
                Row(reader: "generic", model: model, profile: .generic),
                Row(reader: "acr122u", model: model, profile: .acr122u),
                Row(reader: "acr1252u", model: model, profile: .acr1252u),
                Row(reader: "acr1552u", model: model, profile: .acr1552u),
                Row(reader: "omnikey-5321", model: model, profile: .omnikey5321),
                Row(reader: "omnikey-5422", model: model, profile: .generic),
                Row(reader: "identiv", model: model, profile: .identiv),
                Row(reader: "springcard", model: model, profile: .generic),
                Row(reader: "rc-s300", model: model, profile: .acr1552u),
            ]
        } + [
            // A card that answers READ only after an authentication.
            Row(reader: "acr1252u", model: "mifare-classic-1k", profile: .generic, needsReset: true),
            Row(reader: "omnikey-5321", model: "mifare-classic-1k", profile: .generic, needsReset: true),
            Row(reader: "acr122u", model: "mifare-classic-1k", profile: .acr122u),
        ]

    @Test(arguments: rows) func `finds its profile and does not change the tag`(row: Row) async throws {
        let tag = try VirtualTagModel.named(row.model).makeTag(ndefMessage: [1, 2, 3])
        let reader = try #require(VirtualReaderModel.named(row.reader)?.card(tag) as? VirtualReader)
        let channel = ModelChannel(reader)
        let finding = try await ReaderProbe(channel: channel).run()
        #expect(finding.profile == row.profile)
        #expect(finding.needsReset == row.needsReset)
        if finding.needsReset { reader.reset() }
        let identity = try await identify(atr: reader.answerToReset, channel: channel)
        let driver = try #require(ndefTag(for: identity, channel: channel, profile: finding.profile))
        #expect(try await driver.readNDEF().message == [1, 2, 3])
        #expect(reader.writtenPages.isEmpty)
    }

    @Test func `finds the same transports as the reader name, or fewer`() {
        let channel = SilentChannel()
        for row in Self.rows where row.profile != .generic {
            let named = ReaderProfile.profile(reader: VirtualReaderModel.named(row.reader)?.readerName ?? "")
            #expect(
                row.profile.nativeChannel(over: channel).map { "\(type(of: $0))" }
                    == named.nativeChannel(over: channel).map { "\(type(of: $0))" })
            #expect(
                "\(type(of: row.profile.feliCaChannel(over: channel)))"
                    == "\(type(of: named.feliCaChannel(over: channel)))")
        }
    }
}

/// A channel without a tag.
private struct SilentChannel: CardChannel {
    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] { throw .tagLost }
}
