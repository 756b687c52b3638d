import CPKCS11
import Cryptography
import SecureTags

/// A master key in a token, which makes the keys of tags and never reveals itself.
///
/// The token computes AES-CMAC (CKM_AES_CMAC). AN10922 pads an input below 16 bytes to two blocks, which CMAC does not: for such
/// inputs, the token encrypts them (CKM_AES_CBC), if the key may be used for that.
final class TokenKey: MasterKey {
    /// The shortest M of AN10922 whose code is a CMAC.
    static let shortestCMACInput = 16
    /// No M of AN10922 begins like this.
    private static let checkMessage = Array("nfcd: which key is this?".utf8)

    /// What is known of a key that was opened once.
    private struct Facts: Sendable {
        /// The code of the check message, which distinguishes keys.
        let check: SecretBytes
        /// The second subkey of CMAC; nil if the key must not encrypt.
        let subkey: SecretBytes?
        let isPublished: Bool
    }

    private let token: Token
    private let object: TokenURI.Object
    private let facts: Facts

    /// Opens a key, and checks that it can make keys of tags.
    init(_ token: Token, _ object: TokenURI.Object) async throws(TokenError) {
        (self.token, self.object) = (token, object)
        facts = try await token.use(object, within: Token.openingLimit) { (key) throws(TokenError) in
            try Self.examine(key, object)
        }
    }

    private static func examine(_ key: Token.OpenKey, _ object: TokenURI.Object) throws(TokenError) -> Facts {
        guard key.module.number(Int(CKA_KEY_TYPE), of: key.handle, key.session) == CK_ULONG(CKK_AES) else {
            throw TokenError("\(object) is not an AES key")
        }
        let length = key.module.number(Int(CKA_VALUE_LEN), of: key.handle, key.session)
        guard length == nil || length == CK_ULONG(TagKey.length) else {
            throw TokenError("\(object) has \(length ?? 0) bytes; a key for tags has \(TagKey.length) (AES-128)")
        }
        guard key.module.flag(Int(CKA_SIGN), of: key.handle, key.session) else {
            throw TokenError(
                "\(object) must not sign (CKA_SIGN); make a key that may, with --usage-sign of pkcs11-tool")
        }
        let check = try cmac(checkMessage, key)
        let mayEncrypt = key.module.flag(Int(CKA_ENCRYPT), of: key.handle, key.session)
        return Facts(
            check: check, subkey: mayEncrypt ? try? subkey(key) : nil,
            isPublished: PublishedKeys.contains(keyWithCode: check, of: checkMessage))
    }

    private static func cmac(_ message: [UInt8], _ key: Token.OpenKey) throws(TokenError) -> SecretBytes {
        do throws(TokenError) {
            return try key.module.cmac(message, key.handle, key.session)
        } catch {
            guard error.code == CK_RV(CKR_MECHANISM_INVALID) else { throw error }
            throw TokenError("the token does not know AES-CMAC (CKM_AES_CMAC); use another one", code: error.code)
        }
    }

    private static func subkey(_ key: Token.OpenKey) throws(TokenError) -> SecretBytes {
        let zero = SecretBytes([UInt8](repeating: 0, count: TagKey.length))
        return try key.module.encrypt(zero, key.handle, key.session).doubled.doubled
    }

    /// Whether keys can be derived by AN10922 from less than ``shortestCMACInput`` bytes.
    var takesShortInputs: Bool { facts.subkey != nil }

    var isPublished: Bool { facts.isPublished }

    func derived(from input: [UInt8], padding: KeyDiversification.Padding) async throws -> TagKey {
        guard 1...KeyDiversification.longestInput ~= input.count else {
            throw SecureTagError.malformed("an input of 1 to 31 bytes")
        }
        let (facts, message) = (facts, [0x01] + input)
        let isCMAC = padding == .wholeBlocks || input.count >= Self.shortestCMACInput
        guard isCMAC || facts.subkey != nil else {
            throw TokenError("\(object) must not encrypt (CKA_ENCRYPT), which an input of \(input.count) bytes needs")
        }
        let check: @Sendable (Token.OpenKey) throws(TokenError) -> Void = { (key) throws(TokenError) in
            guard try Self.cmac(Self.checkMessage, key).isEqual(facts.check) else {
                throw TokenError("the key in the token is not the one of the start; restart nfcd if this is right")
            }
        }
        do throws(TokenError) {
            let secret = try await token.use(object, check: check) { (key) throws(TokenError) in
                guard !isCMAC, let subkey = facts.subkey else { return try Self.cmac(message, key) }
                return try Self.code(message, subkey, key)
            }
            return TagKey(secret: secret, isPublished: isPublished)
        } catch {
            guard error.isOutage else { throw error }
            throw UnavailableKey("\(object): \(error)")
        }
    }

    /// The code of a message of one block or less that is padded to two.
    private static func code(
        _ message: [UInt8], _ subkey: SecretBytes, _ key: Token.OpenKey
    ) throws(TokenError) -> SecretBytes {
        let padded = SecretBytes(padding: message, to: 2 * TagKey.length)
        let blocks = SecretBytes(
            joining: padded.slice(0..<TagKey.length),
            padded.slice(TagKey.length..<2 * TagKey.length).exclusiveOr(subkey))
        return try key.module.encrypt(blocks, key.handle, key.session).slice(TagKey.length..<2 * TagKey.length)
    }

    func shared() throws -> TagKey {
        throw TokenError(
            "\(object) is in a token, which does not reveal it; a key that all tags share must be in the file")
    }
}

/// A key that was not read, since only its name is needed.
struct UnreadKey: MasterKey {
    /// Why it was not read.
    let reason: String
    /// Whether it is in a token.
    let isInToken: Bool

    var isPublished: Bool { false }

    func derived(from input: [UInt8], padding: KeyDiversification.Padding) throws -> TagKey { throw TokenError(reason) }

    func shared() throws -> TagKey { throw TokenError(reason) }
}
