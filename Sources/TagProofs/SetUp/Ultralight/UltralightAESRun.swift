import Cryptography
import NFCTags
import SecureTags

/// Performs steps with a MIFARE Ultralight AES. After an error, the tag is as before the step or as after it; or, while no key protects it,
/// its key is written in part.
struct UltralightAESRun: SetUpRun {
    private let tag: UltralightAESTag
    private let keys: SetUpKeys
    private let uid: [UInt8]
    private let isReset: Bool
    private let reconnection: CardReconnection
    private var settings: UltralightSettings

    /// It has no message that is read to check it.
    let counter: Int? = nil

    init(
        _ tag: UltralightAESTag, _ keys: SetUpKeys, _ state: UltralightAESTag.State, isReset: Bool,
        _ reconnection: CardReconnection
    ) {
        (self.tag, self.keys, uid, settings) = (tag, keys, state.uid, state.settings)
        (self.isReset, self.reconnection) = (isReset, reconnection)
    }

    mutating func perform(_ step: UltralightAESStep, beforeChange: () -> Void) async throws {
        switch step {
        case .writeKey(let number, let version):
            let key = try await keys.key(number, version: version, uid: uid)
            beforeChange()
            try await tag.write(key, number: number)
        case .recognise(let version):
            try await proveKeys(version, otherwise: AskedTag.imitation, .foreign)
        case .proveKeys(let version):
            try await proveKeys(version, otherwise: "the tag does not have the keys that were written")
        case .writeSettings(let version):
            beforeChange()
            try await writeSettings(version)
        case .protect:
            beforeChange()
            try await protect()
        case .unprotect: try await unprotect(beforeChange)
        case .lockKeys: try await lockKeys(beforeChange)
        case .confirm: try await confirm()
        }
    }

    // MARK: Without protection

    private func proveKeys(
        _ version: UInt8, otherwise failure: String, _ reason: SetUpError.Reason = .wrongResult
    ) async throws {
        var both: [SecretBytes] = []
        for number in 0..<keys.count { both.append(try await keys.key(number, version: version, uid: uid)) }
        do throws(UltralightFailure) { try await tag.prove(both) } catch {
            guard error.isWrongKey else { throw error }
            throw SetUpError(reason, failure)
        }
    }

    private mutating func writeSettings(_ version: UInt8) async throws {
        settings.protectsReading = isReset
        settings.keyVersion = version
        settings.attemptLimit = 0
        try await tag.write(settings.page1, page: UltralightSettings.firstPage + 1)
        // A protected tag that notes another version than it has would be lost.
        guard try await tag.state().settings.page1 == settings.page1 else {
            throw SetUpError(.wrongResult, "the settings of the tag are not those that were written")
        }
    }

    private mutating func protect() async throws {
        settings.hasCodes = true
        settings.firstProtectedPage = UltralightAESCourse.firstProtectedPage
        try await tag.write(settings.page0, page: UltralightSettings.firstPage)
        try await reconnect()
    }

    // MARK: With the key

    private mutating func unprotect(_ beforeChange: () -> Void) async throws {
        let key = try await key
        settings.hasCodes = false
        settings.firstProtectedPage = UltralightSettings.noPage
        try await withKey { () async throws(UltralightFailure) in
            try await tag.write(
                settings.page0, page: UltralightSettings.firstPage, with: key, beforeChange: beforeChange)
        }
        try await reconnect()
    }

    private mutating func lockKeys(_ beforeChange: () -> Void) async throws {
        let key = try await key
        try await withKey { () async throws(UltralightFailure) in
            try await tag.write(
                [0xE0, 0x00, 0x00, 0x00], page: UltralightSettings.lockPage, with: key, beforeChange: beforeChange)
        }
        settings.keyLocks = 0xE0
        try await reconnect()
    }

    /// Compares what the tag shows, with codes if it is protected, with what it should be.
    private func confirm() async throws {
        let shown: UltralightAESTag.State
        if settings.hasCodes {
            let key = try await key
            shown = try await withKey { () async throws(UltralightFailure) in try await tag.state(with: key) }
            // A tag that leaves now is finished. One that stays answers without codes again.
            try? await reconnect()
        } else {
            shown = try await tag.state()
        }
        guard shown.uid == uid, shown.settings.page0 == settings.page0, shown.settings.page1 == settings.page1,
            (shown.settings.keyLocks ?? 0) & 0xC0 == (settings.keyLocks ?? 0) & 0xC0
        else {
            throw SetUpError(.wrongResult, "the UID, the settings or the locks of the tag are not as they should be")
        }
    }

    /// DataProtKey of the version that the tag notes.
    private var key: SecretBytes {
        get async throws(SetUpError) { try await keys.key(0, version: settings.keyVersion, uid: uid) }
    }

    private func withKey<Value>(
        _ body: () async throws(UltralightFailure) -> Value
    ) async throws -> Value {
        do throws(UltralightFailure) { return try await body() } catch {
            guard error.isWrongKey else { throw error }
            throw SetUpError(
                .keyRefused, "the tag does not have the key that version \(settings.keyVersion) stands for")
        }
    }

    private func reconnect() async throws {
        do throws(CardChannelError) { try await reconnection.perform() } catch {
            throw UltralightFailure.lost(TagError(error.code, "the tag could not be activated again"))
        }
    }
}

extension UltralightFailure {
    /// Whether the tag has another key than it was asked with.
    fileprivate var isWrongKey: Bool {
        switch self {
        case .refused(.key), .session(.wrongProof): true
        default: false
        }
    }
}
