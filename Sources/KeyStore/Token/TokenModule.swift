import CPKCS11
import Cryptography

/// The library of a maker of tokens (PKCS#11 2.40), loaded into this process. Its calls may block as long as the library likes.
struct TokenModule: Sendable {
    /// Valid as long as the process: modules stay loaded.
    nonisolated(unsafe) private let functions: UnsafePointer<CK_FUNCTION_LIST>

    /// Loads a library that was not loaded before.
    init(path: String) throws(TokenError) {
        var message = [CChar](repeating: 0, count: 256)
        guard let functions = cpkcs11_load(path, &message, message.count) else {
            let reason = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw TokenError("the module \(path) cannot be loaded: \(reason)")
        }
        self.functions = functions
    }

    private func call<Function>(
        _ name: String, _ function: Function?, _ body: (Function) -> CK_RV
    ) throws(TokenError) {
        guard let function else { throw TokenError("the module has no \(name)") }
        let code = body(function)
        guard code == CKR_OK else {
            throw TokenError("\(name) failed with code 0x\(String(code, radix: 16))", code: code)
        }
    }

    // MARK: Tokens

    /// The slots with a token.
    func slots() throws(TokenError) -> [CK_SLOT_ID] {
        let list = functions.pointee.C_GetSlotList
        var count: CK_ULONG = 0
        try call("C_GetSlotList", list) { $0(1, nil, &count) }
        // One may be plugged in between the two calls.
        var slots = [CK_SLOT_ID](repeating: 0, count: Int(count) + 8)
        count = CK_ULONG(slots.count)
        try call("C_GetSlotList", list) { $0(1, &slots, &count) }
        return Array(slots.prefix(Int(count)))
    }

    /// What the token in a slot is; nil if it does not answer.
    func token(in slot: CK_SLOT_ID) -> TokenDescription? {
        var info = CK_TOKEN_INFO()
        guard functions.pointee.C_GetTokenInfo?(slot, &info) == CK_RV(CKR_OK) else { return nil }
        return TokenDescription(info)
    }

    // MARK: Sessions

    /// Opens a session that only reads.
    func openSession(_ slot: CK_SLOT_ID) throws(TokenError) -> CK_SESSION_HANDLE {
        var session: CK_SESSION_HANDLE = 0
        try call("C_OpenSession", functions.pointee.C_OpenSession) {
            $0(slot, CK_FLAGS(CKF_SERIAL_SESSION), nil, nil, &session)
        }
        return session
    }

    /// Closes a session, also one that is lost.
    func close(_ session: CK_SESSION_HANDLE) {
        _ = functions.pointee.C_CloseSession?(session)
    }

    /// Logs the user in: one attempt.
    func logIn(_ session: CK_SESSION_HANDLE, _ pin: SecretBytes) throws(TokenError) {
        do {
            try call("C_Login", functions.pointee.C_Login) { login in
                pin.withUnsafeBytes {
                    login(
                        session, CK_ULONG(CKU_USER), $0.bindMemory(to: CK_BYTE.self).baseAddress, CK_ULONG($0.count))
                }
            }
        } catch {
            guard error.code == CK_RV(CKR_USER_ALREADY_LOGGED_IN) else { throw error }
        }
    }

    // MARK: Keys

