import CTAP
import TestSupport
import Testing

@Suite struct `The decoder of CBOR` {
    @Test(arguments: [
        ("00", CBORItem.integer(0)), ("1818", .integer(24)), ("3903E7", .integer(-1000)), ("42 0102", .bytes([1, 2])),
        ("63 616263", .text("abc")), ("82 01 02", .array([.integer(1), .integer(2)])),
        ("A1 01 F5", .map([.integer(1): .boolean(true)])), ("F4", .boolean(false)), ("F6", .null),
        ("1BFFFFFFFFFFFFFFFF", .integer(.max)), ("3BFFFFFFFFFFFFFFFF", .integer(.min)), ("C1 00", .integer(0)),
        ("D9D9F7 A1 01 F5", .map([.integer(1): .boolean(true)])), ("FB0000000000000000", .null), ("F93C00", .null),
        ("F820", .null), ("F7", .null),
    ])
    func `reads what CTAP uses`(_ bytes: String, _ item: CBORItem) throws {
        #expect(try CBORItem(hex(bytes)) == item)
    }

    @Test(arguments: [
        ("", CBORItem.Failure.truncated), ("18", .truncated), ("42 01", .truncated), ("9A7FFFFFFF", .truncated),
        ("BB7FFFFFFFFFFFFFFF", .truncated), ("5F", .unsupported), ("FF", .unsupported),
        ("FB00000000000000", .truncated), ("F8", .truncated), ("C0", .truncated), ("DF00", .unsupported),
        ("A2 01 02 01 03", .unsupported), ("00 00", .trailingBytes),
    ])
    func `refuses the rest`(_ bytes: String, _ failure: CBORItem.Failure) {
        #expect(throws: failure) { try CBORItem(hex(bytes)) }
    }

    @Test func `refuses what is nested too deeply or has too many items`() {
        for start: UInt8 in [0x81, 0xC0] {
            #expect(throws: CBORItem.Failure.tooComplex) { try CBORItem(Array(repeating: start, count: 100) + [0]) }
        }
        #expect(throws: CBORItem.Failure.tooComplex) { try CBORItem(hex("991000") + Array(repeating: 0, count: 4096)) }
    }
}

@Suite struct `What the bridge knows of a CTAP request` {
    @Test(arguments: [
        ("04", CTAPCommand.Material.none, true), ("08", .none, false), ("07", .none, false), ("0B", .none, true),
        // makeCredential: plain, rk, pinUvAuthParam, an empty one, hmac-secret as a truth value.
        ("01 A1 01 40", .none, true), ("01 A1 07 A1 62726B F5", .none, false), ("01 A1 08 4101", .token, true),
        ("01 A1 08 40", .none, true), ("01 A1 06 A1 6B686D61632D736563726574 F5", .none, true),
        // getAssertion: plain, pinUvAuthParam, hmac-secret with its input.
        ("02 A1 01 40", .none, true), ("02 A1 06 4101", .token, true),
        ("02 A1 04 A1 6B686D61632D736563726574 A0", .keyAgreement, true),
        // The same, and rk, behind a tag, which CTAP does not use.
        ("01 A1 08 C1 4101", .token, true), ("C1", .token, false), ("01 A1 C1 08 4101", .token, true),
        ("02 A1 04 C1 A1 6B686D61632D736563726574 C1 A0", .keyAgreement, true),
        ("01 A1 07 C1 A1 62726B C1 F5", .none, false),
        // clientPIN: retries, key agreement, set, change, token, token with permissions.
        ("06 A1 02 01", .none, true), ("06 A1 02 02", .none, true), ("06 A1 02 03", .keyAgreement, false),
        ("06 A1 02 04", .keyAgreement, false), ("06 A1 02 05", .keyAgreement, false),
        ("06 A1 02 09", .keyAgreement, false),
        // Credential management, configuration; an unknown command; what is not CBOR.
        ("0A A1 01 01", .none, false), ("0A A2 01 01 04 4101", .token, false), ("0D A1 04 4101", .token, false),
        ("41", .token, false), ("01 FF", .token, false),
    ])
    func `is what must not cross a field loss, and what may be repeated`(
        _ message: String, _ material: CTAPCommand.Material, _ isRepeatable: Bool
    ) {
        let command = CTAPCommand(hex(message))
        #expect(command.material == material)
        #expect(command.isRepeatable == isRepeatable)
    }

    @Test(arguments: [("02 A1 05 A1 627570 F4", false), ("02 A0", true), ("01 A0", true), ("04", false), ("0B", true)])
    func `is whether it asks for a gesture`(_ message: String, _ needsPresence: Bool) {
        #expect(CTAPCommand(hex(message)).needsPresence == needsPresence)
    }

