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
        /// Whoever is there.
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
    /// 28: makes the AFI read-only for ever.
    public static let lockAFI = ISO15693Request(code: 0x28)
    /// 2A: makes the DSFID read-only for ever.
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
