/// The facts of one FeliCa chip that its behaviour follows from.
public struct VirtualFeliCaProduct: Sendable, Hashable, CustomStringConvertible {
    /// What memory and commands are like.
    enum Family: Hashable {
        /// FeliCa Lite: 14 user blocks, a register, system blocks 80 to 88.
        case lite
        /// FeliCa Lite-S: with blocks 90 to 92 and A0, access conditions and MACs for writing.
        case liteS
        /// A card with an NDEF system of nothing but user blocks.
        case plain
    }

    /// The name its maker gives it.
    public let name: String
    /// PMm, the 8 bytes behind the IDm in an answer to polling.
    public let manufactureParameter: [UInt8]
    /// Nbr of the attribute block: the most blocks a read may name.
    public let readLimit: Int
    /// Nbw of the attribute block: the most blocks a write may name, a MAC not counted.
    public let writeLimit: Int
    /// Nmaxb of the attribute block: the data blocks behind it.
    public let dataBlocks: Int

    let family: Family

    /// The product's name.
    public var description: String { name }
    /// The largest NDEF message in bytes.
    public var messageCapacity: Int { dataBlocks * VirtualFeliCaTag.blockSize }
    /// The size of all blocks in bytes.
    public var memorySize: Int { blockNumbers.count * VirtualFeliCaTag.blockSize }

    /// Every block there is.
    var blockNumbers: [Int] {
        switch family {
        case .lite: Array(0...0x0E) + Array(0x80...0x88)
        case .liteS: Array(0...0x0E) + Array(0x80...0x88) + Array(0x90...0x92) + [0xA0]
        case .plain: Array(0...dataBlocks)
        }
    }

    /// An identifier that differs by product: a manufacturer code, then made-up bytes.
    var defaultIdentifier: [UInt8] {
        [0x01, 0x2E, 0x4D, 0x5A, 0x80] + manufactureParameter.dropFirst().prefix(1)
            + [UInt8(truncatingIfNeeded: readLimit), UInt8(truncatingIfNeeded: dataBlocks)]
    }
}

extension VirtualFeliCaProduct {
    /// FeliCa Lite: PMm as cards show it; four blocks a read, one a write.
    public static let lite = VirtualFeliCaProduct(
        name: "FeliCa Lite", manufactureParameter: [0x00, 0xF0, 0x00, 0x00, 0x00, 0x01, 0x43, 0x00],
        readLimit: 4, writeLimit: 1, dataBlocks: 13, family: .lite)

    /// FeliCa Lite-S.
    public static let liteS = VirtualFeliCaProduct(
        name: "FeliCa Lite-S", manufactureParameter: [0x00, 0xF1, 0x00, 0x00, 0x00, 0x01, 0x43, 0x00],
        readLimit: 4, writeLimit: 1, dataBlocks: 13, family: .liteS)

    /// A Type 3 Tag of no certain make with 1024 bytes, 12 blocks a read, 8 a write, and a made-up PMm.
    public static let type3 = VirtualFeliCaProduct(
        name: "Type 3 Tag", manufactureParameter: [0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x43, 0x00],
        readLimit: 12, writeLimit: 8, dataBlocks: 64, family: .plain)

    /// All modelled products.
    public static let all: [VirtualFeliCaProduct] = [lite, liteS, type3]
}

extension VirtualFeliCaProduct {
    /// The product that a card with this PMm of 8 bytes is: Lite or Lite-S by its IC type, Lite-S also by its system blocks,
    /// else a Type 3 Tag of nothing but user blocks, whose limits are in the attribute block.
    package static func of(
        _ parameter: [UInt8], blockCount: Int, attributes: [UInt8]?, isLite: Bool = true, hasSystemBlocks: Bool = false
    ) -> VirtualFeliCaProduct {
        let icType = isLite ? parameter.dropFirst().first : nil
        let known = [VirtualFeliCaProduct.lite, .liteS].first { $0.manufactureParameter.dropFirst().first == icType }
        let lite = known ?? (hasSystemBlocks ? .liteS : nil)
        let limits = (attributes ?? []).dropFirst().prefix(2).map { max(Int($0), 1) }
        return VirtualFeliCaProduct(
            name: lite?.name ?? type3.name, manufactureParameter: parameter,
            readLimit: lite?.readLimit ?? limits.first ?? 1, writeLimit: lite?.writeLimit ?? limits.last ?? 1,
            dataBlocks: lite?.dataBlocks ?? max(blockCount - 1, 0), family: lite?.family ?? .plain)
    }
}

extension VirtualFeliCaProduct {
    /// The blocks as delivered, and formatted with a message where one is given.
    func image(identifier: [UInt8], message: [UInt8]?) throws(VirtualTagError) -> [Int: [UInt8]] {
        let blank = [UInt8](repeating: 0, count: VirtualFeliCaTag.blockSize)
        var blocks = Dictionary(uniqueKeysWithValues: blockNumbers.map { ($0, blank) })
        if family != .plain { blocks.merge(systemBlocks(identifier)) { $1 } }
        // A generic Type 3 Tag is nothing without NDEF.
        guard let message = message ?? (family == .plain ? [] : nil) else { return blocks }
        guard message.count <= messageCapacity else {
            throw .messageTooLarge(size: message.count, capacity: messageCapacity)
        }
        for start in stride(from: 0, to: message.count, by: VirtualFeliCaTag.blockSize) {
            let part = message.dropFirst(start).prefix(VirtualFeliCaTag.blockSize)
            blocks[start / VirtualFeliCaTag.blockSize + 1] = Array(part) + Array(blank.dropFirst(part.count))
        }
        blocks[0] = attributeBlock(messageSize: message.count)
        blocks[VirtualFeliCaTag.configurationBlock]?[3] |= 0x01
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
            0x0E: [UInt8](repeating: 0xFF, count: VirtualFeliCaTag.blockSize),
            0x82: identifier + zeros,
            0x83: identifier + manufactureParameter,
            0x85: [0x88, 0xB4] + zeros + zeros.dropFirst(2),
            VirtualFeliCaTag.configurationBlock: [0xFF, 0xFF, 0xFF, 0x00, 0xFF] + zeros + zeros.dropFirst(5),
        ]
    }
}