    @Test func `getInfo gives the longest request, U2F and what distinguishes cards`() throws {
        let card = try #require(CardInfo(hex("00 A3 01 82 66 5532465F5632 68 4649444F5F325F30 03 40 05 190800")))
        #expect(card.hasU2F)
        #expect(card.longestRequest == 2048)
        let other = try #require(CardInfo(hex("00 A2 01 81 68 4649444F5F325F30 03 40")))
        #expect(!other.hasU2F)
        #expect(other.longestRequest == 1024)
        #expect(!card.mayBeSameCard(as: other))
        #expect(CardInfo(hex("01")) == nil)
        #expect(CardInfo(hex("00 A0")) == nil)
    }
}

@Suite struct `A card of a version that the bridge does not know` {
    /// A getInfo answer with versions, an AAGUID, and what else is given.
    private static func info(_ versions: [String], _ more: String = "", count: Int = 2) -> [UInt8] {
        let texts = versions.flatMap { [0x60 + UInt8($0.utf8.count)] + Array($0.utf8) }
        return [0x00, 0xA0 + UInt8(count), 0x01, 0x80 + UInt8(versions.count)] + texts + hex("03 40") + hex(more)
    }

    @Test(arguments: [
        ["FIDO_2_1_PRE", "FIDO_2_0"], ["FIDO_2_2"], ["FIDO_2_3", "U2F_V2"], ["FIDO_2_9", "FIDO_3_0"], ["FIDO_42"], [],
    ])
    func `is a security key`(versions: [String]) throws {
        let card = try #require(CardInfo(Self.info(versions)))
        #expect(card.hasU2F == versions.contains("U2F_V2"))
        #expect(card.answer == Self.info(versions))
    }

    @Test(arguments: [
        // A key beyond those of CTAP 2.2, a text key, a list, a nested map, null and undefined.
        "1820 01", "64 6E657773 F5", "1819 82 01 A1 01 F6", "181A A1 63 666F6F A1 01 F7",
        // Numbers with fractions, a tag, an unassigned simple value.
        "181B FB3FF0000000000000", "181B FA3F800000", "181B F93C00", "181B C0 60", "181B F8FF",
    ])
    func `may report what CTAP has not`(more: String) {
        #expect(CardInfo(Self.info(["FIDO_2_3"], more, count: 3)) != nil)
    }
}

@Suite struct `Events of uhid` {
    @Test func `a device is created with the report descriptor of FIDO`() {
        let event = UHIDEvent.create(name: "nfcd FIDO, desk", unique: "desk", vendor: 0x1209, product: 0xF1D0)
        #expect(event.count == 4380)
        #expect(Array(event[0..<4]) == [11, 0, 0, 0])
        #expect(Array(event[4..<19]) == Array("nfcd FIDO, desk".utf8))
        #expect(Array(event[260..<264]) == [34, 0, 3, 0])
        #expect(Array(event[264..<272]) == hex("09120000 D0F10000"))
        #expect(Array(event[280..<287]) == hex("06D0F10901A101"))
    }

    @Test func `a long name is cut`() {
        let name = String(repeating: "n", count: 500)
        let event = UHIDEvent.create(name: name, unique: name, vendor: 0, product: 0)
        #expect(event.count == 4380)
        #expect(event[4 + 127] == 0)
    }

    @Test func `what the kernel reports is read`() {
        func event(_ number: UInt8, _ rest: [UInt8] = []) -> [UInt8] { [number, 0, 0, 0] + rest }
        #expect(UHIDEvent(event(2)) == .start)
        #expect(UHIDEvent(event(4)) == .open)
        #expect(UHIDEvent(event(5)) == .close)
        #expect(UHIDEvent(event(9, [7, 0, 0, 0, 1, 0])) == .getReport(id: 7))
        #expect(UHIDEvent(event(13, [7, 0, 0, 0])) == .setReport(id: 7))
        let data = [1, 2, 3] + Array(repeating: UInt8(0), count: 4093)
        #expect(UHIDEvent(event(6, data + [3, 0, 1])) == .output([1, 2, 3]))
    }

    @Test(arguments: ["", "06", "06000000", "09000000", "FFFFFFFF"])
    func `what is not complete or not known is passed over`(_ bytes: String) {
        guard case .other = UHIDEvent(hex(bytes)) else {
            Issue.record("taken for an event")
            return
        }
    }

    @Test func `an output longer than the event is passed over`() {
        let event = [6, 0, 0, 0] + Array(repeating: UInt8(0), count: 4096) + [0xFF, 0xFF, 1]
        #expect(UHIDEvent(event) == .other(6))
    }

    @Test func `a report is 70 bytes, and feature reports are refused with EIO`() {
        let report = Array(repeating: UInt8(1), count: 64)
        #expect(UHIDEvent.input(report) == hex("0C000000 4000") + report)
        #expect(UHIDEvent.refusal(ofGetReport: 7) == hex("0A000000 07000000 0500 0000"))
        #expect(UHIDEvent.refusal(ofSetReport: 7) == hex("0E000000 07000000 0500"))
    }
}
