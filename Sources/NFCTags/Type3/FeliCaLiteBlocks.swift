/// The blocks of FeliCa Lite and Lite-S, with the names of their user's manuals.
enum FeliCaLiteBlocks {
    /// All blocks of a product, in order.
    static func numbers(of product: FeliCaLiteProduct) -> [UInt16] {
        Array(0...0x0E) + Array(0x80...0x88) + (product == .liteS ? [0x90, 0x91, 0x92, 0xA0] : [])
    }

    /// RC and CK hold secrets and read as zeros; the MAC blocks only mean something beside others of the same read.
    static func isReadable(_ block: UInt16) -> Bool { ![0x80, 0x81, 0x87, 0x91].contains(block) }

    /// What a block is for, nil for plain data.
    static func meaning(of block: UInt16) -> String? { names[block] }

    private static let names: [UInt16: String] = [
        0x0E: "REG, subtraction register", 0x80: "RC, random challenge, cannot be read",
        0x81: "MAC, not read", 0x82: "ID", 0x83: "D_ID, device identifier", 0x84: "SER_C, service code",
        0x85: "SYS_C, system code", 0x86: "CKV, card key version", 0x87: "CK, card key, cannot be read",
        0x88: "MC, memory configuration", 0x90: "WCNT, write counter", 0x91: "MAC_A, not read", 0x92: "STATE",
        0xA0: "CRC_CHECK",
    ]
}
