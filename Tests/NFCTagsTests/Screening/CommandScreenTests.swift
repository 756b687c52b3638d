import NFCTags
import NFCTypes
import Testing
import TestSupport

/// What raw commands do, by their bytes.
@Suite struct `The screen of raw commands` {
    private static let identifier: [UInt8] = [0xE0, 0x04, 0x01, 0x10, 0x11, 0x22, 0x33, 0x44]

    private static func screen(_ technology: TagTechnology, isDESFire: Bool = false) -> CommandScreen {
        CommandScreen(TagIdentity(technology: technology, identifier: identifier, atr: []), isDESFire: isDESFire)
    }

    @Test(arguments: [
        ("60", CommandEffect.read), ("3004", .read), ("3A0427", .read), ("3902", .read), ("3C00", .read),
        ("1A00", .read),
        ("A20401020304", .write), ("A20F01020304", .write), ("A004", .write),
        ("A20200000000", .lock), ("A203E1103E00", .lock), ("A21001020304", .lock), ("A228FFFFFF00", .lock),
        ("A002", .lock), ("A0FF", .lock), ("A50001000000", .lock), ("1BFFFFFFFF", .lock),
        ("", .unknown), ("A204010203", .unknown), ("A2040102030405", .unknown), ("6000", .unknown), ("30", .unknown),
        ("A9", .unknown), ("F100", .unknown), ("AF00", .unknown),
    ])
    func `judges the frames of a Type 2 tag`(frame: String, effect: CommandEffect) {
        #expect(Self.screen(.type2).judge(.miFare(hex(frame))).effect == effect)
    }

    @Test(arguments: [
        (nil, 16, CommandEffect.read), (nil, 32, .lock), ("0004030104000F03", 32, .lock),
        ("0004030104000F03", 16, .unknown), (nil, 8, .unknown),
    ])
    func `judges the second frame of AUTHENTICATE by its length`(version: String?, count: Int, effect: CommandEffect) {
        var screen = Self.screen(.type2)
        if let version { screen.record(.miFare(hex("60")), answer: hex(version)) }
        screen.record(.miFare(hex("1A00")), answer: hex("AF" + String(repeating: "00", count: 16)))
        #expect(screen.judge(.miFare([0xAF] + [UInt8](repeating: 0, count: count))).effect == effect)
    }

    @Test func `knows where the data of a Type 2 tag ends once it has answered GET_VERSION`() {
        var screen = Self.screen(.type2)
        screen.record(.miFare([0x60]), answer: hex("0004040201001103"))
        for (page, effect) in [(16, CommandEffect.write), (129, .write), (130, .lock), (131, .lock), (134, .lock)] {
            let frame = [0xA2, UInt8(page), 0, 0, 0, 0]
            #expect(screen.judge(.miFare(frame)).effect == effect, "page \(page)")
        }
        // In another sector of NTAG I2C, page 2 may hold lock bytes as well as data.
        screen.record(.miFare([0xC2, 0xFF]), answer: [0x0A])
        screen.record(.miFare([1, 0, 0, 0]), answer: nil)
        #expect(screen.judge(.miFare([0xA2, 2, 0, 0, 0, 0])).effect == .lock)
    }

    @Test func `lets a password be tried where the tag sets no limit`() {
        var screen = Self.screen(.type2)
        let password = RawCommand.miFare(hex("1BFFFFFFFF"))
        screen.record(.miFare([0x60]), answer: hex("0004040201000F03"))
        // READ from the page before starts over at page 0 where page 42 is protected: it proves nothing.
        screen.record(.miFare([0x30, 41]), answer: [UInt8](repeating: 0, count: 16))
        #expect(screen.judge(password).effect == .lock)
        screen.record(.miFare([0x30, 42]), answer: [0x07] + [UInt8](repeating: 0, count: 15))
        #expect(screen.judge(password).effect == .lock)
        screen.record(.miFare([0x3A, 41, 42]), answer: [UInt8](repeating: 0, count: 8))
        #expect(screen.judge(password).effect == .read)
    }

    @Test func `keeps the effect of a command in two frames`() {
        var screen = Self.screen(.type2)
        let data = RawCommand.miFare([UInt8](repeating: 0xFF, count: 16))
        #expect(screen.judge(data).effect == .unknown)
        screen.record(.miFare([0xA0, 0x04]), answer: [0x0A])
        #expect(screen.judge(data).effect == .write)
        #expect(screen.judge(.miFare([0xA2, 2, 0, 0, 0xFF, 0xFF])).effect == .lock)
        screen.record(data, answer: [0x0A])
        #expect(screen.judge(data).effect == .unknown)
    }

