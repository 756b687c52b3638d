package import Cryptography

/// Secure messaging of DESFire EV1, after AA or 1A: one initial vector runs through all commands and answers, so that none can be
/// left out, and codes are the first 8 bytes of a CMAC.
package struct EV1Session: SecureMessaging, CustomReflectable {
    private enum State: Sendable {
        case ready
        case pending(SecureCommand)
        case ended
    }

    private static let (codeLength, checkLength) = (8, 4)

    private let cipher: BlockCipher
    private var vector: [UInt8]
    private var state = State.ready

    /// - Parameter key: the session key: 16 bytes of AES; 8, 16 or 24 of TDEA.
    package init(_ algorithm: BlockCipher.Algorithm, key: SecretBytes) throws(SecureTagError) {
        cipher = try mapErrors { () throws(CryptographyError) in try BlockCipher(algorithm, key: key) }
        vector = cipher.zeroVector
    }

    package var customMirror: Mirror { Mirror(self, children: []) }

    package var isUsable: Bool {
        if case .ready = state { true } else { false }
    }

    // MARK: Commands

    package mutating func protect(_ command: SecureCommand) throws(SecureTagError) -> [UInt8] {
        // The answer to a command with data has no data, and a code.
        guard command.answerMode != .full || command.answerLength != nil || command.data.count > 0 else {
            throw .unknownAnswerLength
        }
        try begin()
        let start = [command.instruction] + command.header
        let field: [UInt8]
        if command.mode == .full, command.data.count > 0 {
            let sum = CRC32.checkSum(SecretBytes(joining: start, command.data))
            field = command.header + (try encrypt(SecretBytes(joining: command.data, sum)))
        } else {
            let code = try code(SecretBytes(joining: start, command.data))
            let data = command.data.withUnsafeBytes { Array($0) }
            // A code is sent only with data: in all other commands it just moves the vector on.
            field = command.header + data + (command.mode == .mac && !data.isEmpty ? code : [])
        }
        state = .pending(command)
        return field
    }

    package mutating func protect(_ change: KeyChange) throws(SecureTagError) -> [UInt8] {
        try begin()
        let start = [KeyChange.instruction, change.number]
        let version = change.version.map { [$0] } ?? []
        let data = SecretBytes(joining: change.old.map(change.new.exclusiveOr) ?? change.new, version)
        let sum = CRC32.checkSum(SecretBytes(joining: start, data))
        let other = change.old == nil ? SecretBytes([]) : CRC32.checkSum(change.new)
        let field = [change.number] + (try encrypt(SecretBytes(joining: data, sum, other)))
        state = .pending(
            SecureCommand(
                KeyChange.instruction, header: [change.number], mode: .full,
                answerMode: change.old == nil ? nil : .mac))
        return field
    }

    private mutating func begin() throws(SecureTagError) {
        defer { state = .ended }
        guard case .ready = state else { throw .noSession }
    }

    /// Encrypts data with zeros up to whole blocks.
    private mutating func encrypt(_ data: SecretBytes) throws(SecureTagError) -> [UInt8] {
        let rest = data.count % cipher.blockLength
        let padding = [UInt8](repeating: 0, count: rest == 0 ? 0 : cipher.blockLength - rest)
        let (cipher, vector) = (cipher, vector)
        let blocks: [UInt8] = try mapErrors { () throws(CryptographyError) in
            try cipher.encryptCBC(SecretBytes(joining: data, padding), vector: vector)
        }
        self.vector = blocks.suffix(cipher.blockLength)
        return blocks
    }

    /// The code of a message, which becomes the vector.
    private mutating func code(_ message: SecretBytes) throws(SecureTagError) -> [UInt8] {
        let (cipher, vector) = (cipher, vector)
        self.vector = try mapErrors { () throws(CryptographyError) in
            try cipher.chainedCMAC(message, vector: vector)
        }
        return Array(self.vector.prefix(Self.codeLength))
    }

    // MARK: Answers

    package mutating func open(_ answer: [UInt8], status: UInt8) throws(SecureTagError) -> [UInt8] {
        defer { if case .pending = state { state = .ended } }
        guard case .pending(let command) = state else {
            state = .ended
            throw .noSession
        }
        guard command.isSuccess(status) else { throw .refused(status: status) }
        guard let mode = command.answerMode else { return [] }
        let length = command.answerLength ?? 0
        let data =
            mode == .full && length > 0 ? try decrypt(answer, status, length) : try verify(answer, status)
        guard command.answerLength.map({ $0 == data.count }) ?? true else { throw .wrongLength(data.count) }
        state = .ready
        return data
    }

    private mutating func verify(_ answer: [UInt8], _ status: UInt8) throws(SecureTagError) -> [UInt8] {
        guard answer.count >= Self.codeLength else { throw .wrongCode }
        let data = Array(answer.dropLast(Self.codeLength))
        let code = try code(SecretBytes(data + [status]))
        guard SecretBytes.isEqual(code, Array(answer.suffix(Self.codeLength))) else { throw .wrongCode }
        return data
    }

    private mutating func decrypt(
        _ answer: [UInt8], _ status: UInt8, _ length: Int
    ) throws(SecureTagError) -> [UInt8] {
        let checked = length + Self.checkLength
        guard length > 0, answer.count.isMultiple(of: cipher.blockLength), answer.count >= checked,
            answer.count - checked < cipher.blockLength
        else { throw .wrongLength(answer.count) }
        let (cipher, vector) = (cipher, vector)
        let plain: SecretBytes = try mapErrors { () throws(CryptographyError) in
            try cipher.decryptCBC(answer, vector: vector)
        }
        self.vector = answer.suffix(cipher.blockLength)
        let data = plain.slice(0..<length)
        guard plain.slice(length..<checked).isEqual(CRC32.checkSum(SecretBytes(joining: data, [status]))),
            plain.slice(checked..<plain.count).withUnsafeBytes({ $0.allSatisfy { $0 == 0 } })
        else { throw .wrongPadding }
        return data.withUnsafeBytes { Array($0) }
    }
}
