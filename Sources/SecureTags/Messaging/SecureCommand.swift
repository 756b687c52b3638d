package import Cryptography

/// How the bytes of a file or a command are protected.
public enum CommunicationMode: UInt8, Sendable, CaseIterable {
    case plain = 0
    case mac = 1
    case full = 3

    /// The mode of the two low bits of a file option; 2 is plain as well.
    public init(bits: UInt8) { self = CommunicationMode(rawValue: bits & 3) ?? .plain }
}

/// A command to a card with secure messaging, before it is protected.
package struct SecureCommand: Sendable {
    /// The instruction code.
    package let instruction: UInt8
    /// Parameters that are never encrypted: a file number, an offset and a length, a key number.
    package let header: [UInt8]
    /// What is encrypted in full mode. It may be a secret.
    package let data: SecretBytes
    package let mode: CommunicationMode
    /// The mode of the answer; nil for an answer without a code, after which the session has ended.
    package let answerMode: CommunicationMode?
    /// Bytes of the answer's data, where known. An encrypted answer of DESFire EV1 needs it.
    package let answerLength: Int?

    package init(
        _ instruction: UInt8, header: [UInt8] = [], data: [UInt8] = [], mode: CommunicationMode,
        answerLength: Int? = nil
    ) {
        self.init(
            instruction, header: header, secret: SecretBytes(data), mode: mode, answerMode: mode,
            answerLength: answerLength)
    }

    package init(
        _ instruction: UInt8, header: [UInt8] = [], secret: SecretBytes = SecretBytes([]), mode: CommunicationMode,
        answerMode: CommunicationMode?, answerLength: Int? = nil
    ) {
        self.instruction = instruction
        self.header = header
        data = secret
        self.mode = mode
        self.answerMode = answerMode
        self.answerLength = answerLength
    }

    /// Whether the second byte of a status word is success: `00`, and `90` of Read_Sig.
    func isSuccess(_ status: UInt8) -> Bool { status == 0x00 || status == 0x90 && instruction == 0x3C }
}

/// A change of a key (ChangeKey, C4).
package struct KeyChange: Sendable {
    package static let instruction: UInt8 = 0xC4

    /// The key number. For the master key of a DESFire card, `80` is added if the new key is of AES, `40` if it is of 3K3DES.
    package let number: UInt8
    package let new: SecretBytes
    /// The key that is replaced; nil if it is the key of the session, which ends then.
    package let old: SecretBytes?
    /// The version of a new AES key; nil for a DES key, which has it in its parity bits.
    package let version: UInt8?

    package init(number: UInt8, new: SecretBytes, old: SecretBytes?, version: UInt8?) {
        self.number = number
        self.new = new
        self.old = old
        self.version = version
    }

    /// What EV2 and LRP encrypt, without padding: the key and its version, or (new xor old) ‖ version ‖ check sum of the new key.
    package var plain: SecretBytes {
        let version = version.map { [$0] } ?? []
        guard let old else { return SecretBytes(joining: new, version) }
        return SecretBytes(joining: new.exclusiveOr(old), version, CRC32.checkSum(new))
    }
}
