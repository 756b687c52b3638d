import CPKCS11
import Cryptography
import Synchronization

/// A token with keys, and the session in which they are used. Every call is made on a separate thread.
///
/// A session that is lost is opened once more, as after the token was removed and inserted. A PIN that was refused is never sent again:
/// tokens count wrong ones, and lock themselves.
final class Token: Sendable {
    /// Which token it is, and how it is opened.
    struct Place: Sendable, Hashable {
        /// The path of the module.
        let module: String
        /// What the token is found by.
        let fields: [TokenURI.Field: [UInt8]]
        /// Where the PIN comes from, for people; nil if there is none.
        let pinSource: String?
    }

    /// An open session with one of its keys.
    struct OpenKey {
        let module: TokenModule
        let session: CK_SESSION_HANDLE
        let handle: CK_OBJECT_HANDLE
    }

    /// How long a token may need to be found and opened.
    static let openingLimit = Duration.seconds(15)
    /// How long it may need for a code, also if it is opened again.
    static let limit = Duration.seconds(5)

    private let thread: TokenThread
    private let state: Mutex<TokenState>

    /// A token that is opened when a key of it is used first.
    ///
    /// - Parameters:
    ///   - isAttended: whether a person waits for the result: then a PIN is tried also after a wrong one.
    ///   - clock: the clock of the limits.
    init(
        _ place: Place, pin: SecretBytes?, isAttended: Bool, clock: any Clock<Duration> = ContinuousClock()
    ) {
        thread = TokenThread(clock: clock)
        state = Mutex(TokenState(place, pin, isAttended))
    }

    /// Uses a key.
    ///
    /// - Parameter check: is made when the key was looked for, also again: whether it is the right one.
    func use<Value: Sendable>(
        _ object: TokenURI.Object, within limit: Duration = Token.limit,
        check: @escaping @Sendable (OpenKey) throws(TokenError) -> Void = { (_) throws(TokenError) in },
        _ body: @escaping @Sendable (OpenKey) throws(TokenError) -> Value
    ) async throws(TokenError) -> Value {
        try await thread.run(within: limit) { [self] () throws(TokenError) -> Value in
            try state.withLock { (state) throws(TokenError) -> Value in
                do throws(TokenError) {
                    return try body(state.open(object, check))
                } catch {
                    guard error.isLossOfSession else { throw error }
                    state.close()
                    return try body(state.open(object, check))
                }
            }
        }
    }
}

/// The session of a token, used by its thread alone.
private struct TokenState: Sendable {
    private let place: Token.Place
    private let pin: SecretBytes?
    private let isAttended: Bool
    private var module: TokenModule?
    private var session: CK_SESSION_HANDLE?
    private var handles: [TokenURI.Object: CK_OBJECT_HANDLE] = [:]
    /// The token has refused the PIN.
    private var refusal: TokenError?

    init(_ place: Token.Place, _ pin: SecretBytes?, _ isAttended: Bool) {
        (self.place, self.pin, self.isAttended) = (place, pin, isAttended)
    }

    mutating func open(
        _ object: TokenURI.Object, _ check: (Token.OpenKey) throws(TokenError) -> Void
    ) throws(TokenError) -> Token.OpenKey {
        let module = try loadedModule()
        let session = try openSession(module)
        if let handle = handles[object] { return Token.OpenKey(module: module, session: session, handle: handle) }
        let found = try module.keys(session, label: object.label, identifier: object.identifier)
        guard let handle = found.first else {
            throw TokenError("there is no secret key with \(object)" + (pin == nil ? "; a PIN may be missing" : ""))
        }
        guard found.count == 1 else {
            throw TokenError("there is more than one secret key with \(object); use both object= and id=")
        }
        let key = Token.OpenKey(module: module, session: session, handle: handle)
        try check(key)
        handles[object] = handle
        return key
    }

    mutating func close() {
        if let session { module?.close(session) }
        (session, handles) = (nil, [:])
    }

    private mutating func loadedModule() throws(TokenError) -> TokenModule {
        if let module { return module }
        let loaded = try TokenModule(path: place.module)
        module = loaded
        return loaded
    }

