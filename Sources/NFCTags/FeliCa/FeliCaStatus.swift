import ISO7816

/// Status flags 1 and 2 of a read or write (JIS X 6319-4; the values are those of Sony's FeliCa manuals).
public struct FeliCaStatus: Sendable, Hashable {
    /// Where: 00 for success, FF for the command as a whole, else the place in the block or service list.
    public let flag1: UInt8
    /// What.
    public let flag2: UInt8

    /// Any values are carried.
    public init(flag1: UInt8, flag2: UInt8) {
        self.flag1 = flag1
        self.flag2 = flag2
    }

    /// Whether the command was carried out. FF 71 warns of a worn memory after a write that was.
    public var isSuccess: Bool { flag1 == 0x00 || (flag1 == 0xFF && flag2 == 0x71) }
    /// Whether the block can only be had after an authentication: B1.
    public var needsAuthentication: Bool { flag1 != 0 && flag2 == 0xB1 }

    private static let names: [UInt8: String] = [
        0x00: "done", 0x01: "purse below zero", 0x02: "cash-back above the last amount",
        0x70: "memory error", 0x71: "memory worn, but written",
        0xA1: "wrong number of services", 0xA2: "wrong number of blocks", 0xA3: "wrong service in the block list",
        0xA4: "wrong service type", 0xA5: "access not allowed", 0xA6: "wrong service code or attribute",
        0xA7: "wrong access mode in the block list", 0xA8: "block does not exist or cannot be accessed like this",
        0xA9: "write failed", 0xAC: "wrong parameter",
        0xB0: "MAC and MAC_A together", 0xB1: "authentication needed", 0xB2: "MAC wrong or missing",
    ]
}

extension FeliCaStatus: CustomStringConvertible {
    /// Both flags and what they mean.
    public var description: String {
        let flags = "\(Hexadecimal.string(flag1)) \(Hexadecimal.string(flag2))"
        return "\(flags) (\(isSuccess && flag1 == 0 ? "done" : Self.names[flag2] ?? "unknown status"))"
    }
}
