import NFCTags
import NFCTypes
import Testing
import TestSupport

@testable import NFCSessions

/// What a session's lists let through.
@Suite struct `The rules for commands` {
    static let rules = CommandRules(
        selectIdentifiers: [LoginCard.oath, LoginCard.piv], systemCodes: [0x12FC, 0x0003])
    static let card = CommandScreen(TagIdentity(technology: .iso14443Part4(.a), identifier: [], atr: []))
    static let feliCa = CommandScreen(TagIdentity(technology: .feliCa, identifier: [], atr: []))
    static let long = String(repeating: "00", count: 300)

    static let letThrough = [
        // The two names, in every form of the lengths.
        "00A4040007A0000005272101", "00A4040007A000000527210100", "00A4040005A000000308", "01A4040005A000000308",
        "41A4040005A000000308", "00A4040C05A000000308", "00A40400000007A0000005272101",
        "00A40400000007A00000052721010000", "80A4040007A0000005272101",
        // Selections of another kind, and everything else.
        "00A4000002E103", "00A4020C02E103", "00A40804047FFF6F40", "00A4000C", "00B0000010", "0084000008", "00C0000000",
        "905A00000301000000", "80CA9F7F00", "80C2000003D10102",
        // What storage cards take.
        "FFCA000000", "FFCA010000", "FFB0000410", "FFD600041000112233445566778899AABBCCDDEEFF",
        "FF82000006FFFFFFFFFFFF",
        "FF860000050100046000",
    ]

    static let refused = [
        // Other names: FIDO, parts of names that are listed, longer ones, and none.
        "00A4040008A0000006472F0001", "00A4040008A0000006472F000100", "00A4040006A00000052721", "00A4040005A000000527",
        "00A404000BA000000308000010000100", "00A4040008A000000527210101", "00A40400", "00A4040000",
        // Other class bytes: logical channels, secure messaging, proprietary.
        "03A4040008A0000006472F0001", "4FA4040008A0000006472F0001", "0CA4040008A0000006472F0001",
        "80A4040008A0000006472F0001", "60A4040008A0000006472F0001",
        // Secure messaging hides the name in a data object.
        "0CA404000A8708A0000005272101",
        // Occurrences, and the bits of P1 that mean nothing.
        "00A4040208A0000006472F0001", "00A4040C08A0000006472F0001", "00A4050008A0000006472F0001",
        "00A4060008A0000006472F0001", "00A4070008A0000006472F0001", "00A5040008A0000006472F0001",
        // Extended lengths.
        "00A40400000008A0000006472F0001", "00A40400000008A0000006472F00010000", "00A404000000012C" + long,
        // In several commands, whatever their part says.
        "10A4040005A000000308", "10A4040004A0000006", "10A4000004A0000006", "50A4040005A000000308",
        // Lengths that do not add up.
        "00A4040009A0000006472F0001", "00A4040005A000000308FFFF", "00A40400000000", "00A4040000FFFF",
        // Wrapped.
        "00C200000D00A4040008A0000006472F0001", "00C300000D00A4040008A0000006472F0001", "10C2000002A400",
        // Through the reader.
        "FF00000010D4420000A4040008A0000006472F0001", "FFC2000112950D00A4040008A0000006472F0001",
        "FF68000005D4400100A4", "FFFE000000", "FFA4040008A0000006472F0001",
    ]

    private static func code(_ body: () throws -> Void) -> NFCErrorCode? {
        do {
            try body()
            return nil
        } catch {
            return (error as? TagError)?.code
        }
    }

    @Test(arguments: letThrough) func `let through a listed application and what selects none`(apdu: String) {
        #expect(Self.code { try Self.rules.check(.apdu(hex(apdu)), by: Self.card) } == nil)
    }

    @Test(arguments: refused) func `refuse whatever may select another`(apdu: String) {
        #expect(Self.code { try Self.rules.check(.apdu(hex(apdu)), by: Self.card) } == .securityViolation)
    }

    @Test(arguments: letThrough + refused) func `refuse nothing without a list`(apdu: String) {
        #expect(Self.code { try CommandRules.open.check(.apdu(hex(apdu)), by: Self.card) } == nil)
    }

    @Test(arguments: [
        ("0012FC0100", true), ("0000030000", true), ("06010203040506070801", true), ("00FFFF0100", false),
        ("0012FF0000", false), ("00FE000000", false), ("0012", false), ("00", false),
    ])
    func `let a FeliCa card be polled for a listed system`(packet: String, passes: Bool) {
        #expect(
            Self.code { try Self.rules.check(.feliCa(hex(packet)), by: Self.feliCa) }
                == (passes ? nil : .securityViolation))
        #expect(Self.code { try CommandRules.open.check(.feliCa(hex(packet)), by: Self.feliCa) } == nil)
    }

    @Test func `of a session of kind ndef let no command through`() {
        let rules = CommandRules(allowsRawCommands: false)
        #expect(Self.code { try rules.check(.apdu(hex("00B0000010")), by: Self.card) } == .unsupportedFeature)
        #expect(Self.code { try rules.check(.feliCa(hex("0012FC0100")), by: Self.feliCa) } == .unsupportedFeature)
        #expect(Self.code { try rules.checkKind() } == .unsupportedFeature)
    }
}
