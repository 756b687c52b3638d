extension FeliCaProduct {
    /// The blocks as delivered, and formatted with a message where one is given.
    func image(identifier: [UInt8], message: [UInt8]?) throws(VirtualTagError) -> [Int: [UInt8]] {
        let blank = [UInt8](repeating: 0, count: FeliCaTag.blockSize)
        var blocks = Dictionary(uniqueKeysWithValues: blockNumbers.map { ($0, blank) })
        if family != .plain { blocks.merge(systemBlocks(identifier)) { $1 } }
        // A generic Type 3 Tag is nothing without NDEF.
        guard let message = message ?? (family == .plain ? [] : nil) else { return blocks }
        guard message.count <= messageCapacity else {
            throw .messageTooLarge(size: message.count, capacity: messageCapacity)
        }
        for start in stride(from: 0, to: message.count, by: FeliCaTag.blockSize) {
            let part = message.dropFirst(start).prefix(FeliCaTag.blockSize)
            blocks[start / FeliCaTag.blockSize + 1] = Array(part) + Array(blank.dropFirst(part.count))
        }
        blocks[0] = attributeBlock(messageSize: message.count)
        blocks[FeliCaTag.configurationBlock]?[3] |= 0x01
        return blocks
    }

    /// Block 0 of a writable tag (NFC Forum Type 3 Tag specification).
    private func attributeBlock(messageSize: Int) -> [UInt8] {
        let fields: [UInt8] =
            [0x10, UInt8(truncatingIfNeeded: readLimit), UInt8(truncatingIfNeeded: writeLimit)]
            + [8, 0].map { UInt8(truncatingIfNeeded: dataBlocks >> $0) } + [0, 0, 0, 0, 0x00, 0x01]
            + [16, 8, 0].map { UInt8(truncatingIfNeeded: messageSize >> $0) }
        let sum = fields.reduce(0) { $0 + Int($1) }
        return fields + [8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
    }

    /// What a Lite holds as delivered: register, identifiers, system code 88B4, and an open memory configuration.
    private func systemBlocks(_ identifier: [UInt8]) -> [Int: [UInt8]] {
        let zeros = [UInt8](repeating: 0, count: 8)
        return [
            0x0E: [UInt8](repeating: 0xFF, count: FeliCaTag.blockSize),
            0x82: identifier + zeros,
            0x83: identifier + manufactureParameter,
            0x85: [0x88, 0xB4] + zeros + zeros.dropFirst(2),
            FeliCaTag.configurationBlock: [0xFF, 0xFF, 0xFF, 0x00, 0xFF] + zeros + zeros.dropFirst(5),
        ]
    }
}
