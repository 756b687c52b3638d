import Cryptography

/// A FIDO2 authenticator behind a contactless interface: its state, and the CTAP2 commands (CTAP 2.1, §6).
struct Authenticator: Sendable {
    /// What authenticators differ in.
    struct Features: Sendable {
        var aaguid: [UInt8]
        /// Whether entering the field permits any number of operations, not one.
        var permitsSeveralOperations = false
    }

    /// What getNextAssertion, or the next entry of a list, continues with.
    enum Continuation: Sendable {
        case assertions([StoredCredential], hash: [UInt8], flags: UInt8)
        case parties([String])
        case credentials([StoredCredential])
    }

    private static let (longestRequest, mostListed) = (1200, 8)
    private static let (presenceLimit, resetLimit) = (Duration.seconds(120), Duration.seconds(10))

    let features: Features
    private(set) var pin: AuthenticatorPIN
    private(set) var credentials = CredentialStore()
    private var poweredUp: Duration?
    private var isPresent = false
    private var continuation: Continuation?

    init(_ features: Features, pin: String?) {
        self.features = features
        self.pin = AuthenticatorPIN(pin)
    }

    // MARK: Power and presence

    /// The field is on; entering it is a gesture of the user (CTAP 2.1, §6.1.2).
    mutating func powerUp(at time: Duration) {
        guard poweredUp == nil else { return }
        (poweredUp, isPresent) = (time, true)
    }

    mutating func powerDown() {
        (poweredUp, isPresent, continuation) = (nil, false, nil)
        pin.powerDown()
    }

    /// Takes the one permission that entering the field gave.
    mutating func takePresence(at time: Duration) -> Bool {
        guard let poweredUp, isPresent, time - poweredUp <= Self.presenceLimit else { return false }
        isPresent = features.permitsSeveralOperations
        return true
    }

    // MARK: Commands

    /// Carries out a command.
    ///
    /// - Returns: the status, and CBOR where the command has an answer.
    mutating func perform(_ message: [UInt8], at time: Duration) -> [UInt8] {
        do throws(CTAPError) {
            guard message.count <= Self.longestRequest else { throw .requestTooLarge }
            guard let code = message.first else { throw .invalidLength }
            let answer = try perform(code, message.dropFirst(), at: time)
            return [0x00] + (answer == .map([:]) ? [] : answer.encoded)
        } catch {
            return [error.rawValue]
        }
    }

    private mutating func perform(
        _ code: UInt8, _ bytes: ArraySlice<UInt8>, at time: Duration
    ) throws(CTAPError) -> CBORValue {
        let previous = continuation
        continuation = nil
        switch code {
        case 0x04: return info
        case 0x07: return try reset(at: time)
        case 0x08: return try nextAssertion(previous)
        case 0x0B:
            guard takePresence(at: time) else { throw .operationDenied }
            return .map([:])
        case 0x01, 0x02, 0x06, 0x0A: break
        default: throw .invalidCommand
        }
        guard let request = CBORReader.value(bytes) else { throw .invalidCBOR }
        guard request.isMap else { throw .unexpectedType }
        switch code {
        case 0x01: return try makeCredential(request, at: time)
        case 0x02: return try assertions(request, at: time)
        case 0x06: return try pin.perform(request, at: time)
        default: return try manage(request, previous, at: time)
        }
    }

    private var info: CBORValue {
        .fields([
            0x01: .array([.text("U2F_V2"), .text("FIDO_2_0"), .text("FIDO_2_1")]),
            0x02: .array([.text("credProtect"), .text("hmac-secret")]),
            0x03: .bytes(features.aaguid),
            0x04: .map([
                .text("rk"): .truth(true), .text("up"): .truth(true), .text("credMgmt"): .truth(true),
                .text("clientPin"): .truth(pin.isSet), .text("pinUvAuthToken"): .truth(true),
                .text("makeCredUvNotRqd"): .truth(true),
            ]),
            0x05: .number(Self.longestRequest),
            0x06: .array([.number(2), .number(1)]),
            0x07: .number(Self.mostListed),
            0x08: .number(128),
            0x09: .array([.text("nfc")]),
            0x0A: .array([.map([.text("alg"): .number(-7), .text("type"): .text("public-key")])]),
            0x0D: .number(4),
            0x0E: .number(1),
        ])
    }

