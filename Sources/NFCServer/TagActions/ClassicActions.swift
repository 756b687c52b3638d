import NFCProtocol
import NFCSessions
import NFCTags

// MIFARE Classic: `miFareClassic.*`.

extension MiFareClassicAuthenticate: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Empty {
        try await tag.authenticate(
            block: arguments.block, key: arguments.key.bytes, type: arguments.keyType == .a ? .a : .b)
        return Empty()
    }
}

extension MiFareClassicReadBlock: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> RawAnswer {
        RawAnswer(data: HexBytes(try await tag.readBlock(arguments.block)))
    }
}

extension MiFareClassicWriteBlock: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Empty {
        try await tag.writeBlock(
            arguments.block, arguments.data.bytes, allowsTrailer: arguments.allowTrailer ?? false)
        return Empty()
    }
}

extension MiFareClassicIncrement: TagAction {
    static func perform(
        _ arguments: MiFareClassicAmount, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Empty {
        try await tag.increment(arguments.block, by: arguments.amount)
        return Empty()
    }
}

extension MiFareClassicDecrement: TagAction {
    static func perform(
        _ arguments: MiFareClassicAmount, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Empty {
        try await tag.decrement(arguments.block, by: arguments.amount)
        return Empty()
    }
}

extension MiFareClassicRestore: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Empty {
        try await tag.copyValue(from: arguments.block, to: arguments.destination)
        return Empty()
    }
}
