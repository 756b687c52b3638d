import CoreNFCTesting
import Testing

@testable import corenfc_programs

/// The properties of tags where nothing is declared, and in sessions for messages: never empty, as programs index into them.
@Suite(.timeLimit(.minutes(20)))
struct UndeclaredTests {
    private static let ndefApplication = "D2760000850101"

    @Test func `the NDEF application of an ISO 7816 card is selected`() async throws {
        try await Bench.undeclared(.type4(uri: "https://a.b"), .iso14443) { bench in
            guard case .iso7816(let card) = bench.tag else { return bench.isOther() }
            #expect(card.initialSelectedAID == Self.ndefApplication)
            // Its files are there without a SELECT by the program.
            let select = NFCISO7816APDU(
                instructionClass: 0, instructionCode: 0xA4, p1Parameter: 0, p2Parameter: 0x0C,
                data: Data([0xE1, 0x03]), expectedResponseLength: -1)
            let (_, sw1, sw2) = try await card.sendCommand(apdu: select)
            #expect(sw1 == 0x90 && sw2 == 0x00)
        }
    }

    @Test(arguments: [("felica-lite-s", "uri", [0x12, 0xFC]), ("felica-lite-s", "", [0x88, 0xB4])])
    func `a FeliCa card has the NDEF system, else its own`(model: String, content: String, code: [UInt8]) async throws {
        let tag: TestTag = content.isEmpty ? .model(model) : .model(model, uri: "https://a.b")
        try await Bench.undeclared(tag, .iso18092) { bench in
            guard case .feliCa(let card) = bench.tag else { return bench.isOther() }
            #expect(card.currentSystemCode == Data(code))
            #expect(card.currentIDm == bench.presented.identifier)
        }
    }

    private func messageTag(_ tag: TestTag, _ body: (any NFCNDEFTag) throws -> Void) async throws {
        try await withVirtualTag(tag) { _ in
            let log = SessionLog()
            let session = NFCNDEFReaderSession(delegate: log, queue: nil, invalidateAfterFirstRead: false)
            session.begin()
            await log.happenings.wait(for: "tags: 1")
            try body(try #require(log.messageTags.first))
            session.invalidate()
            await log.happenings.wait(for: "over: 200")
        }
    }

    @Test func `in a session for messages tags have the properties that an iPhone gives them`() async throws {
        try await messageTag(.feliCaLiteS(WriterTests.link)) { tag in
            #expect((tag as? any NFCFeliCaTag)?.currentSystemCode == Data([0x12, 0xFC]))
        }
        try await messageTag(.type4(uri: "https://a.b")) { tag in
            #expect((tag as? any NFCISO7816Tag)?.initialSelectedAID == Self.ndefApplication)
        }
        try await messageTag(.desfire(WriterTests.link)) { tag in
            #expect((tag as? any NFCMiFareTag)?.mifareFamily == .desfire)
        }
        try await messageTag(.ntag213(uri: "https://a.b")) { tag in
            #expect((tag as? any NFCMiFareTag)?.mifareFamily == .ultralight)
        }
    }
}
