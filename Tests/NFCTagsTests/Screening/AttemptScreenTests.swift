import NFCTags
import NFCTypes
import Testing
import TestSupport

/// Commands that use up something that a card counts: tries of PINs, passwords and keys.
@Suite struct `The screen of attempts that a card counts` {
    private static func card(isDESFire: Bool = false, application: [UInt8]? = nil) -> CommandScreen {
        CommandScreen(
            TagIdentity(technology: .iso14443Part4(.a), identifier: [], atr: []), isDESFire: isDESFire,
            application: application)
    }

    /// Each step is a command and the card's answer to it; the last command is judged.
    private static func effect(_ steps: [(String, String?)], _ last: String, _ screen: CommandScreen) -> CommandEffect {
        var screen = screen
        for (command, answer) in steps { screen.record(.apdu(hex(command)), answer: answer.map(hex)) }
        return screen.judge(.apdu(hex(last))).effect
    }

    private static let pin = "0020008008313233343536FFFF"
    private static let query = "00200080"

    static let verifications: [(steps: [(String, String?)], last: String, effect: CommandEffect)] = [
        ([], query, .read),
        ([], pin, .lock),
        ([(query, "63C3")], pin, .write),
        ([(query, "63C2")], pin, .write),
        ([(query, "63C1")], pin, .lock),
        ([(query, "63C0")], pin, .lock),
        ([(query, "6983")], pin, .lock),
        ([(query, "9000")], pin, .lock),
        ([(query, nil)], pin, .lock),
        ([(query, "63C3"), (pin, "63C2")], pin, .write),
        ([(query, "63C3"), (pin, "63C2"), (pin, "63C1")], pin, .lock),
        ([(query, "63C3"), (pin, nil)], pin, .lock),
        ([(query, "63C3"), (pin, "9000")], pin, .lock),
        ([(query, "63C3"), (pin, "6982")], pin, .lock),
        // Of another PIN, or one with another number on the card.
        ([("00200081", "63C3")], pin, .lock),
        ([(query, "63C3"), ("00200081", "63C3"), ("0020008104AAAAAAAA", "63C2")], pin, .lock),
        ([("01200080", "63C3")], pin, .lock),
        ([(query, "63C3"), ("01200080", "63C3"), ("0120008004AAAAAAAA", "63C2")], pin, .lock),
        // Of another application, or after something that may change which PIN it is.
        ([(query, "63C3"), ("00A4040005A000000308", "9000")], pin, .lock),
        ([(query, "63C3"), ("00A4040005A000000308", "6A82")], pin, .lock),
        ([("00200000", "63C3"), ("0022C1A403830103", "9000")], "0020000004AAAAAAAA", .lock),
        ([(query, "63C3"), ("0024008008AAAAAAAABBBBBBBB", "63C2")], pin, .lock),
        ([(query, "63C3"), ("00700000", "019000")], pin, .lock),
        // Chained, so that one command is the beginning of another.
        ([(query, "63C3")], "1020008004AAAAAAAA", .lock),
        ([], "10200080", .lock),
        ([(query, "63C3"), ("80CA9F7F00", "9000")], pin, .lock),
        // P1 FF ends a verification.
        ([(query, "63C3")], "0020FF8004AAAAAAAA", .lock),
    ]

    @Test(arguments: verifications.indices)
    func `lets a PIN be tried while the card leaves another try`(index: Int) {
        let row = Self.verifications[index]
        #expect(Self.effect(row.steps, row.last, Self.card()) == row.effect, "\(row)")
    }

    private static let pace = "800A04007F00070202040202"
    private static func environment(_ password: String) -> String {
        let data = pace + "8301" + password
        return "0022C1A4" + "0F" + data
    }

    private static let general = "10860000027C0000"

    static let proofs: [(steps: [(String, String?)], last: String, effect: CommandEffect)] = [
        ([], general, .lock),
        ([(environment("01"), "9000")], general, .read),
        ([(environment("02"), "9000")], general, .read),
        ([(environment("03"), "9000")], general, .lock),
        ([(environment("03"), "63C3")], general, .lock),
        ([(environment("04"), "9000")], general, .lock),
        ([(environment("02"), "63C2")], general, .read),
        ([(environment("02"), "6A80")], general, .lock),
        ([(environment("02"), nil)], general, .lock),
        ([(environment("03"), "9000"), (environment("02"), "6A80")], general, .lock),
        ([(environment("02"), "9000"), (environment("03"), "6A80")], general, .lock),
        ([(environment("02"), "9000"), (environment("03"), nil)], general, .lock),
        ([(environment("02"), "9000"), ("01" + environment("03").dropFirst(2), "9000")], general, .lock),
        ([("01" + environment("02").dropFirst(2), "9000")], general, .lock),
        ([("0022C1A406830102830103", "9000")], general, .lock),
        ([("0022C1A40483020203", "9000")], general, .lock),
        ([("0022F301", "9000")], general, .lock),
        ([(environment("02"), "9000"), ("0022F301", "9000")], general, .lock),
        ([(environment("02"), "9000"), ("00A4040005A000000308", "9000")], general, .lock),
        ([("002241A406800404007F00", "9000")], general, .read),
        ([("002281A406800404007F00", "9000")], general, .lock),
        ([], "0087079B047C028100", .lock), ([], "0087119A047C028200", .read), ([], "00871104047C028200", .lock),
        ([], "0082000008AAAAAAAAAAAAAAAA", .lock), ([], "0082008108AAAAAAAAAAAAAAAA", .lock),
        ([], "0088000008AAAAAAAAAAAAAAAA00", .read),
    ]

