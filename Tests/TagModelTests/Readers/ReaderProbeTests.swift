import NFCTags
import Testing
import VirtualTags

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
                Row(reader: "acr122u", model: model, profile: .acr122),
                Row(reader: "acr1252u", model: model, profile: .acr125x),
                Row(reader: "acr1552u", model: model, profile: .acr1552),
                Row(reader: "omnikey-5321", model: model, profile: .omnikey5321),
                Row(reader: "omnikey-5422", model: model, profile: .generic),
                Row(reader: "identiv", model: model, profile: .identiv),
                Row(reader: "springcard", model: model, profile: .generic),
                Row(reader: "rc-s300", model: model, profile: .acr1552),
            ]
        } + [
            // A card that answers READ only after an authentication.
            Row(reader: "acr1252u", model: "mifare-classic-1k", profile: .generic, needsReset: true),
            Row(reader: "omnikey-5321", model: "mifare-classic-1k", profile: .generic, needsReset: true),
            Row(reader: "acr122u", model: "mifare-classic-1k", profile: .acr122),
        ]

    @Test(arguments: rows) func `finds its profile and leaves the tag as it was`(row: Row) async throws {
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

    @Test func `tells the same ways as the name does, or fewer`() {
        for row in Self.rows {
            let named = ReaderProfile.profile(reader: VirtualReaderModel.named(row.reader)?.readerName ?? "")
            #expect(row.profile == .generic || row.profile.nativeWay == named.nativeWay)
            #expect(row.profile == .generic || row.profile.feliCaWay == named.feliCaWay)
        }
    }
}
