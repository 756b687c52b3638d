import CoreNFC

/// An app for one-time codes on a security key: it asks for the key's PIN and shows the codes of all accounts, as apps for YubiKeys
/// do. The commands are those of the key's OATH application, with a PIN in front of it.
final class CodeReader: NSObject, NFCTagReaderSessionDelegate, @unchecked Sendable {
    enum Failure: Error { case status(UInt16), malformed }

    let happenings = Happenings()
    private let pin: String
    private var session: NFCTagReaderSession?

    init(pin: String) {
        self.pin = pin
    }

    func start() {
        session = NFCTagReaderSession(pollingOption: .iso14443, delegate: self, queue: nil)
        session?.alertMessage = "Hold your key near the reader."
        session?.begin()
    }

    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {}

    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {
        happenings.note("over: \((error as? NFCReaderError)?.errorCode ?? -1)")
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
        guard let tag = tags.first, case .iso7816(let key) = tag else {
            happenings.note("not a key")
            return session.restartPolling()
        }
        Task {
            do {
                try await session.connect(to: tag)
                happenings.note("key \(key.initialSelectedAID) \(key.identifier.hexadecimal)")
                try await showCodes(of: key)
                session.alertMessage = "Done."
                session.invalidate()
            } catch {
                happenings.note("failed: \(error)")
                session.invalidate(errorMessage: "The key could not be read.")
            }
        }
    }

    private func showCodes(of key: any NFCISO7816Tag) async throws {
        let version = try await send(0xA4, p1: 0x04, Data(hexadecimal: "A0000005272101"), to: key)
        happenings.note("version \(try Fields(version)[0x79].hexadecimal)")
        guard try await verify(key) else { return }
        let challenge = Data([0x74, 0x08]) + Data([0, 0, 0, 0, 0x03, 0x2D, 0x1B, 0x40])
        let codes = try Fields(try await send(0xA4, p2: 0x01, challenge, to: key))
        for (name, code) in zip(codes.all(0x71), codes.all(0x76)) {
            happenings.note("\(String(decoding: name, as: UTF8.self)) \(try Self.digits(code))")
        }
    }

    /// False where the key refuses the PIN.
    private func verify(_ key: any NFCISO7816Tag) async throws -> Bool {
        do {
            _ = try await send(0x20, p2: 0x80, Data(pin.utf8), to: key)
            return true
        } catch Failure.status(let status) where status & 0xFFF0 == 0x63C0 {
            happenings.note("wrong PIN, \(status & 0xF) left")
        } catch Failure.status(0x6983) {
            happenings.note("PIN blocked")
        }
        return false
    }

    /// The number of digits, then the truncated hash, most significant byte first.
    private static func digits(_ code: Data) throws -> String {
        guard code.count == 5, let count = code.first, (6...8).contains(count) else { throw Failure.malformed }
        let number = code.dropFirst().reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
        return String(String(number + 1_000_000_000).suffix(Int(count)))
    }

    /// Sends a command and what it takes to get the rest of a long response: this application has its own instruction.
    private func send(
        _ instruction: UInt8, p1: UInt8 = 0, p2: UInt8 = 0, _ data: Data, to key: any NFCISO7816Tag
    ) async throws -> Data {
        var (response, sw1, sw2) = try await key.sendCommand(
            apdu: NFCISO7816APDU(
                instructionClass: 0, instructionCode: instruction, p1Parameter: p1, p2Parameter: p2, data: data,
                expectedResponseLength: 256))
        while sw1 == 0x61 {
            let rest = NFCISO7816APDU(
                instructionClass: 0, instructionCode: 0xA5, p1Parameter: 0, p2Parameter: 0, data: Data(),
                expectedResponseLength: 256)
            let more: Data
            (more, sw1, sw2) = try await key.sendCommand(apdu: rest)
            response += more
        }
        guard sw1 == 0x90, sw2 == 0 else { throw Failure.status(UInt16(sw1) << 8 | UInt16(sw2)) }
        return response
    }
}

/// Tag, length, value, with lengths of one byte.
private struct Fields {
    private var fields: [(tag: UInt8, value: Data)] = []

    init(_ data: Data) throws {
        var rest = data
        while let tag = rest.popFirst() {
            guard let count = rest.popFirst(), rest.count >= Int(count) else { throw CodeReader.Failure.malformed }
            fields.append((tag, Data(rest.prefix(Int(count)))))
            rest = rest.dropFirst(Int(count))
        }
    }

    func all(_ tag: UInt8) -> [Data] { fields.filter { $0.tag == tag }.map(\.value) }

    subscript(tag: UInt8) -> Data { all(tag).first ?? Data() }
}

extension Data {
    var hexadecimal: String { map { String(format: "%02X", $0) }.joined() }

    /// Pairs of digits; what is not a digit counts as 0.
    init(hexadecimal text: String) {
        let digits = text.map { UInt8($0.hexDigitValue ?? 0) }
        self.init(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }
}
