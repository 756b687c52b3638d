/// Looks for the NDEF message in a data area without control TLVs (Type 5 Tags, MIFARE Classic) and keeps what it finds on
/// the way.
struct TLVScan: Sendable {
    /// The first NDEF message TLV.
    private(set) var message: TLV?
    /// What ended the walk before the end of the area.
    private(set) var fault: TLVFault?
    private(set) var warnings: [NDEFReadWarning] = []
    private var walker: TLVWalker

    init(area: TLVArea) { walker = TLVWalker(area: area, obeysControlTLVs: false) }

    var area: TLVArea { walker.area }

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
        case .ndefMessage where message == nil: message = tlv
        case .ndefMessage: warnings.append(.furtherMessage(offset: tlv.offset))
        case .proprietary: break
        default: warnings.append(.unknownTLV(type: tlv.type.rawValue, offset: tlv.offset, length: tlv.length))
        }
    }

    /// What the walk came to.
    ///
    /// - Throws: ``TagError`` 102 where a TLV in front of any message runs past the area.
    func result(status: NDEFStatus, warnings others: [NDEFReadWarning]) throws(TagError) -> NDEFReadResult {
        if let message {
            let damage = fault.map { [NDEFReadWarning.damagedAfterMessage($0.description)] } ?? []
            return NDEFReadResult(
                status: status, capacity: area.messageCapacity(typeAt: message.offset), message: message.value,
                warnings: others + warnings + damage)
        }
        if let fault { throw TagError(.tagResponseError, fault.description) }
        return .notSupported("no NDEF message TLV in the data area", warnings: others + warnings)
    }
}
