/// The memory of a Type 1 Tag and what its TLVs say.
struct Type1Content: Sendable {
    let header: Type1Header
    let container: Type1CapabilityContainer
    var memory: LazyMemory
    private(set) var message: TLV?
    private(set) var warnings: [NDEFReadWarning] = []
    private var walker: TLVWalker

    init(header: Type1Header, container: Type1CapabilityContainer, memory: LazyMemory) {
        self.header = header
        self.container = container
        self.memory = memory
        let start = Type1CapabilityContainer.areaStart
        var area = TLVArea(bounds: start..<max(start, container.end))
        area.skip(header.reserved)
        walker = TLVWalker(area: area)
    }

    /// The area with the holes that control TLVs punched.
    var area: TLVArea { walker.area }
    /// The largest message that fits, once one was found.
    var capacity: Int { message.map { area.messageCapacity(typeAt: $0.offset) } ?? 0 }

    /// Walks to the end of the first message, and no further.
    mutating func findMessage() async throws(TagError) {
        while message == nil {
            switch walker.next(in: memory.image) {
            case .needs(let range): try await memory.load(range)
            case .found(let tlv): note(tlv)
            case .fault(let fault): throw TagError(.tagResponseError, fault.description)
            case .finished: return
            }
        }
    }

    private mutating func note(_ tlv: TLV) {
        switch tlv.type {
        case .ndefMessage: message = tlv
        case .lockControl where tlv.length == 3, .memoryControl where tlv.length == 3, .proprietary: break
        case .lockControl, .memoryControl:
            warnings.append(
                .malformedControlTLV(type: tlv.type.rawValue, offset: tlv.offset, length: tlv.length))
        default: warnings.append(.unknownTLV(type: tlv.type.rawValue, offset: tlv.offset, length: tlv.length))
        }
    }

    /// Whether a lock bit is set for a block: bytes 112 and 113 for blocks 0 to 15, for the rest those from 122 on.
    func isLocked(block: Int) -> Bool {
        let position = block < 16 ? 112 + block / 8 : 122 + (block - 16) / 8
        guard let byte = memory.image[position], block < 16 || !header.isStatic else { return false }
        return byte >> (block % 8) & 1 == 1
    }
}
