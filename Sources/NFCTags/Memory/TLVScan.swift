/// Looks for the NDEF message in a data area and collects what it finds before it.
struct TLVScan: Sendable {
    /// The first NDEF message TLV.
    private(set) var message: TLV?
    /// The first TLV of unknown type in front of it: the memory may hold data of another kind, in which a message is there by chance.
    private(set) var unknown: TLV?
    /// What ended the walk before the end of the area.
    private(set) var fault: TLVFault?
    /// What ended it where the memory shows no sign of TLVs: it holds data of another kind.
    private var foreign: TLVFault?
    private(set) var warnings: [NDEFReadWarning] = []
    /// The area as it was known at the message: holes that are named behind it do not concern it.
    private(set) var area: TLVArea
    private var walker: TLVWalker
    private let obeysControlTLVs: Bool

    /// - Parameters:
    ///   - obeysControlTLVs: whether control TLVs punch holes, as on Types 1 and 2.
    ///   - wantsMessage: whether the message is read, or only its place.
    init(area: TLVArea, obeysControlTLVs: Bool = false, wantsMessage: Bool = true) {
        self.area = area
        self.obeysControlTLVs = obeysControlTLVs
        walker = TLVWalker(area: area, wantsMessage: wantsMessage, obeysControlTLVs: obeysControlTLVs)
    }

    /// Walks to the end of the message, and on through the bytes that came with it, but reads no more for those.
    mutating func run(over memory: inout LazyMemory<some BlockReader>) async throws(TagError) {
        while let range = advance(in: memory.image) { try await memory.load(range) }
    }

    /// Walks to the end of the image, and returns the bytes needed to continue; nil at the end of the area.
    mutating func advance(in image: MemoryImage) -> Range<Int>? {
        while true {
            switch walker.next(in: image) {
            case .needs(let range): return message == nil ? range : nil
            case .found(let tlv): note(tlv)
            case .fault(let fault):
                if message == nil, walker.isForeign(fault) { foreign = fault } else { self.fault = fault }
                return nil
            case .finished: return nil
            }
        }
    }

    /// Takes the bytes from `end` on from the area, once the message was found.
    mutating func limit(to end: Int) { area = area.ending(at: end) }

    /// How a message is written where this one is, in blocks of `blockSize` bytes.
    ///
    /// - Throws: ``TagError`` 1 if there is none, 102 if a TLV in front of any runs past the area.
    func writing(blockSize: Int) throws(TagError) -> TLVMessageWrite {
        TLVMessageWrite(area: area, typeAt: try found().offset, blockSize: blockSize)
    }

    /// The message TLV.
    ///
    /// - Throws: ``TagError`` 1 if there is none, 102 if a TLV in front of any runs past the area.
    func found() throws(TagError) -> TLV {
        if let message { return message }
        if let fault { throw TagError(.tagResponseError, fault.description) }
        throw TagError(.unsupportedFeature, nothing)
    }

    /// The result of the walk.
    ///
    /// - Throws: ``TagError`` 102 if a TLV in front of any message runs past the area.
    func result(status: NDEFStatus, warnings others: [NDEFReadWarning] = []) throws(TagError) -> NDEFReadResult {
        if let message {
            let damage = fault.map { [NDEFReadWarning.damagedAfterMessage($0.description)] } ?? []
            return NDEFReadResult(
                status: status, capacity: area.messageCapacity(typeAt: message.offset), message: message.value,
                warnings: others + warnings + damage)
        }
        if let fault { throw TagError(.tagResponseError, fault.description) }
        return .notSupported(nothing, warnings: others + warnings)
    }

    /// Whether the area holds no message, and no damaged TLV that hides one.
    var isWithoutMessage: Bool { message == nil && fault == nil }

    /// Why there is no message, where no TLV is damaged.
    var nothing: String {
        foreign.map { "the data area holds other data and no NDEF message (\($0))" }
            ?? "no NDEF message TLV in the data area"
    }

    private mutating func note(_ tlv: TLV) {
        switch tlv.type {
        case .ndefMessage where message == nil && walker.accepts(tlv):
            message = tlv
            area = walker.area
        case .ndefMessage where message == nil: warnings.append(.noMessage(offset: tlv.offset, length: tlv.length))
        case .ndefMessage: warnings.append(.furtherMessage(offset: tlv.offset))
        case .proprietary: break
        case .lockControl where obeysControlTLVs, .memoryControl where obeysControlTLVs:
            guard tlv.length != 3 else { break }
            warnings.append(
                .malformedControlTLV(type: tlv.type.rawValue, offset: tlv.offset, length: tlv.length))
        default:
            if message == nil, unknown == nil, !tlv.type.isControl { unknown = tlv }
            warnings.append(.unknownTLV(type: tlv.type.rawValue, offset: tlv.offset, length: tlv.length))
        }
    }
}

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
    /// Whether a TLV of unknown type was passed over: the memory may be no TLVs at all, but data of another kind.
    private var hasUnknown = false

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
        if accepts(tlv) { hasMessage = true }
        if !isKnown(tlv.type) { hasUnknown = true }
        if obeysControlTLVs, let hole = ControlTLV.area(of: tlv.type, value: tlv.value) { area.skip(hole) }
        return .found(tlv)
    }

    private func isValueWanted(of type: TLVType, length: Int) -> Bool {
        type.isControl
            ? obeysControlTLVs && length == 3 : type == .ndefMessage && !hasMessage && (wantsMessage || hasUnknown)
    }

    /// Whether a TLV is an NDEF message. Behind TLVs of unknown type a 03 may be there by chance: then only records count.
    func accepts(_ tlv: TLV) -> Bool {
        tlv.type == .ndefMessage && (!hasUnknown || RecordHeaders.areMessage(tlv.value))
    }

    /// Whether a fault only shows that the memory holds no TLVs: at one of unknown type, or behind one.
    func isForeign(_ fault: TLVFault) -> Bool { hasUnknown || !isKnown(fault.type) }

    private func isKnown(_ type: TLVType) -> Bool {
        type.isControl ? obeysControlTLVs : type == .ndefMessage || type == .proprietary
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
