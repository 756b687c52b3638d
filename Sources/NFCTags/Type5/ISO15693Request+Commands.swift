/// Requests that name blocks. Each has a short form for blocks up to 255, and an extended one with two bytes for a number,
/// which is taken above that or where it is asked for.
extension ISO15693Request {
    /// 20, extended 30.
    public static func readSingleBlock(_ block: UInt16, extended: Bool = false) -> ISO15693Request {
        addressing(0x20, block, extended)
    }

    /// 21, extended 31.
    public static func writeSingleBlock(
        _ block: UInt16, _ data: [UInt8], extended: Bool = false
    ) -> ISO15693Request {
        addressing(0x21, block, extended, more: data)
    }

    /// 22, extended 32: makes a block read-only for ever.
    public static func lockBlock(_ block: UInt16, extended: Bool = false) -> ISO15693Request {
        addressing(0x22, block, extended)
    }

    /// 23, extended 33. On the wire the number of blocks is one less, here and below.
    public static func readMultipleBlocks(
        _ blocks: ClosedRange<UInt16>, extended: Bool = false
    ) -> ISO15693Request {
        addressing(0x23, blocks, extended)
    }

    /// 24, extended 34; `data` is that of all blocks.
    public static func writeMultipleBlocks(
        _ blocks: ClosedRange<UInt16>, _ data: [UInt8], extended: Bool = false
    ) -> ISO15693Request {
        addressing(0x24, blocks, extended, more: data)
    }

    /// 2C, extended 3C: a byte for each block, bit 0 of which says that it is locked.
    public static func getMultipleBlockSecurityStatus(
        _ blocks: ClosedRange<UInt16>, extended: Bool = false
    ) -> ISO15693Request {
        addressing(0x2C, blocks, extended)
    }

    /// 2D, extended 3D: the tag answers at twice the data rate.
    public static func fastReadMultipleBlocks(
        _ blocks: ClosedRange<UInt16>, extended: Bool = false
    ) -> ISO15693Request {
        addressing(0x2D, blocks, extended)
    }

    /// The extended codes are 10 above the others; numbers go least significant byte first.
    private static func addressing(
        _ code: UInt8, _ block: UInt16, _ extended: Bool, more: [UInt8] = []
    ) -> ISO15693Request {
        let isExtended = extended || block > 0xFF
        return ISO15693Request(
            code: isExtended ? code + 0x10 : code, parameters: bytes(block, isExtended) + more)
    }

    private static func addressing(
        _ code: UInt8, _ blocks: ClosedRange<UInt16>, _ extended: Bool, more: [UInt8] = []
    ) -> ISO15693Request {
        let isExtended = extended || blocks.upperBound > 0xFF
        let count = blocks.upperBound - blocks.lowerBound
        return ISO15693Request(
            code: isExtended ? code + 0x10 : code,
            parameters: bytes(blocks.lowerBound, isExtended) + bytes(count, isExtended) + more)
    }

    private static func bytes(_ number: UInt16, _ isExtended: Bool) -> [UInt8] {
        let low = UInt8(truncatingIfNeeded: number)
        return isExtended ? [low, UInt8(truncatingIfNeeded: number >> 8)] : [low]
    }
}

/// The rest.
extension ISO15693Request {
    /// 35: authenticates with a crypto suite.
    public static func authenticate(suite: UInt8, message: [UInt8]) -> ISO15693Request {
        ISO15693Request(code: 0x35, parameters: [suite] + message)
    }

    /// 36: replaces a key.
    public static func keyUpdate(key: UInt8, message: [UInt8]) -> ISO15693Request {
        ISO15693Request(code: 0x36, parameters: [key] + message)
    }

    /// 39: a challenge of a crypto suite, answered by ``readBuffer``. The tag says nothing at once.
    public static func challenge(suite: UInt8, message: [UInt8]) -> ISO15693Request {
        ISO15693Request(code: 0x39, parameters: [suite] + message)
    }

    /// 3A: the result of the challenge.
    public static let readBuffer = ISO15693Request(code: 0x3A)

    /// 3B; the parameter asks for DSFID, AFI, memory size and IC reference (bits 0 to 3) unless told otherwise.
    public static func extendedGetSystemInformation(fields: UInt8 = 0x0F) -> ISO15693Request {
        ISO15693Request(code: 0x3B, parameters: [fields])
    }

    /// A custom command A0…DF of a maker.
    public static func custom(_ code: UInt8, manufacturer: UInt8, parameters: [UInt8] = []) -> ISO15693Request {
        ISO15693Request(code: code, parameters: parameters, manufacturer: manufacturer)
    }
}
