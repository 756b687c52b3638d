import CoreNFC

/// A reader of a DESFire card's file as apps for tickets and badges have it: native commands, the same ones wrapped into command
/// APDUs, and an authentication.
final class DESFireInspector: NSObject, NFCTagReaderSessionDelegate, @unchecked Sendable {
    struct Refusal: Error { let status: UInt8 }

    let happenings = Happenings()
    private let application: [UInt8]
    private let file: UInt8
    private var session: NFCTagReaderSession?

    /// - Parameters:
    ///   - application: its number, least significant byte first.
    ///   - file: the file to read and write.
    init(application: [UInt8], file: UInt8) {
        self.application = application
        self.file = file
    }

    func start() {
        session = NFCTagReaderSession(pollingOption: .iso14443, delegate: self)
        session?.begin()
    }

    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {
        happenings.note("ready")
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {
        happenings.note(
            (error as? NFCReaderError)?.code == .readerSessionInvalidationErrorUserCanceled ? "closed" : "lost")
        self.session = nil
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
        guard let tag = tags.first, case .miFare(let card) = tag, card.mifareFamily == .desfire else {
            happenings.note("no DESFire card")
            return session.invalidate(errorMessage: "Hold a DESFire card near the reader.")
        }
        Task {
            do {
                try await session.connect(to: tag)
                try await inspect(card)
                session.invalidate()
            } catch {
                happenings.note("failed: \(error)")
                session.invalidate(errorMessage: "The card could not be read.")
            }
        }
    }

    private func inspect(_ card: any NFCMiFareTag) async throws {
        let version = try await native(card, 0x60)
        happenings.note("version of \(version.count) bytes, UID \(version.dropFirst(14).prefix(7) == card.identifier)")
        _ = try await native(card, 0x5A, application)
        let text = Array("a ticket that does not fit into one frame, and is written in two of them".utf8)
        try await write(text, to: card)
        let range = [file] + number(0) + number(text.count)
        happenings.note("native: \(String(decoding: try await native(card, 0xBD, range), as: UTF8.self))")
        happenings.note("wrapped: \(String(decoding: try await wrapped(card, 0xBD, range), as: UTF8.self))")
        try await authenticate(card)
    }

    // MARK: Native commands

    /// The answer to a command, without its status.
    private func native(_ card: any NFCMiFareTag, _ code: UInt8, _ parameters: [UInt8] = []) async throws -> Data {
        let answer = try await card.sendMiFareCommand(commandPacket: Data([code] + parameters))
        guard let status = answer.first, status == 0x00 else { throw Refusal(status: answer.first ?? 0xFF) }
        return answer.dropFirst()
    }

    /// Writes in two frames: the card asks for the second one with AF.
    private func write(_ bytes: [UInt8], to card: any NFCMiFareTag) async throws {
        let head = [0x3D, file] + number(0) + number(bytes.count)
        let answer = try await card.sendMiFareCommand(commandPacket: Data(head + bytes.prefix(40)))
        guard answer == Data([0xAF]) else { throw Refusal(status: answer.first ?? 0xFF) }
        _ = try await native(card, 0xAF, Array(bytes.dropFirst(40)))
        happenings.note("written")
    }

    /// Begins an authentication with AES and gives a wrong answer to the card's challenge.
    private func authenticate(_ card: any NFCMiFareTag) async throws {
        let challenge = try await card.sendMiFareCommand(commandPacket: Data([0xAA, 0x00]))
        guard challenge.first == 0xAF else { throw Refusal(status: challenge.first ?? 0xFF) }
        happenings.note("challenge of \(challenge.count - 1) bytes")
        let answer = try await card.sendMiFareCommand(commandPacket: Data([0xAF]) + Data(repeating: 0x5A, count: 32))
        happenings.note(answer == Data([0xAE]) ? "wrong key" : "opened")
    }

    // MARK: Wrapped commands

    /// The answer to a command in an APDU, and in as many more as the card has frames.
    private func wrapped(_ card: any NFCMiFareTag, _ code: UInt8, _ parameters: [UInt8]) async throws -> Data {
        var answer = Data()
        var (next, data) = (code, Data(parameters))
        while true {
            let apdu = NFCISO7816APDU(
                instructionClass: 0x90, instructionCode: next, p1Parameter: 0, p2Parameter: 0, data: data,
                expectedResponseLength: 256)
            let (part, sw1, sw2) = try await card.sendMiFareISO7816Command(apdu)
            answer += part
            guard sw1 == 0x91, sw2 == 0xAF || sw2 == 0x00 else { throw Refusal(status: sw2) }
            if sw2 == 0x00 { return answer }
            (next, data) = (0xAF, Data())
        }
    }

    private func number(_ value: Int) -> [UInt8] {
        [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value >> 16 & 0xFF)]
    }
}
