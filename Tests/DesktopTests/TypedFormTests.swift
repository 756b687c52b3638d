import NDEF
import Testing

@testable import nfcd_desktop

@Suite("What is typed")
struct TypedFormTests {
    @Test(arguments: [
        (TypedForm.hexadecimal, [4, 0xA1, 0xB2, 0xC3] as [UInt8], "04A1B2C3"),
        (.hexadecimalColons, [4, 0xA1, 0xB2, 0xC3], "04:A1:B2:C3"),
        (.decimal, [4, 0xA1, 0xB2, 0xC3], "77705923"), (.decimalReversed, [4, 0xA1, 0xB2, 0xC3], "3283263748"),
        (.tenDigits, [4, 0xA1, 0xB2, 0xC3], "0077705923"), (.tenDigitsReversed, [4, 0xA1, 0xB2, 0xC3], "3283263748"),
        (.tenDigitsReversed, [1, 0, 0, 0], "0000000001"), (.tenDigits, [0xFF, 0xFF, 0xFF, 0xFF], "4294967295"),
        (.hexadecimal, [4, 0x5B, 0x10, 0xA2, 0xC1, 0x67, 0x80], "045B10A2C16780"),
        (.decimal, [4, 0x5B, 0x10, 0xA2, 0xC1, 0x67, 0x80], "1226026915030912"),
        (.decimalReversed, [4, 0x5B, 0x10, 0xA2, 0xC1, 0x67, 0x80], "36142878364293892"),
        (.decimal, [UInt8](repeating: 0xFF, count: 10), "1208925819614629174706175"),
    ])
    func `a UID has the form of hardware readers`(form: TypedForm, uid: [UInt8], text: String) throws {
        #expect(try form.text(of: uid) == text)
    }

    @Test(arguments: TypedForm.allCases)
    func `a tag without a UID types nothing`(form: TypedForm) {
        #expect(throws: TypedForm.Unsuitable.self) { try form.text(of: []) }
    }

    @Test(arguments: [TypedForm.tenDigits, .tenDigitsReversed])
    func `ten digits are for four bytes alone`(form: TypedForm) {
        #expect(throws: TypedForm.Unsuitable.self) { try form.text(of: [1, 2, 3, 4, 5, 6, 7]) }
    }

    @Test func `a rule adds a prefix and the Enter key`() throws {
        let rule = TypingRule(reader: "a", prefix: "(", suffix: ")\n")
        #expect(try rule.text(identifier: [1, 2], shown: nil) == "(0102)\n")
    }

    @Test(arguments: HostileTexts.texts)
    func `a tag presses no key but those of letters`(text: String) throws {
        let rule = TypingRule(reader: "a", content: .text)
        let shown = ShownRecord(HostileTexts.text(text))
        guard let typed = try? rule.text(identifier: [1], shown: shown) else { return }
        #expect(typed.unicodeScalars.allSatisfy { $0.isVisible })
    }

    @Test func `the record of the rule's kind is typed, and no other`() throws {
        let (text, uri) = (
            ShownRecord(HostileTexts.text("a\nb")), ShownRecord(HostileTexts.uri("https://a.example/"))
        )
        #expect(try TypingRule(reader: "a", content: .text).text(identifier: [1], shown: text) == "ab")
        #expect(try TypingRule(reader: "a", content: .uri).text(identifier: [1], shown: uri) == "https://a.example/")
        #expect(throws: TypedForm.Unsuitable.self) {
            try TypingRule(reader: "a", content: .text).text(identifier: [1], shown: uri)
        }
        #expect(throws: TypedForm.Unsuitable.self) {
            try TypingRule(reader: "a", content: .uri).text(identifier: [1], shown: text)
        }
        #expect(throws: TypedForm.Unsuitable.self) {
            try TypingRule(reader: "a", content: .uri).text(identifier: [1], shown: nil)
        }
    }

    @Test func `a text that is too long is not typed in part`() {
        let long = ShownRecord(HostileTexts.text(String(repeating: "a", count: 1_001)))
        #expect(throws: TypedForm.Unsuitable.self) {
            try TypingRule(reader: "a", content: .text).text(identifier: [1], shown: long)
        }
    }

    @Test(
        arguments: [("a", 0x61), ("\n", 0xFF0D), ("\t", 0xFF09), ("ü", 0xFC), ("€", 0x0100_20AC)]
            as [(Unicode.Scalar, Int32)])
    func `a character has its key symbol`(scalar: Unicode.Scalar, symbol: Int32) {
        #expect(PortalKeyboard.keysym(scalar) == symbol)
    }

    @Test func `on X11, characters that a layout may lack get separate keys before the first is typed`() {
        let listing = "keycode   8 =\nkeycode  24 = q Q q Q at\nkeycode  93 = \nkeycode 120 =\n"
        #expect(X11Keyboard.spareKeys(listing) == [120, 93, 8])
        #expect(X11Keyboard.isCapsLocked("  00: Caps Lock:   on     01: Num Lock:    off\n"))
        #expect(!X11Keyboard.isCapsLocked("  00: Caps Lock:   off    01: Num Lock:    on\n"))
        let characters = X11Keyboard.toBind("aä€ä~")
        #expect(characters == ["ä", "€", "~"])
        #expect(
            X11Keyboard.bindings(characters, [120, 93, 8])
                == "keycode 120 = U00E4 U00E4\nkeycode 93 = U20AC U20AC\nkeycode 8 = U007E U007E\n")
    }
}
