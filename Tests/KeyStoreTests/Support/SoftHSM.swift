import CPKCS11
import Foundation
import Synchronization

/// Tokens of SoftHSM in a temporary folder, made once: their library reads its folder when it is loaded.
struct SoftHSM: Sendable {
    /// A key, as it is put into a token.
    struct Key {
        let label: String
        var identifier: UInt8 = 1
        var value: [UInt8] = SoftHSM.value
        var kind = CK_ULONG(CKK_AES)
        var maySign = true
        var mayEncrypt = true
    }

    static let pin = "4815162342"
    /// Not published.
    static let value: [UInt8] = [
        0x8C, 0x1F, 0x5E, 0x02, 0xB7, 0xA9, 0x4D, 0x36, 0xF0, 0xE1, 0xD2, 0xC3, 0xB4, 0xA5, 0x96, 0x87,
    ]
    /// NXP AN10922, §2.2.
    static let nxp: [UInt8] = (0..<16).map { UInt8($0 * 0x11) }

    private static let tokens: [String: [Key]] = [
        "door": [
            Key(label: "door-master"), Key(label: "an10922", value: nxp),
            Key(label: "zero", value: [UInt8](repeating: 0, count: 16)), Key(label: "long", value: nxp + nxp),
            Key(label: "generic", kind: CK_ULONG(CKK_GENERIC_SECRET)), Key(label: "no-sign", maySign: false),
            Key(label: "no-encrypt", mayEncrypt: false), Key(label: "twin", identifier: 1),
            Key(label: "twin", identifier: 2, value: nxp),
        ],
        "wrong-pin": [Key(label: "key")], "refused": [Key(label: "key")], "lost": [Key(label: "key")],
        "replaced": [Key(label: "key")],
    ]
    private static let paths = [
        "/usr/lib/softhsm/libsofthsm2.so", "/usr/lib64/pkcs11/libsofthsm2.so", "/usr/lib/pkcs11/libsofthsm2.so",
    ]
    private static let place = FileManager.default.temporaryDirectory.path + "/softhsm-" + UUID().uuidString

    /// Nil where SoftHSM is not installed.
    static let shared = try? SoftHSM()
    static let isInstalled = shared != nil

    struct Failure: Error {
        let what: String
    }

    let module: String
    /// With the PIN alone.
    let pinFile = SoftHSM.place + "/pin"
    nonisolated(unsafe) private let functions: UnsafePointer<CK_FUNCTION_LIST>

