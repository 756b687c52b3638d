/// MC, the memory configuration block 88 of FeliCa Lite and Lite-S.
struct FeliCaLiteConfiguration: Sendable, Hashable {
    /// The number of the block.
    static let block: UInt16 = 0x88
    /// User blocks: 0 to 13.
    static let userBlocks = 14

    /// All 16 bytes.
    private(set) var bytes: [UInt8]
    let product: FeliCaLiteProduct

    /// Takes the block as read; `nil` for another length.
    init?(_ bytes: [UInt8], product: FeliCaLiteProduct) {
        guard bytes.count == FeliCaBlock.size else { return nil }
        self.bytes = bytes
        self.product = product
    }

    /// SYS_OP: the card answers to system code 12FC.
    var isNDEF: Bool { bytes[3] & 0x01 != 0 }
    /// MC_ALL FF: this block and the keys may still be written.
    var isOpen: Bool { bytes[2] == 0xFF }
    /// The same with SYS_OP set.
    var withNDEF: FeliCaLiteConfiguration {
        var copy = self
        copy.bytes[3] |= 0x01
        return copy
    }

    /// How many of the user blocks from 0 on can be written without a key, without a gap.
    var writableBlocks: Int {
        let free = word(0) & ~restricted
        return (0..<Self.userBlocks).first { free >> $0 & 1 == 0 } ?? Self.userBlocks
    }

    /// Whether the user blocks can be changed.
    var lockState: TagDescription.LockState {
        let (writable, restricted) = (word(0) & Self.userMask, restricted & Self.userMask)
        if writable == 0 { return .locked }
        if writable != Self.userMask { return .partlyLocked }
        return restricted == 0 ? .unlocked : .passwordProtected
    }

    /// Lite-S: a block may need an authentication (bytes 8 and 9) or a MAC (10 and 11) to be written.
    private var restricted: UInt16 { product == .liteS ? word(8) | word(10) : 0 }

    private static let userMask: UInt16 = 1 << userBlocks - 1

    private func word(_ offset: Int) -> UInt16 { UInt16(bytes[offset + 1]) << 8 | UInt16(bytes[offset]) }
}
