import Synchronization
import TestSupport
import Testing

@testable import VirtualTags

/// What an NTAG 424 DNA keeps without power: failures, options, the tamper status, and what a torn write leaves.
@Suite struct NTAG424StateTests {
    private static let other = [UInt8](repeating: 0x5A, count: 16)

    // MARK: Failed authentications

    @Test func `failures are counted for each key and taken off by successes`() throws {
        var reader = try NTAG424TestReader()
        for _ in 0..<12 { #expect(reader.authenticate(3, Self.other) == "91AE") }
        #expect(reader.authenticate(4, Self.other) == "91AE")
        reader.repower()
        #expect(reader.card.failures(of: 3) == 12 && reader.card.consecutiveFailures(of: 3) == 12)
        #expect(reader.card.failures(of: 4) == 1 && reader.card.failures(of: 0) == 0)
        #expect(reader.card.eepromWrites == 13)
        #expect(reader.authenticate(3) == "9100")
        #expect(reader.card.failures(of: 3) == 2 && reader.card.consecutiveFailures(of: 3) == 0)
        #expect(reader.authenticate(3) == "9100")
        #expect(reader.card.failures(of: 3) == 0)
    }

    @Test func `an authentication that is given up is not counted`() throws {
        var reader = try NTAG424TestReader()
        #expect(reader.send("90 71 00 00 02 00 00 00").hasSuffix("91AF"))
        reader.repower()
        #expect(reader.send("90 71 00 00 02 00 00 00").hasSuffix("91AF"))
        #expect(reader.send("90 60 00 00 00") == "91CA")
        #expect(reader.card.failures(of: 0) == 0 && reader.card.eepromWrites == 0)
    }

    @Test func `after many failures first parts are delayed, also without power between`() throws {
        var reader = try NTAG424TestReader { $0.delay = .init(start: 3, step: 2, answers: 2) }
        for _ in 0..<3 { #expect(reader.authenticate(1, Self.other) == "91AE") }
        #expect(reader.authenticate(1) == "91AD")
        reader.repower()
        #expect(reader.authenticate(0) == "9100")
        #expect(reader.authenticate(1) == "91AD")
        #expect(reader.authenticate(1, Self.other) == "91AE")
        for status in ["91AD", "91AD", "91AE", "91AD", "91AD", "91AD", "91AD", "91AE"] {
            #expect(reader.authenticate(1, Self.other) == status)
        }
        for _ in 0..<4 { #expect(reader.authenticate(1) == "91AD") }
        #expect(reader.authenticate(1) == "9100")
        #expect(reader.authenticate(1) == "9100")
    }

    @Test func `the delay of the chip begins with 50 failures in a row`() throws {
        var reader = try NTAG424TestReader()
        for _ in 0..<49 { _ = reader.authenticate(2, Self.other) }
        #expect(reader.authenticate(2, Self.other) == "91AE")
        for _ in 0..<4 { #expect(reader.authenticate(2) == "91AD") }
        #expect(reader.authenticate(2) == "9100")
    }

    @Test func `a key is locked at the limit, and free again as it is changed`() throws {
        var reader = try NTAG424TestReader { $0.configuration = [hex("0A 01 0300 0100")] }
        for _ in 0..<3 { #expect(reader.authenticate(2, Self.other) == "91AE") }
        #expect(reader.card.isLocked(2) && !reader.card.isLocked(0))
        reader.repower()
        #expect(reader.authenticate(2) == "919D")
        #expect(reader.authenticate(0) == "9100")
        #expect(reader.changeKey(2, to: Self.other, version: 7) == "9100")
        #expect(!reader.card.isLocked(2) && reader.card.failures(of: 2) == 0)
        #expect(reader.card.hasKey(2, Self.other) && reader.card.keyVersions == [0, 0, 7, 0, 0])
        #expect(reader.authenticate(2, Self.other) == "9100")
        #expect(reader.changeKey(1, to: Self.other, version: 7) == "91AE")
    }

    @Test func `failures are not counted where the option says so`() throws {
        var reader = try NTAG424TestReader { $0.configuration = [hex("0A 00 0100 0000")] }
        for _ in 0..<3 { #expect(reader.authenticate(2, Self.other) == "91AE") }
        #expect(reader.authenticate(2) == "9100")
        #expect(reader.card.eepromWrites == 0)
    }

    @Test func `a wrong old key and a wrong MAC cost a session, not a failure`() throws {
        var reader = try NTAG424TestReader()
        #expect(reader.authenticate(0) == "9100")
        #expect(reader.changeKey(1, to: Self.other, version: 1, from: Self.other) == "911E")
        #expect(reader.send("90 51 00 00 00") == "91AE")
        #expect(reader.card.failures(of: 0) == 0 && reader.card.keyVersions == [0, 0, 0, 0, 0])
    }

    // MARK: SetConfiguration

    static let options: [(option: String, data: String, status: String)] = [
        ("00", "00", "9100"), ("00", "02", "9100"), ("00", "01", "919E"), ("00", "0200", "917E"),
        ("04", "0400", "9100"), ("04", "0401", "919E"), ("04", "04", "917E"), ("05", "00000000000000001234", "9100"),
        ("05", "00000000010000000000", "919E"), ("05", "000000000200000000", "917E"), ("07", "010E", "919E"),
        ("0A", "01E8030A00", "9100"), ("0A", "0100000A00", "919E"), ("0A", "02E8030A00", "919E"), ("0B", "00", "9100"),
        ("0B", "02", "919E"), ("01", "00", "919E"), ("0A", "01E803", "917E"),
    ]

    @Test(arguments: options) func `an option is taken or refused`(
        row: (option: String, data: String, status: String)
    ) throws {
        var reader = try NTAG424TestReader()
        #expect(reader.authenticate(0) == "9100")
        #expect(reader.command(0x5C, row.option, hex(row.data)) == row.status)
    }

    @Test func `options need key 0 and the application`() throws {
        var reader = try NTAG424TestReader()
        #expect(reader.authenticate(1) == "9100")
        #expect(reader.command(0x5C, "00", [0x02]) == "91AE")
        #expect(reader.send("00 A4 04 0C 07 D2760000850100") == "9000")
        #expect(reader.send("90 5C 00 00 02 00 02 00") == "919D")
    }

    @Test func `a random identifier is another one at each activation, and stays switched on`() throws {
        var reader = try NTAG424TestReader()
        #expect(reader.authenticate(0) == "9100")
        #expect(reader.command(0x5C, "00", [0x02]) == "9100")
        #expect(reader.command(0x51) == "04958CAA5C5E809100")
        #expect(reader.card.identifier == hex("04958CAA5C5E80"))
        var seen: Set<[UInt8]> = []
        for _ in 0..<4 {
            reader.repower()
            #expect(reader.card.identifier.count == 4 && reader.card.identifier[0] == 0x08)
            seen.insert(reader.card.identifier)
        }
        #expect(seen.count > 1)
        #expect(reader.authenticate(0) == "9100")
        #expect(reader.command(0x51) == "04958CAA5C5E809100")
        #expect(reader.command(0x5C, "00", [0x00]) == "9100")
        reader.repower()
        #expect(reader.card.hasRandomIdentifier && reader.card.uid == hex("04958CAA5C5E80"))
        _ = reader.send("90 60 00 00 00")
        _ = reader.send("90 AF 00 00 00")
        #expect(reader.send("90 AF 00 00 00") == "00000000000000BA5EBA110026249100")
    }

    @Test func `the version shows the back modulation`() throws {
        var reader = try NTAG424TestReader { $0.configuration = [[0x0B, 0x00]] }
        #expect(reader.send("90 60 00 00 00") == "0404823000110591AF")
    }

    // MARK: Originality and LRP

    @Test func `the signature over the UID is valid with the key for tests`() throws {
        var reader = try NTAG424TestReader()
        let key = VirtualNTAG424Card.originalityPublicKey
        #expect(key.count == 57)
        let plain = reader.send("90 3C 00 00 01 00 00")
        #expect(plain.hasSuffix("9190"))
        let signature = NTAG424Signature(Array(hex(plain).dropLast(2)))
        #expect(signature.isValid(over: hex("04958CAA5C5E80"), publicKey: key))
        #expect(!signature.isValid(over: hex("04958CAA5C5E81"), publicKey: key))
        #expect(reader.authenticate(1) == "9100")
        #expect(reader.command(0x3C, "00") == plain)
        #expect(reader.command(0x3C, "01") == "919E")
        #expect(reader.send("90 3C 00 00 00") == "917E")
    }

    @Test func `a conversation with LRP is protected both ways`() throws {
        var reader = try NTAG424TestReader { $0.configuration = [VirtualNTAG424Setup.lrp] }
        #expect(reader.authenticate(0, Self.other, isLRP: true) == "91AE")
        #expect(reader.card.failures(of: 0) == 1)
        #expect(reader.authenticate(3, isLRP: true) == "9100")
        #expect(reader.command(0x51) == "04958CAA5C5E809100")
        #expect(reader.command(0x8D, "03 000000 050000", hex("0102030405")) == "9100")
        #expect(reader.command(0x64, "03", [], .authenticated) == "009100")
        #expect(reader.authenticate(2, isFirst: false, isLRP: true) == "9100")
        #expect(reader.command(0xAD, "03 000000 060000") == "0102030405009100")
        #expect(reader.command(0x51) == "04958CAA5C5E809100")
        #expect(reader.authenticate(0, isFirst: false, isLRP: true) == "9100")
        #expect(reader.changeKey(4, to: Self.other, version: 3) == "9100")
        #expect(reader.changeKey(0, to: Self.other, version: 3) == "9100")
        #expect(reader.authenticate(0, Self.other, isLRP: true) == "9100")
    }

    @Test func `originality keys are proven above the application, with LRP, and give no session`() throws {
        let key = [UInt8](repeating: 0xD1, count: 16)
        var reader = try NTAG424TestReader { $0.configuration = [VirtualNTAG424Setup.lrp] }
        #expect(reader.send("00 A4 04 0C 07 D2760000850100") == "9000")
        #expect(reader.authenticate(1, key, isLRP: true) == "9100")
        #expect(reader.send("90 51 00 00 00") == "91AE")
        #expect(reader.authenticate(1, key, isFirst: false, isLRP: true) == "9100")
        #expect(reader.authenticate(1, Self.other, isLRP: true) == "91AE")
        #expect(reader.authenticate(5, key, isLRP: true) == "9140")
        #expect(reader.card.failures(of: 1) == 0)
    }

    // MARK: TagTamper

    @Test func `the loop is measured from the activation after it was enabled, and an opening stays`() throws {
        let loop = VirtualTamperLoop()
        var reader = try NTAG424TestReader { setup in
            setup = VirtualNTAG424Setup(tamperLoop: loop)
            setup.identifier = hex("04958CAA5C5E80")
        }
        #expect(reader.send("90 60 00 00 00") == "0404083000110591AF")
        reader.repower()
        #expect(reader.send("90 F7 00 00 00") == "49499100")
        #expect(reader.authenticate(0) == "9100")
        #expect(reader.command(0x5C, "07", [0x01, 0x02]) == "9100")
        #expect(reader.command(0xF7) == "91AE")
        #expect(reader.authenticate(2) == "9100")
        #expect(reader.command(0xF7) == "49499100")
        for (isClosed, status) in [(true, "4343"), (false, "4F4F"), (true, "4F43")] {
            isClosed ? loop.close() : loop.open()
            reader.repower()
            #expect(reader.send("90 F7 00 00 00") == "91AE")
            #expect(reader.authenticate(2) == "9100")
            #expect(reader.command(0xF7) == status + "9100")
        }
    }

    /// A TagTamper that measures its loop, with these settings of the file.
    private static func tamperReader(_ loop: VirtualTamperLoop, _ settings: String) throws -> NTAG424TestReader {
        try NTAG424TestReader { setup in
            setup = VirtualNTAG424Setup(tamperLoop: loop)
            setup.identifier = hex("04958CAA5C5E80")
            setup.configuration = [VirtualNTAG424Setup.tamper()]
            setup.settings = [2: hex(settings)]
        }
    }

    @Test func `the status is mirrored in plain`() throws {
        let loop = VirtualTamperLoop()
        var reader = try Self.tamperReader(loop, "40 E0EE C9 FFEF 0C0000 1A0000 300000")
        let read = "90 AD 00 00 07 02 300000 020000 00"
        #expect(reader.send(read) == "43439100")
        loop.open()
        #expect(reader.send(read) == "4F4F9100")
        loop.close()
        #expect(reader.send(read) == "4F439100")
        #expect(reader.card.readCounter == 1)
    }

    @Test func `the status is mirrored into the encrypted data`() throws {
        let loop = VirtualTamperLoop()
        loop.open()
        var reader = try Self.tamperReader(loop, "40 E0EE D9 FF12 0C0000 2C0000 2C0000 2C0000 200000 600000")
        let text = hex(reader.send("90 AD 00 00 07 02 2C0000 200000 00")).dropLast(2)
        let context = hex("04958CAA5C5E80 010000")
        guard case .aes(let key, _) = NTAG424SDM.keys(NTAG424TestReader.zero, context: context, isLRP: false) else {
            return
        }
        let vector = key.encrypt(hex("010000") + [UInt8](repeating: 0, count: 13))
        let plain = key.decryptCBC(hex(String(decoding: text, as: UTF8.self)), vector: vector)
        #expect(hex(plain) == "4F4F" + String(repeating: "00", count: 14))
    }

    @Test func `a chip without a loop does not know the command`() throws {
        var reader = try NTAG424TestReader()
        #expect(reader.send("90 F7 00 00 00") == "911C")
    }

    // MARK: Torn commands

    private static let content = [UInt8](0..<200)
    private static let write = [0x90, 0x8D, 0x00, 0x00, 0xCF] + hex("02 000000 C80000") + content + [0x00]

    /// The fault at the write, and how many bytes it left; 200 for the whole.
    static let tears: [(fault: Fault, written: Int)] = [
        (.removeBefore, 0), (.removeAmid(frames: 0), 0), (.removeAmid(frames: 1), 113), (.removeAmid(frames: 2), 200),
        (.removeDuring, 200), (.removeAfter, 200),
    ]

    @Test(arguments: tears) func `a long write is torn between its frames`(row: (fault: Fault, written: Int)) throws {
        let reader = VirtualReader(tag: try VirtualNTAG424Card())
        let card = FaultInjectingCard(reader, plan: FaultPlan(row.fault, at: 2))
        card.powerOn()
        _ = card.transmit(hex("00 A4 04 0C 07 D2760000850101"))
        _ = card.transmit(Self.write)
        #expect(!card.isPresent)
        let file = (reader.tag as? VirtualNTAG424Card)?.messageFile ?? []
        #expect(
            Array(file.prefix(200)) == Self.content.prefix(row.written)
                + [UInt8](repeating: 0, count: 200 - row.written))
    }

    @Test func `a short write is not torn`() throws {
        var card = NTAG424TestReader(try VirtualNTAG424Card()).card
        card.receive(hex("90 8D 00 00 09 02 000000 020000 ABCD 00"), frames: 0)
        #expect(card.messageFile.prefix(2) == hex("0000")[...])
        #expect(card.send("90 60 00 00 00") == "silence")
    }

    @Test func `a long ISO write is torn between its frames as well`() throws {
        var reader = try NTAG424TestReader()
        #expect(reader.send("00 A4 02 0C 02 E104") == "9000")
        reader.card.receive([0x00, 0xD6, 0x00, 0x00, 0xC8] + Self.content, frames: 1)
        #expect(Array(reader.card.messageFile.prefix(122)) == Self.content.prefix(120) + [0, 0])
    }

    @Test func `a long write with a wrong MAC leaves its first frames, a short one nothing`() throws {
        var reader = try NTAG424TestReader()
        for (count, written) in [(128, 112), (32, 0)] {
            #expect(reader.authenticate(3) == "9100")
            let header = "03 000000 \(hex([UInt8(count)]))0000"
            var command = reader.wrapped(0x8D, header, [UInt8](repeating: UInt8(count), count: count), .full)
            command[command.count - 2] ^= 1
            #expect(reader.send(hex(command)) == "911E")
            let file = reader.card.contents[0xE105] ?? []
            #expect(file.filter { $0 == UInt8(count) }.count == written, "\(count)")
        }
    }

    @Test func `long writes with protection are refused where the option says so`() throws {
        var reader = try NTAG424TestReader { $0.configuration = [hex("04 0400")] }
        #expect(reader.authenticate(3) == "9100")
        #expect(reader.command(0x8D, "03 000000 800000", [UInt8](repeating: 1, count: 128)) == "917E")
        #expect(reader.authenticate(3) == "9100")
        #expect(reader.command(0x8D, "03 000000 400000", [UInt8](repeating: 1, count: 64)) == "9100")
    }

    // MARK: Lengths and files

    @Test func `responses have at most 256 bytes`() throws {
        var reader = try NTAG424TestReader()
        #expect(reader.send("90 AD 00 00 07 02 000000 000000 00").count == 516)
        #expect(reader.authenticate(0) == "9100")
        #expect(reader.command(0x5F, "02", hex("01 00 00")) == "9100")
        for (count, mode, isRead) in [
            (248, NTAG424Session.Mode.authenticated, true), (249, .authenticated, false),
        ] {
            #expect(reader.authenticate(0) == "9100")
            let answer = reader.command(0xAD, "02 000000 \(hex([UInt8(count)]))0000", [], mode)
            #expect(answer.hasSuffix(isRead ? "9100" : "917E") && (answer.count > 4) == isRead)
        }
        #expect(reader.authenticate(0) == "9100")
        #expect(reader.command(0x5F, "02", hex("03 00 00")) == "9100")
        for (count, isRead) in [(239, true), (240, false)] {
            #expect(reader.authenticate(0) == "9100")
            let answer = reader.command(0xAD, "02 000000 \(hex([UInt8(count)]))0000")
            #expect(answer.hasSuffix(isRead ? "9100" : "917E") && (answer.count > 4) == isRead)
        }
    }

    @Test func `a card that is personalised begins with what it was given`() throws {
        var reader = try NTAG424TestReader { setup in
            setup.keys = [0: .init(Self.other, version: 9)]
            setup.files = [2: hex("0003 D00000"), 3: hex("AB")]
            setup.settings = [3: hex("03 3020")]
            setup.readCounter = 4
        }
        #expect(reader.card.keyVersions == [9, 0, 0, 0, 0] && reader.card.eepromWrites == 0)
        #expect(reader.card.messageFile.prefix(5) == hex("0003D00000")[...])
        #expect(reader.send("90 F5 00 00 01 03 00") == "000330208000009100")
        #expect(reader.authenticate(0, Self.other) == "9100")
        var refused = VirtualNTAG424Setup()
        refused.settings = [2: hex("40 E0EE C1 FF12")]
        #expect(throws: VirtualTagError.refusedSettings(hex("40E0EEC1FF12"))) { try VirtualNTAG424Card(refused) }
        refused.settings = [9: hex("00 E0EE")]
        #expect(throws: VirtualTagError.self) { try VirtualNTAG424Card(refused) }
    }

    static let shortIdentifiers: [Turn] = [
        Turn("00 B0 83 00 04", "001720019000"), Turn("00 B0 83 07 04", "0406E1049000"),
        Turn("00 B0 80 00 02", "00179000"),
        Turn("00 B0 85 00 02", "6982"), Turn("00 B0 86 00 02", "6A82"), Turn("00 B0 C3 00 02", "6A86"),
        Turn("00 B0 84 00", "6700"), Turn("00 D6 84 00 02 0001", "9000"), Turn("00 B0 84 00 03", "0001009000"),
        Turn("00 D6 83 00 01 00", "6982"),
    ]

    @Test func `files are addressed by short identifiers`() throws {
        var reader = try NTAG424TestReader()
        for turn in Self.shortIdentifiers { #expect(reader.send(turn.command) == turn.answer, "\(turn.command)") }
    }
}
