import NFCProtocol
import NFCSessions
import NFCTags

extension MethodTable {
    /// Commands that go to a tag as they are.
    mutating func addRawMethods(_ coordinator: SessionCoordinator) {
        onTag(ISO7816SendCommand.self, of: coordinator) { tag, parameters throws(TagError) in
            try await tag.send(parameters)
        }
        onTag(MiFareSendISO7816Command.self, of: coordinator) { tag, parameters throws(TagError) in
            try tag.require([.miFare, .iso7816], "miFare commands")
            return try await tag.send(parameters)
        }
        onTag(MiFareSendCommand.self, of: coordinator) { tag, parameters throws(TagError) in
            RawAnswer(data: HexBytes(try await tag.sendMiFareCommand(parameters.command.bytes)))
        }
        onTag(FeliCaSendCommand.self, of: coordinator) { tag, parameters throws(TagError) in
            RawAnswer(data: HexBytes(try await tag.sendFeliCaCommand(parameters.packet.bytes)))
        }
        onTag(ISO15693SendRequest.self, of: coordinator) { tag, parameters throws(TagError) in
            let answer = try await tag.sendRequest(
                flags: parameters.requestFlags, command: parameters.commandCode, data: parameters.data?.bytes ?? [])
            return ISO15693SendRequest.Result(responseFlag: answer.flags, data: HexBytes(answer.data))
        }
    }
}

extension TagCommands {
    fileprivate func send(
        _ parameters: ISO7816SendCommand.Parameters
    ) async throws(TagError) -> ISO7816SendCommand.Result {
        let apdu = parameters.apdu.bytes
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
        onTag(MiFareClassicAuthenticate.self, of: coordinator) { tag, parameters throws(TagError) in
            try await tag.authenticate(
                block: parameters.block, key: parameters.key.bytes, type: parameters.keyType == .a ? .a : .b)
            return Empty()
        }
        onTag(MiFareClassicReadBlock.self, of: coordinator) { tag, parameters throws(TagError) in
            RawAnswer(data: HexBytes(try await tag.readBlock(parameters.block)))
        }
        onTag(MiFareClassicWriteBlock.self, of: coordinator) { tag, parameters throws(TagError) in
            try await tag.writeBlock(
                parameters.block, parameters.data.bytes, allowsTrailer: parameters.allowTrailer ?? false)
            return Empty()
        }
        onTag(MiFareClassicIncrement.self, of: coordinator) { tag, parameters throws(TagError) in
            try await tag.increment(parameters.block, by: parameters.amount)
            return Empty()
        }
        onTag(MiFareClassicDecrement.self, of: coordinator) { tag, parameters throws(TagError) in
            try await tag.decrement(parameters.block, by: parameters.amount)
            return Empty()
        }
        onTag(MiFareClassicRestore.self, of: coordinator) { tag, parameters throws(TagError) in
            try await tag.copyValue(from: parameters.block, to: parameters.destination)
            return Empty()
        }
    }
}
