import Cryptography
import SecureTags
import ServiceSupport

/// Reads the keys of `[[key]]` tables from where they are: the file, another file, a credential, or a token.
struct KeyReader {
    private let text: KeyText
    private let credentials: String?
    private let extent: KeyFile.Extent
    private let tokens: TokenTable
    /// The tokens that were opened: one session and one attempt with the PIN for each.
    private var openTokens: [Token.Place: Token] = [:]
    /// The clock of their limits.
    private let clock: any Clock<Duration>

    init(
        _ source: inout ConfigurationSource, _ text: KeyText, _ credentials: String?, _ extent: KeyFile.Extent,
        _ clock: any Clock<Duration>
    ) throws(ConfigurationError) {
        (self.text, self.credentials, self.extent, self.clock) = (text, credentials, extent, clock)
        tokens = try TokenTable(&source)
    }

    /// The key of a table, and where it comes from, in words.
    mutating func key(
        _ table: String, _ source: inout ConfigurationSource
    ) async throws(ConfigurationError) -> (any MasterKey, place: String) {
        let (valueKey, fileKey, credentialKey) = ("\(table).value", "\(table).file", "\(table).credential")
        let tokenKey = "\(table).pkcs11"
        let value = try source.string(valueKey)
        let file = try source.string(fileKey)
        let credential = try source.string(credentialKey)
        let token = try source.string(tokenKey)
        switch (value, file, credential, token) {
        case (let value?, nil, nil, nil):
            guard let key = text.key(value) else {
                throw source.wrong(valueKey, "expected 32 hexadecimal digits; nfcctl keys generate makes a key")
            }
            return (key, "the file")
        case (nil, let file?, nil, nil):
            guard file.hasPrefix("/") else { throw source.wrong(fileKey, "expected the path of a file, from /") }
            return (try content(of: file, isCredential: false, source, fileKey), "file \(file)")
        case (nil, nil, let credential?, nil):
            let path = try path(of: credential, source, credentialKey)
            let key: any MasterKey =
                if let path {
                    try content(of: path, isCredential: true, source, credentialKey)
                } else {
                    UnreadKey(reason: Self.reason(credential), isInToken: false)
                }
            return (key, "credential \(credential)")
        case (nil, nil, nil, let token?): return try await self.token(token, source, tokenKey)
        default:
            throw source.wrong(table, "expected one of value, file, credential and pkcs11")
        }
    }

    private static func reason(_ credential: String) -> String {
        "credential \(credential) is passed by the unit, only to its own program"
    }

    /// The file of a credential; nil if it is only passed to nfcd, and is not needed here.
    private func path(
        of credential: String, _ source: ConfigurationSource, _ place: String
    ) throws(ConfigurationError) -> String? {
        guard !credential.contains("/") else { throw source.wrong(place, "expected a name without /") }
        if let credentials { return "\(credentials)/\(credential)" }
        guard case .everything = extent else { return nil }
        throw source.wrong(place, "systemd passed no credentials; add LoadCredential=\(credential) to the unit")
    }

    /// A key of 16 bytes, or of 32 digits with or without an end of the line.
    private func content(
        of file: String, isCredential: Bool, _ source: ConfigurationSource, _ place: String
    ) throws(ConfigurationError) -> TagKey {
        let bytes = try read(file, isCredential: isCredential, source, place)
        var count = bytes.count
        if count == 33, bytes[32] == UInt8(ascii: "\n") { count = 32 }
        let key = count == TagKey.length ? TagKey(bytes) : TagKey(digits: bytes.slice(0..<count))
        guard let key, key.secret.count == TagKey.length else {
            throw source.wrong(place, "\(file) has \(bytes.count) bytes; a key has 16, or 32 hexadecimal digits")
        }
        return key
    }

    private func read(
        _ file: String, isCredential: Bool, _ source: ConfigurationSource, _ place: String
    ) throws(ConfigurationError) -> SecretBytes {
        do throws(ConfigurationError) {
            return try SecretFile.read(file, isCredential: isCredential)
        } catch { throw source.wrong(place, error.description) }
    }

