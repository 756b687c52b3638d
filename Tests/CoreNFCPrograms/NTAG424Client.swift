import CoreNFC

/// An app that checks and personalizes NTAG 424 DNA tags: AuthenticateEV2First and EV2NonFirst, and commands in plain, with MAC,
/// and enciphered. It shares no code with the virtual tag.
final class NTAG424Client {
    enum Failure: Error { case status(UInt16), wrongKey, wrongMAC, noSession }
    enum Mode { case plain, mac, full }

    private let tag: any NFCISO7816Tag
    private var keys: (encryption: BlockCipher, mac: BlockCipher)?
    private var transaction = Data()
    private var counter: UInt16 = 0

    init(_ tag: any NFCISO7816Tag) {
        self.tag = tag
    }

    /// Proves that both sides have a key; the first time a transaction begins.
    func authenticate(_ number: UInt8, _ key: Data, isFirst: Bool = true) async throws {
        let cipher = BlockCipher(key)
        let zero = Data(count: 16)
        let challenge = try await send(isFirst ? 0x71 : 0x77, Data(isFirst ? [number, 0] : [number]), expected: 0xAF)
        let theirs = cipher.decrypt(challenge, zero)
        let ours = Data((0..<16).map { _ in UInt8.random(in: 0...255) })
        let answer = cipher.decrypt(try await send(0xAF, cipher.encrypt(ours + theirs.rotated, zero)), zero)
        let proof = isFirst ? Data(answer.dropFirst(4).prefix(16)) : answer
        guard proof == ours.rotated else { throw Failure.wrongKey }
        if isFirst {
            transaction = Data(answer.prefix(4))
            counter = 0
        }
        let (a, b) = (Array(ours), Array(theirs))
        let middle = zip(a[2..<8], b[0..<6]).map { $0 ^ $1 }
        var context = Data([0, 1, 0, 0x80])
        for part in [Array(a[0..<2]), middle, Array(b[6...]), Array(a[8...])] { context += part }
        keys = (
            BlockCipher(cipher.mac(Data([0xA5, 0x5A]) + context)),
            BlockCipher(cipher.mac(Data([0x5A, 0xA5]) + context))
        )
    }

    func uid() async throws -> Data { try await command(0x51, mode: .full) }
    func settings(of file: UInt8) async throws -> Data { try await command(0xF5, header: [file], mode: .mac) }
    func keyVersion(_ key: UInt8) async throws -> UInt8 {
        try await command(0x64, header: [key], mode: .mac).first ?? 0
    }

    func read(_ file: UInt8, _ offset: Int, _ length: Int, mode: Mode) async throws -> Data {
        try await command(0xAD, header: [file] + Self.range(offset, length), mode: mode)
    }

    func write(_ file: UInt8, _ offset: Int, _ data: Data, mode: Mode) async throws {
        _ = try await command(0x8D, header: [file] + Self.range(offset, data.count), data, mode: mode)
    }

    /// Options and access rights of a file.
    func change(_ file: UInt8, to settings: Data) async throws {
        _ = try await command(0x5F, header: [file], settings, mode: .full)
    }

    func change(key: UInt8, from old: Data, to new: Data, version: UInt8) async throws {
        guard key != 0 else {
            _ = try await command(0xC4, header: [0], new + [version], mode: .full)
            return keys = nil
        }
        let difference = Data(zip(old, new).map { $0 ^ $1 })
        _ = try await command(0xC4, header: [key], difference + [version] + new.checksum, mode: .full)
    }

    private static func range(_ offset: Int, _ length: Int) -> [UInt8] {
        [offset, length].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8 & 0xFF), 0] }
    }

    private func command(_ code: UInt8, header: [UInt8] = [], _ data: Data = Data(), mode: Mode) async throws -> Data {
        guard let keys, mode != .plain else {
            defer { if keys != nil { counter += 1 } }
            return try await send(code, header + data)
        }
        var body = data
        if mode == .full, !data.isEmpty { body = keys.encryption.encrypt(data.padded, vector([0xA5, 0x5A])) }
        let sent = Data(header) + body
        let answer = try await send(code, sent + keys.mac.shortMAC(Data([code]) + stamp + sent))
        counter += 1
        // A new key 0 ends the session.
        if code == 0xC4, header == [0] { return Data() }
        let content = Data(answer.dropLast(8))
        guard answer.suffix(8) == keys.mac.shortMAC(Data([0]) + stamp + content) else { throw Failure.wrongMAC }
        guard mode == .full, !content.isEmpty else { return content }
        return keys.encryption.decrypt(content, vector([0x5A, 0xA5])).unpadded
    }

    private var stamp: Data { Data([UInt8(counter & 0xFF), UInt8(counter >> 8)]) + transaction }

    private func vector(_ label: [UInt8]) -> Data {
        guard let keys else { return Data(count: 16) }
        return keys.encryption.encrypt(label + transaction + stamp.prefix(2) + Data(count: 8), Data(count: 16))
    }

    private func send(_ code: UInt8, _ data: Data, expected: UInt8 = 0x00) async throws -> Data {
        let (answer, sw1, sw2) = try await tag.sendCommand(
            apdu: NFCISO7816APDU(
                instructionClass: 0x90, instructionCode: code, p1Parameter: 0, p2Parameter: 0, data: data,
                expectedResponseLength: 256))
        guard sw1 == 0x91, sw2 == expected else { throw Failure.status(UInt16(sw1) << 8 | UInt16(sw2)) }
        return answer
    }
}

extension Data {
    fileprivate var rotated: Data { dropFirst() + prefix(1) }
    fileprivate var padded: Data { self + [0x80] + Data(count: 15 - count % 16) }

    fileprivate var unpadded: Data {
        guard let end = lastIndex(of: 0x80) else { return self }
        return Data(self[..<end])
    }

    /// CRC-32 of IEEE 802.3 without its final inversion, least significant byte first.
    fileprivate var checksum: Data {
        let sum = reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
        }
        return Data((0..<4).map { UInt8(sum >> ($0 * 8) & 0xFF) })
    }
}
