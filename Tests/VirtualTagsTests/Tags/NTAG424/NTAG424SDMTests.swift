import TestSupport
import Testing

@testable import VirtualTags

/// Secure Dynamic Messaging of the virtual NTAG 424 DNA: its settings, and what a read gives.
@Suite struct NTAG424SDMTests {
    /// A short record with `x.io?` behind NLEN, then placeholders: PICCData or UID at 12, the code at 64.
    private static let template =
        hex("0080 D1017C5504") + Array("x.io?".utf8) + [UInt8](repeating: 0x30, count: 118)

    /// A card whose settings everyone may change, with these settings of the file.
    private static func reader(
        _ settings: String = "00 EEEE", counter: UInt32 = 0, change: (inout VirtualNTAG424Setup) -> Void = { _ in }
    ) throws -> NTAG424TestReader {
        try NTAG424TestReader { setup in
            setup.keys = [1: .init(Array(repeating: 0x11, count: 16)), 2: .init(Array(repeating: 0x22, count: 16))]
            setup.files = [2: template]
            setup.settings = [2: hex(settings)]
            setup.readCounter = counter
            change(&setup)
        }
    }

    /// Settings behind the option and the access rights, and the status.
    static let rules: [(settings: String, status: String)] = [
        // PICCData and code; UID, counter and code in plain; with encrypted data; with all of it.
        ("C1 FF12 0C0000 400000 400000", "9100"),
        ("C1 FFE2 0C0000 1A0000 200000 400000", "9100"),
        ("D1 FF12 0C0000 2C0000 2C0000 200000 600000", "9100"),
        ("F1 FE12 0C0000 2C0000 2C0000 400000 700000 0A0000", "9100"),
        // Only the counter, and one that is not shown.
        ("41 FF1F 0C0000", "9100"), ("41 FFEF 0C0000", "9100"), ("C1 FFEF 0C0000 FFFFFF", "9100"),
        // A MAC without UID and counter.
        ("01 FFF2 0C0000 400000", "9100"), ("41 F0F2 0C0000 400000", "9100"),
        // The wrong number of bytes.
        ("C1 FF12 0C0000 400000", "917E"), ("C1 FF12 0C0000 400000 400000 00", "917E"), ("C1 FF", "917E"),
        // Keys that do not exist, and a reserved nibble that is not F.
        ("C1 FF52 0C0000 400000 400000", "919E"), ("C1 FF16 0C0000 400000 400000", "919E"),
        ("C1 FF1E 0C0000 400000 400000", "919E"), ("C1 F712 0C0000 400000 400000", "919E"),
        ("C1 0F12 0C0000 400000 400000", "919E"),
        // Not ASCII, reserved bits, a tamper status without a loop.
        ("C0 FF12 0C0000 400000 400000", "919E"), ("C5 FF12 0C0000 400000 400000", "919E"),
        ("C9 FF12 0C0000 300000 400000 400000", "919E"),
        // An identity without its parts, and parts without an identity.
        ("01 FF12 0C0000 400000 400000", "919E"), ("81 FFF2 400000 400000", "919E"),
        ("81 F012 0C0000 400000 400000", "919E"), ("A1 FF12 0C0000 400000 400000 050000", "919E"),
        // Encrypted data without a key, or with half of the identity.
        ("D1 FF1F 0C0000", "919E"), ("91 FF12 0C0000 2C0000 2C0000 200000 600000", "919E"),
        // The limit is not above the counter.
        ("E1 FF12 0C0000 400000 400000 000000", "919E"),
        // Parts over one another, or beyond the file.
        ("C1 FF12 300000 400000 400000", "919E"), ("C1 FFE2 0C0000 190000 200000 400000", "919E"),
        ("C1 FF12 0C0000 F10000 F10000", "919E"), ("C1 FF1F E10000", "919E"),
        // The code before what it covers; a length that does not fit; encrypted data outside of what it covers.
        ("C1 FF12 0C0000 410000 400000", "919E"), ("D1 FF12 0C0000 2C0000 2C0000 100000 600000", "919E"),
        ("D1 FF12 0C0000 2D0000 2C0000 200000 600000", "919E"), ("D1 FF12 0C0000 2C0000 4C0000 200000 600000", "919E"),
    ]

    @Test(arguments: rules) func `settings are taken or refused as by the chip`(
        row: (settings: String, status: String)
    ) throws {
        var reader = try Self.reader()
        let data = hex("02 40 EEEE" + row.settings)
        #expect(reader.send("90 5F 00 00" + hex([UInt8(data.count)] + data) + "00") == row.status)
        let settings = reader.send("90 F5 00 00 01 02 00")
        let wanted = row.status == "9100" ? "0040EEEE000100" + hex(hex(row.settings)) : "0000EEEE000100"
        #expect(settings == wanted + "9100")
    }

