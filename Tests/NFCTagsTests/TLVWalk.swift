@testable import NFCTags

/// What a walk over a whole area gives, the area starting at byte 16.
struct TLVWalk {
    var found: [TLV] = []
    var fault: TLVFault?

    init(_ area: [UInt8], size: Int? = nil) {
        let padded = area + Array(repeating: 0, count: 3 - (area.count + 3) % 4)
        var memory = MemoryImage(pageSize: 4, pageCount: 4 + padded.count / 4)
        memory.store(padded, at: 4)
        var walker = TLVWalker(area: TLVArea(bounds: 16..<16 + (size ?? area.count)))
        while true {
            switch walker.next(in: memory) {
            case .found(let tlv): found.append(tlv)
            case .fault(let fault):
                self.fault = fault
                return
            case .finished, .needs: return
            }
        }
    }

    /// Type, offset and length of everything found.
    var outline: String {
        found.map { "\($0.type.rawValue)@\($0.offset):\($0.length)" }.joined(separator: " ")
    }
}
