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
