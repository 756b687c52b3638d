import NFCTags
import NFCTypes
import TestSupport
import Testing

/// What raw commands to a security key do.
@Suite struct `The screen of a security key` {
    private static func screen(_ application: [UInt8]? = FIDOCommand.application) -> CommandScreen {
        CommandScreen(
            TagIdentity(technology: .iso14443Part4(.a), identifier: [], atr: []), application: application)
    }

    @Test(arguments: [
        ("80100000010400", CommandEffect.read), ("80108000010400", .read), ("80100000010100", .write),
        ("80100000010200", .write), ("80100000010600", .lock), ("80100000010700", .lock), ("80100000010A00", .lock),
        ("80100000010800", .read), ("80100000010B00", .read), ("80100000015000", .unknown), ("8010000000", .unknown),
        ("8011000000", .read), ("8011110000", .read), ("80120100", .read), ("80C0000000", .read),
        ("00030000", .read), ("00010300", .write), ("00020300", .write), ("80200000", .unknown),
        ("00A4040008A0000006472F000100", .read), ("84100000010400", .unknown),
    ])
    func `judges CTAP and U2F by their commands`(apdu: String, effect: CommandEffect) {
        #expect(Self.screen().judge(.apdu(hex(apdu))).effect == effect)
    }

    @Test(arguments: ["80100000010400", "00030000", "90100000010400"])
    func `knows them only while the application is certainly selected`(apdu: String) {
        #expect(Self.screen(nil).judge(.apdu(hex(apdu))).effect == .unknown)
        #expect(Self.screen(hex("A000000308")).judge(.apdu(hex(apdu))).effect == .unknown)
        var screen = Self.screen()
        screen.record(.apdu(hex("00A4040005A000000308")), answer: nil)
        #expect(screen.judge(.apdu(hex(apdu))).effect == .unknown)
    }

    @Test func `judges the parts of a chain by the first byte of the first`() {
        var screen = Self.screen()
        let (first, next, last) = (hex("90100000010700"), hex("90100000010400"), hex("801000000104"))
        #expect(screen.judge(.apdu(first)).effect == .lock)
        screen.record(.apdu(first), answer: [0x90, 0x00])
        #expect(screen.judge(.apdu(next)).effect == .lock)
        screen.record(.apdu(next), answer: [0x90, 0x00])
        #expect(screen.judge(.apdu(last)).effect == .lock)
        screen.record(.apdu(last), answer: [0x00, 0x90, 0x00])
        #expect(screen.judge(.apdu(last)).effect == .read)
        screen.record(.apdu(first), answer: [0x6F, 0x00])
        #expect(screen.judge(.apdu(last)).effect == .read)
    }
}
