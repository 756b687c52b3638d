/// The answer to reset a PC/SC reader makes up for a tag without one of its own (PC/SC part 3).
enum StorageCardATR {
    /// The twenty bytes: 15 historical bytes with the RID of the PC/SC workgroup, `SS`, `NN NN`, and a valid TCK.
    static func bytes(standard: UInt8, cardName: UInt16) -> [UInt8] {
        let head: [UInt8] = [0x3B, 0x8F, 0x80, 0x01, 0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06]
        let name = [UInt8(truncatingIfNeeded: cardName >> 8), UInt8(truncatingIfNeeded: cardName)]
        let untilReserved = head + [standard] + name + [0, 0, 0, 0]
        return untilReserved + [untilReserved.dropFirst().reduce(0, ^)]
    }
}
