import TestSupport
import Testing

@testable import VirtualTags

/// A reader program for a virtual DESFire card: it authenticates, and keeps the messages of the session from its side.
struct DESFireHost {
    enum Session {
        case legacy(DESFireCipher)
        case chained(DESFireCipher, vector: [UInt8])
        case counted(encryption: DESFireCipher, authentication: DESFireCipher, identifier: [UInt8], counter: Int)
    }

    /// The data of an answer without its protection, and the status byte.
    struct Answer: Equatable {
        let data: String
        let status: UInt8
        var isProven = true
    }

    var card: VirtualDESFireCard
    var session: Session?

    init(_ card: VirtualDESFireCard) {
        self.card = card
        self.card.activate()
    }

    // MARK: Frames

    /// Sends a command in one frame, and fetches all frames of the answer.
    mutating func frames(_ instruction: UInt8, _ data: [UInt8] = []) -> (data: [UInt8], status: UInt8) {
        var (bytes, status) = frame(instruction, data)
        while status == 0xAF {
            let next = frame(0xAF)
            bytes += next.data
            status = next.status
        }
        return (bytes, status)
    }

    /// Sends one frame.
    mutating func frame(_ instruction: UInt8, _ data: [UInt8] = []) -> (data: [UInt8], status: UInt8) {
        let length = data.isEmpty ? [] : [UInt8(truncatingIfNeeded: data.count)]
        guard case .data(let answer) = card.exchange([0x90, instruction, 0, 0] + length + data + [0]),
            answer.count >= 2, answer[answer.count - 2] == 0x91
        else { return ([], 0xFF) }
        return (Array(answer.dropLast(2)), answer[answer.count - 1])
    }

    /// A command without a session, in hexadecimal; the status and the data.
    mutating func plain(_ instruction: UInt8, _ data: String = "") -> Answer {
        let (bytes, status) = frames(instruction, hex(data))
        return Answer(data: hex(bytes), status: status)
    }

    // MARK: Authentication

    static let randomA = hex("13C5DB8A5930439FC3DEF9A4C675360F")

    /// Authenticates; the status.
    mutating func authenticate(_ method: UInt8, _ number: UInt8, _ kind: DESFireKeyKind, _ value: String) -> UInt8 {
        let key = DESFireKey(kind, hex(value))
        let cipher = key.cipher
        let first = frame(method, method == 0x71 ? [number, 0] : [number])
        guard first.status == 0xAF else { return first.status }
        let randomB = cipher.decryptCBC(first.data, vector: cipher.zero)
        let randomA = Array(Self.randomA.prefix(randomB.count))
        let numbers = randomA + randomB.dropFirst() + randomB.prefix(1)
        let isChained = method == 0x1A || method == 0xAA
        let token =
            method == 0x0A
            ? Self.decryptSend(numbers, cipher)
            : cipher.encryptCBC(numbers, vector: isChained ? Array(first.data.suffix(cipher.blockSize)) : cipher.zero)
        let second = frame(0xAF, token)
        guard second.status == 0 else { return second.status }
        let plain = cipher.decryptCBC(
            second.data, vector: isChained ? Array(token.suffix(cipher.blockSize)) : cipher.zero)
        let turned = randomA.dropFirst() + randomA.prefix(1)
        #expect((method == 0x71 ? Array(plain[4..<20]) : plain) == Array(turned))
        open(method, key, randomA, randomB, identifier: method == 0x71 ? Array(plain.prefix(4)) : [])
        return 0
    }

    private mutating func open(
        _ method: UInt8, _ key: DESFireKey, _ randomA: [UInt8], _ randomB: [UInt8], identifier: [UInt8]
    ) {
        let cipher = key.sessionCipher(randomA, randomB)
        switch method {
        case 0x0A: session = .legacy(cipher)
        case 0x1A, 0xAA: session = .chained(cipher, vector: cipher.zero)
        default:
            let keys = DESFireCountedMessaging.sessionKeys(key: key.value, randomA: randomA, randomB: randomB)
            let (encryption, authentication) = (
                DESFireCipher(aes: keys.encryption), DESFireCipher(aes: keys.authentication)
            )
            if method == 0x77, case .counted(_, _, let identifier, let counter) = session {
                session = .counted(
                    encryption: encryption, authentication: authentication, identifier: identifier, counter: counter)
            } else {
                session = .counted(
                    encryption: encryption, authentication: authentication, identifier: identifier, counter: 0)
            }
        }
    }

