/// An NDEF message: a row of records (NFC Forum NDEF 1.0, §2.3).
///
/// In JSON it is `{"records":[…]}`; see ``NDEFRecord/encode(to:)``.
///
/// A message without records stands for a formatted, empty tag. It encodes to no bytes at all; see ``encoded()``.
public struct NDEFMessage: Sendable, Hashable, Codable {
    /// The records in their order.
    public var records: [NDEFRecord]

    /// A message of these records.
    public init(records: [NDEFRecord] = []) {
        self.records = records
    }

    /// Remarks of the typed decoders about the payloads of this message, such as a text without a language.
    ///
    /// They are not part of ``NDEFDecoding/warnings``, because payloads are only decoded when asked for.
    public var payloadWarnings: [NDEFWarning] {
        records.enumerated().flatMap { index, record in
            var codes: [NDEFWarning.Code] = []
            _ = record.decode(warnings: &codes)
            return codes.map { NDEFWarning($0, recordIndex: index, byteOffset: nil) }
        }
    }
}
