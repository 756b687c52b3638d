import CoreNFCTesting
import Testing

@testable import corenfc_programs

/// MIFARE cards of ISO/IEC 14443-4, with no application listed.
@Suite(.timeLimit(.minutes(20)))
struct MiFareTests {
    private static let ticket = "a ticket that does not fit into one frame, and is written in two of them"

    @Test func `a program works with a DESFire application by native and wrapped commands`() async throws {
        try await withVirtualTag(.desfire()) { _ in
            try await withDeclarations {
                let inspector = DESFireInspector(application: [0x01, 0x00, 0x00], file: 2)
                inspector.start()
                await inspector.happenings.wait(for: "closed")
                #expect(
                    inspector.happenings.all == [
                        "ready", "version of 28 bytes, UID true", "written", "native: \(Self.ticket)",
                        "wrapped: \(Self.ticket)", "challenge of 16 bytes", "wrong key", "closed",
                    ])
            }
        }
    }

    private func use(_ tag: TestTag, _ body: (Bench, any NFCMiFareTag) async throws -> Void) async throws {
        try await Bench.undeclared(tag, .iso14443) { bench in
            guard case .miFare(let card) = bench.tag else { return bench.isOther() }
            try await body(bench, card)
        }
    }

    @Test(arguments: ["desfire-ev1", "ntag424"])
    func `without a list of applications a card arrives with its family`(model: String) async throws {
        try await use(.model(model)) { bench, card in
            #expect(card.mifareFamily == .desfire && card.type == .miFare)
            #expect(card.identifier == bench.presented.identifier && card.historicalBytes == Data([0x80]))
            #expect(card.asNFCISO7816Tag() == nil && card.asNFCMiFareTag() != nil)
        }
    }

    @Test func `a native answer in several frames comes whole, with the status in front`() async throws {
        try await use(.desfire()) { bench, card in
            let version = try await card.sendMiFareCommand(commandPacket: Data([0x60]))
            #expect(version.count == 29 && version.prefix(3) == Data([0x00, 0x04, 0x01]))
            #expect(version.dropFirst(15).prefix(7) == bench.presented.identifier)
            // The same without an application: the status alone, and no error.
            #expect(try await card.sendMiFareCommand(commandPacket: Data([0xBD, 2, 0, 0, 0, 0, 0, 0])) == Data([0x9D]))
            _ = try await card.sendMiFareCommand(commandPacket: Data([0x5A, 1, 0, 0]))
            let file = try await card.sendMiFareCommand(commandPacket: Data([0xBD, 2, 0, 0, 0, 0, 0, 0]))
            #expect(file.count == 2049 && file.first == 0x00)
        }
    }

    @Test func `a command APDU in a native packet is sent as it is, and SW1 SW2 end its answer`() async throws {
        try await use(.desfire()) { _, card in
            let version = try await card.sendMiFareCommand(commandPacket: Data([0x90, 0x60, 0, 0, 0]))
            #expect(version.count == 9 && version.suffix(2) == Data([0x91, 0xAF]))
            let rest = try await card.sendMiFareCommand(commandPacket: Data([0x90, 0xAF, 0, 0, 0]))
            #expect(rest.count == 9 && rest.suffix(2) == Data([0x91, 0xAF]))
            let select = Data([0x00, 0xA4, 0x04, 0x00, 0x07]) + TagSessionTests.ndefApplication + Data([0x00])
            #expect(try await card.sendMiFareCommand(commandPacket: select) == Data([0x90, 0x00]))
        }
    }

    @Test func `frames one after another keep their order`() async throws {
        try await use(.desfire()) { _, card in
            async let first = card.sendMiFareCommand(commandPacket: Data([0x60]))
            async let second = card.sendMiFareCommand(commandPacket: Data([0x6A]))
            async let third = card.sendMiFareCommand(commandPacket: Data([0x60]))
            let answers = try await [first, second, third]
            #expect(answers.map(\.count).sorted() == [4, 29, 29] && answers.allSatisfy { $0.first == 0x00 })
        }
    }
}
