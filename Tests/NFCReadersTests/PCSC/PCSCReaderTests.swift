import PCSC
import Testing
import TestSupport

@testable import NFCReaders
@testable import PCSCReaders

@Suite struct `An exchange over PC/SC` {
    static let type2 = hex("3B8F8001804F0CA0000003060300030000000068")
    static let identifying = hex("FFCA000000")
    static let read = hex("FFB0000410")
    static let write = hex("FFD600040401020304")

    /// A card that fails as configured, and records what it receives.
    final class Link: CardLink {
        var cardCounter: UInt16? = 7
        var failures: [PCSCCode]
        var resetFailure: PCSCCode?
        var identifier = hex("04010203 9000")
        var calls: [String] = []

        init(_ failures: PCSCCode...) { self.failures = failures }

        func send(_ command: [UInt8]) throws(PCSCError) -> [UInt8] {
            calls.append(command == identifying ? "identify" : command == write ? "write" : "read")
            if let code = failures.isEmpty ? nil : failures.removeFirst(), code != .success {
                throw PCSCError(code: code, operation: "SCardTransmit")
            }
            return command == identifying ? identifier : hex("9000")
        }

        func reconnect(_ disposition: Disposition) throws(PCSCError) {
            calls.append("\(disposition)")
            if let resetFailure { throw PCSCError(code: resetFailure, operation: "SCardReconnect") }
        }
    }

    static func recovery() -> CardRecovery { CardRecovery(answerToReset: type2, cardCounter: 7) }

    /// The result code of a failed exchange; nil on success.
    static func failure(_ command: [UInt8], _ link: Link, _ recovery: inout CardRecovery) -> PCSCCode? {
        do throws(PCSCError) {
            _ = try recovery.transmit(command, over: link)
            return nil
        } catch {
            return error.code
        }
    }

    static func failure(_ command: [UInt8], _ link: Link) -> PCSCCode? {
        var recovery = recovery()
        return failure(command, link, &recovery)
    }

    @Test func `that reads is repeated once after a reset`() {
        let link = Link(.notTransacted)
        #expect(Self.failure(Self.read, link) == nil)
        #expect(link.calls == ["read", "reset", "read"])
        let broken = Link(.notTransacted, .notTransacted)
        #expect(Self.failure(Self.read, broken) == .notTransacted)
        #expect(broken.calls == ["read", "reset", "read"])
    }

    @Test(arguments: [PCSCCode.notTransacted, .resetCard]) func `that writes is never repeated`(code: PCSCCode) {
        let link = Link(.success, code)
        var recovery = Self.recovery()
        #expect(Self.failure(Self.identifying, link, &recovery) == nil)
        #expect(Self.failure(Self.write, link, &recovery) == code)
        #expect(link.calls == ["identify", "write"])
    }

    @Test(arguments: [UInt16?.none, 8]) func `with a removed tag is not repeated`(counter: UInt16?) {
        let link = Link(.notTransacted)
        link.cardCounter = counter
        #expect(Self.failure(Self.read, link) == .removedCard)
        #expect(link.calls == ["read"])
    }

    @Test func `fails if the reset fails`() {
        let link = Link(.notTransacted)
        link.resetFailure = .removedCard
        #expect(Self.failure(Self.read, link) == .removedCard)
        #expect(link.calls == ["read", "reset"])
    }

    @Test func `is repeated after another program's reset if the tag is the same`() {
        let link = Link(.success, .resetCard)
        var recovery = Self.recovery()
        #expect(Self.failure(Self.identifying, link, &recovery) == nil)
        #expect(Self.failure(Self.read, link, &recovery) == nil)
        #expect(link.calls == ["identify", "read", "leave", "identify", "read"])
        link.failures = [.resetCard]
        link.identifier = hex("04090909 9000")
        #expect(Self.failure(Self.read, link, &recovery) == .resetCard)
        #expect(Self.failure(Self.read, Link(.resetCard)) == .resetCard)
    }
}

@Suite struct `A failed command` {
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
        // Writes are never repeated.
        (type2, [], "FFD600040401020304", false),
        (iso15693, [], "FFD600040401020304", false),
        (part4, [], "00D600000101", false),
        // These may depend on a key or a selected file.
        (classic, [], "FFB0000410", false),
        (part4, [], "FFB0000010", false),
        (part4, [], "00B0000010", false),
        (part4, [], "00A4040007D276000085010100", false),
        // A reset would lose the state of the commands before.
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
    func `is repeated after a reset only if nothing can be lost`(
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

    @Test func `is repeated after another program's reset if the tag is the same`() {
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

    @Test func `may be repeated again after a requested reset`() {
        var memory = CardMemory(answerToReset: Self.type2)
        memory.willSend(hex("FF00000003D44260"))
        #expect(memory.remedy(for: .notTransacted, after: hex("FFB0000410")) == .none)
        memory.cardWasReset()
        #expect(memory.remedy(for: .notTransacted, after: hex("FFB0000410")) == .reset)
    }
}
