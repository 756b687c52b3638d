import NFCProtocol
import NFCSessions
import NFCTags

// The passwords, the counter, the mirror and other settings of a tag.

extension TagAuthenticate: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Result {
        let password = arguments.password.bytes
        return Result(acknowledge: HexBytes(try await tag.authenticate(password: password, kind: arguments.kind)))
    }
}

extension TagSetPassword: TagAction {
    static func perform(
        _ arguments: TagPassword, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> TagProtection {
        tag.noteAuthentication()
        tag.withhold(arguments.password.bytes)
        return try await tag.set("setting the password") { tag throws(TagError) in
            try await tag.setPassword(arguments)
        }
    }
}

extension TagRemovePassword: TagAction {
    static func perform(
        _ arguments: Empty, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Empty {
        try await tag.set("removing the password") { tag throws(TagError) in try await tag.removePassword() }
        return Empty()
    }
}

extension TagConfigure: TagAction {
    static func perform(
        _ arguments: TagSettingChanges, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> TagSettings {
        try await tag.set(arguments.words) { tag throws(TagError) in
            try await tag.configure(arguments)
        }
    }
}

extension TagSettingChanges {
    /// What is changed, for the log.
    fileprivate var words: String {
        let parts = [
            counter != nil || counterValue != nil ? "the counter" : nil,
            mirror != nil || mirrorPage != nil ? "the mirror" : nil, afi != nil ? "the AFI" : nil,
            eas != nil ? "EAS" : nil, privacy != nil ? "privacy mode" : nil,
            locks.map { "permanent locks (\($0.map(\.rawValue).joined(separator: ", ")))" },
        ]
        return "changing " + (parts.compactMap(\.self).joined(separator: ", "))
    }
}

extension TagCommands {
    /// Runs a command that changes settings of the tag; the raw writes for it would need the capability lock as well.
    fileprivate func set<Value: Sendable>(
        _ what: String, _ command: (any SettableTag) async throws(TagError) -> Value
    ) async throws(TagError) -> Value {
        try await change(what, effect: .lock) { tag throws(TagError) in
            guard let tag = tag as? any SettableTag else {
                throw TagError(
                    .unsupportedFeature, "passwords and settings of \(identity.technology) are not supported")
            }
            return try await command(tag)
        }
    }
}
