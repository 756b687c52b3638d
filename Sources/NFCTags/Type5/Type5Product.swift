/// What the UID of an ISO/IEC 15693 tag shows, E0 first: the maker by its code (ISO/IEC 7816-6), and the chip where its
/// maker puts the type into the UID.
struct Type5Product: Sendable, Hashable {
    /// Nil where the UID does not show it.
    private(set) var name: String?
    /// Nil for makers that are not known here.
    private(set) var manufacturer: String?
    /// The size of the memory; nil if the type does not determine it.
    private(set) var blockCount: Int?
    /// Whether its last block is a counter, and no memory (SL2S2602, SL2S6002, NTP52x0 and NTP53x2 data sheets, memory organization).
    private(set) var endsWithCounter = false
    /// Whether the chip is known to have LOCK BLOCK.
    private(set) var canLock = false
    /// Whether it has the passwords and the page protection of ICODE SLIX2.
    private(set) var hasPasswords = false
    /// Whether writing and locking want the option flag.
    private(set) var wantsOption = false

    init(uid: [UInt8]) {
        guard uid.count == 8, uid[0] == 0xE0 else { return }
        manufacturer = Self.makers[uid[1]]
        switch uid[1] {
        case 0x04: takeICODE(family: uid[2], type: uid[3])
        case 0x07: wantsOption = true
        default: break
        }
    }

    private static let makers: [UInt8: String] = [
        0x02: "STMicroelectronics", 0x04: "NXP", 0x05: "Infineon", 0x07: "Texas Instruments",
        0x16: "EM Microelectronic",
    ]

    /// The families of NXP; the type indicator after the first one's code distinguishes its chips.
    private mutating func takeICODE(family: UInt8, type: UInt8) {
        switch (family, type & 0x18) {
        case (0x01, _) where type & 0x78 == 0x20: (name, endsWithCounter) = ("ICODE 3", true)
        case (0x01, 0x00): (name, blockCount, canLock) = ("ICODE SLI", 28, true)
        case (0x01, 0x08):
            (name, blockCount, canLock, endsWithCounter) = ("ICODE SLIX2", 80, true, true)
            hasPasswords = true
        case (0x01, 0x10): (name, blockCount, canLock) = ("ICODE SLIX", 28, true)
        case (0x01, _): (name, endsWithCounter) = ("NTAG 5 or ICODE DNA", true)
        case (0x02, _): name = "ICODE SLI-S or SLIX-S"
        case (0x03, _): name = "ICODE SLI-L or SLIX-L"
        default: break
        }
    }
}