    /// CBC in which the cipher only decrypts.
    private static func decryptSend(_ bytes: [UInt8], _ cipher: DESFireCipher) -> [UInt8] {
        var previous = cipher.zero
        return stride(from: 0, to: bytes.count, by: cipher.blockSize).flatMap { start in
            let block = xor(Array(bytes[start..<start + cipher.blockSize]), previous)
            previous = cipher.decryptCBC(block, vector: cipher.zero)
            return previous
        }
    }
}

// MARK: Messages

extension DESFireHost {
    enum Mode { case ordinary, plain, mac, full }

    /// Sends a command with protected data, and checks and decrypts the answer.
    ///
    /// - Parameters:
    ///   - header: parameters that are not encrypted.
    ///   - inner: a new key, whose checksum follows the data.
    ///   - mode: how the command is protected.
    ///   - answering: how the answer is, with the length of its data; as the command if nil.
    mutating func send(
        _ instruction: UInt8, _ header: String = "", _ data: String = "", inner: [UInt8]? = nil,
        _ mode: Mode = .ordinary, answering: Mode? = nil, count: Int = 0
    ) -> Answer {
        let body = protected(instruction, hex(header), hex(data), inner, mode)
        let parts = chunks(hex(header) + body)
        for part in parts.dropLast().enumerated() {
            let status = frame(part.offset == 0 ? instruction : 0xAF, part.element).status
            guard status == 0xAF else { return Answer(data: "", status: status) }
        }
        let (bytes, status) = frames(parts.count == 1 ? instruction : 0xAF, parts.last ?? [])
        guard status == 0 || status == 0x90 else {
            session = nil
            return Answer(data: hex(bytes), status: status)
        }
        return opened(bytes, status, answering ?? (mode == .full ? .ordinary : mode), count: count)
    }

    private func chunks(_ payload: [UInt8]) -> [[UInt8]] {
        guard payload.count > 55 else { return [payload] }
        return stride(from: 0, to: payload.count, by: 52).map { Array(payload.dropFirst($0).prefix(52)) }
    }

    private mutating func protected(
        _ instruction: UInt8, _ header: [UInt8], _ data: [UInt8], _ inner: [UInt8]?, _ mode: Mode
    ) -> [UInt8] {
        switch session {
        case nil: return data
        case .legacy(let cipher):
            if mode == .mac, !data.isEmpty { return data + Self.legacyCode(data, cipher) }
            guard mode == .full, !data.isEmpty else { return data }
            let sums = DESFireChecksum.short(data) + (inner.map { DESFireChecksum.short($0) } ?? [])
            return Self.decryptSend(cipher.padded(data + sums), cipher)
        case .chained(let cipher, let vector):
            let command = [instruction] + header + data
            if mode == .full, !data.isEmpty {
                let sums = DESFireChecksum.long(command) + (inner.map { DESFireChecksum.long($0) } ?? [])
                let body = cipher.encryptCBC(cipher.padded(data + sums), vector: vector)
                session = .chained(cipher, vector: Array(body.suffix(cipher.blockSize)))
                return body
            }
            let code = cipher.authenticationCode(command, vector: vector)
            session = .chained(cipher, vector: code)
            return data + (mode == .mac && !data.isEmpty ? Array(code.prefix(8)) : [])
        case .counted(let encryption, let authentication, let identifier, let counter):
            guard mode != .plain else { return data }
            let number = NativeNumber.bytes(counter, count: 2)
            let vector = encryption.encrypt([0xA5, 0x5A] + identifier + number + [UInt8](repeating: 0, count: 8))
            let plain = data + (inner.map { DESFireChecksum.long($0) } ?? [])
            let body =
                mode == .full && !data.isEmpty
                ? encryption.encryptCBC(encryption.marked(plain), vector: vector) : data
            return body + Self.code([instruction] + number + identifier + header + body, authentication)
        }
    }

