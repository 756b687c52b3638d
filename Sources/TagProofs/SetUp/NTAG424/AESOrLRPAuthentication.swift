import Cryptography
import SecureTags

/// AuthenticateEV2First that leaves the mode to the tag: its first answer shows whether it uses AES or LRP (NT4H2421Gx, table 19), so that
/// no attempt is spent on finding out.
struct AESOrLRPAuthentication: CardAuthentication {
    private var aes: EV2Authentication
    private var lrp: LRPAuthentication
    private let allowsLRP: Bool
    private var isLRP = false

    let instruction: UInt8 = 0x71
    /// With LRP allowed, PCDcap2 has the bit for it. A tag in LRP mode refuses a command without the bit (9D), which counts as no attempt;
    /// a tag in AES mode ignores the bit.
    var parameters: [UInt8] { allowsLRP ? lrp.parameters : aes.parameters }

    /// One attempt with a key.
    ///
    /// - Parameters:
    ///   - key: 16 bytes.
    ///   - allowsLRP: whether a tag in LRP mode is authenticated too.
    init(key: SecretBytes, keyNumber: UInt8, allowsLRP: Bool) throws(SecureTagError) {
        aes = try EV2Authentication(key: key, keyNumber: keyNumber)
        lrp = try LRPAuthentication(key: key, keyNumber: keyNumber)
        self.allowsLRP = allowsLRP
    }

    mutating func token(for challenge: [UInt8]) throws(SecureTagError) -> [UInt8] {
        isLRP = allowsLRP && EV2Authentication.isLRP(challenge)
        return isLRP ? try lrp.token(for: challenge) : try aes.token(for: challenge)
    }

    func session(for answer: [UInt8]) throws(SecureTagError) -> AESOrLRPSession {
        isLRP ? .lrp(try lrp.session(for: answer)) : .aes(try aes.session(for: answer))
    }
}

/// A session in the mode that the tag has.
enum AESOrLRPSession: SecureMessaging {
    case aes(EV2Session)
    case lrp(LRPSession)

    var isLRP: Bool { if case .lrp = self { true } else { false } }

    var isUsable: Bool {
        switch self {
        case .aes(let session): session.isUsable
        case .lrp(let session): session.isUsable
        }
    }

    mutating func protect(_ command: SecureCommand) throws(SecureTagError) -> [UInt8] {
        switch self {
        case .aes(var session):
            defer { self = .aes(session) }
            return try session.protect(command)
        case .lrp(var session):
            defer { self = .lrp(session) }
            return try session.protect(command)
        }
    }

    mutating func protect(_ change: KeyChange) throws(SecureTagError) -> [UInt8] {
        switch self {
        case .aes(var session):
            defer { self = .aes(session) }
            return try session.protect(change)
        case .lrp(var session):
            defer { self = .lrp(session) }
            return try session.protect(change)
        }
    }

    mutating func open(_ answer: [UInt8], status: UInt8) throws(SecureTagError) -> [UInt8] {
        switch self {
        case .aes(var session):
            defer { self = .aes(session) }
            return try session.open(answer, status: status)
        case .lrp(var session):
            defer { self = .lrp(session) }
            return try session.open(answer, status: status)
        }
    }
}
