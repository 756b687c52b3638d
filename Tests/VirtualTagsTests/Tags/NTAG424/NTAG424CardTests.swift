import Synchronization
import TestSupport
import Testing

@testable import VirtualTags

/// NTAG 424 DNA, command by command; the conversations with keys are those of AN12196.
@Suite struct NTAG424CardTests {
    /// A card that uses these random numbers, one after another.
    private static func card(
        keys: [UInt8: [UInt8]] = [:], random: [String] = [], isSelected: Bool = true
    ) throws -> VirtualNTAG424Card {
        let numbers = Mutex(random.map { hex($0) })
        var setup = VirtualNTAG424Setup()
        setup.identifier = hex("04958CAA5C5E80")
        setup.keys = keys.mapValues { .init($0) }
        setup.random = { count in
            numbers.withLock { $0.isEmpty ? Array(repeating: 0, count: count) : $0.removeFirst() }
        }
        var card = try VirtualNTAG424Card(setup, ndefMessage: hex("D00000"))
        card.activate()
        if isSelected { #expect(card.send("00 A4 04 00 07 D2760000850101 00") == "9000") }
        return card
    }

    private static func check(_ conversation: [Turn], on card: inout VirtualNTAG424Card) {
        for (number, turn) in conversation.enumerated() {
            #expect(card.send(turn.command) == hex(hex(turn.answer)), "\(number): \(turn.command)")
        }
    }

    private static let asDelivered: [Turn] = [
        Turn("90 60 00 00 00", "0404023000110591AF"),
        Turn("90 AF 00 00 00", "0404020102110591AF"),
        Turn("90 AF 00 00 00", "04958CAA5C5E80BA5EBA110026249100"),
        Turn("90 6A 00 00 00", "911C"),
        Turn("90 F5 00 00 01 01 00", "919D"),
        Turn("90 64 00 00 01 00 00", "9140"),
        Turn("90 71 00 00 02 00 00 00", "9140"),
        Turn("00 A4 04 00 07 D2760000850101 00", "9000"),
        Turn("90 F5 00 00 01 01 00", "000000E02000009100"),
        Turn("90 F5 00 00 01 02 00", "0000E0EE0001009100"),
        Turn("90 F5 00 00 01 03 00", "000330238000009100"),
        Turn("90 F5 00 00 01 04 00", "91F0"),
        Turn("90 F5 00 00 00", "917E"),
        Turn("90 64 00 00 01 00 00", "009100"),
        Turn("90 64 00 00 01 05 00", "9140"),
        Turn("90 AD 00 00 07 02 000000 020000 00", "00039100"),
        Turn("90 AD 00 00 07 02 FF0000 020000 00", "91BE"),
        Turn("90 AD 00 00 07 03 000000 020000 00", "91AE"),
        Turn("90 8D 00 00 08 03 000000 010000 00 00", "91AE"),
        Turn("90 8D 00 00 09 02 FF0000 020000 0000 00", "91BE"),
        Turn("90 8D 00 00 08 02 000000 020000 00 00", "917E"),
        Turn("90 51 00 00 00", "91AE"),
        Turn("90 5F 00 00 04 02 00 E0EE 00", "91AE"),
        Turn("90 C4 00 00 01 00 00", "91AE"),
        Turn("90 5C 00 00 02 00 02 00", "91AE"),
        Turn("90 F6 00 00 01 02 00", "919D"),
        Turn("90 77 00 00 01 00 00", "919D"),
        // A chip with AES answers a request for LRP with AES.
        Turn("90 71 00 00 03 00 01 02 00", "66E94BD4EF8A2C3B884CFA59CA342B2E91AF"),
        Turn("90 60 00 00 00", "91CA"),
        Turn("90 71 00 00 02 05 00 00", "9140"),
        Turn("90 71 00 00 01 00 00", "917E"),
        Turn("90 71 00 00 02 00 00", "917E"),
        Turn("90 F5 01 00 01 02 00", "919E"),
        Turn("90 AF 00 00 00", "91CA"),
        Turn("90 F5 00 00 00 0001 02 0000", "6700"),
        Turn("00 A4 00 0C 02 E103", "9000"),
        Turn("00 B0 00 00 17", "001720010000FF0406E104010000000506E105008082839000"),
        Turn("00 B0 00 17 20", "0000000000000000009000"),
        Turn("00 D6 00 0E 01 FF", "6982"),
        Turn("00 A4 02 00 02 E105 00", "9000"),
        Turn("00 B0 00 00 01", "6982"),
        Turn("00 A4 02 00 02 E104 00", "9000"),
        Turn("00 D6 00 00 02 ABCD 00", "6700"),
        Turn("00 D6 00 00 02 0000", "9000"),
        Turn("00 A4 04 00 07 D2760000850100 00", "9000"),
        Turn("00 B0 00 00 01", "6985"),
        Turn("90 F5 00 00 01 02 00", "919D"),
        Turn("00 A4 00 00 02 E110 00", "9000"),
        Turn("00 A4 00 00 02 3F00", "9000"),
        Turn("00 A4 02 00 02 E104 00", "6A82"),
        Turn("80 60 00 00 00", "6E00"),
    ]

    @Test func `answers as delivered`() throws {
        var card = try Self.card(isSelected: false)
        Self.check(Self.asDelivered, on: &card)
    }

    /// AN12196: authentication with key 0 (table 14).
    private static let first: [Turn] = [
        Turn("90 71 00 00 02 00 00 00", "A04C124213C186F22399D33AC2A30215 91AF"),
        Turn(
            "90 AF 00 00 20 35C3E05A752E0144BAC0DE51C1F22C56B34408A23D8AEA266CAB947EA8E0118D 00",
            "3FA64DB5446D1F34CD6EA311167F5E4985B89690C04A05F17FA7AB2F08120663 9100"),
    ]
    private static let firstRandom = ["B9E2FC789B64BF237CCCAA20EC7E6E48", "9D00C4DF"]

    @Test func `a first authentication is the one of the application note`() throws {
        var card = try Self.card(random: Self.firstRandom)
        Self.check(Self.first, on: &card)
        #expect(card.send("90 51 00 00 00") == "917E")
        #expect(card.send("90 51 00 00 00") == "91AE")
    }

    /// AN12196: key 3 is proven, file 3 written enciphered, then key 0 proven, file 1 written in plain, keys 2 and 0 changed (tables
    /// 19 to 26).
    private static let personalization: [Turn] = [
        Turn("90 71 00 00 02 03 00 00", "B875CEB0E66A6C5CD00898DC371F92D1 91AF"),
        Turn(
            "90 AF 00 00 20 FF0306E47DFBC50087C4D8A78E88E62DE1E8BE457AA477C707E2F0874916A8B1 00",
            "0CC9A8094A8EEA683ECAAC5C7BF20584206D0608D477110FC6B3D5D3F65C3A6A 9100"),
        Turn(
            "90 8D 00 00 1F 03 000000 0A0000 6B5E6804909962FC4E3FF5522CF0F843 6C0C53315B9C73AA 00",
            "C26D236E4A7C046D 9100"),
        Turn("00 A4 04 0C 07 D2760000850101 00", "9000"),
        Turn("90 77 00 00 01 00 00", "A6A2B3C572D06C097BB8DB70463E22DC 91AF"),
        Turn(
            "90 AF 00 00 20 BE7D45753F2CAB85F34BC60CE58B940763FE969658A532DF6D95EA2773F6E991 00",
            "B888349C24B315EAB5B589E279C8263E 9100"),
        Turn("90 8D 00 00 19 01 0E0000 120000 FF0506E10500808283000000000000000000 00", "9100"),
        Turn(
            "90 C4 00 00 29 02 2CF362B7BF4311FF3BE1DAA295E8C68DE09050560D19B9E16C2393AE9CD1FAC7 5D0CE20BCD1D06E6 00",
            "203BB55D1089D587 9100"),
        Turn(
            "90 C4 00 00 29 00 C0EB4DEEFEDDF0B513A03A95A75491818580503190D4D05053FF75668A01D6FD A6610234BDED6432 00",
            "9100"),
        Turn("90 64 00 00 01 00 00", "01 9100"),
        Turn("90 64 00 00 01 02 00", "01 9100"),
        Turn("90 51 00 00 00", "91AE"),
        Turn("90 77 00 00 01 00 00", "919D"),
    ]

    @Test func `a personalization is the one of the application note`() throws {
        var card = try Self.card(random: [
            "91517975190DCEA6104948EFA3085C1B", "7614281A", "6924E8D09722659A2E7DEC68E66312B8",
        ])
        Self.check(Self.personalization, on: &card)
        #expect(card.contents[0xE105]?.prefix(11) == hex("0102030405060708090A00")[...])
        #expect(card.contents[0xE103]?.dropFirst(14).prefix(9) == hex("FF0506E10500808283")[...])
    }

    /// Nothing is readable with a wrong key, and a right one is proven again afterwards.
    @Test func `a wrong answer to the challenge is refused`() throws {
        var card = try Self.card(random: [Self.firstRandom[0], Self.firstRandom[0], Self.firstRandom[1]])
        #expect(card.send("90 71 00 00 02 00 00 00").hasSuffix("91AF"))
        #expect(card.send("90 AF 00 00 20" + String(repeating: " 00", count: 33)) == "91AE")
        #expect(card.send("90 51 00 00 00") == "91AE")
        Self.check(Self.first, on: &card)
    }

    @Test func `a challenge is answered next, or not at all`() throws {
        for (command, answer) in [
            ("90 F5 00 00 01 02 00", "91CA"), ("00 A4 00 0C 02 E103", "6985"), ("90 AF 00 00 01 00 00", "917E"),
        ] {
            var card = try Self.card()
            #expect(card.send("90 71 00 00 02 00 00 00").hasSuffix("91AF"))
            #expect(card.send(command) == answer)
            #expect(card.send("90 AF 00 00 20" + String(repeating: " 00", count: 33)) == "91CA")
        }
    }

    @Test func `nothing outlives the field`() throws {
        var card = try Self.card(random: Self.firstRandom)
        Self.check(Self.first, on: &card)
        card.fieldDropped()
        #expect(card.send("90 51 00 00 00") == "silence")
        card.activate()
        #expect(card.send("90 51 00 00 00") == "91AE")
        #expect(card.send("90 F5 00 00 01 02 00") == "919D")
    }

    @Test(arguments: ["00 B0 00 00 02", "00 D6 00 00 02 0000", "00 B0 84 00 02"])
    func `ISO commands do not read and write after an authentication, and end it`(command: String) throws {
        var card = try Self.card(random: Self.firstRandom)
        Self.check(Self.first, on: &card)
        #expect(card.send("00 A4 02 0C 02 E104") == "9000")
        #expect(card.send(command) == "6982")
        #expect(card.send("90 51 00 00 00") == "91AE")
    }

    @Test func `the level above the application ends the authentication`() throws {
        var card = try Self.card(random: Self.firstRandom)
        Self.check(Self.first, on: &card)
        #expect(card.send("00 A4 04 00 07 D2760000850100 00") == "9000")
        #expect(card.send("90 51 00 00 00") == "91AE")
    }

    @Test func `random commands never trap, with and without an authentication`() throws {
        var generator = SplitMix(seed: 424)
        let codes: [UInt8] = [
            0x71, 0x77, 0xAF, 0x60, 0x64, 0xC4, 0x51, 0xF5, 0x5F, 0xAD, 0x8D, 0xF6, 0x5C, 0x3C, 0xF7,
        ]
        for round in 0..<300 {
            var card = try Self.card(random: Self.firstRandom)
            if round.isMultiple(of: 2) { Self.check(Self.first, on: &card) }
            for _ in 0..<20 {
                let count = Int.random(in: 0...48, using: &generator)
                let code = codes.randomElement(using: &generator) ?? 0
                let data = [UInt8.random(in: 0...5, using: &generator)] + generator.bytes(count: count)
                let command = [0x90, code, 0, 0, UInt8(data.count)] + data + [0]
                guard case .data(let answer) = card.exchange(command) else { continue }
                #expect(answer.count >= 2)
            }
        }
    }

    @Test func `keys that the card cannot have are refused`() {
        #expect(throws: VirtualTagError.wrongKey(number: 5)) {
            try VirtualNTAG424Card(keys: [5: [UInt8](repeating: 0, count: 16)])
        }
        #expect(throws: VirtualTagError.wrongKey(number: 1)) { try VirtualNTAG424Card(keys: [1: [0]]) }
    }
}

