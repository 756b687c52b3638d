import NDEF

/// A message taken apart: its records, the physical records that hold them, and where it breaks off.
struct MessageLayout {
    /// A record with the physical records that hold it: one, or its chunks.
    struct Part {
        let pieces: [PhysicalRecord]
        /// Nil where the message breaks off before the last chunk.
        let record: NDEFRecord?
        /// What was forgiven in the record's structure.
        let warnings: [NDEFWarning.Code]
    }

    let bytes: [UInt8]
    let parts: [Part]
    /// What is wrong with the message; nothing of it stands before the error's offset.
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

    /// The physical records before `end`, those of one record together.
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
    /// The part of the payload that is a message of its own: a Smart Poster's, or a handover record's after its version.
    var messageInside: ArraySlice<UInt8>? {
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
