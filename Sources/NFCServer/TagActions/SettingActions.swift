import NFCProtocol
import NFCSessions
import NFCTags

// The password, the counter and the mirror of a tag.

extension TagAuthenticate: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Result {
        Result(acknowledge: HexBytes(try await tag.authenticate(password: arguments.password.bytes)))
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
        try await tag.set("changing the counter or the mirror") { tag throws(TagError) in
            try await tag.configure(arguments)
        }
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
