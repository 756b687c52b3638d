/// A message that is the payload, or a part of the payload, of a record.
enum NestedMessage {
    /// The records of the message in these bytes; the codes of what was forgiven in its structure go to `warnings`.
    ///
    /// - Throws: ``NDEFPayloadError`` with the code of the structural fault, such as `TRUNCATED_PAYLOAD`.
    static func decode(
        _ bytes: ArraySlice<UInt8>, warnings: inout [NDEFWarning.Code]
    ) throws(NDEFPayloadError) -> [NDEFRecord] {
        do throws(NDEFError) {
            let decoding = try NDEFMessage.decode(Array(bytes))
            warnings += decoding.warnings.map(\.code)
            return decoding.message.records
        } catch {
            throw NDEFPayloadError(nested: error)
        }
    }

    /// The bytes of a message of these records, which ``check(_:)`` let pass.
    static func encode(_ records: [NDEFRecord]) -> [UInt8] {
        NDEFMessage(records: records).encodedUnchecked()
    }

    /// Checks that each record can be encoded.
    ///
    /// - Throws: ``NDEFPayloadError`` with the code of ``NDEFMessage/encoded()``, such as `TYPE_TOO_LONG`.
    static func check(_ records: [NDEFRecord]) throws(NDEFPayloadError) {
        do throws(NDEFError) {
            try NDEFMessage(records: records).checkEncodable()
        } catch {
            throw NDEFPayloadError(nested: error)
        }
    }
}

extension NDEFPayloadError {
    fileprivate init(nested error: NDEFError) {
        self.init(Code(rawValue: error.code.rawValue), "in the message inside: \(error.message)")
    }
}
