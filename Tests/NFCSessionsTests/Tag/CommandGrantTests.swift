import NFCReaders
import NFCTags
import NFCTypes
import Testing
import TestSupport

@testable import NFCSessions

/// What the grants of a client let through to a tag.
@Suite struct `The grants for raw commands` {
    private static let piv = LoginCard.piv

    private static func rules(_ sentences: Entitlements...) -> CommandRules {
        CommandRules(reader: Fixtures.desk) { Permissions(sentences) }
    }

    private static func sentence(
        _ capabilities: Set<Capability>, formats: Set<SessionFormat> = [.tag],
        names: Entitlements.Names<[UInt8]> = .all,
        systems: Entitlements.Names<UInt16> = .all, readers: Entitlements.Names<String> = .all
    ) -> Entitlements {
        Entitlements(
            formats: formats, capabilities: capabilities, selectIdentifiers: names, systemCodes: systems,
            readers: readers)
    }

    private static func screen(_ technology: TagTechnology, application: [UInt8]? = nil) -> CommandScreen {
        CommandScreen(
            TagIdentity(technology: technology, identifier: [], atr: []), isDESFire: true, application: application)
    }

    private static func objection(_ command: RawCommand, _ rules: CommandRules, _ screen: CommandScreen) -> TagError? {
        do throws(TagError) {
            try rules.check(command, by: screen)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("3004", "raw"), ("A20401020304", "write"), ("A2020000FFFF", "lock"), ("F1", "raw-unscreened"),
    ])
    func `give each effect to those who have its capability`(frame: String, capability: String) throws {
        let command = RawCommand.miFare(hex(frame))
        for granted in [Capability.raw, .write, .lock, .rawUnscreened] {
            let isEnough = capability == "raw" || granted.rawValue == capability
            let objection = Self.objection(command, Self.rules(Self.sentence([.raw, granted])), Self.screen(.type2))
            #expect((objection == nil) == isEnough, "\(granted)")
            guard !isEnough else { continue }
            #expect(objection?.code == .securityViolation)
            #expect(
                objection?.detail.contains(
                    "is not granted to you: no [[grant]] of nfcd.toml gives capabilities = [\"raw\", \"\(capability)\"]"
                ) == true)
        }
    }

    @Test(arguments: [
        (RawCommand.apdu([0x80, 0x10, 0, 0, 1, 0x01, 0]), true), (.apdu([0x80, 0x10, 0, 0, 1, 0x07, 0]), true),
        (.apdu([0x80, 0x10, 0, 0, 1, 0x50, 0]), false), (.apdu([0x00, 0xA4, 4, 0, 5, 0xA0, 0, 0, 3, 8]), false),
    ])
    func `of a program for security keys are for their application alone`(command: RawCommand, passes: Bool) {
        let sentences = Grant.securityKeys(to: .user(1)).map(\.entitlements)
        let rules = CommandRules(reader: Fixtures.desk) { Permissions(sentences) }
        let key = CommandScreen(
            TagIdentity(technology: .iso14443Part4(.a), identifier: [], atr: []),
            application: FIDOCommand.application)
        #expect((Self.objection(command, rules, key) == nil) == passes)
        #expect(Self.objection(.miFare(hex("3004")), rules, Self.screen(.type2)) == nil)
        #expect(Self.objection(.miFare(hex("A20401020304")), rules, Self.screen(.type2)) != nil)
        #expect(!Permissions(sentences).allow([.write], on: Fixtures.desk))
        let request = SessionRequest(kind: .tag)
        #expect(Permissions(sentences).sessionTimeout(for: request) == .seconds(86_400))
        #expect(Permissions(sentences).objection(to: request) == nil)
    }

    @Test func `name what a refused command does`() {
        let objection = Self.objection(
            .miFare(hex("A2020000FFFF")), Self.rules(Self.sentence([.raw])), Self.screen(.type2))
        #expect(
            objection?.detail
                == #"WRITE, which sets lock bits in page 2, is not granted to you: no [[grant]] of nfcd.toml gives capabilities = ["raw", "lock"]"#
        )
    }

    @Test func `have to be in one sentence, on the reader`() {
        let (command, screen) = (RawCommand.miFare(hex("A20401020304")), Self.screen(.type2))
        let split = Self.rules(Self.sentence([.raw]), Self.sentence([.write]))
        #expect(Self.objection(command, split, screen) != nil)
        let elsewhere = Self.rules(Self.sentence([.raw]), Self.sentence([.raw, .write], readers: .some(["door"])))
        #expect(Self.objection(command, elsewhere, screen)?.detail.contains(#"readers = ["desk"]"#) == true)
        let here = Self.rules(Self.sentence([.raw]), Self.sentence([.raw, .write], readers: .some(["desk"])))
        #expect(Self.objection(command, here, screen) == nil)
    }

    @Test(arguments: [
        ("FFD60002040000FFFF", false), ("FFB0000410", false), ("FFCA000000", false),
        ("FF00000009D44001060088B40100", false),
    ])
    func `by default let no command through to the reader`(apdu: String, passes: Bool) {
        let rules = CommandRules(reader: Fixtures.desk) { Permissions([Grant.byDefault.entitlements]) }
        for technology in [TagTechnology.type2, .feliCa, .iso14443Part4(.a)] {
            #expect((Self.objection(.apdu(hex(apdu)), rules, Self.screen(technology)) == nil) == passes)
        }
    }

    @Test(arguments: [
        // Before an application is selected.
        ("", "00A4040005A000000308", true), ("", "00A4040005A000000309", false), ("", "00B0000010", false),
        ("", "0084000008", true), ("", "905A00000301000000", false), ("", "905A00000300000000", true),
        ("", "00A4020C02011C", false), ("", "80CA9F7F00", false), ("", "00A4000002E110", false),
        // With the granted application.
        ("00A4040005A000000308", "00B0000010", true), ("00A4040005A000000308", "00A4020C02E103", true),
        ("00A4040005A000000308", "00A4000C02E103", false), ("00A4040005A000000308", "00A40800043F00E110", false),
        ("00A4040005A000000308", "00A4000C", false), ("00A4040005A000000308", "90BD0000070200000010000000", true),
        ("00A4040005A000000308", "00870003027C00", true),
        ("00A4040005A000000308", "0CA404000A8708A0000005272101", false),
        ("00A4040005A000000308", "01B0000010", false), ("00A4040005A000000308", "10A4040005A000000308", false),
        ("00A4040005A000000308", "00C200000D00A4040008A0000006472F0001", false),
        // After something that may have left it.
        ("905A00000300000000", "90BD0000070200000010000000", false), ("00A4030C", "00B0000010", false),
    ])
    func `let raw commands reach only the granted applications`(before: String, apdu: String, passes: Bool) {
        var screen = Self.screen(.iso14443Part4(.a))
        if !before.isEmpty { screen.record(.apdu(hex(before)), answer: hex(before.hasPrefix("90") ? "9100" : "9000")) }
        let rules = Self.rules(Self.sentence([.raw, .write, .lock], names: .some([Self.piv])))
        #expect((Self.objection(.apdu(hex(apdu)), rules, screen) == nil) == passes)
    }

    @Test func `know the application that was selected when the card was detected`() {
        let rules = Self.rules(Self.sentence([.raw], names: .some([Self.piv])))
        let read = RawCommand.apdu(hex("00B0000010"))
        #expect(Self.objection(read, rules, Self.screen(.iso14443Part4(.a), application: Self.piv)) == nil)
        #expect(Self.objection(read, rules, Self.screen(.iso14443Part4(.a), application: LoginCard.oath)) != nil)
        var screen = Self.screen(.iso14443Part4(.a), application: Self.piv)
        screen.forgetSelection()
        #expect(Self.objection(read, rules, screen)?.detail.contains("select one of those") == true)
    }

    @Test func `give the right to write in one application only`() {
        let rules = Self.rules(
            Self.sentence([.raw], names: .some([LoginCard.oath])),
            Self.sentence([.raw, .write], names: .some([Self.piv])))
        let verify = RawCommand.apdu(hex("0020008008313233343536FFFF"))
        var screen = Self.screen(.iso14443Part4(.a), application: Self.piv)
        screen.record(.apdu(hex("00200080")), answer: hex("63C3"))
        #expect(Self.objection(verify, rules, screen) == nil)
        #expect(Self.objection(verify, rules, Self.screen(.iso14443Part4(.a), application: LoginCard.oath)) != nil)
    }

    @Test func `let PACE begin before an application is selected`() {
        let pace = Self.rules(Self.sentence([.raw], formats: [.tag, .pace], names: .some([Self.piv])))
        var screen = Self.screen(.iso14443Part4(.a))
        for apdu in ["00A4020C02011C", "00B0000010", "0022C1A40F800A04007F00070202040202830101", "10860000027C00"] {
            let command = RawCommand.apdu(hex(apdu))
            #expect(Self.objection(command, pace, screen) == nil, "\(apdu)")
            screen.record(command, answer: hex("9000"))
        }
        #expect(Self.objection(.apdu(hex("00A4000C02011C")), pace, screen) != nil)
    }

    @Test(arguments: [
        ("0012FC0000", true), ("0088B40000", false), ("00FFFF0000", false), ("0212FC", false),
        ("0C0102030405060708", false), ("060102030405060708010B00018000", false),
        ("06AAAAAAAAAAAAAAAA010B00018000", true), ("0AAAAAAAAAAAAAAAAA0000", true),
    ])
    func `let raw packets reach only the granted FeliCa systems`(packet: String, passes: Bool) {
        var screen = Self.screen(.feliCa)
        screen.record(.feliCa(hex("0012FC0000")), answer: hex("01AAAAAAAAAAAAAAAA0011223344556677"))
        let rules = Self.rules(Self.sentence([.raw], systems: .some([0x12FC])))
        #expect((Self.objection(.feliCa(hex(packet)), rules, screen) == nil) == passes)
    }

    @Test func `are not asked about a client that may do everything`() {
        for command in [RawCommand.apdu(hex("FFD60002040000FFFF")), .miFare([0xF1]), .feliCa([0xFF])] {
            #expect(Self.objection(command, CommandRules(reader: Fixtures.desk), Self.screen(.type2)) == nil)
        }
    }
}
