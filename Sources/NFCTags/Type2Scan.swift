/// Looks for the NDEF message in the data area of a Type 2 Tag and keeps what it finds on the way.
struct Type2Scan {
    private let container: Type2CapabilityContainer
    private var walker: TLVWalker
    private var message: TLV?
    private var capacity = 0
    private var fault: TLVFault?
    private var warnings: [NDEFReadWarning] = []

    init(container: Type2CapabilityContainer) {
        self.container = container
        let start = Type2Tag.dataAreaStart
        walker = TLVWalker(area: TLVArea(bounds: start..<start + container.dataAreaSize))
        if container.writeAccess == .proprietary { warnings.append(.writeNeedsPermission) }
    }

    /// Walks to the end of the message, and on through the bytes that came with it, but reads no more for those.
    mutating func run(over memory: inout LazyMemory) async throws(TagError) {
        while true {
            switch walker.next(in: memory.image) {
            case .needs(let range):
                if message != nil { return }
                try await memory.load(range)
            case .found(let tlv): note(tlv)
            case .fault(let fault):
                self.fault = fault
                return
            case .finished: return
            }
        }
    }

    private mutating func note(_ tlv: TLV) {
        switch tlv.type {
        case .ndefMessage where message == nil:
            message = tlv
            capacity = walker.area.messageCapacity(typeAt: tlv.offset)
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
