public import NFCTags

extension TagCommands {
    /// Protects the tag with a password, or changes it.
    ///
    /// - Throws: ``TagError``; see ``SettableTag/setPassword(_:)``. No error contains the password.
    public func setPassword(_ password: TagPassword) async throws(TagError) -> TagPassword.Protection {
        noteAuthentication()
        return try await withholding(password.password) { () throws(TagError) in
            try await set("setting the password") { tag throws(TagError) in try await tag.setPassword(password) }
        }
    }

    /// Removes the password.
    ///
    /// - Throws: ``TagError``; see ``SettableTag/removePassword()``.
    public func removePassword() async throws(TagError) {
        try await set("removing the password") { tag throws(TagError) in try await tag.removePassword() }
    }

    /// Changes the counter and the mirror.
    ///
    /// - Throws: ``TagError``; see ``SettableTag/configure(_:)``.
    public func configure(_ changes: TagSettings) async throws(TagError) -> TagSettings {
        try await set("changing the counter or the mirror") { tag throws(TagError) in try await tag.configure(changes) }
    }

    /// Runs a command that changes settings of the tag; the raw writes for it would need the capability lock as well.
    private func set<Value: Sendable>(
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

    /// Runs a command with a secret. An error of the channel names the command that failed; the secret is replaced in it.
    func withholding<Value>(
        _ secret: [UInt8], _ command: () async throws(TagError) -> Value
    ) async throws(TagError) -> Value {
        do throws(TagError) {
            return try await command()
        } catch {
            guard !secret.isEmpty else { throw error }
            throw TagError(
                error.code, error.detail.replacing(Hexadecimal.string(secret), with: "…"), response: error.response,
                statusWord: error.statusWord, leaves: error.leaves)
        }
    }
}