    // MARK: Tokens

    private mutating func token(
        _ text: String, _ source: ConfigurationSource, _ place: String
    ) async throws(ConfigurationError) -> (any MasterKey, place: String) {
        let uri: TokenURI
        do throws(TokenError) { uri = try TokenURI(text) } catch { throw source.wrong(place, error.description) }
        let words = "\(uri)"
        let module = try tokens.module(of: uri, source, place)
        if case .references = extent { return (UnreadKey(reason: "it is in a token", isInToken: true), words) }
        let secret = tokens.secret(of: uri)
        var pin: SecretBytes?
        switch secret {
        case .file(let file): pin = try self.pin(file, isCredential: false, source, place)
        case .credential(let name):
            guard let path = try path(of: name, source, place) else {
                return (UnreadKey(reason: "its PIN is a credential: " + Self.reason(name), isInToken: true), words)
            }
            pin = try self.pin(path, isCredential: true, source, place)
        case nil: break
        }
        try Self.check(module, source, place)
        let found = Token.Place(module: module, fields: uri.token, pinSource: secret?.description)
        let token = openTokens[found] ?? Token(found, pin: pin, isAttended: extent == .attended, clock: clock)
        openTokens[found] = token
        do throws(TokenError) {
            return (try await TokenKey(token, uri.object), words)
        } catch {
            throw source.wrong(place, "\(words): \(error)")
        }
    }

    /// Whoever can replace the module can read all keys.
    private static func check(
        _ module: String, _ source: ConfigurationSource, _ place: String
    ) throws(ConfigurationError) {
        do throws(ConfigurationError) {
            try ConfigurationOwnership.check(module)
        } catch { throw source.wrong(place, error.description) }
    }

    /// The PIN in a file, without the end of the line.
    private func pin(
        _ file: String, isCredential: Bool, _ source: ConfigurationSource, _ place: String
    ) throws(ConfigurationError) -> SecretBytes {
        let bytes = try read(file, isCredential: isCredential, source, place)
        let count = bytes.count - (bytes[bytes.count - 1] == UInt8(ascii: "\n") ? 1 : 0)
        guard 1...TokenTable.longestPIN ~= count else {
            throw source.wrong(place, "\(file) has no PIN, or one with more than \(TokenTable.longestPIN) bytes")
        }
        return bytes.slice(0..<count)
    }
}

/// The table `[pkcs11]`: what applies to every token whose URI has nothing else.
struct TokenTable: Sendable {
    /// Where a PIN is.
    enum Secret: Sendable, CustomStringConvertible {
        case file(String)
        case credential(String)

        var description: String {
            switch self {
            case .file(let path): "file \(path)"
            case .credential(let name): "credential \(name)"
            }
        }
    }

    /// The longest PIN, in bytes.
    static let longestPIN = 255

    private let module: String?
    private let secret: Secret?

    init(_ source: inout ConfigurationSource) throws(ConfigurationError) {
        module = try source.string("pkcs11.module")
        if let module, !module.hasPrefix("/") {
            throw source.wrong("pkcs11.module", "expected the path of a file, from /")
        }
        let file = try source.string("pkcs11.pin-file")
        let credential = try source.string("pkcs11.pin-credential")
        switch (file, credential) {
        case (let file?, nil):
            guard file.hasPrefix("/") else {
                throw source.wrong("pkcs11.pin-file", "expected the path of a file, from /")
            }
            secret = .file(file)
        case (nil, let credential?): secret = .credential(credential)
        case (nil, nil): secret = nil
        case (_?, _?): throw source.wrong("pkcs11.pin-file", "expected one of pin-file and pin-credential")
        }
    }

    func module(
        of uri: TokenURI, _ source: ConfigurationSource, _ place: String
    ) throws(ConfigurationError) -> String {
        guard let module = uri.module ?? module else {
            throw source.wrong(
                place, "the module is missing; add module = \"/usr/lib/….so\" to [pkcs11], or ?module-path= to the URI")
        }
        return module
    }

    func secret(of uri: TokenURI) -> Secret? { uri.pinFile.map { .file($0) } ?? secret }
}
