import NDEF
import NFCProtocol
import NFCSessions
import NFCTags

// The message of a tag.

extension TagQueryNDEFStatus: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Result {
        guard let driver = tag.ndefDriver() else {
            return Result(
                status: .notSupported, capacity: 0, reason: tag.noNDEF, formattable: false, obstacle: tag.noNDEF)
        }
        let found = try await driver.queryStatus()
        var result = Result(status: found.status, capacity: found.capacity, reason: found.reason)
        if arguments.content == true { result.content = try await driver.findContent() }
        guard found.status == .notSupported else { return result }
        let state = try await driver.formatState()
        result.formattable = state == .blank
        switch state {
        case .holdsData(let text): result.overwrites = text
        case .impossible(let text): result.obstacle = text
        case .formatted, .blank: break
        }
        return result
    }
}

extension TagReadNDEF: TagAction {
    /// Throws also 403 if there is no message, 1 without NDEF, 102 if the bytes are not a message.
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Result {
        let reading = try await tag.readNDEF()
        let decoded = NDEFReading(reading)
        if let failure = decoded.failure { throw failure }
        // The message was read, even if the tag leaves now.
        let content = arguments.content == true ? try? await tag.ndefDriver()?.findContent() : nil
        return Result(
            message: decoded.messages.first ?? NDEFMessage(), status: reading.status, capacity: reading.capacity,
            content: content)
    }
}

extension TagWriteNDEF: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Empty {
        try await tag.writeNDEF(
            try arguments.message.bytesToWrite(), verifying: arguments.verify ?? false,
            overwriting: arguments.overwrite ?? false, progress: progress)
        return Empty()
    }
}

extension TagUpdateRecord: TagAction {
    /// Throws also 1 for a change that is not one: another length, a place outside of it.
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Empty {
        try await tag.updateRecord(
            try arguments.update(), verifying: arguments.verify ?? false, progress: progress)
        return Empty()
    }
}

extension TagUpdateRecord.Arguments {
    fileprivate func update() throws(TagError) -> RecordUpdate {
        try RecordUpdate(
            record: record, offset: offset, old: old.bytes, new: new.bytes, stop: stop?.value(),
            steps: (steps ?? []).map(\.bytes))
    }
}

extension TagUpdateRecord.Stop {
    fileprivate func value() throws(TagError) -> RecordUpdate.Stop {
        guard let value = byte.bytes.first, byte.bytes.count == 1 else {
            throw TagError(.unsupportedFeature, "the byte of `stop` has \(byte.bytes.count) bytes; give one")
        }
        return RecordUpdate.Stop(offset: offset, byte: value)
    }
}

extension NDEFMessage {
    /// The encoded message.
    ///
    /// - Throws: ``TagError`` 402 if it cannot be encoded: it fits on no tag.
    fileprivate func bytesToWrite() throws(TagError) -> [UInt8] {
        do throws(NDEFError) {
            return try encoded()
        } catch {
            throw TagError(.tagSizeTooSmall, "the message cannot be encoded: \(error)")
        }
    }
}

extension TagFormat: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Empty {
        try await tag.formatNDEF(overwriting: arguments.overwrite ?? false)
        return Empty()
    }
}

extension TagWriteLock: TagAction {
    static func perform(
        _ arguments: Empty, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Empty {
        try await tag.change("making it read-only") { driver throws(TagError) in try await driver.makeReadOnly() }
        return Empty()
    }
}
