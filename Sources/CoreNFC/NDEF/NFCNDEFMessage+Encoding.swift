import NDEF

extension NFCNDEFMessage {
    /// The message as it stands on a tag; no bytes for one without records.
    ///
    /// - Throws: `NDEFError` where it cannot be encoded.
    package func encodedBytes() throws -> [UInt8] { try ndefMessage.encoded() }
}
