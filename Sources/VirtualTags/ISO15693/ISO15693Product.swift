/// The facts of one ISO/IEC 15693 chip that its behaviour follows from.
public struct ISO15693Product: Sendable, Hashable, CustomStringConvertible {
    /// The name its maker gives it.
    public let name: String
    /// The number of blocks.
    public let blockCount: Int
    /// Bytes per block.
    public let blockSize: Int
    /// The first bytes of the UID, E0 first.
    let prefix: [UInt8]
    /// The maker's reference of the chip.
    let icReference: UInt8
    /// Knows the extended commands 30 to 33 and 3B.
    let hasExtended: Bool
    /// GET SYSTEM INFORMATION in its short form names the size of the memory.
    let tellsSize: Bool
    /// WRITE and LOCK want the option flag.
    let wantsOption: Bool
    /// How many blocks LOCK BLOCK works on, from block 0.
    let lockableBlocks: Int
    /// Any error that has no other code is 0F, a block that is not there too.
    let hasUnknownErrors: Bool

    /// The product's name.
    public var description: String { name }
    /// NN NN of the answer to reset: ICODE SLI for NXP's, none given for the others.
    var cardName: UInt16 { prefix.starts(with: [0xE0, 0x04]) ? 0x0014 : 0x0000 }
    /// The whole memory in bytes.
    public var memorySize: Int { blockCount * blockSize }

    /// NXP ICODE SLIX: 28 blocks of 4 bytes.
    public static let slix = ISO15693Product(
        name: "ICODE SLIX", blockCount: 28, blockSize: 4, prefix: [0xE0, 0x04, 0x01, 0x10], icReference: 0x01,
        hasExtended: false, tellsSize: true, wantsOption: false, lockableBlocks: 28, hasUnknownErrors: true)
    /// NXP ICODE SLIX2: 80 blocks of 4 bytes, counter and configuration not modelled.
    public static let slix2 = ISO15693Product(
        name: "ICODE SLIX2", blockCount: 80, blockSize: 4, prefix: [0xE0, 0x04, 0x01, 0x08], icReference: 0x01,
        hasExtended: false, tellsSize: true, wantsOption: false, lockableBlocks: 80, hasUnknownErrors: true)
    /// ST ST25DV04K: 128 blocks of 4 bytes; only blocks 0 and 1 can be locked with LOCK BLOCK.
    public static let st25dv04k = ISO15693Product(
        name: "ST25DV04K", blockCount: 128, blockSize: 4, prefix: [0xE0, 0x02, 0x24, 0x00], icReference: 0x24,
        hasExtended: true, tellsSize: true, wantsOption: false, lockableBlocks: 2, hasUnknownErrors: false)
    /// ST ST25DV64K: 2048 blocks of 4 bytes; its size is told by the extended form only.
    public static let st25dv64k = ISO15693Product(
        name: "ST25DV64K", blockCount: 2048, blockSize: 4, prefix: [0xE0, 0x02, 0x26, 0x00], icReference: 0x26,
        hasExtended: true, tellsSize: false, wantsOption: false, lockableBlocks: 2, hasUnknownErrors: false)
    /// A tag like TI's Tag-it HF-I Plus: 64 blocks of 4 bytes, wants the option flag.
    public static let tagIt = ISO15693Product(
        name: "Tag-it HF-I Plus", blockCount: 64, blockSize: 4, prefix: [0xE0, 0x07, 0x00, 0x00], icReference: 0x8B,
        hasExtended: false, tellsSize: true, wantsOption: true, lockableBlocks: 64, hasUnknownErrors: false)

    /// Every product there is a model of.
    public static let all: [ISO15693Product] = [slix, slix2, st25dv04k, st25dv64k, tagIt]

    /// The capability container of a formatted tag: MLEN counts the whole memory in units of 8 bytes.
    var capabilityContainer: [UInt8] {
        let length = memorySize / 8
        let magic: UInt8 = blockCount > 256 ? 0xE2 : 0xE1
        guard length > 0xFF else { return [magic, 0x40, UInt8(truncatingIfNeeded: length), 0x01] }
        let bytes = [UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
        return [magic, 0x40, 0x00, 0x01, 0x00, 0x00] + bytes
    }

    /// The largest NDEF message of a formatted tag in bytes.
    public var messageCapacity: Int {
        let room = memorySize - capabilityContainer.count
        return max(min(room - 2, 254), room - 4, 0)
    }

    func image(message: [UInt8]?) throws(VirtualTagError) -> [UInt8] {
        var image = [UInt8](repeating: 0, count: memorySize)
        guard let message else { return image }
        guard message.count <= messageCapacity else {
            throw .messageTooLarge(size: message.count, capacity: messageCapacity)
        }
        let long = [0xFF, UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)]
        let length = message.count < 0xFF ? [UInt8(truncatingIfNeeded: message.count)] : long
        image.overwrite(at: 0, with: capabilityContainer + [0x03] + length + message + [0xFE])
        return image
    }
}
