import ISO7816

/// The type byte T of a TLV in the data area (NFC Forum Type 2 Tag), open.
struct TLVType: RawRepresentable, Sendable, Hashable {
    let rawValue: UInt8

    /// Filler of one byte, without a length.
    static let null = TLVType(rawValue: 0x00)
    /// Where further lock bits lie.
    static let lockControl = TLVType(rawValue: 0x01)
    /// The location of reserved memory.
    static let memoryControl = TLVType(rawValue: 0x02)
    /// An NDEF message.
    static let ndefMessage = TLVType(rawValue: 0x03)
    /// Content of the manufacturer.
    static let proprietary = TLVType(rawValue: 0xFD)
    /// The end of the TLVs, without a length.
    static let terminator = TLVType(rawValue: 0xFE)

    var isControl: Bool { self == .lockControl || self == .memoryControl }
}

extension TLVType: CustomStringConvertible {
    var description: String {
        switch self {
        case .null: "NULL TLV"
        case .lockControl: "Lock Control TLV"
        case .memoryControl: "Memory Control TLV"
        case .ndefMessage: "NDEF message TLV"
        case .proprietary: "proprietary TLV"
        case .terminator: "terminator TLV"
        default: "TLV of type \(Hexadecimal.string(rawValue))"
        }
    }
}

/// One TLV with a length, as found in memory. Offsets count bytes from the start of memory.
struct TLV: Sendable, Hashable {
    let type: TLVType
    /// Where T is.
    let offset: Int
    /// The length field: bytes of value, skipped areas not counted.
    let length: Int
    /// The location of the value without skipped areas; empty for a length of 0.
    let pieces: [Range<Int>]
    /// The value of a control TLV or of the first NDEF message TLV; empty for others, which are not read.
    let value: [UInt8]
}

/// Why a walk over the TLVs cannot continue.
enum TLVFault: Error, Sendable, Hashable {
    /// The area ends inside the length field of the TLV at `offset`.
    case lengthTruncated(TLVType, offset: Int)
    /// The TLV declares more bytes than the area has left.
    case overrun(TLVType, offset: Int, declared: Int, available: Int)

    /// The type of that TLV.
    var type: TLVType {
        switch self {
        case .lengthTruncated(let type, _), .overrun(let type, _, _, _): type
        }
    }
}

extension TLVFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .lengthTruncated(let type, let offset):
            "TLV overrun: the data area ends inside the length of the \(type) at byte \(offset)"
        case .overrun(let type, let offset, let declared, let available):
            "TLV overrun: the \(type) at byte \(offset) declares \(declared) bytes, \(available) are left"
        }
    }
}

/// Where a Lock Control or Memory Control TLV declares lock bytes or reserved bytes (NFC Forum Type 2 Tag).
enum ControlTLV {
    /// The byte range that a control TLV's value of 3 bytes names; `nil` for any other length or type.
    ///
    /// Byte 0: position, page number in the high and byte offset in the low nibble. Byte 1: size in bits (lock) or
    /// bytes (memory), 00 for 256. Byte 2: low nibble log2 of the bytes per page that the position counts in.
    static func area(of type: TLVType, value: [UInt8]) -> Range<Int>? {
        guard type.isControl, value.count == 3 else { return nil }
        let page = Int(value[0] >> 4)
        let offset = Int(value[0] & 0x0F)
        let start = page << Int(value[2] & 0x0F) + offset
        let size = value[1] == 0 ? 256 : Int(value[1])
        let bytes = type == .lockControl ? (size + 7) / 8 : size
        return start..<start + bytes
    }
}

/// The data area of a tag: a range of memory with holes, the lock and reserved bytes that hold no data.
///
/// Everything in TLVs is counted over the bytes that remain; offsets count from the start of memory.
struct TLVArea: Sendable, Hashable {
    /// The location of the area in memory.
    let bounds: Range<Int>
    /// The holes inside the area, in order, neither empty nor touching one another.
    private(set) var skipped: [Range<Int>] = []

    init(bounds: Range<Int>) { self.bounds = bounds }

    /// The part in front of `end`.
    func ending(at end: Int) -> TLVArea {
        guard end < bounds.upperBound else { return self }
        var area = TLVArea(bounds: bounds.lowerBound..<max(bounds.lowerBound, end))
        for hole in skipped { area.skip(hole) }
        return area
    }

    /// Adds a hole; bytes outside the area or in other holes are not counted twice.
    mutating func skip(_ hole: Range<Int>) {
        var merged = hole.clamped(to: bounds)
        guard !merged.isEmpty else { return }
        var others: [Range<Int>] = []
        for range in skipped {
            if range.upperBound < merged.lowerBound || range.lowerBound > merged.upperBound {
                others.append(range)
            } else {
                merged = min(range.lowerBound, merged.lowerBound)..<max(range.upperBound, merged.upperBound)
            }
        }
        others.append(merged)
        skipped = others.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The ranges of data from `offset` to the end of the area, in order.
    func data(from offset: Int) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        var start = max(offset, bounds.lowerBound)
        for hole in skipped where hole.upperBound > start {
            if start < hole.lowerBound { pieces.append(start..<hole.lowerBound) }
            start = hole.upperBound
        }
        if start < bounds.upperBound { pieces.append(start..<bounds.upperBound) }
        return pieces
    }

    /// How many bytes of data there are from `offset` to the end of the area.
    func count(from offset: Int) -> Int {
        data(from: offset).reduce(0) { $0 + $1.count }
    }

    /// Where the next `count` bytes of data from `offset` on lie, or `nil` if the area has fewer.
    func data(from offset: Int, count: Int) -> [Range<Int>]? {
        var pieces: [Range<Int>] = []
        var missing = count
        for piece in data(from: offset) where missing > 0 {
            let taken = piece.prefix(missing)
            pieces.append(taken)
            missing -= taken.count
        }
        return missing > 0 ? nil : pieces
    }
}

extension TLVArea {
    /// The largest NDEF message whose TLV can start at `offset`: with a length field of one byte up to 254, with three
    /// bytes above. A terminator is only written if there is room, so it is not counted.
    func messageCapacity(typeAt offset: Int) -> Int {
        let rest = count(from: offset)
        return max(0, min(rest - 2, 254), rest - 4)
    }
}