    /// The secret keys of a label and an identifier, two at most.
    func keys(
        _ session: CK_SESSION_HANDLE, label: [UInt8]?, identifier: [UInt8]?
    ) throws(TokenError) -> [CK_OBJECT_HANDLE] {
        let kind = CK_ULONG(CKO_SECRET_KEY)
        let values = [
            (CKA_CLASS, withUnsafeBytes(of: kind) { Array($0) }), (CKA_LABEL, label), (CKA_ID, identifier),
        ].compactMap { type, value in value.map { (CK_ULONG(type), $0) } }
        // The class is first, so that it is aligned.
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: values.reduce(0) { $0 + $1.1.count }, alignment: MemoryLayout<CK_ULONG>.alignment)
        defer { memory.deallocate() }
        memory.copyBytes(from: values.flatMap(\.1))
        var attributes: [CK_ATTRIBUTE] = []
        var position = 0
        for (type, value) in values {
            attributes.append(
                CK_ATTRIBUTE(
                    type: type, pValue: memory.baseAddress?.advanced(by: position), ulValueLen: CK_ULONG(value.count)))
            position += value.count
        }
        try call("C_FindObjectsInit", functions.pointee.C_FindObjectsInit) {
            $0(session, &attributes, CK_ULONG(attributes.count))
        }
        defer { _ = functions.pointee.C_FindObjectsFinal?(session) }
        return try found(session)
    }

    private func found(_ session: CK_SESSION_HANDLE) throws(TokenError) -> [CK_OBJECT_HANDLE] {
        var found: [CK_OBJECT_HANDLE] = []
        // Some modules return one at a time.
        while found.count < 2 {
            var (handle, count): (CK_OBJECT_HANDLE, CK_ULONG) = (0, 0)
            try call("C_FindObjects", functions.pointee.C_FindObjects) { $0(session, &handle, 1, &count) }
            guard count > 0 else { break }
            found.append(handle)
        }
        return found
    }

    /// A number that describes a key, such as its length; nil if it has none.
    func number(_ type: Int, of key: CK_OBJECT_HANDLE, _ session: CK_SESSION_HANDLE) -> UInt? {
        attribute(type, of: key, session, 0 as CK_ULONG)
    }

    /// Whether a key may be used for something.
    func flag(_ type: Int, of key: CK_OBJECT_HANDLE, _ session: CK_SESSION_HANDLE) -> Bool {
        attribute(type, of: key, session, 0 as CK_BBOOL).map { $0 != 0 } ?? false
    }

    private func attribute<Value: BitwiseCopyable>(
        _ type: Int, of key: CK_OBJECT_HANDLE, _ session: CK_SESSION_HANDLE, _ initial: Value
    ) -> Value? {
        var value = initial
        let size = CK_ULONG(MemoryLayout<Value>.size)
        return withUnsafeMutableBytes(of: &value) { memory -> CK_ULONG? in
            var attribute = CK_ATTRIBUTE(type: CK_ULONG(type), pValue: memory.baseAddress, ulValueLen: size)
            let code = functions.pointee.C_GetAttributeValue?(session, key, &attribute, 1)
            return code == CK_RV(CKR_OK) ? attribute.ulValueLen : nil
        } == size ? value : nil
    }

    // MARK: Codes

    /// The AES-CMAC of a message.
    func cmac(
        _ message: [UInt8], _ key: CK_OBJECT_HANDLE, _ session: CK_SESSION_HANDLE
    ) throws(TokenError) -> SecretBytes {
        var mechanism = CK_MECHANISM(mechanism: CK_ULONG(CKM_AES_CMAC), pParameter: nil, ulParameterLen: 0)
        try call("C_SignInit", functions.pointee.C_SignInit) { $0(session, &mechanism, key) }
        return try SecretBytes(count: 16) { memory throws(TokenError) in
            var count = CK_ULONG(memory.count)
            try call("C_Sign", functions.pointee.C_Sign) {
                $0(session, message, CK_ULONG(message.count), memory.bindMemory(to: CK_BYTE.self).baseAddress, &count)
            }
            guard count == memory.count else { throw TokenError("C_Sign returned \(count) bytes, not 16") }
        }
    }

    /// Whole blocks in CBC mode, with a vector of zeros.
    func encrypt(
        _ blocks: SecretBytes, _ key: CK_OBJECT_HANDLE, _ session: CK_SESSION_HANDLE
    ) throws(TokenError) -> SecretBytes {
        var vector = [UInt8](repeating: 0, count: 16)
        try call("C_EncryptInit", functions.pointee.C_EncryptInit) { begin in
            vector.withUnsafeMutableBytes {
                var mechanism = CK_MECHANISM(
                    mechanism: CK_ULONG(CKM_AES_CBC), pParameter: $0.baseAddress, ulParameterLen: CK_ULONG($0.count))
                return begin(session, &mechanism, key)
            }
        }
        return try SecretBytes(count: blocks.count) { memory throws(TokenError) in
            var count = CK_ULONG(memory.count)
            try call("C_Encrypt", functions.pointee.C_Encrypt) { encrypt in
                blocks.withUnsafeBytes {
                    encrypt(
                        session, $0.bindMemory(to: CK_BYTE.self).baseAddress, CK_ULONG($0.count),
                        memory.bindMemory(to: CK_BYTE.self).baseAddress, &count)
                }
            }
            guard count == memory.count else { throw TokenError("C_Encrypt returned \(count) bytes") }
        }
    }
}

/// What a token says about itself.
struct TokenDescription: Sendable {
    /// Its fields, without the blanks at their ends.
    let fields: [TokenURI.Field: [UInt8]]
    private let flags: CK_FLAGS

    fileprivate init(_ info: CK_TOKEN_INFO) {
        func text(_ value: some Any) -> [UInt8] {
            let bytes = withUnsafeBytes(of: value) { Array($0) }
            return Array(bytes.prefix((bytes.lastIndex { $0 != 0x20 && $0 != 0 } ?? -1) + 1))
        }
        fields = [
            .token: text(info.label), .manufacturer: text(info.manufacturerID), .model: text(info.model),
            .serial: text(info.serialNumber),
        ]
        flags = info.flags
    }

    private func has(_ flag: Int) -> Bool { flags & CK_FLAGS(flag) != 0 }

    /// Whether it was set up.
    var isInitialized: Bool { has(CKF_TOKEN_INITIALIZED) }
    /// Whether its keys need a PIN.
    var requiresLogin: Bool { has(CKF_LOGIN_REQUIRED) }
    /// Whether a wrong PIN was entered since the last right one.
    var hasFailedLogins: Bool { has(CKF_USER_PIN_COUNT_LOW) }
    /// Whether one more wrong PIN locks it.
    var isLastAttempt: Bool { has(CKF_USER_PIN_FINAL_TRY) }
    /// Whether no PIN is accepted any more.
    var isLocked: Bool { has(CKF_USER_PIN_LOCKED) }
}
