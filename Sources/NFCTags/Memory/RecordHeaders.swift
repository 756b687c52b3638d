/// The headers of NDEF records (NFC Forum NDEF, 3.2), as far as it takes to see whether bytes are a message.
///
/// Reading a message does not depend on it: it only distinguishes a message from other data that has a 03 in it by chance.
enum RecordHeaders {
    /// The message begins with this record.
    private static let messageBegin: UInt8 = 0x80
    /// The message ends with this record.
    private static let messageEnd: UInt8 = 0x40
    /// The payload length has one byte, not four.
    private static let shortRecord: UInt8 = 0x10
    /// There is an ID, and a length of it.
    private static let hasIdentifier: UInt8 = 0x08

    /// Whether the bytes are records from the first to the last one: the flags of begin and end are where they belong, and all
    /// lengths add up.
    static func areMessage(_ bytes: [UInt8]) -> Bool {
        var position = 0
        while position < bytes.count {
            let flags = bytes[position]
            guard (flags & messageBegin != 0) == (position == 0), flags & 0x07 != 7,
                let size = recordSize(bytes[position...])
            else { return false }
            position += size
            if flags & messageEnd != 0 { return position == bytes.count }
        }
        return false
    }

    /// The bytes of the record at the start; nil if they end before.
    private static func recordSize(_ record: ArraySlice<UInt8>) -> Int? {
        let (start, flags) = (record.startIndex, record[record.startIndex])
        let lengthBytes = flags & shortRecord != 0 ? 1 : 4
        let headerSize = 2 + lengthBytes + (flags & hasIdentifier != 0 ? 1 : 0)
        guard record.count >= headerSize else { return nil }
        let payload = record[(start + 2)..<(start + 2 + lengthBytes)].reduce(0) { $0 << 8 | Int($1) }
        let identifier = flags & hasIdentifier != 0 ? Int(record[start + headerSize - 1]) : 0
        let size = headerSize + Int(record[start + 1]) + identifier + payload
        return size <= record.count ? size : nil
    }
}
