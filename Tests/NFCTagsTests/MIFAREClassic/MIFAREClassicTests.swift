import NFCTags
import Testing
import TestSupport

@Suite struct `MIFARE Classic through a reader` {
    static let load = Exchange("FF82000006 D3F7D3F7D3F7", "9000")
    static let open = Exchange("FF86000005 0100046000", "9000")
    static let block = "000102030405060708090A0B0C0D0E0F"

    /// A card whose sector 1 is open, and what comes then.
    static func opened(
        _ script: [Exchange], _ reader: MIFAREClassicReader = MIFAREClassicReader()
    ) async throws -> (MIFAREClassic, ScriptedCard) {
        let channel = ScriptedCard([load, open] + script)
        let card = MIFAREClassic(channel: channel, size: .oneK, reader: reader)
        try await card.authenticate(sector: 1, key: .ndef, type: .a)
        return (card, channel)
    }

    @Test func `keys go into the volatile slot right before they are used, and once`() async throws {
        let (card, channel) = try await Self.opened([
            Exchange("FF82000006 FFFFFFFFFFFF", "9000"), Exchange("FF86000005 0100046100", "9000"),
        ])
        try await card.authenticate(sector: 1, key: .ndef, type: .a)
        try await card.authenticate(sector: 1, key: .transport, type: .b)
        #expect(channel.isFinished)
    }

    @Test func `a reader can have a slot for each type of key`() async throws {
        let channel = ScriptedCard([
            Exchange("FF82006106 FFFFFFFFFFFF", "9000"), Exchange("FF86000005 0100806161", "9000"),
        ])
        let reader = MIFAREClassicReader(keySlotA: 0x60, keySlotB: 0x61)
        let card = MIFAREClassic(channel: channel, size: .fourK, reader: reader)
        try await card.authenticate(sector: 32, key: .transport, type: .b)
        #expect(channel.isFinished)
    }

    @Test func `a reader without FF 86 gets the obsolete form from then on`() async throws {
        let channel = ScriptedCard([
            Self.load, Exchange("FF86000005 0100046000", "6D00"), Exchange("FF8800046000", "9000"),
            Self.load, Exchange("FF8800086000", "9000"),
        ])
        let card = MIFAREClassic(channel: channel, size: .oneK)
        try await card.authenticate(sector: 1, key: .ndef, type: .a)
        try await card.authenticate(sector: 2, key: .ndef, type: .a)
        #expect(channel.isFinished)
    }