    private mutating func reset(at time: Duration) throws(CTAPError) -> CBORValue {
        guard let poweredUp, time - poweredUp <= Self.resetLimit else { throw .notAllowed }
        guard takePresence(at: time) else { throw .operationDenied }
        (pin, credentials) = (AuthenticatorPIN(nil), CredentialStore())
        return .map([:])
    }

    // MARK: Parameters that several commands have

    /// Whether the request was authorized with a token. An empty code lets a user choose among authenticators.
    private mutating func isVerified(
        _ code: CBORValue?, _ version: CBORValue?, hash: [UInt8], _ permission: AuthenticatorPIN.Permissions,
        party: String, at time: Duration
    ) throws(CTAPError) -> Bool {
        guard let code = try code.optional(\.asBytes) else { return false }
        guard !code.isEmpty else {
            guard takePresence(at: time) else { throw .operationDenied }
            throw pin.isSet ? .pinInvalid : .pinNotSet
        }
        try pin.authorize(hash, code, try pin.version(version), permission, party: party, at: time)
        return true
    }

    /// The options of a request: discoverable, and with presence. There is no verification without a PIN.
    private func options(_ value: CBORValue?) throws(CTAPError) -> (isDiscoverable: Bool?, hasPresence: Bool?) {
        guard let options = try value.optional({ $0.isMap ? $0 : nil }) else { return (nil, nil) }
        guard try options["uv"].optional(\.asTruth) != true else { throw .invalidOption }
        return (try options["rk"].optional(\.asTruth), try options["up"].optional(\.asTruth))
    }

    private func listed(_ value: CBORValue?, for application: [UInt8]) throws(CTAPError) -> [Credential]? {
        guard let list = try value.optional(\.asArray) else { return nil }
        guard list.count <= Self.mostListed else { throw .limitExceeded }
        var credentials: [Credential] = []
        for entry in list {
            guard try entry["type"].required(\.asText) == "public-key" else { continue }
            let id = try entry["id"].required(\.asBytes)
            if let credential = self.credentials.credential(id: id, application: application) {
                credentials.append(credential)
            }
        }
        return credentials
    }

    private func hash(_ value: CBORValue?) throws(CTAPError) -> [UInt8] {
        let hash = try value.required(\.asBytes)
        guard hash.count == 32 else { throw .invalidLength }
        return hash
    }

    /// authData without what is specific to a command (WebAuthn, §6.1).
    private mutating func data(_ application: [UInt8], flags: UInt8) -> [UInt8] {
        application + [flags] + credentials.count()
    }

    // MARK: authenticatorMakeCredential

    private mutating func makeCredential(_ request: CBORValue, at time: Duration) throws(CTAPError) -> CBORValue {
        let hash = try hash(request[1])
        let party = try request[2].required { $0["id"]?.asText }
        let user = try request[3].required { $0["id"]?.asBytes == nil ? nil : $0 }
        try checkAlgorithms(try request[4].required(\.asArray))
        let options = try options(request[7])
        guard options.hasPresence != false else { throw .invalidOption }
        let isDiscoverable = options.isDiscoverable ?? false
        let isVerified = try isVerified(request[8], request[9], hash: hash, .makeCredential, party: party, at: time)
        guard isVerified || !pin.isSet || !isDiscoverable else { throw .pinRequired }
        let application = StoredCredential.hash(party)
        let excluded = try listed(request[5], for: application) ?? []
        guard takePresence(at: time) else { throw .operationDenied }
        guard excluded.isEmpty else { throw .credentialExcluded }
        let protection = try protection(request[6])
        let credential = try credentials.newCredential(application: application, protection: protection ?? .none)
        if isDiscoverable { try credentials.store(StoredCredential(credential: credential, party: party, user: user)) }
        let extensions = try registrationExtensions(request[6], protection)
        let flags: UInt8 = 0x41 | (isVerified ? 0x04 : 0) | (extensions.isEmpty ? 0 : 0x80)
        let data =
            data(application, flags: flags) + features.aaguid
            + [UInt8(credential.id.count >> 8), UInt8(credential.id.count & 0xFF)] + credential.id
            + credential.publicKey.encoded + extensions
        let statement = CBORValue.map([
            .text("alg"): .number(-7), .text("sig"): .bytes(try credential.sign(data + hash)),
        ])
        return .fields([1: .text("packed"), 2: .bytes(data), 3: statement])
    }