    @Test(arguments: proofs.indices)
    func `lets a key be proved where the card counts nothing`(index: Int) {
        let row = Self.proofs[index]
        #expect(Self.effect(row.steps, row.last, Self.card()) == row.effect, "\(row)")
    }

    @Test func `lets a passport be opened with the key that is printed in it`() {
        let access = "0082000028" + String(repeating: "AB", count: 40) + "28"
        let passport = Self.card(application: hex("A0000002471001"))
        #expect(Self.effect([], access, passport) == .read)
        #expect(Self.effect([], access, Self.card(application: hex("A000000308"))) == .lock)
        #expect(Self.effect([], access, Self.card()) == .lock)
        #expect(Self.effect([("00A4040005A000000308", "6A82")], access, passport) == .lock)
    }

    private static let wrongKey = "90AF000020" + String(repeating: "00", count: 32) + "00"

    /// GetVersion's first frame by vendor, type, subtype, major and minor version.
    static let keys: [(version: String?, effect: CommandEffect)] = [
        (nil, .lock), ("04010100001605", .read), ("04010101001605", .read), ("04010112001605", .read),
        ("04010122001605", .read), ("04010133001605", .lock), ("04080130001605", .lock), ("04040230001105", .lock),
        ("04810142001605", .lock), ("05010101001605", .lock), ("040101", .lock),
    ]

    @Test(arguments: keys.indices)
    func `lets a key of a DESFire be tried where its version sets no limit`(index: Int) {
        let row = Self.keys[index]
        let steps: [(String, String?)] =
            row.version.map { [("9060000000", $0 + "91AF"), ("90AF000000", "9100")] } ?? []
        for first in ["9071000002000000", "90770000010000", "90AA0000010000", "900A0000010000", "901A0000010000"] {
            let card = Self.card(isDESFire: true)
            #expect(Self.effect(steps, first, card) == row.effect, "\(first)")
            let challenge = String(repeating: "5A", count: 16) + "91AF"
            #expect(Self.effect(steps + [(first, challenge)], Self.wrongKey, card) == row.effect, "\(first)")
        }
        #expect(Self.effect(steps, Self.wrongKey, Self.card(isDESFire: true)) == .lock)
    }

    @Test func `judges the next frame of a command by the command`() {
        let card = Self.card(isDESFire: true)
        #expect(Self.effect([("90C400000100", "91AF")], "90AF00000100", card) == .unknown)
        #expect(Self.effect([("90C40000010000", "91AF")], "90AF0000010000", card) == .lock)
        #expect(Self.effect([("90BD0000070200000010000000", "00000091AF")], "90AF000000", card) == .read)
        #expect(Self.effect([("90C40000010000", "91AE")], "90AF000000", card) == .read)
    }

    static let container = "000F20003B00340406E10400FF0000"
    static let read = "90BD0000070100000000000000"
    static func write(_ file: String, offset: String) -> String { "903D000008\(file)\(offset)010000FF00" }

    static let writes: [(steps: [(String, String?)], last: String, effect: CommandEffect)] = [
        ([], write("01", offset: "0E0000"), .lock), ([], write("02", offset: "0E0000"), .lock),
        ([], write("02", offset: "0F0000"), .write), ([], write("02", offset: "000100"), .write),
        ([("905A00000301020300", "9100")], write("03", offset: "0E0000"), .lock),
        ([(read, container + "9100")], write("01", offset: "0E0000"), .lock),
        ([(read, "0048D1014455" + "9100")], write("01", offset: "0E0000"), .write),
        ([(read, "0048D1014455" + "9100")], write("02", offset: "0E0000"), .lock),
        ([(read, "0048D1014455" + "91AF")], write("01", offset: "0E0000"), .write),
        ([(read, "91AE")], write("01", offset: "0E0000"), .lock),
        ([("90BD0000070101000000000000", "0048D1014455" + "9100")], write("01", offset: "0E0000"), .lock),
        ([(read, "0048D1014455" + "9100"), ("905A00000301020300", "9100")], write("01", offset: "0E0000"), .lock),
        ([(read, "0048D1014455" + "9100"), ("00A4040005A000000308", "9000")], write("01", offset: "0E0000"), .lock),
        ([], "908D000008020E0000010000FF00", .lock), ([], "903B000008020E0000010000FF00", .write),
    ]

    @Test(arguments: writes.indices)
    func `lets a file be written that is known to be no capability container`(index: Int) {
        let row = Self.writes[index]
        #expect(Self.effect(row.steps, row.last, Self.card(isDESFire: true)) == row.effect, "\(row)")
    }
}
