import NFCProtocol
import NFCSessions
import NFCTags

// The tag itself and its memory.

extension TagDescribe: TagAction {
    static func perform(
        _ arguments: Empty, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> TagDescription {
        try await tag.driver().describe()
    }
}

extension TagDumpMemory: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> TagDump {
        try await tag.driver().dump(progress: progress)
    }
}

extension TagWriteMemory: TagAction {
    /// Throws also 1 for a block that is given twice, 2 for a write that needs more than the method: one that locks, or formats.
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Result {
        let blocks = try arguments.blocksByNumber()
        let written = try await tag.change("writing memory") { driver throws(TagError) in
            guard let memory = driver as? any WritableMemory else {
                throw TagError(
                    .unsupportedFeature,
                    "writing the memory of \(tag.identity.technology) is not supported; write a message")
            }
            let effect = try await memory.effect(ofWriting: blocks)
            let what = effect == .lock ? "makes the message read-only" : "formats the tag"
            try tag.check(
                [.write] + effect.capabilities.filter { $0 != .raw && $0 != .write }, "the write, which \(what), is")
            return try await memory.writeMemory(
                blocks, overwriting: arguments.overwrite ?? false, progress: progress)
        }
        return Result(written: written)
    }
}

extension TagWriteMemory.Arguments {
    /// - Throws: ``TagError`` 1 for a block that is given twice.
    fileprivate func blocksByNumber() throws(TagError) -> [Int: [UInt8]] {
        var found: [Int: [UInt8]] = [:]
        for block in blocks where found.updateValue(block.bytes.bytes, forKey: block.number) != nil {
            throw TagError(.unsupportedFeature, "block \(block.number) is given twice")
        }
        return found
    }
}
