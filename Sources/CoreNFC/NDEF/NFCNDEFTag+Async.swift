extension NFCNDEFTag {
    /// Asks what can be done with the message, and for the size in bytes of the largest one that fits.
    public func queryNDEFStatus() async throws -> (NFCNDEFStatus, Int) {
        try await awaiting { finish in queryNDEFStatus { finish(($0, $1), $2) } }
    }

    /// Reads the message. A formatted tag without one gives error 403.
    public func readNDEF() async throws -> NFCNDEFMessage {
        let message: NFCNDEFMessage? = try await awaiting { readNDEF(completionHandler: $0) }
        guard let message else { throw NFCReaderError(.ndefReaderSessionErrorZeroLengthMessage) }
        return message
    }

    /// Writes the message. A read-only tag gives error 400, a message that does not fit 402, a failed write 401.
    public func writeNDEF(_ ndefMessage: NFCNDEFMessage) async throws {
        try await awaiting { finish in writeNDEF(ndefMessage) { finish((), $0) } }
    }

    /// Makes the tag read-only for ever.
    public func writeLock() async throws {
        try await awaiting { finish in writeLock { finish((), $0) } }
    }
}