    static let refusals: [(command: String, status: String)] = [
        ("90 5F 00 00 10 03 40 3023 C1 FF12 0C0000 400000 400000 00", "91AE"),
        ("90 5F 00 00 10 01 40 00E0 C1 FF12 0C0000 400000 400000 00", "91AE"),
        ("90 5F 00 00 04 02 80 EEEE 00", "919E"), ("90 5F 00 00 04 02 00 5EEE 00", "919E"),
        ("90 5F 00 00 03 02 00 EE 00", "917E"), ("90 F6 00 00 01 02 00", "919D"), ("90 F6 00 00 01 04 00", "91F0"),
    ]

    @Test(arguments: refusals) func `other settings are refused`(row: (command: String, status: String)) throws {
        var reader = try Self.reader()
        #expect(reader.send(row.command) == row.status)
    }

    @Test func `only the file with the message has it, and rights that never change stay`() throws {
        var reader = try Self.reader("00 EFEE")
        #expect(reader.send("90 5F 00 00 04 02 00 EEEE 00") == "919D")
        #expect(reader.authenticate(0) == "9100")
        #expect(reader.command(0x5F, "03", hex("40 3023 C1 FF12 0C0000 400000 400000")) == "919D")
    }

    // MARK: Reads

    private static let plain = "40 E0EE C1 FFE2 0C0000 1A0000 400000 400000"
    private static let readData = "90 AD 00 00 07 02 0C0000 140000 00"
    private static let readBinary = "00 B0 84 0C 14"

    private static func shown(_ counter: String, _ status: String) -> String {
        hex(Array(("04958CAA5C5E80" + counter).utf8)) + status
    }

    /// Commands, and the counter that a read shows; nil for a command whose answer does not matter.
    static let runs: [[(command: String, counter: String?)]] = [
        [(readData, "000001"), (readData, "000001"), (readData, "000001")],
        [(readBinary, "000001"), (readBinary, "000001"), (readData, "000002"), (readBinary, "000003")],
        [(readData, "000001"), ("90 F5 00 00 01 02 00", nil), (readData, "000002")],
        [(readBinary, "000001"), ("00 A4 02 0C 02 E104", nil), (readBinary, "000002")],
        [(readBinary, "000001"), ("00 B0 83 00 0F", nil), (readBinary, "000002")],
        [(readData, "000001"), ("90 AD 00 00 07 02 000100 010000 00", nil), (readData, "000002")],
        [
            (readData, "000001"), ("90 60 00 00 00", nil), ("90 AF 00 00 00", nil), (readData, nil),
            (readData, "000002"),
        ],
    ]

    @Test(arguments: runs.indices) func `the counter counts runs of reads`(index: Int) throws {
        var reader = try Self.reader(Self.plain)
        for (command, counter) in Self.runs[index] {
            let answer = reader.send(command)
            guard let counter else { continue }
            #expect(answer == Self.shown(counter, command.hasPrefix("00") ? "9000" : "9100"), "\(command)")
        }
    }

    @Test func `loss of power ends a run, and the counter stays`() throws {
        var reader = try Self.reader(Self.plain)
        _ = reader.send(Self.readData)
        reader.repower()
        #expect(reader.send(Self.readData) == Self.shown("000002", "9100"))
        #expect(reader.card.readCounter == 2 && reader.card.eepromWrites == 2)
    }

    @Test func `a session reads the static text and does not count`() throws {
        var reader = try Self.reader(Self.plain)
        #expect(reader.authenticate(1, Array(repeating: 0x11, count: 16)) == "9100")
        let text = reader.command(0xAD, "02 0C0000 140000", [], .plain)
        #expect(text == hex([UInt8](repeating: 0x30, count: 20)) + "9100")
        #expect(reader.card.readCounter == 0)
    }

    @Test func `PICCData keeps its padding within a run, and a longer read is consistent`() throws {
        var reader = try Self.reader("40 E0EE C1 FF12 0C0000 400000 400000")
        let first = reader.send("90 AD 00 00 07 02 0C0000 200000 00")
        let whole = reader.send("90 AD 00 00 07 02 000000 000000 00")
        #expect(whole.dropFirst(24).hasPrefix(first.dropLast(4)))
        #expect(reader.send("90 F5 00 00 01 02 00").hasSuffix("9100"))
        #expect(reader.send("90 AD 00 00 07 02 0C0000 200000 00") != first)
    }

    @Test func `a file that a key reads is free to read for a message`() throws {
        // Read, write and both: never; SDMFileRead with key 2.
        var reader = try Self.reader("40 F0FF C1 FFE2 0C0000 1A0000 400000 400000")
        #expect(reader.send(Self.readData) == Self.shown("000001", "9100"))
        #expect(reader.send(Self.readBinary) == Self.shown("000002", "9000"))
        var other = try Self.reader("40 F0FF C1 FFEF 0C0000 1A0000")
        #expect(other.send(Self.readData) == "919D")
        #expect(other.send(Self.readBinary) == "6982")
        #expect(other.card.readCounter == 0)
    }

