/// A request of ISO/IEC 15693-3 or NFC-V, as it is transmitted, without the CRC. Inventory is not included.
public struct ISO15693Request: Sendable, Hashable {
    /// The bits of the flags byte (ISO/IEC 15693-3, request flags).
    public struct Flags: OptionSet, Sendable, Hashable {
        /// The byte.
        public let rawValue: UInt8

        /// Creates flags of any byte.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// 02: the tag answers at the high data rate.
        public static let highDataRate = Flags(rawValue: 0x02)
        /// 20: only the tag whose UID is in the request answers.
        public static let address = Flags(rawValue: 0x20)
        /// 40: its meaning depends on the command.
        public static let option = Flags(rawValue: 0x40)
    }

    /// Which tags are meant.
    public enum Target: Sendable, Hashable {
        /// Any tag in the field.
        case any
        /// The tag with this UID, 8 bytes, E0 first.
        case uid([UInt8])
    }

    /// The command code.
    public let code: UInt8
    /// The code of the maker of the chip (ISO/IEC 7816-6), which custom requests have; nil for others.
    public let manufacturer: UInt8?
    /// The bytes after the code, and after the UID if there is one.
    public let parameters: [UInt8]

    /// A request by its code.
    public init(code: UInt8, manufacturer: UInt8? = nil, parameters: [UInt8] = []) {
        self.code = code
        self.manufacturer = manufacturer
        self.parameters = parameters
    }

    /// The frame: flags, code, manufacturer code, UID least significant byte first, parameters.
    public func frame(to target: Target = .any, flags: Flags = .highDataRate) -> [UInt8] {
        var flags = flags.subtracting(.address)
        var identifier: [UInt8] = []
        switch target {
        case .any: break
        case .uid(let uid):
            flags.insert(.address)
            identifier = uid.reversed()
        }
        return [flags.rawValue, code] + [manufacturer].compactMap(\.self) + identifier + parameters
    }
}

extension ISO15693Request {
    /// 2B.
    public static let getSystemInformation = ISO15693Request(code: 0x2B)

    /// 3B; the parameter asks for DSFID, AFI, memory size and IC reference (bits 0 to 3) by default.
    public static func extendedGetSystemInformation(fields: UInt8 = 0x0F) -> ISO15693Request {
        ISO15693Request(code: 0x3B, parameters: [fields])
    }

}

/// Requests that name blocks. Each has a short form for blocks up to 255, and an extended one with two bytes for a number,
/// which is used above that or on request.
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

    /// 22, extended 32: makes a block read-only permanently.
    public static func lockBlock(_ block: UInt16, extended: Bool = false) -> ISO15693Request {
        addressing(0x22, block, extended)
    }

    /// 23, extended 33. On the wire the number of blocks is one less, here and below.
    public static func readMultipleBlocks(
        _ blocks: ClosedRange<UInt16>, extended: Bool = false
    ) -> ISO15693Request {
        addressing(0x23, blocks, extended)
    }

    /// 2C, extended 3C: a byte for each block, bit 0 of which is set where it is locked.
    public static func getMultipleBlockSecurityStatus(
        _ blocks: ClosedRange<UInt16>, extended: Bool = false
    ) -> ISO15693Request {
        addressing(0x2C, blocks, extended)
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
        _ code: UInt8, _ blocks: ClosedRange<UInt16>, _ extended: Bool
    ) -> ISO15693Request {
        let isExtended = extended || blocks.upperBound > 0xFF
        let count = blocks.upperBound - blocks.lowerBound
        return ISO15693Request(
            code: isExtended ? code + 0x10 : code,
            parameters: bytes(blocks.lowerBound, isExtended) + bytes(count, isExtended))
    }

    private static func bytes(_ number: UInt16, _ isExtended: Bool) -> [UInt8] {
        let low = UInt8(truncatingIfNeeded: number)
        return isExtended ? [low, UInt8(truncatingIfNeeded: number >> 8)] : [low]
    }
}
