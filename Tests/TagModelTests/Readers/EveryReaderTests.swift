import NFCTags
import Testing
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

    @Test(arguments: pairs) func `is identified, read and written, or not seen`(pair: Pair) async throws {
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

    /// The TI chip wants the option flag for a write, which `FF D6` may not send.
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
            #expect(shown == Array(hexadecimal(name)), "\(model) in \(reader)")
        }
    }
}

@Suite struct `A reader model` {
    static let profiles: [(name: String, profile: ReaderProfile)] = [
        ("generic", .generic), ("acr122u", .acr122), ("acr1252u", .acr125x), ("acr1552u", .acr1552),
        ("omnikey-5321", .omnikey5321), ("omnikey-5422", .omnikey5x22), ("identiv", .identiv),
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
