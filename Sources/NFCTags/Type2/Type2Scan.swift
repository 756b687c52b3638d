/// Looks for the NDEF message in the data area of a Type 2 Tag and keeps what it finds on the way.
struct Type2Scan {
    private let container: Type2CapabilityContainer
    private var walker: TLVWalker
    private(set) var message: TLV?
    /// The data area as it was known at the message.
    private var area: TLVArea
    private var capacity = 0
    private var fault: TLVFault?
    private var warnings: [NDEFReadWarning] = []

    /// - Parameter wantsMessage: whether the message is read, or only its place.
    init(container: Type2CapabilityContainer, wantsMessage: Bool = true) {
        self.container = container
        let start = Type2Tag.dataAreaStart
        area = TLVArea(bounds: start..<start + container.dataAreaSize)
        walker = TLVWalker(area: area, wantsMessage: wantsMessage)
        if container.writeAccess == .proprietary { warnings.append(.writeNeedsPermission) }
    }

    /// Walks to the end of the message, and on through the bytes that came with it, but reads no more for those.
    mutating func run(over memory: inout LazyMemory) async throws(TagError) {
        while let range = advance(in: memory.image) { try await memory.load(range) }
    }

    /// Walks as far as the image goes, and says which bytes it takes to go on; nil at the end.
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

    /// How a message is written where this one stands; nil where there is none.
    ///
    /// The holes are those that control TLVs in front of it name: others do not concern it.
    var writing: TLVMessageWrite? {
        message.map { TLVMessageWrite(area: area, typeAt: $0.offset, blockSize: Type2Tag.pageSize) }
    }

    private mutating func note(_ tlv: TLV) {
        switch tlv.type {
        case .ndefMessage where message == nil:
            message = tlv
            area = walker.area
            capacity = area.messageCapacity(typeAt: tlv.offset)
        case .ndefMessage: warnings.append(.furtherMessage(offset: tlv.offset))
        case .lockControl where tlv.length == 3, .memoryControl where tlv.length == 3, .proprietary: break
        case .lockControl, .memoryControl:
            warnings.append(
                .malformedControlTLV(type: tlv.type.rawValue, offset: tlv.offset, length: tlv.length))
        default: warnings.append(.unknownTLV(type: tlv.type.rawValue, offset: tlv.offset, length: tlv.length))
        }
    }

    /// What the walk came to.
    func result() throws(TagError) -> NDEFReadResult {
        if let message {
            let damage = fault.map { [NDEFReadWarning.damagedAfterMessage($0.description)] } ?? []
            return NDEFReadResult(
                status: container.writeAccess == .free ? .readWrite : .readOnly, capacity: capacity,
                message: message.value, warnings: warnings + damage)
        }
        if let fault { throw TagError(.tagResponseError, fault.description) }
        return .notSupported("no NDEF message TLV in the data area", warnings: warnings)
    }
}
