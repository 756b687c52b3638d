import NDEF

/// The structure of a message: its records, the physical records that contain them, and the first error.
struct MessageLayout {
    /// A record and the physical records that contain it: one, or several chunks.
    struct Part {
        let pieces: [PhysicalRecord]
        /// Nil if the message ends before the last chunk.
        let record: NDEFRecord?
        /// The tolerated errors in the record's structure.
        let warnings: [NDEFWarning.Code]
    }

    let bytes: [UInt8]
    let parts: [Part]
    /// The error that ends decoding; the bytes before its offset are valid.
    let error: NDEFError?

    init(_ bytes: [UInt8]) {
        var decoder = MessageDecoder(limits: .default)
        var fault: NDEFError?
        do throws(NDEFError) {
            try decoder.decode(bytes.span)
        } catch {
            fault = error
        }
        let warnings = Dictionary(grouping: decoder.warnings, by: \.recordIndex)
        let groups = Self.groups(bytes, upTo: fault?.byteOffset ?? bytes.count)
        parts = groups.enumerated().map { index, pieces in
            Part(
                pieces: pieces, record: index < decoder.records.count ? decoder.records[index] : nil,
                warnings: warnings[index]?.map(\.code) ?? [])
        }
        self.bytes = bytes
        error = fault
    }

    /// The physical records before `end`, grouped by record.
    private static func groups(_ bytes: [UInt8], upTo end: Int) -> [[PhysicalRecord]] {
        var groups: [[PhysicalRecord]] = []
        var isOpen = false
        var offset = 0
        while offset < end, let piece = PhysicalRecord(bytes, at: offset) {
            if isOpen { groups[groups.count - 1].append(piece) } else { groups.append([piece]) }
            isOpen = piece.header.flags.isChunk
            offset = piece.end
        }
        return groups
    }
}

extension NDEFRecord {
    /// The message inside the payload of a Smart Poster, or of a handover record after its version.
    var nestedMessage: ArraySlice<UInt8>? {
        guard typeNameFormat == .nfcWellKnown else { return nil }
        let message =
            switch typeString {
            case "Sp": payload[...]
            case "Hr", "Hs", "Hm", "Hi": payload.dropFirst()
            default: ArraySlice<UInt8>()
            }
        return message.isEmpty ? nil : message
    }
}

/// The positions of the parts of a physical record (a record or a chunk) in a message.
struct PhysicalRecord {
    let offset: Int
    let header: RecordHeader
    let type: Range<Int>
    let identifier: Range<Int>
    let payload: Range<Int>

    /// The record at `offset`; nil if it is truncated.
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

    /// The offset of the next record.
    var end: Int { payload.upperBound }
}

extension Range<Int> {
    /// Removes and returns the first `length` elements of the range; nil if it is shorter.
    fileprivate mutating func take(_ length: Int) -> Range<Int>? {
        guard length <= count else { return nil }
        defer { self = lowerBound + length..<upperBound }
        return lowerBound..<lowerBound + length
    }
}