    @Test func `a wrong key halts the card, and nothing more is sent`() async throws {
        let channel = ScriptedCard([Self.load, Exchange("FF86000005 0100046000", "6300")])
        let card = MIFAREClassic(channel: channel, size: .oneK)
        for words in ["does not open", "is halted"] {
            let error = await #expect(throws: TagError.self) {
                try await card.authenticate(sector: 1, key: .ndef, type: .a)
            }
            #expect(error?.code == .tagResponseError)
            #expect(error?.detail.contains(words) == true)
        }
        #expect(channel.isFinished)
    }

    @Test(arguments: [("01020304", NFCErrorCode.tagResponseError), ("01020305", .tagConnectionLost)])
    func `after a new connection the card has to be the same`(found: String, code: NFCErrorCode) async throws {
        let refused = Exchange("FF86000005 0100046000", "6300")
        let again = [Exchange("FFCA000000", found + "9000"), Self.load, refused]
        let channel = ScriptedCard([Self.load, refused] + (found == "01020304" ? again : [again[0]]))
        let reconnection = CardReconnection(identifier: hex("01020304")) {}
        let card = MIFAREClassic(channel: channel, size: .oneK, reconnection: reconnection)
        await #expect(throws: TagError.self) { try await card.authenticate(sector: 1, key: .ndef, type: .a) }
        let error = await #expect(throws: TagError.self) {
            try await card.authenticate(sector: 1, key: .ndef, type: .a)
        }
        #expect(error?.code == code)
        #expect(channel.isFinished)
    }

    @Test(arguments: [("6A81", 1), ("6D00", 1), ("6983", 102), ("6989", 102), ("90", 102), ("", 102)])
    func `a key that the reader rejects is not a wrong key`(answer: String, code: Int) async throws {
        let channel = ScriptedCard([Exchange("FF82000006 D3F7D3F7D3F7", answer)])
        let card = MIFAREClassic(channel: channel, size: .oneK)
        let error = await #expect(throws: TagError.self) {
            try await card.authenticate(sector: 1, key: .ndef, type: .a)
        }
        #expect(error?.code.rawValue == code)
        #expect(channel.isFinished)
    }

    static let refusals: [(String, String)] = [
        ("6300", "block 4 refused"), ("6982", "block 4 refused"), ("9000", "answered with 0 bytes"),
        ("0001029000", "answered with 3 bytes"), ("00" + block + "9000", "answered with 17 bytes"),
        (block + block + "9000", "answered with 32 bytes"), ("63", "a response has at least"),
        ("", "the response is empty"), ("6C10", "block 4 refused"), ("6C00", "block 4 refused"),
    ]

    @Test(arguments: refusals) func `malformed data instead of a block is an error`(
        answer: String, words: String
    ) async throws {
        let (card, channel) = try await Self.opened([Exchange("FFB0000410", answer)])
        let error = await #expect(throws: TagError.self) { try await card.read(block: 4) }
        #expect(error?.code == .tagResponseError)
        #expect(error?.detail.contains(words) == true, "\(error?.detail ?? "")")
        #expect(channel.isFinished)
    }

    @Test(arguments: [CardChannelError.tagLost, .timedOut, .busy])
    func `a command is not repeated after a transport failure`(failure: CardChannelError) async throws {
        let (card, channel) = try await Self.opened([Exchange("FFD6000410" + Self.block, fails: failure)])
        let error = await #expect(throws: TagError.self) { try await card.write(block: 4, hex(Self.block)) }
        #expect(error?.code == failure.code)
        #expect(channel.isFinished)
        await #expect(throws: TagError.self) { try await card.read(block: 4) }
        #expect(channel.isFinished, "the sector is not open any more")
    }

    @Test func `as many blocks are read at once as reader and sector allow`() async throws {
        let three = Self.block + Self.block + Self.block
        let script = [
            Exchange("FFB0000430", three + "9000"), Exchange("FFB0000520", Self.block + "9000"),
            Exchange("FFB0000710", Self.block + "9000"), Exchange("FFB0000430", "6C10"),
            Exchange("FFB0000410", Self.block + "9000"),
        ]
        let (card, channel) = try await Self.opened(script, MIFAREClassicReader(maximumRead: 48))
        #expect(try await card.read(block: 4, count: 99).count == 48)
        #expect(try await card.read(block: 5, count: 9).count == 16)
        #expect(try await card.read(block: 7, count: 9).count == 16)
        #expect(try await card.read(block: 4, count: 3).count == 16)
        #expect(channel.isFinished)
    }

    @Test func `blocks of closed sectors, and those that do not exist, are not read`() async throws {
        let (card, channel) = try await Self.opened([])
        for block in [8, 0, 64, -1, 4000] {
            await #expect(throws: TagError.self) { try await card.read(block: block) }
            await #expect(throws: TagError.self) { try await card.write(block: block, hex(Self.block)) }
        }
        await #expect(throws: TagError.self) { try await card.authenticate(sector: 16, key: .ndef, type: .a) }
        #expect(channel.isFinished)
    }

    @Test func `trailers and block 0 are written only on explicit request`() async throws {
        let good = "000000000000 7F078840 FFFFFFFFFFFF"
        let (card, channel) = try await Self.opened([
            Exchange("FFD6000710" + good, "9000"),
            Exchange("FF82000006 FFFFFFFFFFFF", "9000"), Exchange("FF86000005 0100006000", "9000"),
            Exchange("FFD6000010" + Self.block, "9000"),
        ])
        let refused = await #expect(throws: TagError.self) { try await card.write(block: 7, hex(good)) }
        #expect(refused?.code == .securityViolation)
        let wrong = await #expect(throws: TagError.self) {
            try await card.write(block: 7, hex("000000000000 7F078940 FFFFFFFFFFFF"), allowing: .trailers)
        }
        #expect(wrong?.detail == "the access bits do not match their complements and would make the sector unusable")
        try await card.write(block: 7, hex(good), allowing: .trailers)
        try await card.authenticate(sector: 0, key: .transport, type: .a)
        await #expect(throws: TagError.self) { try await card.write(block: 0, hex(Self.block), allowing: .trailers) }
        try await card.write(block: 0, hex(Self.block), allowing: .manufacturer)
        await #expect(throws: TagError.self) { try await card.write(block: 1, [1, 2, 3]) }
        #expect(channel.isFinished)
    }

    @Test func `value commands follow the ACS format`() async throws {
        let script = [
            Exchange("FFD7000505 0100000102", "9000"), Exchange("FFD7000505 0200000001", "9000"),
            Exchange("FFD7000502 0306", "9000"),
        ]
        let (card, channel) = try await Self.opened(script, MIFAREClassicReader(valueCommands: .acs))
        try await card.increment(block: 5, by: 258)
        try await card.decrement(block: 5, by: 1)
        try await card.copyValue(from: 5, to: 6)
        await #expect(throws: TagError.self) { try await card.increment(block: 7, by: 1) }
        await #expect(throws: TagError.self) { try await card.copyValue(from: 5, to: 9) }
        await #expect(throws: TagError.self) { try await card.decrement(block: 5, by: -1) }
        #expect(channel.isFinished)
    }

    @Test func `value commands follow the HID format`() async throws {
        let script = [
            Exchange("FFD4000504 02010000", "9000"), Exchange("FFD8000504 01000000", "9000"),
        ]
        let (card, channel) = try await Self.opened(script, MIFAREClassicReader(valueCommands: .hid))
        try await card.increment(block: 5, by: 258)
        try await card.decrement(block: 5, by: 1)
        let copy = await #expect(throws: TagError.self) { try await card.copyValue(from: 5, to: 6) }
        #expect(copy?.code == .unsupportedFeature)
        #expect(channel.isFinished)
    }
}