/// The secure messaging alone, with the values of AN12196 that need no authentication.
@Suite struct NTAG424SessionTests {
    private static func session(counter: UInt16 = 0) throws -> NTAG424Session {
        let handshake = NTAG424Handshake(
            key: 0, value: [UInt8](repeating: 0, count: 16), continued: nil,
            randomB: hex("B9E2FC789B64BF237CCCAA20EC7E6E48"))
        let answer = hex("35C3E05A752E0144BAC0DE51C1F22C56B34408A23D8AEA266CAB947EA8E0118D")
        return try handshake.finished(answer, transaction: hex("9D00C4DF")).session
    }

    /// Table 17: 128 bytes for file 2.
    @Test func `a long command is opened`() throws {
        var session = try Self.session()
        let encrypted =
            "421C73A27D827658AF481FDFF20A5025B559D0E3AA21E58D347F343CFFC768BFE596C706BC00F2176781D4B0242642"
            + "A0FF5A42C461AAF894D9A1284B8C76BCFA658ACD40555D362E08DB15CF421B51283F9064BCBE20E96CAE545B40"
            + "7C9D651A3315B27373772E5DA2367D2064AE054AF996C6F1F669170FA88CE8C4E3A4A7BBBEF0FD971FF532C3A8"
            + "02AF745660F2B4"
        let command = hex("02000000800000" + encrypted + "D1D9A8499661EBF3")
        let (header, data) = try session.opened(0x8D, command, headerSize: 7, .full)
        #expect(hex(header) == "02000000800000")
        #expect(data.count == 0x80 && data.prefix(7) == hex("0051D1014D5504")[...])
        #expect(hex(session.sealed([], .full)) == "FC222E5F7A542452")
        #expect(session.counter == 1)
    }