    private func checkAlgorithms(_ list: [CBORValue]) throws(CTAPError) {
        var isSupported = false
        for entry in list {
            let (kind, number) = (try entry["type"].required(\.asText), try entry["alg"].required(\.asNumber))
            if kind == "public-key", number == -7 { isSupported = true }
        }
        guard isSupported else { throw .unsupportedAlgorithm }
    }

    private func registrationExtensions(
        _ value: CBORValue?, _ protection: Credential.Protection?
    ) throws(CTAPError) -> [UInt8] {
        var outputs: [CBORValue: CBORValue] = [:]
        if try value?["hmac-secret"].optional(\.asTruth) == true { outputs[.text("hmac-secret")] = .truth(true) }
        if let protection { outputs[.text("credProtect")] = .number(Int(protection.rawValue)) }
        return outputs.isEmpty ? [] : CBORValue.map(outputs).encoded
    }

    /// credProtect (CTAP 2.1, §12.1).
    private func protection(_ extensions: CBORValue?) throws(CTAPError) -> Credential.Protection? {
        guard let level = try extensions?["credProtect"].optional(\.asNumber) else { return nil }
        guard let protection = UInt8(exactly: level).flatMap(Credential.Protection.init) else { throw .invalidOption }
        return protection
    }

    // MARK: authenticatorGetAssertion

    private mutating func assertions(_ request: CBORValue, at time: Duration) throws(CTAPError) -> CBORValue {
        let (party, hash) = (try request[1].required(\.asText), try hash(request[2]))
        let options = try options(request[5])
        guard options.isDiscoverable == nil else { throw .invalidOption }
        let isVerified = try isVerified(request[6], request[7], hash: hash, .getAssertion, party: party, at: time)
        let application = StoredCredential.hash(party)
        let listed = try listed(request[3], for: application)?.filter {
            isVerified || $0.protection != .needsVerification
        }
        let discoverable = credentials.stored.filter {
            $0.party == party && (isVerified || $0.credential.protection == .none)
        }
        let discovered = listed == nil ? Array(discoverable.reversed()) : []
        guard let first = listed?.first ?? discovered.first?.credential else { throw .noCredentials }
        let hasPresence = options.hasPresence ?? true
        if hasPresence, !takePresence(at: time) { throw .operationDenied }
        let flags: UInt8 = (hasPresence ? 0x01 : 0) | (isVerified ? 0x04 : 0)
        let extensions = try assertionExtensions(request[4], first, isVerified)
        if discovered.count > 1 {
            continuation = .assertions(Array(discovered.dropFirst()), hash: hash, flags: flags)
        }
        return try assertion(
            first, application, hash, flags, extensions, discovered.first,
            count: discovered.count > 1 ? discovered.count : nil)
    }

    private mutating func assertion(
        _ credential: Credential, _ application: [UInt8], _ hash: [UInt8], _ flags: UInt8, _ extensions: [UInt8],
        _ stored: StoredCredential?, count: Int? = nil
    ) throws(CTAPError) -> CBORValue {
        let data = data(application, flags: flags | (extensions.isEmpty ? 0 : 0x80)) + extensions
        // Without verification, a user has an id and nothing else (CTAP 2.1, §6.2.2).
        let user = stored.map { flags & 0x04 != 0 ? $0.user : .map([.text("id"): .bytes($0.userID ?? [])]) }
        return .fields([
            1: credential.descriptor, 2: .bytes(data), 3: .bytes(try credential.sign(data + hash)), 4: user,
            5: count.map { .number($0) },
        ])
    }

