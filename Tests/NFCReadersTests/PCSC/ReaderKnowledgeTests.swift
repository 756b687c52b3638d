import NFCTags
import Testing

@testable import NFCReaders
@testable import PCSCReaders

@Suite struct `The knowledge about readers` {
    static let id = ReaderID(rawValue: "desk")

    static func facts(_ vendor: UInt16?, _ product: UInt16?, firmware: String? = nil, serial: String? = nil)
        -> ReaderFacts
    {
        var facts = ReaderFacts()
        (facts.vendorID, facts.productID, facts.firmware, facts.serial) = (vendor, product, firmware, serial)
        return facts
    }

    /// Knowledge in a class, so that one expression can change it and check the result.
    final class Notes {
        private var knowledge: ReaderKnowledge

        init(_ settings: [ReaderSetting] = []) { knowledge = ReaderKnowledge(settings: settings) }

        /// Attaches a reader.
        func attach(_ name: String, _ id: ReaderID = id, serial: String? = nil) -> ReaderDescription? {
            let reader = ReaderDescription(id: id, name: name, isProfileKnown: false, serial: serial)
            guard case .attached(let described) = knowledge.apply(.attached(reader)) else { return nil }
            return described
        }

        func lose(_ event: ReaderEvent) { _ = knowledge.apply(event) }

        func take(_ facts: ReaderFacts, _ id: ReaderID = id) -> ReaderDescription? { knowledge.take(facts, of: id) }

        func probe(_ profile: ReaderProfile, _ id: ReaderID = id) -> ReaderDescription? {
            knowledge.take(probed: profile, of: id)
        }

        func replace(_ settings: [ReaderSetting]) -> [ReaderDescription] { knowledge.replace(settings: settings) }
    }

    @Test func `new settings apply at once, and only to matching readers`() throws {
        let notes = Notes()
        let door = ReaderID(rawValue: "door")
        _ = notes.attach("Some reader 00 00")
        _ = notes.attach("Another 01 00", door)
        let fixed = try #require(ReaderSetting(match: "some READER", profile: "springcard"))
        #expect(notes.replace([fixed]).map(\.profile.slug) == ["springcard"])
        #expect(notes.replace([fixed]).isEmpty)
        #expect(notes.probe(.named("acr122u") ?? .generic, Self.id) == nil)
        // The result of the probe applies again when the configuration does not set a family.
        let back = notes.replace([])
        #expect(back.map(\.id) == [Self.id] && back.map(\.profile.slug) == ["acr122u"])
    }

    static let readers: [(name: String, facts: ReaderFacts, before: String?, after: String?)] = [
        ("ACS ACR122U PICC Interface 00 00", facts(nil, nil), "acr122u", "acr122u"),
        ("Some reader 00 00", facts(0x072F, 0x2308), nil, "acr1552u"),
        // The USB ids take precedence over the name.
        ("ACS ACR122U 00 00", facts(0x072F, 0x223B), "acr122u", "acr1252u"),
        ("ACS ACR122U 00 00", facts(0xFFFF, 0x0001), "acr122u", "acr122u"),
        ("Virtual PCD 00 00", facts(nil, nil), nil, nil),
        ("Virtual PCD 00 00", facts(0x1234, 0x5678), nil, nil),
    ]

    @Test(arguments: readers)
    func `the name determines the family until the USB ids are known`(
        name: String, facts: ReaderFacts, before: String?, after: String?
    ) throws {
        let notes = Notes()
        let first = try #require(notes.attach(name))
        #expect(first.isProfileKnown == (before != nil))
        #expect(first.profile.slug == before ?? "generic")
        let then = notes.take(facts) ?? first
        #expect(then.isProfileKnown == (after != nil))
        #expect(then.profile.slug == after ?? "generic")
    }

    @Test func `the technologies are those of the family, and the serial number of the name takes precedence`() {
        let notes = Notes()
        #expect(notes.attach("X 00 00")?.technologies == [.iso14443])
        let known = notes.take(Self.facts(0x072F, 0x2303, serial: "S1"))
        #expect(known?.technologies == [.iso14443, .iso15693, .iso18092])
        #expect(known?.serial == "S1")
        #expect(notes.attach("X", serial: "N1")?.serial == "N1")
        #expect(notes.take(Self.facts(0x072F, 0x2200, serial: "S1"))?.serial == "N1")
    }

