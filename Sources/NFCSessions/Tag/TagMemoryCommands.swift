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
            return try await tag.writeMemory(blocks, progress: progress)
        }
    }
}
