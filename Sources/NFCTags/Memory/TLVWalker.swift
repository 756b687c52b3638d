/// Walks over the TLVs of a data area (NFC Forum Type 2 Tag). A pure value: it looks at the memory read so far and asks
/// for more where that is not enough, so it fits any way of reading.
///
/// Lock and reserved bytes that control TLVs name are passed over from there on: between TLVs, in length fields and in
/// values. Values are read only where they count, others are passed over by their length.
struct TLVWalker: Sendable {
    /// What came of one step.
    enum Step: Sendable, Hashable {
        /// These bytes have to be read first; then the same step is tried again.
        case needs(Range<Int>)
        /// A TLV with a length.
        case found(TLV)
        /// A terminator or the end of the area.
        case finished
        /// The rest of the area cannot be trusted.
        case fault(TLVFault)
    }

    /// The data area with the holes known so far.
    private(set) var area: TLVArea
    private var position: Int
    private var hasMessage = false
    private let wantsMessage: Bool
    /// Whether control TLVs punch holes; they are defined for Types 1 and 2 only.
    private let obeysControlTLVs: Bool

    /// - Parameter wantsMessage: whether the value of the first NDEF message TLV is read, or only its place.
    init(area: TLVArea, wantsMessage: Bool = true, obeysControlTLVs: Bool = true) {
        self.area = area
        self.wantsMessage = wantsMessage
        self.obeysControlTLVs = obeysControlTLVs
        position = area.bounds.lowerBound
    }

    /// The next TLV with a length.
    mutating func next(in memory: MemoryImage) -> Step {
        while let place = area.data(from: position, count: 1)?.first {
            guard let byte = memory[place.lowerBound] else { return .needs(place) }
            switch TLVType(rawValue: byte) {
            case .null: position = place.upperBound
            case .terminator: return .finished
            case let type: return read(type, at: place.lowerBound, in: memory)
            }
        }
        return .finished
    }

    private mutating func read(_ type: TLVType, at offset: Int, in memory: MemoryImage) -> Step {
        switch length(of: type, at: offset, in: memory) {
        case .needs(let range): return .needs(range)
        case .fault(let fault): return .fault(fault)
        case .length(let length, let end):
            guard let pieces = area.data(from: end, count: length) else {
                return .fault(.overrun(type, offset: offset, declared: length, available: area.count(from: end)))
            }
            var value: [UInt8] = []
            if isValueWanted(of: type, length: length) {
                switch memory.contents(of: pieces) {
                case .missing(let range): return .needs(range)
                case .bytes(let bytes): value = bytes
                }
            }
            position = pieces.last?.upperBound ?? end
            return accept(TLV(type: type, offset: offset, length: length, pieces: pieces, value: value))
        }
    }

    private mutating func accept(_ tlv: TLV) -> Step {
        if tlv.type == .ndefMessage { hasMessage = true }
        if obeysControlTLVs, let hole = ControlTLV.area(of: tlv.type, value: tlv.value) { area.skip(hole) }
        return .found(tlv)
    }

    private func isValueWanted(of type: TLVType, length: Int) -> Bool {
        type.isControl
            ? obeysControlTLVs && length == 3 : type == .ndefMessage && !hasMessage && wantsMessage
    }
}

extension TLVWalker {
    private enum Length {
        case needs(Range<Int>)
        case fault(TLVFault)
        /// The number, and the offset behind the length field.
        case length(Int, end: Int)
    }

    /// One byte, or FF and two bytes with the most significant first.
    private func length(of type: TLVType, at offset: Int, in memory: MemoryImage) -> Length {
        switch field(of: type, behind: offset, count: 1, in: memory) {
        case .length(0xFF, _): field(of: type, behind: offset, count: 3, in: memory)
        case let short: short
        }
    }

    /// The length field of `count` bytes behind a T at `offset`; FF in front of two more bytes is left out.
    private func field(of type: TLVType, behind offset: Int, count: Int, in memory: MemoryImage) -> Length {
        guard let pieces = area.data(from: offset + 1, count: count), let end = pieces.last?.upperBound else {
            return .fault(.lengthTruncated(type, offset: offset))
        }
        switch memory.contents(of: pieces) {
        case .missing(let range): return .needs(range)
        case .bytes(let bytes):
            let number = bytes.suffix(max(1, count - 1)).reduce(0) { $0 << 8 | Int($1) }
            return .length(number, end: end)
        }
    }
}
