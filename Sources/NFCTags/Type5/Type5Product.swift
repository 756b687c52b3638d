/// What the UID of an ISO/IEC 15693 tag tells, E0 first: the maker by its code (ISO/IEC 7816-6), and the chip where its
/// maker puts the type into the UID.
struct Type5Product: Sendable, Hashable {
    /// Nil where the UID does not tell.
    let name: String?
    /// Nil for makers that are not known here.
    let manufacturer: String?

    init(uid: [UInt8]) {
        guard uid.count == 8, uid[0] == 0xE0 else {
            (name, manufacturer) = (nil, nil)
            return
        }
        manufacturer = Self.makers[uid[1]]
        name = uid[1] == 0x04 ? Self.icode(uid[2], uid[3]) : nil
    }

    private static let makers: [UInt8: String] = [
        0x02: "STMicroelectronics", 0x04: "NXP", 0x05: "Infineon", 0x07: "Texas Instruments",
        0x16: "EM Microelectronic",
    ]

    /// The family, and of the first one the type indicator in the byte behind.
    private static func icode(_ family: UInt8, _ type: UInt8) -> String? {
        switch family {
        case 0x01: type & 0x78 == 0x20 ? "ICODE 3" : types[type & 0x18]
        case 0x02: "ICODE SLI-S or SLIX-S"
        case 0x03: "ICODE SLI-L or SLIX-L"
        default: nil
        }
    }

    private static let types: [UInt8: String] = [
        0x00: "ICODE SLI", 0x08: "ICODE SLIX2", 0x10: "ICODE SLIX", 0x18: "NTAG 5 or ICODE DNA",
    ]
}
