import NDEF
public import NFCTags

// What goes through the driver of the tag's technology.

extension HeldTag {
    /// Status, capacity and message.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/readNDEF()``.
    public func readNDEF() async throws(TagError) -> NDEFReadResult {
        try await counted(.read) { () throws(TagError) in
            try await perform { () throws(TagError) in
                guard let ndef = self.drivers.ndef() else { return .notSupported(self.noNDEF) }
                return try await ndef.readNDEF()
            }
        }
    }

    /// Status and capacity, without the message.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/queryStatus()``.
    public func queryStatus() async throws(TagError) -> NDEFStatusResult {
        try await perform { () throws(TagError) in
            guard let ndef = self.drivers.ndef() else { return NDEFStatusResult(.notSupported(self.noNDEF)) }
            return try await ndef.queryStatus()
        }
    }

    /// Puts a message, encoded, in place of the one that is there; no bytes erase it.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/writeNDEF(_:verifying:progress:)``.
    public func writeNDEF(
        _ message: [UInt8], verifying: Bool, progress: TagProgress? = nil
    ) async throws(TagError) {
        try await performChange { () throws(TagError) in
            try await self.driver().writeNDEF(message, verifying: verifying, progress: progress)
        }
    }

    /// Makes a tag without NDEF one with an empty message.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/formatNDEF()``.
    public func formatNDEF() async throws(TagError) {
        try await performChange { () throws(TagError) in try await self.driver().formatNDEF() }
    }

    /// Makes the message read-only for ever.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/makeReadOnly()``.
    public func makeReadOnly() async throws(TagError) {
        try await performChange { () throws(TagError) in try await self.driver().makeReadOnly() }
    }

    /// What the tag is.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/describe()``.
    public func describe() async throws(TagError) -> TagDescription {
        try await perform { () throws(TagError) in try await self.driver().describe() }
    }

    /// Everything that can be read.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/dump(progress:)``.
    public func dump(progress: TagProgress? = nil) async throws(TagError) -> TagDump {
        try await perform { () throws(TagError) in try await self.driver().dump(progress: progress) }
    }

    /// Gives the password. Commands as they are make it forgotten here: the tag has to be given it again.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/authenticate(password:)``. The password stands in none.
    public func authenticate(password: [UInt8]) async throws(TagError) -> [UInt8] {
        do throws(TagError) {
            return try await perform { () throws(TagError) in
                try await self.driver().authenticate(password: password)
            }
        } catch {
            guard !password.isEmpty else { throw error }
            // An error of the channel names the command that failed.
            throw TagError(
                error.code, error.detail.replacing(password.hexadecimal, with: "…"), response: error.response,
                statusWord: error.statusWord)
        }
    }

    private func driver() throws(TagError) -> any NDEFTag {
        guard let ndef = drivers.ndef() else { throw TagError(.unsupportedFeature, noNDEF) }
        return ndef
    }

    private var noNDEF: String { "NDEF on \(identity.technology) is not supported yet" }
}
