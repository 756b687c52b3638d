/// Where an NDEF record and its payload end, as the flags and lengths of its header declare (NFC Forum NDEF, 3.2).
struct RecordExtent: Sendable, Hashable {
    /// The message begins with this record.
    private static let messageBegin: UInt8 = 0x80
    /// The message ends with this record.
    private static let messageEnd: UInt8 = 0x40
    /// The payload is continued in the next record.
    private static let chunk: UInt8 = 0x20
    /// The payload length has one byte, not four.
    private static let shortRecord: UInt8 = 0x10
    /// There is an ID, and a length of it.
    private static let hasIdentifier: UInt8 = 0x08
    /// The type of a record that continues a chunk.
    private static let unchanged: UInt8 = 0x06

    private let flags: UInt8
    /// The bytes of header, type and ID in front of the payload.
    let payloadOffset: Int
    /// The bytes of the payload.
    let payloadCount: Int

    /// The bytes of a header with these flags, without type and ID.
    static func size(flags: UInt8) -> Int {
        2 + (flags & shortRecord != 0 ? 1 : 4) + (flags & hasIdentifier != 0 ? 1 : 0)
    }

    /// Parses the header at the start of the bytes; nil if they end before its end.
    init?(_ record: ArraySlice<UInt8>) {
        guard let flags = record.first else { return nil }
        let (start, size) = (record.startIndex, Self.size(flags: flags))
        guard record.count >= size else { return nil }
        let lengthBytes = flags & Self.shortRecord != 0 ? 1 : 4
        let identifier = flags & Self.hasIdentifier != 0 ? Int(record[start + size - 1]) : 0
        self.flags = flags
        payloadOffset = size + Int(record[start + 1]) + identifier
        payloadCount = record[(start + 2)..<(start + 2 + lengthBytes)].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The bytes of the whole record.
    var size: Int { payloadOffset + payloadCount }
    /// Whether the message begins with this record.
    var isFirst: Bool { flags & Self.messageBegin != 0 }
    /// Whether the message ends with this record.
    var isLast: Bool { flags & Self.messageEnd != 0 }
    /// Whether the record is a part of one in chunks.
    var isChunk: Bool { flags & Self.chunk != 0 || format == Self.unchanged }
    /// The type name format, TNF.
    var format: UInt8 { flags & 0x07 }
}

/// The headers of the records of a message, as far as it takes to see whether bytes are one.
///
/// Reading a message does not depend on it: it only distinguishes a message from other data that has a 03 in it by chance.
enum RecordHeaders {
    /// Whether the bytes are records from the first to the last one: the flags of begin and end are where they belong, and all
    /// lengths add up.
    static func areMessage(_ bytes: [UInt8]) -> Bool {
        var position = 0
        while let header = RecordExtent(bytes[position...]) {
            guard header.isFirst == (position == 0), header.format != 7, header.size <= bytes.count - position else {
                return false
            }
            position += header.size
            if header.isLast { return position == bytes.count }
        }
        return false
    }
}