    @Test func `a finding applies to every reader of the model, also after it was plugged in again`() {
        let notes = Notes()
        let other = ReaderID(rawValue: "door")
        _ = notes.attach("X 00 00")
        _ = notes.take(Self.facts(1, 2, firmware: "1.0"))
        #expect(notes.probe(.acr1252u)?.profile == .acr1252u)
        notes.lose(.detached(Self.id))
        #expect(notes.probe(.acr122u) == nil)
        #expect(notes.take(Self.facts(1, 2)) == nil)
        #expect(notes.attach("Y 00 00", other)?.isProfileKnown == false)
        #expect(notes.take(Self.facts(1, 2, firmware: "1.0"), other)?.profile == .acr1252u)
        // Another firmware is another model.
        #expect(notes.take(Self.facts(1, 2, firmware: "2.0"), other)?.profile == .generic)
    }

    @Test func `a reader found to be generic is not probed again`() {
        let notes = Notes()
        _ = notes.attach("X 00 00")
        let found = notes.probe(.generic)
        #expect(found?.profile == .generic)
        #expect(found?.isProfileKnown == true)
        notes.lose(.serviceUnavailable(reason: "gone"))
        #expect(notes.attach("X 00 00")?.isProfileKnown == true)
        #expect(notes.attach("X 01 00")?.isProfileKnown == false)
    }

    @Test func `a finding under the name still applies when the USB ids become known`() {
        let notes = Notes()
        _ = notes.attach("X 00 00")
        _ = notes.probe(.acr1552u)
        #expect(notes.take(Self.facts(1, 2)) == nil)
        #expect(notes.attach("Z 00 00")?.isProfileKnown == false)
        #expect(notes.take(Self.facts(1, 2))?.profile == .acr1552u)
    }

    @Test func `the configuration takes precedence`() throws {
        let settings = [
            try #require(ReaderSetting(match: "nothing like it", profile: "identiv")),
            try #require(ReaderSetting(match: "acr122", profile: nil)),
            try #require(ReaderSetting(match: "acr122", profile: "generic")),
            try #require(ReaderSetting(match: "ACR", profile: "springcard")),
        ]
        let notes = Notes(settings)
        let fixed = notes.attach("ACS ACR122U 00 00")
        #expect(fixed?.profile == .generic)
        #expect(fixed?.isProfileKnown == true)
        #expect(notes.take(Self.facts(0x072F, 0x2200)) == nil)
        #expect(notes.attach("ACS ACR1252U 00 00")?.profile == .springCard)
        #expect(ReaderSetting(match: "acr122", profile: "acr122") == nil)
    }

    @Test func `feedback is given only if the configuration enables it`() throws {
        let settings = [
            try #require(ReaderSetting(match: "acr122", profile: "acr122u")),
            try #require(ReaderSetting(match: "acr122", givesFeedback: true)),
            try #require(ReaderSetting(match: "ACR", givesFeedback: false)),
        ]
        #expect(Notes(settings).attach("ACS ACR122U 00 00")?.givesFeedback == true)
        #expect(Notes(settings).attach("ACS ACR1252U 00 00")?.givesFeedback == false)
        #expect(Notes([]).attach("ACS ACR122U 00 00")?.givesFeedback == false)
    }

    @Test func `feedback by escape commands is given only where the driver allows them`() throws {
        let notes = Notes([try #require(ReaderSetting(match: "ACR", givesFeedback: true))])
        #expect(notes.attach("ACS ACR1252U 00 00")?.givesFeedback == false)
        // Still forbidden: nothing changes but the facts.
        #expect(notes.take(Self.facts(0x072F, 0x223B)) == nil)
        var facts = Self.facts(0x072F, 0x223B)
        facts.escapeCode = 0x4200_0001
        #expect(notes.take(facts)?.givesFeedback == true)
        // The commands of an ACR122U are those to a card.
        #expect(notes.attach("ACS ACR122U 00 00")?.givesFeedback == true)
    }

    @Test func `each family has a unique name`() {
        let names = ReaderSetting.profileNames
        #expect(Set(names).count == ReaderProfile.all.count)
        for name in names { #expect(ReaderProfile.named(name)?.slug == name) }
    }
}