    private mutating func nextAssertion(_ previous: Continuation?) throws(CTAPError) -> CBORValue {
        guard case .assertions(let rest, let hash, let flags)? = previous, let next = rest.first else {
            throw .notAllowed
        }
        continuation = .assertions(Array(rest.dropFirst()), hash: hash, flags: flags)
        return try assertion(next.credential, next.application, hash, flags, [], next)
    }

    /// hmac-secret: one or two salts, encrypted in both directions (CTAP 2.1, §12.5).
    private func assertionExtensions(
        _ value: CBORValue?, _ credential: Credential, _ isVerified: Bool
    ) throws(CTAPError) -> [UInt8] {
        guard let input = try value?["hmac-secret"].optional({ $0.isMap ? $0 : nil }) else { return [] }
        let version = try input[4].optional(\.asNumber).flatMap { PINProtocol(rawValue: $0) } ?? .one
        let secret = try pin.secret(version, input[1])
        let sealed = try input[2].required(\.asBytes)
        guard secret.isAuthentic(sealed, try input[3].required(\.asBytes)) else { throw .pinAuthInvalid }
        guard let salts = secret.decrypt(sealed), salts.count == 32 || salts.count == 64 else { throw .invalidLength }
        let key = credentials.randomness(of: credential, isVerified: isVerified)
        let outputs = stride(from: 0, to: salts.count, by: 32).flatMap { start in
            HMACSHA256.code(of: salts[start..<(start + 32)], key: key)
        }
        return CBORValue.map([.text("hmac-secret"): .bytes(secret.encrypt(outputs))]).encoded
    }

    // MARK: authenticatorCredentialManagement

    private mutating func manage(
        _ request: CBORValue, _ previous: Continuation?, at time: Duration
    ) throws(CTAPError) -> CBORValue {
        let subcommand = try request[1].required(\.asNumber)
        switch subcommand {
        case 3: return try nextParty(previous, isFirst: false)
        case 5: return try nextCredential(previous, isFirst: false)
        case 1, 2, 4, 6: break
        default: throw .invalidSubcommand
        }
        guard let code = try request[4].optional(\.asBytes) else { throw .pinRequired }
        try pin.authorize(
            [UInt8(subcommand)] + (request[2]?.encoded ?? []), code, try pin.version(request[3]),
            .credentialManagement, party: nil, at: time)
        let stored = credentials.stored
        switch subcommand {
        case 1: return .fields([1: .number(stored.count), 2: .number(CredentialStore.capacity - stored.count)])
        case 2: return try nextParty(.parties(Set(stored.map(\.party)).sorted()), isFirst: true)
        case 4:
            let application = try request[2].required { $0[1]?.asBytes }
            return try nextCredential(.credentials(stored.filter { $0.application == application }), isFirst: true)
        default:
            let id = try request[2].required { $0[2]?["id"]?.asBytes }
            guard stored.contains(where: { $0.credential.id == id }) else { throw .noCredentials }
            credentials.remove { $0.credential.id == id }
            return .map([:])
        }
    }

    private mutating func nextParty(_ list: Continuation?, isFirst: Bool) throws(CTAPError) -> CBORValue {
        guard case .parties(let parties)? = list, let party = parties.first else {
            throw isFirst ? .noCredentials : .notAllowed
        }
        continuation = .parties(Array(parties.dropFirst()))
        return .fields([
            3: .map([.text("id"): .text(party)]), 4: .bytes(StoredCredential.hash(party)),
            5: isFirst ? .number(parties.count) : nil,
        ])
    }

    private mutating func nextCredential(_ list: Continuation?, isFirst: Bool) throws(CTAPError) -> CBORValue {
        guard case .credentials(let credentials)? = list, let entry = credentials.first else {
            throw isFirst ? .noCredentials : .notAllowed
        }
        continuation = .credentials(Array(credentials.dropFirst()))
        return .fields([
            6: entry.user, 7: entry.credential.descriptor, 8: entry.credential.publicKey,
            9: isFirst ? .number(credentials.count) : nil,
            0x0A: .number(Int(entry.credential.protection.rawValue)),
        ])
    }

    // MARK: U2F

    /// The signature counter of a U2F assertion, counted up.
    mutating func count() -> [UInt8] { credentials.count() }
}
