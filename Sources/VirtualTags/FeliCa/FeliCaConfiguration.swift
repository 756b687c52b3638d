/// The meaning of MC, block 88 of FeliCa Lite and Lite-S; a plain card has none and restricts nothing.
struct FeliCaConfiguration: Hashable {
    private let family: FeliCaProduct.Family
    private let bytes: [UInt8]

    init(_ family: FeliCaProduct.Family, _ bytes: [UInt8]) {
        self.family = family
        self.bytes = bytes
    }

    /// SYS_OP: the card answers to 12FC.
    var isNDEF: Bool { byte(3) & 0x01 != 0 }
    /// MC_ALL: identifiers, keys and MC itself may be written.
    var areSystemBlocksOpen: Bool { byte(2) == 0xFF }
    /// The last bit of bytes 0 and 1: they, and the access conditions, may be changed.
    var areConditionsOpen: Bool { bit(15, of: 0) }

    /// The RW bit of a user block or of the register.
    func allowsWriting(_ block: Int) -> Bool { family == .plain || bit(block, of: 0) }
    /// Lite-S: reading needs an authentication.
    func protectsReading(_ block: Int) -> Bool { family == .liteS && bit(block, of: 6) }
    /// Lite-S: writing needs an authentication.
    func protectsWriting(_ block: Int) -> Bool { family == .liteS && bit(block, of: 8) }
    /// Lite-S: writing needs a MAC.
    func wantsMAC(_ block: Int) -> Bool { family == .liteS && bit(block, of: 10) }
    /// Lite-S: writing CK and CKV needs a MAC.
    var keysWantMAC: Bool { family == .liteS && byte(5) & 0x01 != 0 }

    /// What MC holds after a write: RW bits are only cleared, access conditions only set.
    func changed(to new: [UInt8]) -> [UInt8] {
        bytes.enumerated().map { place, old in
            guard let wanted = new.dropFirst(place).first else { return old }
            switch place {
            case 0, 1: return areConditionsOpen ? old & wanted : old
            case 2...5: return areSystemBlocksOpen ? wanted : old
            case 6...12 where family == .liteS: return areConditionsOpen ? old | wanted : old
            default: return 0
            }
        }
    }

    private func bit(_ number: Int, of place: Int) -> Bool {
        (0...15).contains(number) && byte(place + number / 8) >> (number % 8) & 1 == 1
    }

    private func byte(_ place: Int) -> UInt8 { bytes.dropFirst(place).first ?? 0 }
}
