/// How much a message says in JSON. Every form holds the whole message.
package enum NDEFMessageForm: Int, Sendable, CaseIterable {
    /// The records with their fields and with what they say.
    case decoded
    /// The records with their four fields.
    case raw
    /// The encoded message in hexadecimal digits, as `encoded`, instead of `records`.
    case encoded

    /// The key for `userInfo` of an encoder; without it a message is written in full.
    package static let key = CodingUserInfoKey(rawValue: "NDEFMessageForm")
    /// The records that a message may have in each form. More of them would take too long to encode.
    package static let (mostDecoded, mostRaw) = (1_024, 4_096)

    /// The shortest of this form and those that the number of records requires.
    fileprivate func shortened(for records: Int) -> NDEFMessageForm {
        if records > Self.mostRaw { return .encoded }
        return records > Self.mostDecoded && self == .decoded ? .raw : self
    }
}

extension NDEFMessage: Codable {
    private enum CodingKeys: CodingKey {
        case records, encoded
    }

    /// Four fields of a record, without what they say.
    private struct RawRecord: Encodable {
        let record: NDEFRecord

        func encode(to encoder: any Encoder) throws {
            try record.encodeFields(to: encoder)
        }
    }

    /// Reads `{"records":[…]}`, or `{"encoded":"…"}` with the encoded message in hexadecimal digits, which is empty for a message
    /// without records.
    public init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        guard !object.contains(.records), let bytes = try object.decodeHexadecimalIfPresent(forKey: .encoded) else {
            self.init(records: try object.decode([NDEFRecord].self, forKey: .records))
            return
        }
        do {
            self = bytes.isEmpty ? NDEFMessage() : try NDEFMessage(decoding: bytes)
        } catch {
            throw DecodingError.dataCorruptedError(
                forKey: .encoded, in: object, debugDescription: "no message: \(error)")
        }
    }

    /// Writes `{"records":[…]}`; see ``NDEFRecord/encode(to:)``.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        let form = NDEFMessageForm.key.flatMap { encoder.userInfo[$0] as? NDEFMessageForm }
        switch form?.shortened(for: records.count) ?? .decoded {
        case .decoded: try object.encode(records, forKey: .records)
        case .raw: try object.encode(records.map { RawRecord(record: $0) }, forKey: .records)
        case .encoded: try object.encode(hexadecimal: try encoded(), forKey: .encoded)
        }
    }
}