    @Test(arguments: [
        ("3004", CommandEffect.read), ("6004FFFFFFFFFFFF", .read), ("A004", .write), ("A003", .lock), ("A000", .lock),
        ("A00500112233445566778899AABBCCDDEEFF", .write), ("A07F", .lock), ("A083", .write), ("A08F", .lock),
        ("C104", .write), ("B007", .lock), ("B006", .write), ("4000", .unknown), ("43", .unknown), ("A00501", .unknown),
    ])
    func `judges the frames of a MIFARE Classic`(frame: String, effect: CommandEffect) {
        #expect(Self.screen(.mifareClassic).judge(.miFare(hex(frame))).effect == effect)
    }

    @Test(arguments: [
        ("00A4040007D276000085010100", CommandEffect.read), ("00B0000010", .read), ("00C0000010", .read),
        ("0084000008", .read), ("0C B0 00 00 0D 97 01 10 8E 08 1122334455667788 00", .read), ("00700000 01", .read),
        ("002000 81", .read), ("00200081083132333435364646", .lock), ("00D600000411223344", .lock),
        ("00240081 02 3132", .lock), ("00E00000 02 6200", .lock), ("00D0000001FF", .lock), ("00460000", .lock),
        ("0CD60000 04 11223344", .unknown), ("00DA0101 01 00", .unknown), ("80CA9F7F00", .unknown),
        ("80D6000001FF", .unknown),
        ("90C40000010000", .unknown), ("FFCA000000", .unknown), ("FFD60002040000FFFF", .unknown), ("00B00000", .read),
        ("00B000000500", .unknown), ("00D6000004112233", .unknown), ("00", .unknown), ("20B0000010", .unknown),
        ("00C2000002A400", .unknown),
    ])
    func `judges command APDUs`(apdu: String, effect: CommandEffect) {
        let apdu = hex(apdu.filter { $0 != " " })
        #expect(Self.screen(.iso14443Part4(.a)).judge(.apdu(apdu)).effect == effect)
    }

    @Test func `recognizes the capability container of a Type 4 card by the file that was selected`() {
        var screen = Self.screen(.iso14443Part4(.a))
        let update = RawCommand.apdu(hex("00D600000411223344"))
        func select(_ file: String, _ answer: String) {
            screen.record(.apdu(hex("00A4000C02\(file)")), answer: hex(answer))
        }
        select("E104", "9000")
        #expect(screen.judge(update).effect == .write)
        select("E103", "6A82")
        #expect(screen.judge(update).effect == .lock)
        select("E104", "9000")
        #expect(screen.judge(update).effect == .write)
        select("E103", "9000")
        select("FFFE", "6A82")
        #expect(screen.judge(update).effect == .lock)
        select("E104", "9000")
        #expect(screen.judge(.apdu(hex("00D683000411223344"))).effect == .lock)
        #expect(screen.judge(.apdu(hex("01D600000411223344"))).effect == .lock)
    }

    @Test(arguments: [
        ("9060000000", CommandEffect.read), ("905A00000300000100", .read), ("90BD0000070200000010000000", .read),
        ("90AF000000", .read), ("900A0000010000", .lock), ("903D000008020F00000100000A00", .write),
        ("903D000008020000000100000A00", .lock),
        ("903D000008010000000100000A00", .lock), ("90C40000010000", .lock), ("905C0000010000", .lock),
        ("905F000003020E0000", .lock), ("90CA000005010000010100", .lock), ("90DA00000301000000", .lock),
        ("90FC000000", .lock), ("9054000001FF00", .lock), ("90FD000000", .unknown), ("9060010000", .unknown),
        ("90600000", .unknown), ("906000000001", .unknown),
    ])
    func `judges the commands of DESFire, wrapped and native`(apdu: String, effect: CommandEffect) {
        let apdu = hex(apdu)
        let screen = Self.screen(.iso14443Part4(.a), isDESFire: true)
        #expect(screen.judge(.apdu(apdu)).effect == effect)
        guard apdu.count >= 5, apdu[2] == 0, effect != .unknown else { return }
        let native = [apdu[1]] + (apdu.count > 5 ? Array(apdu[5..<apdu.count - 1]) : [])
        #expect(screen.judge(.miFare(native)).effect == effect)
    }

