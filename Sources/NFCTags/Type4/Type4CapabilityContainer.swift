/// The capability container of a Type 4 Tag, the content of file E103 (NFC Forum Type 4 Tag).
public struct Type4CapabilityContainer: Sendable, Hashable {
    /// Bytes in front of the TLVs: CCLEN, mapping version, MLe, MLc.
    static let headerSize = 7
    /// The least CCLEN, and how much is read at first.
    static let minimumSize = 15
    /// The most that is looked at, in bytes; what is behind that is ignored.
    static let sizeLimit = 1024

    /// CCLEN: the bytes of the container.
    public let length: Int
    /// The mapping version: major in the high nibble, minor in the low one.
    public let mappingVersion: UInt8
    /// MLe: the most response data of one READ BINARY, in bytes.
    public let maximumReadSize: Int
    /// MLc: the most command data of one UPDATE BINARY, in bytes.
    public let maximumWriteSize: Int
    /// The first file control TLV of an NDEF file; `nil` where there is none of the right length.
    public let file: Type4FileControl?
    /// The length of an NDEF file control TLV that has the wrong one, where no right one stands before it.
    let malformedControlLength: Int?

    /// Reads a container, valid or not; `nil` for fewer than its first 7 bytes. Only what CCLEN covers counts.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headerSize else { return nil }
        let length = Int(bytes[0]) << 8 | Int(bytes[1])
        self.length = length
        mappingVersion = bytes[2]
        maximumReadSize = Int(bytes[3]) << 8 | Int(bytes[4])
        maximumWriteSize = Int(bytes[5]) << 8 | Int(bytes[6])
        var search = FileControlSearch(bytes: Array(bytes.prefix(length)), position: Self.headerSize)
        search.run()
        file = search.file
        malformedControlLength = search.malformedLength
    }
}

/// Walks over the TLVs of a container to the first NDEF file; proprietary and unknown ones are passed over.
private struct FileControlSearch {
    let bytes: [UInt8]
    var position: Int
    var file: Type4FileControl?
    var malformedLength: Int?

    mutating func run() {
        while file == nil, malformedLength == nil, let (type, value) = next() {
            guard let kind = Type4FileControl.Kind(rawValue: type) else { continue }
            file = Type4FileControl(kind, Array(bytes[value]), at: value.lowerBound)
            if file == nil { malformedLength = value.count }
        }
    }

    /// The next TLV that is there completely.
    private mutating func next() -> (type: UInt8, value: Range<Int>)? {
        guard position + 1 < bytes.count else { return nil }
        let type = bytes[position]
        var length = Int(bytes[position + 1])
        var start = position + 2
        if length == 0xFF {
            guard start + 1 < bytes.count else { return nil }
            length = Int(bytes[start]) << 8 | Int(bytes[start + 1])
            start += 2
        }
        guard start + length <= bytes.count else { return nil }
        position = start + length
        return (type, start..<position)
    }
}
