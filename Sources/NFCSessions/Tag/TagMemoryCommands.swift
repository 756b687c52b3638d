public import NFCTags

extension TagCommands {
    /// Replaces blocks of the memory that hold data.
    ///
    /// - Parameter blocks: their content, by number.
    /// - Returns: how many had another content.
    /// - Throws: ``TagError``; see ``WritableMemory/writeMemory(_:progress:)``.
    public func writeMemory(_ blocks: [Int: [UInt8]], progress: TagProgress? = nil) async throws(TagError) -> Int {
        try await change("writing memory") { driver throws(TagError) in
            guard let tag = driver as? any WritableMemory else {
                throw TagError(
                    .unsupportedFeature,
                    "writing the memory of \(identity.technology) is not supported; write a message")
            }
            try await checkGrants(for: tag.effect(ofWriting: blocks))
            return try await tag.writeMemory(blocks, progress: progress)
        }
    }

    /// Refuses blocks that do what another method needs more for: locking, or formatting.
    private func checkGrants(for effect: CommandEffect) throws(TagError) {
        let needed = [.write] + effect.capabilities.filter { $0 != .raw && $0 != .write }
        let what = effect == .lock ? "makes the message read-only" : "formats the tag"
        try rules.check(needed, "the write, which \(what), is")
    }
}
