extension ISO15693Product {
    /// The modelled product that a tag is by maker, size and IC reference, else one of its size that keeps to
    /// ISO/IEC 15693-3 and to what is known of its maker.
    static func of(
        _ identifier: [UInt8], icReference: UInt8?, blockCount: Int, blockSize: Int
    ) -> ISO15693Product {
        let known = all.first {
            $0.blockCount == blockCount && $0.blockSize == blockSize
                && $0.prefix.prefix(2) == identifier.prefix(2)
                && (icReference ?? $0.icReference) == $0.icReference
        }
        return known
            ?? ISO15693Product(
                name: "ISO/IEC 15693 tag", blockCount: blockCount, blockSize: blockSize,
                prefix: Array(identifier.prefix(4)), icReference: icReference ?? 0x00, hasExtended: blockCount > 256,
                tellsSize: blockCount <= 256, wantsOption: identifier.starts(with: [0xE0, 0x07]),
                lockableBlocks: blockCount, hasUnknownErrors: identifier.starts(with: [0xE0, 0x04]))
    }
}
