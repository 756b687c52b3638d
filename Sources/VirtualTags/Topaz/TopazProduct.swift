/// The facts of a Topaz chip.
public struct TopazProduct: Sendable, Hashable, CustomStringConvertible {
    /// The name its maker gives it.
    public let name: String
    /// HR0 and HR1.
    public let header: [UInt8]
    /// The size of the memory in bytes.
    public let memorySize: Int

    /// The product's name.
    public var description: String { name }
    /// Whether it knows the commands for blocks and segments.
    var isDynamic: Bool { memorySize > 120 }
    /// Lock, OTP and reserved bytes.
    var reserved: Range<Int> { isDynamic ? 104..<128 : 104..<120 }

    /// From byte 8 on: capability container, control TLVs.
    var formattedHead: [UInt8] {
        isDynamic
            ? [0xE1, 0x10, 0x3F, 0x00, 0x01, 0x03, 0xF2, 0x30, 0x33, 0x02, 0x03, 0xF0, 0x02, 0x03]
            : [0xE1, 0x10, 0x0E, 0x00]
    }

    /// The largest NDEF message in bytes.
    public var messageCapacity: Int {
        let room = memorySize - 8 - formattedHead.count - reserved.count
        return max(min(room - 2, 254), room - 4)
    }

    /// Topaz 96: 120 bytes, 96 of them for data.
    public static let topaz = TopazProduct(name: "Topaz", header: [0x11, 0x48], memorySize: 120)
    /// Topaz 512: 512 bytes in 64 blocks.
    public static let topaz512 = TopazProduct(name: "Topaz 512", header: [0x12, 0x4C], memorySize: 512)
    /// Every product there is a model of.
    public static let all: [TopazProduct] = [topaz, topaz512]
}