    private mutating func openSession(_ module: TokenModule) throws(TokenError) -> CK_SESSION_HANDLE {
        if let session { return session }
        if let refusal { throw refusal }
        let (slot, token) = try find(module)
        let opened = try module.openSession(slot)
        do throws(TokenError) {
            try logIn(token, opened, module)
        } catch {
            module.close(opened)
            throw error
        }
        session = opened
        return opened
    }

    private func find(_ module: TokenModule) throws(TokenError) -> (CK_SLOT_ID, TokenDescription) {
        let tokens = try module.slots().compactMap { slot in module.token(in: slot).map { (slot, $0) } }
            .filter(\.1.isInitialized)
        let fitting = tokens.filter { _, token in place.fields.allSatisfy { token.fields[$0.key] == $0.value } }
        guard let found = fitting.first else {
            let labels = tokens.compactMap { $0.1.fields[.token] }.map { String(decoding: $0, as: UTF8.self) }
            let others = labels.isEmpty ? "it has no token" : "it has \(labels.sorted().joined(separator: ", "))"
            throw TokenError(
                "the module \(place.module) has no such token: \(others). Is it inserted, and may this user use it?",
                isTemporary: true)
        }
        guard fitting.count == 1 else {
            throw TokenError("the module \(place.module) has more than one such token; add serial= to the URI")
        }
        return found
    }

    private mutating func logIn(
        _ token: TokenDescription, _ session: CK_SESSION_HANDLE, _ module: TokenModule
    ) throws(TokenError) {
        guard let pin else {
            guard !token.requiresLogin else {
                throw TokenError("it needs a PIN; add pin-file or pin-credential to [pkcs11], or pin-source to the URI")
            }
            return
        }
        guard !token.isLocked else { throw TokenError("its PIN is locked after too many wrong ones") }
        guard !token.isLastAttempt else {
            throw TokenError(
                "one more wrong PIN would lock it, so that nfcd does not try; log in once by hand, for example with"
                    + " pkcs11-tool --login --list-objects")
        }
        guard isAttended || !token.hasFailedLogins else {
            throw TokenError(
                "a wrong PIN was entered since the last right one; so that it is not locked, nfcd does not try. Log in once with the"
                    + " right one, with nfcctl keys check or pkcs11-tool --login --list-objects")
        }
        do throws(TokenError) {
            try module.logIn(session, pin)
        } catch {
            guard error.isRefusalOfPIN else { throw error }
            let refused = TokenError(
                "it refuses the PIN from \(place.pinSource ?? "the file") (code 0x\(String(error.code ?? 0, radix: 16)));"
                    + " it is not tried again", code: error.code)
            refusal = refused
            throw refused
        }
    }
}

extension TokenError {
    fileprivate var isLossOfSession: Bool {
        [
            CKR_DEVICE_ERROR, CKR_DEVICE_REMOVED, CKR_KEY_HANDLE_INVALID, CKR_OBJECT_HANDLE_INVALID,
            CKR_OPERATION_ACTIVE,
            CKR_SESSION_CLOSED, CKR_SESSION_HANDLE_INVALID, CKR_TOKEN_NOT_PRESENT, CKR_USER_NOT_LOGGED_IN,
        ].contains { code == CK_RV($0) }
    }

    /// Whether the token cannot be used now, and may be later without a change of its keys or its PIN.
    var isOutage: Bool {
        isTemporary || isLossOfSession
            || [CKR_DEVICE_MEMORY, CKR_FUNCTION_FAILED, CKR_GENERAL_ERROR].contains { code == CK_RV($0) }
    }

    fileprivate var isRefusalOfPIN: Bool {
        [CKR_PIN_INCORRECT, CKR_PIN_INVALID, CKR_PIN_LEN_RANGE, CKR_PIN_EXPIRED, CKR_PIN_LOCKED].contains {
            code == CK_RV($0)
        }
    }
}

/// Why a token or its key cannot be used: for people, and never with a PIN or a key.
struct TokenError: Error, Equatable, CustomStringConvertible {
    let description: String
    /// What the module returned (CKR_…); nil if it was not asked.
    let code: UInt?
    /// Whether it is known without a code of the module that it may pass.
    fileprivate let isTemporary: Bool

    init(_ description: String, code: UInt? = nil, isTemporary: Bool = false) {
        self.description = description
        self.code = code
        self.isTemporary = isTemporary
    }
}
