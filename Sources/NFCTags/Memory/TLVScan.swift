/// Looks for the NDEF message in a data area and collects what it finds before it.
struct TLVScan: Sendable {
    /// The first NDEF message TLV.
    private(set) var message: TLV?
    /// What ended the walk before the end of the area.
    private(set) var fault: TLVFault?
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
                self.fault = fault
                return nil
            case .finished: return nil
            }
        }
    }

    /// How a message is written where this one stands, in blocks of `blockSize` bytes.
    ///
    /// - Throws: ``TagError`` 1 if there is none, 102 if a TLV in front of any runs past the area.
    func writing(blockSize: Int) throws(TagError) -> TLVMessageWrite {
        guard let message else {
            if let fault { throw TagError(.tagResponseError, fault.description) }
            throw TagError(.unsupportedFeature, Self.nothing)
        }
        return TLVMessageWrite(area: area, typeAt: message.offset, blockSize: blockSize)
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
        return .notSupported(Self.nothing, warnings: others + warnings)
    }

    private static let nothing = "no NDEF message TLV in the data area"

    private mutating func note(_ tlv: TLV) {
        switch tlv.type {
        case .ndefMessage where message == nil:
            message = tlv
            area = walker.area
        case .ndefMessage: warnings.append(.furtherMessage(offset: tlv.offset))
        case .proprietary: break
        case .lockControl where obeysControlTLVs, .memoryControl where obeysControlTLVs:
            guard tlv.length != 3 else { break }
            warnings.append(
                .malformedControlTLV(type: tlv.type.rawValue, offset: tlv.offset, length: tlv.length))
        default: warnings.append(.unknownTLV(type: tlv.type.rawValue, offset: tlv.offset, length: tlv.length))
        }
    }
}