    private mutating func opened(_ bytes: [UInt8], _ status: UInt8, _ mode: Mode, count: Int) -> Answer {
        switch session {
        case nil: return Answer(data: hex(bytes), status: status)
        case .legacy(let cipher): return openedLegacy(bytes, status, mode, count, cipher)
        case .chained(let cipher, let vector): return openedChained(bytes, status, mode, count, cipher, vector)
        case .counted(let encryption, let authentication, let identifier, let counter):
            let next = counter + 1
            session = .counted(
                encryption: encryption, authentication: authentication, identifier: identifier, counter: next)
            guard mode != .plain else { return Answer(data: hex(bytes), status: status) }
            let number = NativeNumber.bytes(next, count: 2)
            let body = Array(bytes.dropLast(8))
            let code = Self.code([status] + number + identifier + body, authentication)
            let vector = encryption.encrypt([0x5A, 0xA5] + identifier + number + [UInt8](repeating: 0, count: 8))
            let plain = mode == .full ? AES128.unpadded(encryption.decryptCBC(body, vector: vector)) ?? [] : body
            return Answer(data: hex(plain), status: status, isProven: code == Array(bytes.suffix(8)))
        }
    }

    private func openedLegacy(
        _ bytes: [UInt8], _ status: UInt8, _ mode: Mode, _ count: Int, _ cipher: DESFireCipher
    ) -> Answer {
        switch mode {
        case .mac where !bytes.isEmpty:
            let data = Array(bytes.dropLast(4))
            return Answer(
                data: hex(data), status: status, isProven: Self.legacyCode(data, cipher) == Array(bytes.suffix(4)))
        case .full:
            let plain = cipher.decryptCBC(bytes, vector: cipher.zero)
            let data = Array(plain.prefix(count))
            let sum = Array(plain.dropFirst(count).prefix(2))
            return Answer(data: hex(data), status: status, isProven: sum == DESFireChecksum.short(data))
        default: return Answer(data: hex(bytes), status: status)
        }
    }

    private mutating func openedChained(
        _ bytes: [UInt8], _ status: UInt8, _ mode: Mode, _ count: Int, _ cipher: DESFireCipher, _ vector: [UInt8]
    ) -> Answer {
        guard mode == .full else {
            let data = Array(bytes.dropLast(8))
            let code = cipher.authenticationCode(data + [status], vector: vector)
            session = .chained(cipher, vector: code)
            return Answer(data: hex(data), status: status, isProven: Array(code.prefix(8)) == Array(bytes.suffix(8)))
        }
        let plain = cipher.decryptCBC(bytes, vector: vector)
        session = .chained(cipher, vector: Array(bytes.suffix(cipher.blockSize)))
        let data = Array(plain.prefix(count))
        let sum = Array(plain.dropFirst(count).prefix(4))
        return Answer(data: hex(data), status: status, isProven: sum == DESFireChecksum.long(data + [status]))
    }

    private static func legacyCode(_ data: [UInt8], _ cipher: DESFireCipher) -> [UInt8] {
        Array(cipher.encryptCBC(cipher.padded(data), vector: cipher.zero).suffix(8).prefix(4))
    }

    private static func code(_ message: [UInt8], _ cipher: DESFireCipher) -> [UInt8] {
        cipher.authenticationCode(message, vector: cipher.zero).enumerated().filter { $0.offset % 2 == 1 }
            .map(\.element)
    }

    /// ChangeKey of the proven key. The session is over.
    mutating func changeOwnKey(_ number: UInt8, _ new: String, version: String = "") -> UInt8 {
        let status = send(0xC4, hex([number]), new + version, .full, answering: .plain).status
        session = nil
        return status
    }

    /// ChangeKey of another key.
    mutating func changeKey(_ number: UInt8, from old: String, to new: String, version: String = "") -> Answer {
        send(0xC4, hex([number]), hex(xor(hex(new), hex(old))) + version, inner: hex(new), .full)
    }
}
