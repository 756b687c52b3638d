import NFCTags
import Testing
import TestSupport

@Suite struct `NDEF on MIFARE Classic, exchange by exchange` {
    static let directory = [
        Exchange("FF82000006 A0A1A2A3A4A5", "9000"), Exchange("FF86000005 0100006000", "9000"),
        Exchange("FFB0000310", "000000000000 787788C1 000000000000 9000"),
        Exchange("FFB0000110", "140103E103E103E103E103E103E103E1 9000"),
        Exchange("FFB0000210", "03E103E103E103E103E103E103E103E1 9000"),
    ]
    static let sector = [
        Exchange("FF82000006 D3F7D3F7D3F7", "9000"), Exchange("FF86000005 0100046000", "9000"),
        Exchange("FFB0000710", "000000000000 7F078840 000000000000 9000"),
    ]
    static let message = Exchange("FFB0000410", "0303D00000FE00000000000000000000 9000")

    static func tag(_ channel: ScriptedCard, _ size: MIFAREClassicSize = .oneK) -> MIFAREClassicNDEFTag {
        MIFAREClassicNDEFTag(channel: channel, size: size)
    }

    @Test func `reading takes directory, trailer and blocks`() async throws {
        let channel = ScriptedCard(Self.directory + Self.sector + [Self.message])
        let result = try await Self.tag(channel).readNDEF()
        #expect(result == NDEFReadResult(status: .readWrite, capacity: 716, message: hex("D00000")))
        #expect(channel.isFinished)
    }

    @Test func `an identified card is read`() async throws {
        let channel = ScriptedCard(Self.directory + Self.sector + [Self.message])
        let atr = hex("3B8F8001804F0CA000000306030001000000006A")
        let identity = TagIdentity(technology: .mifareClassic, identifier: hex("01020304"), atr: atr)
        #expect(try await readNDEF(from: identity, channel: channel).message == hex("D00000"))
    }

    @Test func `a message within one block is written at once`() async throws {
        let write = Exchange("FFD6000410 0304D0000001FE000000000000000000", "9000")
        let channel = ScriptedCard(Self.directory + Self.sector + [Self.message, write])
        try await Self.tag(channel).writeNDEF(hex("D0000001"), verifying: false)
        #expect(channel.isFinished)
    }

    static let changes: [(answer: String, code: NFCErrorCode, leaves: WrittenState)] = [
        ("6982", .tagUpdateFailure, .old), ("6300", .tagUpdateFailure, .oldOrNew),
        ("6581", .tagUpdateFailure, .oldOrNew), ("", .tagUpdateFailure, .oldOrNew),
    ]

    @Test(arguments: changes) func `a refused write reports what is left`(
        row: (answer: String, code: NFCErrorCode, leaves: WrittenState)
    ) async throws {
        let write = Exchange("FFD6000410 0300FE00000000000000000000000000", row.answer)
        let channel = ScriptedCard(Self.directory + Self.sector + [Self.message, write])
        let error = await #expect(throws: TagError.self) { try await Self.tag(channel).writeNDEF([], verifying: true) }
        #expect(error?.code == row.code)
        #expect(error?.leaves == row.leaves)
        #expect(channel.isFinished)
    }

    @Test(arguments: ["6300", "03 00 FD 00000000000000000000000000 9000", "00 9000"])
    func `what reads back differently is not taken for a refusal`(answer: String) async throws {
        let write = Exchange("FFD6000410 0300FE00000000000000000000000000", "9000")
        let channel = ScriptedCard(
            Self.directory + Self.sector + [Self.message, write, Exchange("FFB0000410", answer)])
        let error = await #expect(throws: TagError.self) { try await Self.tag(channel).writeNDEF([], verifying: true) }
        #expect(error?.code == .tagUpdateFailure)
        #expect(error?.leaves == .oldOrNew)
    }

    /// Which exchange of the directory answers otherwise, and the reason that gives.
    static let reasons: [(index: Int, answer: String, words: String)] = [
        (1, "6300", "sector 0 does not open"),
        (2, "000000000000 78778801 000000000000 9000", "no application directory"),
        (2, "000000000000 787788C0 000000000000 9000", "no application directory"),
        (2, "000000000000 787788C3 000000000000 9000", "no application directory"),
        (3, "150103E103E103E103E103E103E103E1 9000", "checksum"),
        (4, "03E103E103E103E103E103E103E103E0 9000", "checksum"),
    ]

    @Test(arguments: reasons) func `without a valid directory there is no NDEF`(
        row: (index: Int, answer: String, words: String)
    ) async throws {
        var script = Self.directory
        let commands = ["", "FF86000005 0100006000", "FFB0000310", "FFB0000110", "FFB0000210"]
        script[row.index] = Exchange(commands[row.index], row.answer)
        let result = try await Self.tag(ScriptedCard(script)).readNDEF()
        #expect(result.status == .notSupported)
        #expect(result.reason?.contains(row.words) == true, "\(result.reason ?? "")")
    }

    /// The first trailer, and what it makes of the card.
    static let trailers: [(bytes: String, status: NDEFStatus)] = [
        ("7F078840", .readWrite), ("7F078843", .readOnly), ("078F0F43", .readOnly), ("078F0F40", .readOnly),
        ("7F078880", .notSupported), ("7F07884C", .notSupported), ("7F078940", .notSupported),
    ]

    @Test(arguments: trailers) func `the first trailer determines the access`(
        bytes: String, status: NDEFStatus
    ) async throws {
        var sector = Self.sector
        sector[2] = Exchange("FFB0000710", "000000000000" + bytes + "000000000000 9000")
        let channel = ScriptedCard(Self.directory + sector + [Self.message])
        #expect(try await Self.tag(channel).readNDEF().status == status)
    }

    @Test func `control TLVs are ignored`() async throws {
        let block = Exchange("FFB0000410", "0103A00C340303D00000FE0000000000 9000")
        let result = try await Self.tag(ScriptedCard(Self.directory + Self.sector + [block])).readNDEF()
        #expect(result.message == hex("D00000"))
        #expect(result.warnings == [.unknownTLV(type: 1, offset: 64, length: 3)])
    }

    @Test(arguments: ["03FFFFFF", "03FE", "FDFFFFF0", "03FF0300"])
    func `a wrong length ends in an error or in the content of the area`(start: String) async throws {
        let block = Exchange("FFB0000410", start + String(repeating: "00", count: 16 - start.count / 2) + "9000")
        let channel = ScriptedCard(Self.directory + Self.sector + [block])
        await #expect(throws: TagError.self) { try await Self.tag(channel).readNDEF() }
    }

    @Test(arguments: 1...9) func `a card that leaves is lost`(count: Int) async throws {
        let script = (Self.directory + Self.sector + [Self.message]).prefix(count - 1)
        let error = await #expect(throws: TagError.self) {
            try await Self.tag(ScriptedCard(Array(script))).readNDEF()
        }
        #expect(error?.code == .tagConnectionLost)
    }
}