    @Test func `the counter stops at its limit, and in the end`() throws {
        for (settings, counter, status) in [
            ("40 E0EE E1 FFE2 0C0000 1A0000 400000 400000 030000", 2, "919D"), (Self.plain, 0xFF_FFFE, "911E"),
        ] as [(String, UInt32, String)] {
            var reader = try Self.reader(settings, counter: counter)
            let last = counter == 2 ? "000003" : "FFFFFF"
            #expect(reader.send(Self.readData) == Self.shown(last, "9100"))
            #expect(reader.send(Self.readData) == Self.shown(last, "9100"))
            #expect(reader.send(Self.readBinary) == "6982")
            #expect(reader.send(Self.readData) == status)
            #expect(reader.authenticate(0) == "9100")
            #expect(reader.command(0xAD, "02 000000 010000", [], .plain) == "009100")
        }
    }

    @Test func `the counter begins again as messages are switched on, not as they change`() throws {
        var reader = try Self.reader("40 EEEE C1 FFE2 0C0000 1A0000 400000 400000", counter: 9)
        #expect(reader.send("90 5F 00 00 13 02 40 EEEE C1 FEE2 0C0000 1A0000 400000 400000 00") == "9100")
        #expect(reader.send("90 F6 00 00 01 02 00") == "09000000009100")
        #expect(reader.send("90 5F 00 00 04 02 00 EEEE 00") == "9100")
        #expect(reader.send(Self.readData) == hex([UInt8](repeating: 0x30, count: 20)) + "9100")
        #expect(reader.send("90 5F 00 00 13 02 40 EEEE C1 FEE2 0C0000 1A0000 400000 400000 00") == "9100")
        #expect(reader.send(Self.readData) == Self.shown("000001", "9100"))
    }

    @Test func `the counter is given to whom it belongs`() throws {
        // A key: enciphered.
        var reader = try Self.reader("40 E0EE C1 F1E2 0C0000 1A0000 400000 400000", counter: 5)
        let key = [UInt8](repeating: 0x11, count: 16)
        #expect(reader.send("90 F6 00 00 01 02 00") == "91AE")
        #expect(reader.authenticate(0) == "9100")
        #expect(reader.command(0xF6, "02", [], .authenticated) == "91AE")
        #expect(reader.authenticate(1, key) == "9100")
        #expect(reader.command(0xF6, "02", [], .authenticated, response: .full) == "05000000009100")
        // Everyone: with a MAC.
        var free = try Self.reader("40 E0EE C1 FEE2 0C0000 1A0000 400000 400000", counter: 5)
        #expect(free.authenticate(1, key) == "9100")
        #expect(free.command(0xF6, "02", [], .authenticated) == "05000000009100")
    }

    @Test func `random settings never trap, and what is taken can be read`() throws {
        var generator = SplitMix(seed: 4242)
        var taken = 0
        for round in 0..<1500 {
            var reader = try Self.reader { setup in
                setup = VirtualNTAG424Setup(tamperLoop: VirtualTamperLoop())
                setup.settings = [2: hex("00 EEEE")]
                if round.isMultiple(of: 50) { setup.configuration = [VirtualNTAG424Setup.lrp] }
            }
            let options = [0xC1, 0xD1, 0xC9, 0xD9, 0x41, 0xE1].randomElement(using: &generator) ?? 0xC1
            let rights = [[0xFF, 0x12], [0xFF, 0xE2], [0xFE, 0xEF]].randomElement(using: &generator) ?? []
            var content: [UInt8] = [0x02, 0x40, 0xEE, 0xEE, UInt8(options)] + rights.map { UInt8($0) }
            for _ in 0..<Int.random(in: 1...7, using: &generator) {
                content += [UInt8.random(in: 0...15, using: &generator) * 16, 0x00, 0x00]
            }
            guard reader.send("90 5F 00 00" + hex([UInt8(content.count)] + content) + "00") == "9100" else { continue }
            taken += 1
            #expect(reader.send("90 AD 00 00 07 02 000000 000000 00").count == 516)
            #expect(reader.send("00 B0 84 00 00").count == 516)
        }
        #expect(taken > 10)
    }

    // MARK: LRP

    @Test func `the switch to LRP ends messages, and PICCData is longer then`() throws {
        var reader = try Self.reader("40 E0EE C1 FF12 0C0000 400000 400000")
        #expect(reader.authenticate(0) == "9100")
        #expect(reader.command(0x5C, "05", hex("00000000 02 000000 0000"), .full, response: .plain) == "9100")
        #expect(reader.card.isLRP)
        #expect(reader.send("90 F5 00 00 01 02 00") == "0000E0EE0001009100")
        #expect(reader.authenticate(0) == "919D")
        #expect(reader.authenticate(0, isLRP: true) == "9100")
        #expect(reader.command(0x5F, "02", hex("40 E0EE C1 FF12 0C0000 3B0000 3B0000")) == "919E")
        #expect(reader.authenticate(0, isLRP: true) == "9100")
        #expect(reader.command(0x5F, "02", hex("40 E0EE C1 FF12 0C0000 3C0000 3C0000")) == "9100")
        reader.repower()
        let text = hex(reader.send("90 AD 00 00 07 02 0C0000 400000 00")).dropLast(2)
        #expect(text.count == 64 && text.allSatisfy { "0123456789ABCDEF".utf8.contains($0) })
    }
}
