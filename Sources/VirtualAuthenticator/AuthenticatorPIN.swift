import Cryptography

/// The PIN of an authenticator, its tries, and the token of the field session (CTAP 2.1, §6.5).
struct AuthenticatorPIN: Sendable {
    /// What a token may be used for (CTAP 2.1, §6.5.5.7).
    struct Permissions: OptionSet, Sendable {
        let rawValue: Int
        static let makeCredential = Permissions(rawValue: 0x01)
        static let getAssertion = Permissions(rawValue: 0x02)
        static let credentialManagement = Permissions(rawValue: 0x04)
    }

    private struct Token: Sendable {
        let key: SecretBytes
        let permissions: Permissions
        var party: String?
        let issued: Duration
        var isUsed = false
    }

    /// The first use of a token has to come within this time on NFC, the last one within 600 s (CTAP 2.1, §6.5.2.1).
    private static let (firstUse, lastUse) = (Duration.milliseconds(19_800), Duration.seconds(600))
    private static let (allTries, triesPerPowerUp) = (8, 3)
    private static let shortest = 4

    /// The first 16 bytes of the hash of the PIN; nil: no PIN is set.
    private var hash: [UInt8]?
    private var tries = allTries
    private var failures = 0
    private var agreement = P256Key()
    private var token: Token?

    init(_ pin: String?) { hash = pin.map { Self.hash(Array($0.utf8)) } }

    private static func hash(_ pin: [UInt8]) -> [UInt8] { Array(SHA256.hash(pin).prefix(16)) }

    var isSet: Bool { hash != nil }

    /// The field dropped: keys, token and the count of the power-up are gone.
    mutating func powerDown() {
        agreement = P256Key()
        token = nil
        failures = 0
    }

    // MARK: authenticatorClientPIN

    mutating func perform(_ request: CBORValue, at time: Duration) throws(CTAPError) -> CBORValue {
        switch try request[2].required(\.asNumber) {
        case 1: return .fields([3: .number(tries), 4: .truth(isBlockedUntilPowerUp)])
        case 2:
            _ = try version(request[1])
            let point = agreement.point
            return .fields([1: Credential.key(point, algorithm: -25)])
        case 3: try setPIN(request)
        case 4: try changePIN(request)
        case 5: return try issueToken(request, [.makeCredential, .getAssertion], at: time)
        case 9: return try issueToken(request, try permissions(request), at: time)
        default: throw .invalidSubcommand
        }
        return .map([:])
    }

    /// The protocol of a request.
    func version(_ value: CBORValue?) throws(CTAPError) -> PINProtocol {
        guard let version = PINProtocol(rawValue: try value.required(\.asNumber)) else { throw .invalidParameter }
        return version
    }

    /// The secret of a request with the program's key.
    func secret(_ version: PINProtocol, _ key: CBORValue?) throws(CTAPError) -> PINSecret {
        guard let secret = version.secret(agreement, with: try key.required { $0.isMap ? $0 : nil }) else {
            throw .invalidParameter
        }
        return secret
    }

    private mutating func setPIN(_ request: CBORValue) throws(CTAPError) {
        let secret = try secret(try version(request[1]), request[3])
        let sealed = try request[5].required(\.asBytes)
        guard !isSet, secret.isAuthentic(sealed, try request[4].required(\.asBytes)) else { throw .pinAuthInvalid }
        hash = try newHash(sealed, secret)
    }

    private mutating func changePIN(_ request: CBORValue) throws(CTAPError) {
        let secret = try secret(try version(request[1]), request[3])
        let (sealed, old) = (try request[5].required(\.asBytes), try request[6].required(\.asBytes))
        try checkTries()
        guard secret.isAuthentic(sealed + old, try request[4].required(\.asBytes)) else { throw .pinAuthInvalid }
        try checkPIN(old, secret)
        hash = try newHash(sealed, secret)
        token = nil
    }

    private func newHash(_ sealed: [UInt8], _ secret: PINSecret) throws(CTAPError) -> [UInt8] {
        guard let padded = secret.decrypt(sealed), padded.count == 64 else { throw .invalidParameter }
        let pin = Array(padded.reversed().drop { $0 == 0 }.reversed())
        guard let text = String(validating: pin, as: UTF8.self), text.unicodeScalars.count >= Self.shortest,
            pin.count <= 63
        else { throw .pinPolicy }
        return Self.hash(pin)
    }

    private var isBlockedUntilPowerUp: Bool { failures >= Self.triesPerPowerUp }

    private func checkTries() throws(CTAPError) {
        guard isSet else { throw .pinNotSet }
        guard tries > 0 else { throw .pinBlocked }
        guard !isBlockedUntilPowerUp else { throw .pinAuthBlocked }
    }

    private mutating func checkPIN(_ sealed: [UInt8], _ secret: PINSecret) throws(CTAPError) {
        try checkTries()
        tries -= 1
        guard secret.decrypt(sealed) == hash else {
            agreement = P256Key()
            failures += 1
            guard tries > 0 else { throw .pinBlocked }
            throw isBlockedUntilPowerUp ? .pinAuthBlocked : .pinInvalid
        }
        (tries, failures) = (Self.allTries, 0)
    }

    // MARK: Tokens

    private func permissions(_ request: CBORValue) throws(CTAPError) -> Permissions {
        let wanted = try request[9].required(\.asNumber)
        guard wanted != 0 else { throw .invalidParameter }
        guard wanted & ~0x07 == 0 else { throw .unauthorizedPermission }
        let permissions = Permissions(rawValue: wanted)
        if !permissions.isDisjoint(with: [.makeCredential, .getAssertion]), request[0x0A] == nil {
            throw .missingParameter
        }
        return permissions
    }

    private mutating func issueToken(
        _ request: CBORValue, _ permissions: Permissions, at time: Duration
    ) throws(CTAPError) -> CBORValue {
        let secret = try secret(try version(request[1]), request[3])
        try checkPIN(try request[6].required(\.asBytes), secret)
        let key = SecretBytes(randomCount: 32)
        token = Token(
            key: key, permissions: permissions, party: try request[0x0A].optional(\.asText), issued: time)
        return .fields([2: .bytes(secret.encrypt(key.withUnsafeBytes { Array($0) }))])
    }

    /// Checks that a request was authenticated with the token.
    mutating func authorize(
        _ message: [UInt8], _ code: [UInt8], _ version: PINProtocol, _ permission: Permissions, party: String?,
        at time: Duration
    ) throws(CTAPError) {
        guard var current = token, time - current.issued <= (current.isUsed ? Self.lastUse : Self.firstUse),
            SecretBytes.isEqual(version.code(current.key, message), code), current.permissions.contains(permission)
        else { throw .pinAuthInvalid }
        if let party {
            guard current.party == nil || current.party == party else { throw .pinAuthInvalid }
            current.party = party
        }
        current.isUsed = true
        token = current
    }
}
