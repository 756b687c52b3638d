/// A request of ISO/IEC 15693-3 or NFC-V, as it goes over the air without its CRC. Inventory is not among them.
public struct ISO15693Request: Sendable, Hashable {
    /// The bits of the flags byte (ISO/IEC 15693-3, request flags).
    public struct Flags: OptionSet, Sendable, Hashable {
        /// The byte.
        public let rawValue: UInt8

        /// Any byte.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// 01: the tag answers with two subcarriers.
        public static let dualSubcarriers = Flags(rawValue: 0x01)
        /// 02: the tag answers at the high data rate.
        public static let highDataRate = Flags(rawValue: 0x02)
        /// 08: reserved for a protocol extension.
        public static let protocolExtension = Flags(rawValue: 0x08)
        /// 10: only the tag in the selected state answers.
        public static let select = Flags(rawValue: 0x10)
        /// 20: only the tag whose UID is in the request answers.
        public static let address = Flags(rawValue: 0x20)
        /// 40: its meaning depends on the command.
        public static let option = Flags(rawValue: 0x40)
    }

    /// Which tags are meant.
    public enum Target: Sendable, Hashable {
        /// Any tag in the field.
        case any
        /// The tag in the selected state.
        case selected
        /// The tag with this UID, 8 bytes, E0 first.
        case uid([UInt8])
    }

    /// The command code.
    public let code: UInt8
    /// What stands behind the code, and the UID if there is one.
    public let parameters: [UInt8]
    /// The maker's code in front of the UID, for custom commands A0…DF.
    public let manufacturer: UInt8?

    /// A request by its code.
    public init(code: UInt8, parameters: [UInt8] = [], manufacturer: UInt8? = nil) {
        self.code = code
        self.parameters = parameters
        self.manufacturer = manufacturer
    }

    /// The frame: flags, code, maker, UID least significant byte first, parameters.
    public func frame(to target: Target = .any, flags: Flags = .highDataRate) -> [UInt8] {
        var flags = flags.subtracting([.select, .address])
        var identifier: [UInt8] = []
        switch target {
        case .any: break
        case .selected: flags.insert(.select)
        case .uid(let uid):
            flags.insert(.address)
            identifier = uid.reversed()
        }
        return [flags.rawValue, code] + (manufacturer.map { [$0] } ?? []) + identifier + parameters
    }
}

extension ISO15693Request {
    /// 02: the tag is quiet until it is reset or selected. It does not answer.
    public static let stayQuiet = ISO15693Request(code: 0x02)
    /// 25: puts the tag into the selected state; to be sent with its UID.
    public static let select = ISO15693Request(code: 0x25)
    /// 26: back to the ready state.
    public static let resetToReady = ISO15693Request(code: 0x26)
    /// 28: makes the AFI read-only permanently.
    public static let lockAFI = ISO15693Request(code: 0x28)
    /// 2A: makes the DSFID read-only permanently.
    public static let lockDSFID = ISO15693Request(code: 0x2A)
    /// 2B.
    public static let getSystemInformation = ISO15693Request(code: 0x2B)

    /// 27: writes the application family identifier.
    public static func writeAFI(_ value: UInt8) -> ISO15693Request { ISO15693Request(code: 0x27, parameters: [value]) }

    /// 29: writes the data storage format identifier.
    public static func writeDSFID(_ value: UInt8) -> ISO15693Request {
        ISO15693Request(code: 0x29, parameters: [value])
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

    /// 24, extended 34; `data` is that of all blocks.
    public static func writeMultipleBlocks(
        _ blocks: ClosedRange<UInt16>, _ data: [UInt8], extended: Bool = false
    ) -> ISO15693Request {
        addressing(0x24, blocks, extended, more: data)
    }

    /// 2C, extended 3C: a byte for each block, bit 0 of which is set where it is locked.
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

    /// 39: a challenge of a crypto suite, answered by ``readBuffer``. The tag does not answer at once.
    public static func challenge(suite: UInt8, message: [UInt8]) -> ISO15693Request {
        ISO15693Request(code: 0x39, parameters: [suite] + message)
    }

    /// 3A: the result of the challenge.
    public static let readBuffer = ISO15693Request(code: 0x3A)

    /// 3B; the parameter asks for DSFID, AFI, memory size and IC reference (bits 0 to 3) by default.
    public static func extendedGetSystemInformation(fields: UInt8 = 0x0F) -> ISO15693Request {
        ISO15693Request(code: 0x3B, parameters: [fields])
    }

    /// A custom command A0…DF of a maker.
    public static func custom(_ code: UInt8, manufacturer: UInt8, parameters: [UInt8] = []) -> ISO15693Request {
        ISO15693Request(code: code, parameters: parameters, manufacturer: manufacturer)
    }
}
