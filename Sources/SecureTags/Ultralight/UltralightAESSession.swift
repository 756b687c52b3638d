package import Cryptography

/// Frames of Ultralight AES with codes, after an authentication where SEC_MSG_ACT is set (MF0AES(H)20).
package struct UltralightAESSession: Sendable, CustomReflectable {
    private enum State: Sendable { case ready, pending, ended }

    private static let codeLength = 8

    private let key: SecretBytes
    private var counter: UInt16 = 0
    private var state = State.ready

    package init(key: SecretBytes, ours: SecretBytes, theirs: SecretBytes) throws(SecureTagError) {
        let context = SessionContext.bytes(ours: ours, theirs: theirs)
        self.key = try mapErrors { () throws(CryptographyError) in
            try BlockCipher.aes128(key).cmac(SecretBytes(joining: [0x5A, 0xA5, 0, 1, 0, 0x80], context))
        }
    }

    package var customMirror: Mirror { Mirror(self, children: ["counter": counter]) }

    /// A frame with its code.
    package mutating func protect(_ frame: [UInt8]) throws(SecureTagError) -> [UInt8] {
        guard state == .ready else {
            state = .ended
            throw .noSession
        }
        state = .ended
        guard counter < .max - 1 else { throw .commandsExhausted }
        let code = try code(frame)
        counter += 1
        state = .pending
        return frame + code
    }

    /// The data of an answer. A NAK, one byte or less, ends the session.
    package mutating func open(_ answer: [UInt8]) throws(SecureTagError) -> [UInt8] {
        let isDue = state == .pending
        state = .ended
        guard isDue else { throw .noSession }
        guard answer.count >= Self.codeLength else { throw .wrongCode }
        let data = Array(answer.dropLast(Self.codeLength))
        guard SecretBytes.isEqual(try code(data), Array(answer.suffix(Self.codeLength))) else { throw .wrongCode }
        counter += 1
        state = .ready
        return data
    }

    private func code(_ bytes: [UInt8]) throws(SecureTagError) -> [UInt8] {
        let message = [UInt8](littleEndian: Int(counter), count: 2) + bytes
        let code: [UInt8] = try mapErrors { () throws(CryptographyError) in
            try BlockCipher.aes128(key).cmac(message)
        }
        return code.everyOtherByte
    }
}
