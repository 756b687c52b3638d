/// A record within a typed payload: written raw, so that no depth of nesting can make the form long; read in either form.
struct RawRecordForm: Codable {
    let record: NDEFRecord

    init(_ record: NDEFRecord) {
        self.record = record
    }

    init(from decoder: any Decoder) throws {
        record = try NDEFRecord(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try record.encodeFields(to: encoder)
    }
}
