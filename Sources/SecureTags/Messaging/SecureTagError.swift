/// What went wrong with a secure tag. It names what failed, and has no key, no nonce and no data.
public enum SecureTagError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The other side does not know the key: its answer to the challenge is wrong.
    case wrongProof
    /// The code of an answer is wrong or missing: the answer is not from the card of this session, or was changed.
    case wrongCode
    /// An answer, or a part of one, with so many bytes does not exist.
    case wrongLength(Int)
    /// The padding or the check sum inside an encrypted answer is wrong.
    case wrongPadding
    /// The card refused a command with this status, the second byte after 91. Such an answer has no code: it may be forged.
    case refused(status: UInt8)
    /// The session has ended: after an error, after the change of its key, or because the answer is still due.
    case noSession
    /// The session has used all numbers of commands: authenticate again.
    case commandsExhausted
    /// An encrypted answer of DESFire EV1 needs a known length.
    case unknownAnswerLength
    /// A key has a number of bytes that the algorithm does not take.
    case wrongKeyLength(Int)
    /// Settings that the card would refuse, and why.
    case invalidSettings(String)
    /// Bytes that are not what they should be, and what that is.
    case malformed(String)

    /// What failed, and what to do.
    public var description: String {
        switch self {
        case .wrongProof:
            "The card does not know the key. Check which key and key version the card has; do not try others."
        case .wrongCode: "The code of the answer is wrong: the answer was changed, or is from another card. Tap again."
        case .wrongLength(let count): "The answer has a part of \(count) bytes, which does not fit. Tap again."
        case .wrongPadding: "The padding of the encrypted answer is wrong. Tap again."
        case .refused(let status): "The card refused the command with status \(Self.name(of: status))."
        case .noSession: "The session with the card has ended. Authenticate again."
        case .commandsExhausted: "The session has used all command numbers. Authenticate again."
        case .unknownAnswerLength: "An encrypted answer of DESFire EV1 needs a known length. Ask for a number of bytes."
        case .wrongKeyLength(let count): "A key of \(count) bytes does not fit the algorithm."
        case .invalidSettings(let reason): "The card would refuse the settings: \(reason)"
        case .malformed(let what): "The bytes are not \(what)."
        }
    }

    private static let names: [UInt8: String] = [
        0x00: "OK", 0x0C: "no change", 0x0E: "out of memory", 0x1C: "unknown command", 0x1E: "integrity error",
        0x40: "no such key", 0x7E: "wrong length", 0x90: "OK", 0x9D: "permission denied", 0x9E: "parameter error",
        0xA0: "application not found", 0xA1: "application integrity error", 0xAD: "authentication delay",
        0xAE: "authentication error", 0xAF: "more data", 0xBE: "boundary error", 0xC1: "card integrity error",
        0xCA: "command aborted", 0xCD: "card disabled", 0xCE: "too many applications", 0xDE: "duplicate",
        0xEE: "memory error", 0xF0: "file not found", 0xF1: "file integrity error",
    ]

    private static func name(of status: UInt8) -> String {
        let digits = String(status, radix: 16, uppercase: true)
        let code = "91" + (digits.count < 2 ? "0" : "") + digits
        return names[status].map { "\(code) (\($0))" } ?? code
    }
}
