import PCSC
import Testing

@testable import NFCReaders

@Suite struct `A command that failed` {
    static let type2 = hex("3B8F8001804F0CA0000003060300030000000068")
    static let classic = hex("3B8F8001804F0CA000000306030001000000006A")
    static let iso15693 = hex("3B8F8001804F0CA0000003060B00140000000077")
    static let part4 = hex("3B80800101")
    static let identifier = hex("04010203040506 9000")

    static let rows: [(atr: [UInt8], before: [String], command: String, isRepeated: Bool)] = [
        (type2, [], "FFCA000000", true),
        (type2, [], "FFB0000410", true),
        (type2, ["FFCA000000", "FFB0000010", "FFD600040401020304"], "FFB0000410", true),
        (iso15693, [], "FFB0000104", true),
        (part4, [], "FFCA000000", true),
        (classic, [], "FFCA000000", true),
        // Writes never.
        (type2, [], "FFD600040401020304", false),
        (iso15693, [], "FFD600040401020304", false),
        (part4, [], "00D600000101", false),
        // A key or a file may stand behind these.
        (classic, [], "FFB0000410", false),
        (part4, [], "FFB0000010", false),
        (part4, [], "00B0000010", false),
        (part4, [], "00A4040007D276000085010100", false),
        // A reset would take away what came before.
        (classic, ["FF860000050100046000"], "FFCA000000", false),
        (part4, ["00A4040007D276000085010100"], "FFCA000000", false),
        (type2, ["FF00000007D4421B01020304"], "FFB0000410", false),
        (type2, [], "FF00000003D44260", false),
        (type2, [], "FFC200000281 00", false),
        ([], [], "FFB0000410", false),
        (type2, [], "", false),
        (type2, [], "FF", false),
    ]

    @Test(arguments: rows)
    func `is sent once more after a reset only where nothing can be lost`(
        atr: [UInt8], before: [String], command: String, isRepeated: Bool
    ) {
        var memory = CardMemory(answerToReset: atr)
        for sent in before {
            memory.willSend(hex(sent))
            memory.answered(hex(sent), with: hex("9000"))
        }
        memory.willSend(hex(command))
        #expect(memory.remedy(for: .notTransacted, after: hex(command)) == (isRepeated ? .reset : .none))
        for code in [PCSCCode.removedCard, .communicationError, .timeout, .sharingViolation] {
            #expect(memory.remedy(for: code, after: hex(command)) == .none)
        }
    }

    @Test func `is sent once more after somebody's reset if the tag proves to be the same`() {
        var memory = CardMemory(answerToReset: Self.type2)
        #expect(memory.remedy(for: .resetCard, after: hex("FFB0000410")) == .none)
        memory.answered(hex("FFCA000000"), with: hex("6300"))
        #expect(memory.remedy(for: .resetCard, after: hex("FFB0000410")) == .none)
        memory.answered(hex("FFCA000000"), with: Self.identifier)
        #expect(
            memory.remedy(for: .resetCard, after: hex("FFB0000410"))
                == .rejoin(identifying: hex("FFCA000000"), identifier: Self.identifier))
        #expect(memory.remedy(for: .resetCard, after: hex("FFD600040401020304")) == .none)
    }

    @Test func `has nothing behind it any more after a reset of our own`() {
        var memory = CardMemory(answerToReset: Self.type2)
        memory.willSend(hex("FF00000003D44260"))
        #expect(memory.remedy(for: .notTransacted, after: hex("FFB0000410")) == .none)
        memory.cardWasReset()
        #expect(memory.remedy(for: .notTransacted, after: hex("FFB0000410")) == .reset)
    }
}
