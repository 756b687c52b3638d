/// How the memory of a MIFARE Classic card is laid out (MF1S50yyX and MF1S70yyX data sheets, memory organisation).
///
/// Blocks have 16 bytes. The first 32 sectors have 4 blocks, the others 16; the last block of each is its trailer.
public enum MIFAREClassicSize: Sendable, Hashable, CaseIterable {
    /// 5 sectors, 320 bytes.
    case mini
    /// 16 sectors, 1024 bytes.
    case oneK
    /// 32 sectors, 2048 bytes: MIFARE Plus in security level 1.
    case twoK
    /// 40 sectors, 4096 bytes.
    case fourK

    /// The size for a SAK (ISO/IEC 14443-3; NXP AN10833); nil for cards that are not MIFARE Classic.
    init?(sak: UInt8) {
        switch sak {
        case 0x09: self = .mini
        case 0x08, 0x88: self = .oneK
        case 0x18: self = .fourK
        default: return nil
        }
    }

    /// How many sectors there are.
    public var sectorCount: Int {
        switch self {
        case .mini: 5
        case .oneK: 16
        case .twoK: 32
        case .fourK: 40
        }
    }

    /// How many blocks there are, trailers included.
    public var blockCount: Int { Self.blocks(ofSector: sectorCount - 1).upperBound }

    /// The blocks of a sector, the trailer last; nil for a sector the card does not have.
    public func blocks(of sector: Int) -> Range<Int>? {
        (0..<sectorCount).contains(sector) ? Self.blocks(ofSector: sector) : nil
    }

    /// The sector of a block; nil for a block that the card does not have.
    public func sector(of block: Int) -> Int? {
        guard (0..<blockCount).contains(block) else { return nil }
        return Self.sector(ofBlock: block)
    }

    /// Whether a block is the trailer of its sector.
    public func isTrailer(_ block: Int) -> Bool {
        sector(of: block).map { Self.trailer(ofSector: $0) == block } ?? false
    }
}

extension MIFAREClassicSize {
    /// Bytes per block.
    static let blockSize = 16

    static func blocks(ofSector sector: Int) -> Range<Int> {
        sector < 32 ? sector * 4..<sector * 4 + 4 : 128 + (sector - 32) * 16..<144 + (sector - 32) * 16
    }

    static func trailer(ofSector sector: Int) -> Int { blocks(ofSector: sector).upperBound - 1 }

    static func sector(ofBlock block: Int) -> Int { block < 128 ? block / 4 : 32 + (block - 128) / 16 }

    /// Which of the four access conditions of its sector a block is under; 3 is the trailer's.
    static func accessGroup(ofBlock block: Int) -> Int {
        block < 128 ? block % 4 : (block - 128) % 16 / 5
    }
}

extension MIFAREClassicSize {
    /// NXP's name for a card of this size.
    var productName: String {
        switch self {
        case .mini: "MIFARE Mini"
        case .oneK: "MIFARE Classic 1K"
        case .twoK: "MIFARE Plus 2K"
        case .fourK: "MIFARE Classic 4K"
        }
    }
}

extension TagIdentity {
    /// The size according to the answer to reset; where it has none, that of most cards.
    public var classicSize: MIFAREClassicSize {
        storageCard?.cardName.classicSize ?? .oneK
    }
}
