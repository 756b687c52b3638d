import ISO7816

extension CardChannel {
    /// One command and its response, with everything that goes wrong turned into a ``TagError``.
    func exchange(_ command: CommandAPDU) async throws(TagError) -> ResponseAPDU {
        let raw: [UInt8]
        do throws(CardChannelError) {
            raw = try await transmit(command.bytes)
        } catch {
            throw TagError(error, command: command)
        }
        do throws(ResponseAPDUError) {
            return try ResponseAPDU(bytes: raw)
        } catch {
            throw TagError(.tagResponseError, "answer to \(command): \(error)", response: raw)
        }
    }
}

extension TagError {
    /// What a failed exchange means to a client.
    init(_ error: CardChannelError, command: CommandAPDU) {
        self.init(error.code, "no answer to \(command): \(error)")
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
