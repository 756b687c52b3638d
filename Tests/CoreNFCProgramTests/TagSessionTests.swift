import CoreNFCTesting
import Testing

@testable import corenfc_programs

/// Sessions for tags: detection, connecting, and the commands of each kind.
@Suite(.timeLimit(.minutes(20)))
struct TagSessionTests {
    static let ndefApplication = Data([0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01])

    static func select(_ name: Data) -> NFCISO7816APDU {
        NFCISO7816APDU(
            instructionClass: 0, instructionCode: 0xA4, p1Parameter: 4, p2Parameter: 0, data: name,
            expectedResponseLength: 256)
    }

    @Test func `an ISO 7816 card takes commands in each of their forms`() async throws {
        try await Bench.use(.type4(uri: "https://a.b"), .iso14443) { bench in
            guard case .iso7816(let card) = bench.tag else { return bench.isOther() }
            #expect(card.identifier == bench.presented.identifier)
            let (data, sw1, sw2) = try await card.sendCommand(apdu: Self.select(Self.ndefApplication))
            #expect(data.isEmpty && sw1 == 0x90 && sw2 == 0)
            let response: NFCISO7816ResponseAPDU = try await card.sendCommand(
                apdu: Self.select(Data([0xA0, 0, 0, 0, 1])))
            #expect(response.statusWord1 == 0x6A && response.statusWord2 == 0x82)
            let read = try #require(NFCISO7816APDU(data: Data([0x00, 0xB0, 0x00, 0x00, 0x0F])))
            let result = await withCheckedContinuation { done in
                card.sendCommand(apdu: read) { (result: Result<NFCISO7816ResponseAPDU, any Error>) in
                    done.resume(returning: result)
                }
            }
            #expect(try result.get().statusWord1 != 0)
        }
    }

    @Test func `a single ISO 7816 card needs no connecting`() async throws {
        try await Bench.use(.type4(), .iso14443, connects: false) { bench in
            guard case .iso7816(let card) = bench.tag else { return bench.isOther() }
            #expect(!card.isAvailable && bench.session.connectedTag == nil)
            let (_, sw1, _) = try await card.sendCommand(apdu: Self.select(Self.ndefApplication))
            #expect(sw1 == 0x90)
            #expect(card.isAvailable && bench.session.connectedTag != nil)
        }
    }

    @Test func `an APDU beyond what there is is refused before it is sent`() async throws {
        try await Bench.use(.type4(), .iso14443) { bench in
            guard case .iso7816(let card) = bench.tag else { return bench.isOther() }
            let apdu = NFCISO7816APDU(
                instructionClass: 0, instructionCode: 0xB0, p1Parameter: 0, p2Parameter: 0, data: Data(),
                expectedResponseLength: 65_537)
            let error = await #expect(throws: NFCReaderError.self) { try await card.sendCommand(apdu: apdu) }
            #expect(error?.code == .readerErrorParameterOutOfBound)
        }
    }

    /// SW2 of 00 stands for 256 bytes or more: programs pass it on as the length of GET RESPONSE.
    @Test(arguments: [255, 256, 257, 600]) func `what 61 XX announces is fetched until 90 00`(count: Int) async throws {
        let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        let name = "A0000005272101"
        let tag = TestTag.card(aid: name) { command in
            command.instructionCode == 0xA1 ? VirtualCardResponse(content) : .instructionNotSupported
        }
        try await Bench.undeclared(tag, .iso14443, selecting: [name]) { bench in
            guard case .iso7816(let card) = bench.tag else { return bench.isOther() }
            func send(_ instruction: UInt8, _ length: Int) async throws -> (Data, UInt8, UInt8) {
                try await card.sendCommand(
                    apdu: NFCISO7816APDU(
                        instructionClass: 0, instructionCode: instruction, p1Parameter: 0, p2Parameter: 0, data: Data(),
                        expectedResponseLength: length))
            }
            var (answer, sw1, sw2) = try await send(0xA1, 16)
            while sw1 == 0x61 {
                let (part, next, left) = try await send(0xC0, Int(sw2))
                answer += part
                (sw1, sw2) = (next, left)
            }
            #expect(sw1 == 0x90 && sw2 == 0x00)
            #expect(answer == content)
        }
    }

