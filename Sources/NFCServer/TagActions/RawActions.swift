import NFCProtocol
import NFCSessions
import NFCTags

// Raw commands: `iso7816.*`, `miFare.*`, `feliCa.*` and `iso15693.*`.

extension ISO7816SendCommand: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Result {
        let apdu = arguments.apdu.bytes
        guard lengths.contains(apdu.count) else {
            throw TagError(.packetTooLong, "an APDU has 4 to 65544 bytes, not \(apdu.count)")
        }
        let response = try await tag.sendCommand(apdu)
        return Result(data: HexBytes(response.data), sw1: response.sw1, sw2: response.sw2)
    }
}

extension MiFareSendISO7816Command: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Result {
        try tag.require([.miFare, .iso7816], "miFare commands")
        return try await ISO7816SendCommand.perform(arguments, on: tag, progress)
    }
}

extension MiFareSendCommand: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> RawAnswer {
        RawAnswer(data: HexBytes(try await tag.sendMiFareCommand(arguments.command.bytes)))
    }
}

extension FeliCaSendCommand: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> RawAnswer {
        RawAnswer(data: HexBytes(try await tag.sendFeliCaCommand(arguments.packet.bytes)))
    }
}

extension ISO15693SendRequest: TagAction {
    static func perform(
        _ arguments: Arguments, on tag: TagCommands, _ progress: TagProgress?
    ) async throws(TagError) -> Result {
        let answer = try await tag.sendRequest(
            flags: arguments.requestFlags, command: arguments.commandCode, data: arguments.data?.bytes ?? [])
        return Result(responseFlag: answer.flags, data: HexBytes(answer.data))
    }
}
