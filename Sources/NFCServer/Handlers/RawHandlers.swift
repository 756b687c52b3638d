import NFCProtocol
import NFCSessions
import NFCTags

extension MethodTable {
    /// The raw commands: `iso7816.*`, `miFare.*`, `feliCa.*` and `iso15693.*`.
    mutating func addRawMethods(_ coordinator: SessionCoordinator) {
        onTag(ISO7816SendCommand.self, of: coordinator) { tag, arguments throws(TagError) in
            try await tag.send(arguments.apdu.bytes)
        }
        onTag(MiFareSendISO7816Command.self, of: coordinator) { tag, arguments throws(TagError) in
            try tag.require([.miFare, .iso7816], "miFare commands")
            return try await tag.send(arguments.apdu.bytes)
        }
        onTag(MiFareSendCommand.self, of: coordinator) { tag, arguments throws(TagError) in
            RawAnswer(data: HexBytes(try await tag.sendMiFareCommand(arguments.command.bytes)))
        }
        onTag(FeliCaSendCommand.self, of: coordinator) { tag, arguments throws(TagError) in
            RawAnswer(data: HexBytes(try await tag.sendFeliCaCommand(arguments.packet.bytes)))
        }
        onTag(ISO15693SendRequest.self, of: coordinator) { tag, arguments throws(TagError) in
            let answer = try await tag.sendRequest(
                flags: arguments.requestFlags, command: arguments.commandCode, data: arguments.data?.bytes ?? [])
            return ISO15693SendRequest.Result(responseFlag: answer.flags, data: HexBytes(answer.data))
        }
    }
}

extension TagCommands {
    fileprivate func send(_ apdu: [UInt8]) async throws(TagError) -> ISO7816SendCommand.Result {
        guard ISO7816SendCommand.lengths.contains(apdu.count) else {
            throw TagError(.packetTooLong, "an APDU has 4 to 65544 bytes, not \(apdu.count)")
        }
        let response = try await sendCommand(apdu)
        return ISO7816SendCommand.Result(data: HexBytes(response.data), sw1: response.sw1, sw2: response.sw2)
    }
}

extension MethodTable {
    /// `miFareClassic.*`.
    mutating func addClassicMethods(_ coordinator: SessionCoordinator) {
        onTag(MiFareClassicAuthenticate.self, of: coordinator) { tag, arguments throws(TagError) in
            try await tag.authenticate(
                block: arguments.block, key: arguments.key.bytes, type: arguments.keyType == .a ? .a : .b)
            return Empty()
        }
        onTag(MiFareClassicReadBlock.self, of: coordinator) { tag, arguments throws(TagError) in
            RawAnswer(data: HexBytes(try await tag.readBlock(arguments.block)))
        }
        onTag(MiFareClassicWriteBlock.self, of: coordinator) { tag, arguments throws(TagError) in
            try await tag.writeBlock(
                arguments.block, arguments.data.bytes, allowsTrailer: arguments.allowTrailer ?? false)
            return Empty()
        }
        onTag(MiFareClassicIncrement.self, of: coordinator) { tag, arguments throws(TagError) in
            try await tag.increment(arguments.block, by: arguments.amount)
            return Empty()
        }
        onTag(MiFareClassicDecrement.self, of: coordinator) { tag, arguments throws(TagError) in
            try await tag.decrement(arguments.block, by: arguments.amount)
            return Empty()
        }
        onTag(MiFareClassicRestore.self, of: coordinator) { tag, arguments throws(TagError) in
            try await tag.copyValue(from: arguments.block, to: arguments.destination)
            return Empty()
        }
    }
}