    @Test func `an NTAG is a MIFARE tag and takes its own commands`() async throws {
        try await Bench.use(.ntag213(uri: "https://a.b"), .iso14443) { bench in
            guard case .miFare(let tag) = bench.tag else { return bench.isOther() }
            #expect(tag.mifareFamily == .ultralight && tag.historicalBytes == nil)
            let pages = try await tag.sendMiFareCommand(commandPacket: Data([0x30, 0x00]))
            #expect(pages == bench.presented.memory.prefix(16))
            let version = try await tag.sendMiFareCommand(commandPacket: Data([0x60]))
            #expect(version.count == 8)
            let error = await #expect(throws: NFCReaderError.self) {
                try await tag.sendMiFareISO7816Command(Self.select(Self.ndefApplication))
            }
            #expect(error?.code == .readerErrorUnsupportedFeature)
        }
    }

    @Test func `a DESFire without a listed application is a MIFARE tag and takes APDUs`() async throws {
        let configuration = NFCTagReaderSession.Configuration(
            pollingOption: .iso14443, iso7816SelectIdentifiers: ["A0000000010203"])
        try await Bench.use(.desfire(), configuration) { bench in
            guard case .miFare(let tag) = bench.tag else { return bench.isOther() }
            #expect(tag.mifareFamily == .desfire)
            let version = NFCISO7816APDU(
                instructionClass: 0x90, instructionCode: 0x60, p1Parameter: 0, p2Parameter: 0, data: Data(),
                expectedResponseLength: 256)
            let (data, sw1, sw2) = try await tag.sendMiFareISO7816Command(version)
            #expect(data.count == 7 && sw1 == 0x91 && sw2 == 0xAF)
        }
    }

    @Test func `with a listed application it is an ISO 7816 card, and off the list nothing is selected`() async throws {
        let configuration = NFCTagReaderSession.Configuration(
            pollingOption: .iso14443, iso7816SelectIdentifiers: ["A0000000010203", "D2760000850101"])
        try await Bench.use(.desfire(), configuration) { bench in
            guard case .iso7816(let card) = bench.tag else { return bench.isOther() }
            #expect(card.initialSelectedAID == "D2760000850101")
            let error = await #expect(throws: NFCReaderError.self) {
                try await card.sendCommand(apdu: Self.select(Data([0xA0, 0, 0, 0, 9])))
            }
            #expect(error?.code == .readerErrorSecurityViolation)
            let (_, sw1, _) = try await card.sendCommand(apdu: Self.select(Self.ndefApplication))
            #expect(sw1 == 0x90)
        }
    }

    @Test func `messages are read and written in a session for tags, too`() async throws {
        try await Bench.use(.ntag215(uri: "https://a.b"), .iso14443) { bench in
            guard case .miFare(let tag) = bench.tag else { return bench.isOther() }
            #expect(try await tag.readNDEF().records.first?.wellKnownTypeURIPayload()?.absoluteString == "https://a.b")
            try await tag.writeNDEF(WriterTests.link)
            #expect(try await tag.readNDEF().records.first?.wellKnownTypeURIPayload()?.path == "/new")
        }
    }

    @Test func `the delegate that Objective-C declares is notified, and given tags`() async throws {
        try await withVirtualTag(.ntag213()) { _ in
            let log = FormerLog()
            let session = try #require(
                NFCTagReaderSession(__pollingOption: .iso14443, delegate: log, queue: nil))
            session.begin()
            await log.happenings.wait(for: "tag 4")
            session.invalidate()
            await log.happenings.wait(for: "over: 200")
            #expect(log.happenings.all == ["active", "tag 4", "over: 200"])
        }
    }
}

/// A delegate as Objective-C declares it.
private final class FormerLog: NSObject, __NFCTagReaderSessionDelegate, @unchecked Sendable {
    let happenings = Happenings()

    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) { happenings.note("active") }

    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [any __NFCTag]) {
        happenings.note("tag \(tags.first?.type.rawValue ?? 0)")
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {
        happenings.note("over: \((error as? NFCReaderError)?.errorCode ?? -1)")
    }
}
