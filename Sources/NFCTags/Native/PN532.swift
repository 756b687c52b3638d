import ISO7816

/// Commands to the PN532 of an ACR122U: `FF 00 00 00 Lc D4 code data`, answered by `D5 code+1 … 90 00`.
struct PN532: Sendable {
    let channel: any CardChannel

    /// One command; what follows `D5 code+1`.
    ///
    /// - Parameter limit: the most bytes of data there may be.
    /// - Throws: ``TagError`` 105 for data of another length, 1 where the reader does not know such commands, 102 for an
    ///   answer that is none, 100 when the card left.
    func perform(_ code: UInt8, _ data: [UInt8], limit: Int = 253) async throws(TagError) -> [UInt8] {
        guard !data.isEmpty, data.count <= limit else {
            throw TagError(.packetTooLong, "a frame has 1 to \(limit) bytes here, this one \(data.count)")
        }
        let response = try await channel.exchange(CommandAPDU.passThrough([0xD4, code] + data, limit: 255))
        guard !response.statusWord.isUnknownCommand else {
            throw TagError(
                .unsupportedFeature,
                "the reader is none of the ACR122U family, and no other way to this card is known: "
                    + "\(response.statusWord)", response: response)
        }
        guard response.statusWord.isSuccess, response.data.starts(with: [0xD5, code &+ 1]) else {
            throw TagError(.tagResponseError, "no PN532 answer: \(response.statusWord)", response: response)
        }
        return Array(response.data.dropFirst(2))
    }

    /// One command whose answer begins with a status; what follows a status of 00.
    func exchange(_ code: UInt8, _ data: [UInt8]) async throws(TagError) -> [UInt8] {
        let answer = try await perform(code, data)
        guard let status = answer.first else {
            throw TagError(.tagResponseError, "the PN532 answered without a status", response: answer)
        }
        // The upper two bits tell of NAD and chaining.
        guard status & 0x3F == 0 else {
            let reason = status & 0x3F == 0x01 ? "no answer" : "PN532 status \(Hexadecimal.string(status & 0x3F))"
            throw TagError(.tagResponseError, "\(Hexadecimal.string(data)): \(reason)", response: answer)
        }
        return Array(answer.dropFirst())
    }
}
