package import Cryptography

/// What differs between the AES and the LRP mode of a session.
package protocol MessageCipher: Sendable {
    /// The whole code of a message: 16 bytes.
    func code(_ message: SecretBytes) throws(SecureTagError) -> [UInt8]
    /// Encrypts padded data of a command.
    mutating func encrypt(_ data: SecretBytes, identifier: [UInt8], counter: UInt16) throws(SecureTagError) -> [UInt8]
    /// Decrypts the data of an answer.
    mutating func decrypt(_ data: [UInt8], identifier: [UInt8], counter: UInt16) throws(SecureTagError) -> SecretBytes
}

/// Secure messaging of EV2 (NT4H2421Gx, §9.1 and §9.2): a command counter, a transaction identifier, codes of 8 bytes.
package struct TransactionSession<Cipher: MessageCipher>: SecureMessaging, CustomReflectable {
    private enum State: Sendable {
        case ready
        case pending(SecureCommand)
        case ended
    }

    private static var codeLength: Int { 8 }

    /// The transaction identifier, TI: 4 bytes. It is not a secret.
    package let identifier: [UInt8]
    /// The number of the next command, CmdCtr.
    package private(set) var counter: UInt16
    private(set) var cipher: Cipher
    private var state = State.ready

    package init(identifier: [UInt8], counter: UInt16 = 0, cipher: Cipher) {
        self.identifier = identifier
        self.counter = counter
        self.cipher = cipher
    }

    package var customMirror: Mirror { Mirror(self, children: ["counter": counter]) }

    package var isUsable: Bool {
        if case .ready = state { counter < .max } else { false }
    }

    // MARK: Commands

    package mutating func protect(_ change: KeyChange) throws(SecureTagError) -> [UInt8] {
        try protect(
            SecureCommand(
                KeyChange.instruction, header: [change.number], secret: change.plain, mode: .full,
                answerMode: change.old == nil ? nil : .full))
    }

    package mutating func protect(_ command: SecureCommand) throws(SecureTagError) -> [UInt8] {
        guard case .ready = state else {
            state = .ended
            throw .noSession
        }
        guard counter < .max else {
            state = .ended
            throw .commandsExhausted
        }
        state = .ended
        let field = try protectedField(command)
        state = .pending(command)
        return field
    }

    private mutating func protectedField(_ command: SecureCommand) throws(SecureTagError) -> [UInt8] {
        let data: [UInt8]
        if command.mode == .full, command.data.count > 0 {
            data = try cipher.encrypt(
                SecretBytes(padding: command.data, to: 16), identifier: identifier, counter: counter)
        } else {
            data = command.data.withUnsafeBytes { Array($0) }
        }
        guard command.mode != .plain else { return command.header + data }
        let code = try code([command.instruction], counter, command.header + data)
        return command.header + data + code
    }

    private func code(_ start: [UInt8], _ counter: UInt16, _ rest: [UInt8]) throws(SecureTagError) -> [UInt8] {
        let code = try cipher.code(
            SecretBytes(start + [UInt8](littleEndian: Int(counter), count: 2) + identifier + rest))
        return code.everyOtherByte
    }

    // MARK: Answers

    package mutating func open(_ answer: [UInt8], status: UInt8) throws(SecureTagError) -> [UInt8] {
        guard case .pending(let command) = state else {
            state = .ended
            throw .noSession
        }
        state = .ended
        guard command.isSuccess(status) else { throw .refused(status: status) }
        counter += 1
        guard let mode = command.answerMode else { return [] }
        let data = try opened(answer, status, mode)
        guard command.answerLength.map({ $0 == data.count }) ?? true else { throw .wrongLength(data.count) }
        state = .ready
        return data
    }

    private mutating func opened(
        _ answer: [UInt8], _ status: UInt8, _ mode: CommunicationMode
    ) throws(SecureTagError) -> [UInt8] {
        guard mode != .plain else { return answer }
        guard answer.count >= Self.codeLength else { throw .wrongCode }
        let data = Array(answer.dropLast(Self.codeLength))
        guard SecretBytes.isEqual(try code([status], counter, data), Array(answer.suffix(Self.codeLength))) else {
            throw .wrongCode
        }
        guard mode == .full, !data.isEmpty else { return data }
        guard data.count.isMultiple(of: 16) else { throw .wrongLength(data.count) }
        guard let plain = try cipher.decrypt(data, identifier: identifier, counter: counter).unpadded else {
            throw .wrongPadding
        }
        return plain.withUnsafeBytes { Array($0) }
    }
}

extension [UInt8] {
    /// The bytes 1, 3, 5, …: how EV2 and SUN shorten a code.
    package var everyOtherByte: [UInt8] { stride(from: 1, to: count, by: 2).map { self[$0] } }

    /// Overwrites the bytes.
    package mutating func wipe() {
        for index in indices { self[index] = 0 }
    }
}
