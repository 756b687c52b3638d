import ISO7816

extension CardChannel {
    /// One command and its response, with everything that goes wrong turned into a ``TagError``.
    func exchange(_ command: CommandAPDU) async throws(TagError) -> ResponseAPDU {
        try await exchange(raw: command.bytes)
    }

    /// The same for bytes that are no well-formed command, as the obsolete form of a few pseudo-APDUs.
    func exchange(raw command: [UInt8]) async throws(TagError) -> ResponseAPDU {
        let raw: [UInt8]
        do throws(CardChannelError) {
            raw = try await transmit(command)
        } catch {
            throw TagError(error.code, "no answer to \(Hexadecimal.string(command)): \(error)")
        }
        do throws(ResponseAPDUError) {
            return try ResponseAPDU(bytes: raw)
        } catch {
            throw TagError(.tagResponseError, "answer to \(Hexadecimal.string(command)): \(error)", response: raw)
        }
    }
}

extension CardChannelError {
    /// What it means to a client (CoreNFC's codes 100, 102, 202 and 203).
    public var code: NFCErrorCode {
        switch self {
        case .tagLost: .tagConnectionLost
        case .timedOut, .transport: .tagResponseError
        case .readerFailed: .sessionTerminatedUnexpectedly
        case .busy: .systemIsBusy
        }
    }
}
