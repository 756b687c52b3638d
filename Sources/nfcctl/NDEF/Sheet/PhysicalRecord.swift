import NDEF

/// Where the parts of a physical record stand in a message: a whole record, or a chunk of one.
struct PhysicalRecord {
    let offset: Int
    let header: RecordHeader
    let type: Range<Int>
    let identifier: Range<Int>
    let payload: Range<Int>

    /// The record at `offset`; nil where the bytes do not hold it whole.
    init?(_ bytes: [UInt8], at offset: Int) {
        guard let header = RecordHeader(bytes.span, at: offset) else { return nil }
        var rest = offset + header.flags.headerLength..<bytes.count
        guard let type = rest.take(header.typeLength), let identifier = rest.take(header.identifierLength),
            let payload = rest.take(header.payloadLength)
        else { return nil }
        self.offset = offset
        self.header = header
        self.type = type
        self.identifier = identifier
        self.payload = payload
    }

    /// Where the next one begins.
    var end: Int { payload.upperBound }
}

extension Range<Int> {
    /// The first `length` of the range, which loses them; nil where it is shorter.
    fileprivate mutating func take(_ length: Int) -> Range<Int>? {
        guard length <= count else { return nil }
        defer { self = lowerBound + length..<upperBound }
        return lowerBound..<lowerBound + length
    }
}