    @Test(arguments: [
        ("0012FC0000", CommandEffect.read), ("00FFFF0000", .read), ("06 ID 01 0B00 01 8000", .read),
        ("08 ID 01 0900 01 8000 D", .write), ("08 ID 01 0900 01 800D D", .write), ("08 ID 01 0900 01 8080 D", .write),
        ("08 ID 01 0900 01 000500 D", .write), ("08 ID 01 4910 01 80FF D", .write),
        ("08 ID 01 0900 01 800E D", .lock), ("08 ID 01 0900 01 8088 D", .lock), ("08 ID 01 0900 01 8087 D", .lock),
        ("08 ID 01 0900 01 8082 D", .lock), ("08 ID 01 0900 01 008800 D", .lock), ("08 ID 01 0900 01 000501 D", .lock),
        ("08 ID 01 0900 02 8000 8088 D D", .lock), ("08 ID 01 0900 01 9000 D", .lock),
        ("08 ID 01 1100 01 8000 D", .lock),
        ("08 ID 01 0900 01 8000 1004010008000000000000000000001D", .lock),
        ("08 ID 01 0900 01 8000 1004010008000000000001000000001E", .format),
        ("08 ID 01 0900 01 8000 1004010008000000000001000000001F", .write),
        ("08 ID 01 0900 02 8001 8000 D 1004010008000000000000000000001D", .lock),
        ("08 ID 01 0900 02 8000 8000 D 1004010008000000000000000000001D", .lock),
        ("08 ID 01 0900 01 000000 1004010008000000000000000000001D", .lock),
        ("08 ID 01 4910 01 8000 2004010008000000000002000000002F", .lock),
        ("08 ID 01 0900 01 8000", .unknown), ("08 ID 01 0900 01 8000 D D", .unknown), ("08 ID 00 01 8000 D", .unknown),
        ("08 ID 01 0900 01 8100 D", .unknown), ("10 ID 00", .unknown), ("", .unknown), ("0012FC00", .unknown),
    ])
    func `judges the packets of a FeliCa card`(packet: String, effect: CommandEffect) {
        let data = String(repeating: "00", count: 16)
        let expanded = packet.replacing("ID", with: hexText(Self.identifier)).split(separator: " ")
            .map { $0 == "D" ? data : String($0) }.joined()
        #expect(Self.screen(.feliCa).judge(.feliCa(hex(expanded))).effect == effect)
    }

    @Test(arguments: [
        ("0220 05", CommandEffect.read), ("022B", .read), ("0223 0004", .read), ("2220 U 05", .read),
        ("0601 00", .read),
        ("02BD 04", .read), ("0221 05 11223344", .write), ("4221 05 11223344", .write), ("0221 00 E1402801", .format),
        ("0221 00 E2402801", .format),
        ("0227 01", .write), ("0221 00 E1432801", .lock), ("0221 00 E14C2801", .lock), ("0231 0000 E1432801", .lock),
        ("0222 05", .lock), ("2222 U 05", .lock), ("0228", .lock),
        ("022A", .lock), ("0232 0500", .lock), ("02B5 0401", .lock), ("02A2 04", .write), ("0A20 05", .unknown),
        ("22AB 04 U", .read), ("22B2 04 U", .read), ("22B8 04 U 004E", .read), ("22A5 04 U", .read),
        ("22A3 04 U", .write),
        ("22B3 04 U 02 11223344", .read), ("22B3 04 U 04 11223344", .lock), ("22B4 04 U 02 11223344", .lock),
        ("22B6 04 U 4302", .lock), ("22B7 04 U 43", .lock), ("22BA 04 U 11223344", .lock), ("22BB 04 U", .lock),
        ("22A4 04 U", .lock), ("62A6 04 U", .lock), ("22B9 04 U 11223344", .unknown), ("22BC 04 U", .unknown),
        ("22B2 05 U", .unknown), ("22B2 04 E007010203040506", .unknown), ("22B2 U", .unknown),
        ("2220 E007010203040506 05", .unknown), ("3220 U 05", .unknown), ("0220", .unknown), ("0622 05", .unknown),
        ("02", .unknown), ("0220 0500", .unknown),
    ])
    func `judges the requests of ISO 15693`(request: String, effect: CommandEffect) {
        let text = request.replacing("U", with: hexText(Self.identifier.reversed())).filter { $0 != " " }
        #expect(Self.screen(.iso15693).judge(.iso15693(hex(text))).effect == effect)
    }

    @Test func `knows nothing of command APDUs to a tag that takes none`() {
        for technology in [TagTechnology.type2, .mifareClassic, .feliCa, .iso15693] {
            #expect(Self.screen(technology).judge(.apdu(hex("FFB0000410"))).effect == .unknown)
            #expect(Self.screen(technology).judge(.apdu(hex("00A40400"))).effect == .unknown)
        }
    }

    @Test func `lists every command once`() {
        for table in CommandScreen.tables {
            #expect(!table.rows.isEmpty && table.rows.allSatisfy { !$0.needs.isEmpty })
            #expect(Set(table.rows.map(\.form)).count == table.rows.count, "\(table.title)")
        }
    }
}

private func hexText(_ bytes: some Sequence<UInt8>) -> String { Hexadecimal.string(Array(bytes)) }