    private init() throws {
        guard let module = Self.paths.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
            throw Failure(what: "softhsm2")
        }
        self.module = module
        try FileManager.default.createDirectory(
            atPath: Self.place + "/tokens", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: Self.place)
        atexit { try? FileManager.default.removeItem(atPath: SoftHSM.place) }
        try "directories.tokendir = \(Self.place)/tokens\nlog.level = ERROR\n".write(
            toFile: Self.place + "/conf", atomically: false, encoding: .utf8)
        setenv("SOFTHSM2_CONF", Self.place + "/conf", 1)
        try Self.write(Self.pin + "\n", to: pinFile)
        for label in Self.tokens.keys {
            try Self.run("--init-token", "--free", "--label", label, "--pin", Self.pin, "--so-pin", "99999999")
        }
        var message = [CChar](repeating: 0, count: 256)
        guard let functions = cpkcs11_load(module, &message, message.count) else { throw Failure(what: "loading") }
        self.functions = functions
        for (label, keys) in Self.tokens {
            try withSession(label) { session in for key in keys { try make(key, session) } }
        }
    }

    static func write(_ text: String, to file: String) throws {
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }

    private static func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/softhsm2-util")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(what: "softhsm2-util") }
    }

    private func check(_ code: CK_RV?, _ what: String) throws {
        guard code == CK_RV(CKR_OK) else { throw Failure(what: "\(what) \(String(describing: code))") }
    }

    // MARK: What others do with the token

    /// The slot and the flags of a token.
    func token(_ label: String) throws -> (slot: CK_SLOT_ID, flags: CK_FLAGS) {
        var slots = [CK_SLOT_ID](repeating: 0, count: 32)
        var count = CK_ULONG(slots.count)
        try check(functions.pointee.C_GetSlotList?(1, &slots, &count), "C_GetSlotList")
        for slot in slots.prefix(Int(count)) {
            var info = CK_TOKEN_INFO()
            try check(functions.pointee.C_GetTokenInfo?(slot, &info), "C_GetTokenInfo")
            let text = withUnsafeBytes(of: info.label) { String(decoding: $0, as: UTF8.self) }
            if text.trimmingCharacters(in: .whitespaces) == label { return (slot, info.flags) }
        }
        throw Failure(what: label)
    }

    /// Whether a wrong PIN was entered since the last right one.
    func hasFailedLogins(_ label: String) throws -> Bool {
        try token(label).flags & CK_FLAGS(CKF_USER_PIN_COUNT_LOW) != 0
    }

    /// Ends all sessions of a token, as when it is removed.
    func endSessions(_ label: String) throws {
        try check(functions.pointee.C_CloseAllSessions?(token(label).slot), "C_CloseAllSessions")
    }

    /// Logs in with the right PIN.
    func withSession(_ label: String, _ body: (CK_SESSION_HANDLE) throws -> Void) throws {
        var session: CK_SESSION_HANDLE = 0
        let flags = CK_FLAGS(CKF_SERIAL_SESSION | CKF_RW_SESSION)
        try check(functions.pointee.C_OpenSession?(token(label).slot, flags, nil, nil, &session), "C_OpenSession")
        defer { _ = functions.pointee.C_CloseSession?(session) }
        let pin = Array(Self.pin.utf8)
        try check(functions.pointee.C_Login?(session, CK_ULONG(CKU_USER), pin, CK_ULONG(pin.count)), "C_Login")
        try body(session)
    }

    /// Puts a key into a token: sensitive, and not extractable.
    func make(_ key: Key, _ session: CK_SESSION_HANDLE) throws {
        func flag(_ isTrue: Bool) -> [UInt8] { [isTrue ? 1 : 0] }
        func number(_ number: CK_ULONG) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }
        let values: [(Int, [UInt8])] = [
            (CKA_CLASS, number(CK_ULONG(CKO_SECRET_KEY))), (CKA_KEY_TYPE, number(key.kind)), (CKA_TOKEN, flag(true)),
            (CKA_PRIVATE, flag(true)), (CKA_SENSITIVE, flag(true)), (CKA_EXTRACTABLE, flag(false)),
            (CKA_SIGN, flag(key.maySign)), (CKA_ENCRYPT, flag(key.mayEncrypt)), (CKA_LABEL, Array(key.label.utf8)),
            (CKA_ID, [key.identifier]), (CKA_VALUE, key.value),
        ]
        let buffers = values.map { _, value in
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: value.count, alignment: 8)
            buffer.copyBytes(from: value)
            return buffer
        }
        defer { for buffer in buffers { buffer.deallocate() } }
        var attributes = zip(values, buffers).map { value, buffer in
            CK_ATTRIBUTE(type: CK_ULONG(value.0), pValue: buffer.baseAddress, ulValueLen: CK_ULONG(buffer.count))
        }
        var object: CK_OBJECT_HANDLE = 0
        try check(
            functions.pointee.C_CreateObject?(session, &attributes, CK_ULONG(attributes.count), &object),
            "C_CreateObject")
    }

    /// Replaces all keys of a token by one.
    func replaceKeys(_ label: String, by key: Key) throws {
        try withSession(label) { session in
            try check(functions.pointee.C_FindObjectsInit?(session, nil, 0), "C_FindObjectsInit")
            var (objects, count) = ([CK_OBJECT_HANDLE](repeating: 0, count: 32), CK_ULONG(0))
            try check(functions.pointee.C_FindObjects?(session, &objects, 32, &count), "C_FindObjects")
            try check(functions.pointee.C_FindObjectsFinal?(session), "C_FindObjectsFinal")
            for object in objects.prefix(Int(count)) {
                try check(functions.pointee.C_DestroyObject?(session, object), "C_DestroyObject")
            }
            try make(key, session)
        }
    }
}