    /// Table 18: the counter is 1.
    @Test func `the second command has its own vector and MAC`() throws {
        var session = try Self.session()
        _ = session.sealed([], .plain)
        let command = hex("02 61B6D97903566E84C3AE5274467E89EA D799B7C1A0EF7A04")
        let (_, data) = try session.opened(0x5F, command, headerSize: 1, .full)
        #expect(hex(data) == "4000E0C1F121200000430000430000")
        #expect(hex(session.sealed([], .full)) == "57BFF87B1241E93D")
    }

    @Test func `what was changed on its way is refused`() throws {
        var session = try Self.session()
        let command = hex("02 61B6D97903566E84C3AE5274467E89EA D799B7C1A0EF7A04")
        #expect(throws: NativeStatus.integrityError) { try session.opened(0x5F, command, headerSize: 1, .full) }
        #expect(throws: NativeStatus.wrongLength) { try session.opened(0x5F, [2], headerSize: 1, .full) }
    }

    @Test(arguments: [0, 1, 15, 16, 240, 247, 248])
    func `the size of a response is known before`(count: Int) throws {
        for mode in [NTAG424Session.Mode.plain, .authenticated, .full] where mode != .full || count > 0 {
            var session = try Self.session()
            let data = [UInt8](repeating: 7, count: count)
            #expect(session.sealed(data, mode).count == NTAG424Session.sealedSize(count, mode))
        }
    }
}
