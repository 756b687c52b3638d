/// The facts of one MIFARE Classic chip (MF1S20/MF1S50yyX/MF1S70yyX data sheets).
public struct MIFAREClassicProduct: Sendable, Hashable, CustomStringConvertible {
    /// The name, for example `MIFARE Classic 1K`.
    public let name: String
    /// The number of sectors: 4 blocks each up to sector 31, 16 blocks each above.
    public let sectorCount: Int
    /// SAK, as block 0 and anticollision show it.
    public let selectAcknowledge: UInt8
    /// NN NN of the answer to reset a PC/SC reader makes up.
    public let cardName: UInt16

    /// MIFARE Mini: 5 sectors.
    public static let mini = MIFAREClassicProduct(
        name: "MIFARE Mini", sectorCount: 5, selectAcknowledge: 0x09, cardName: 0x0026)
    /// MIFARE Classic 1K: 16 sectors.
    public static let oneK = MIFAREClassicProduct(
        name: "MIFARE Classic 1K", sectorCount: 16, selectAcknowledge: 0x08, cardName: 0x0001)
    /// MIFARE Classic 4K: 40 sectors.
    public static let fourK = MIFAREClassicProduct(
        name: "MIFARE Classic 4K", sectorCount: 40, selectAcknowledge: 0x18, cardName: 0x0002)

    /// Every product there is a model of.
    public static let all: [MIFAREClassicProduct] = [mini, oneK, fourK]

    /// The product's name.
    public var description: String { name }
    /// The whole memory in bytes.
    public var memorySize: Int { blockCount * Self.blockSize }

    static let blockSize = 16

    var blockCount: Int { sectorCount <= 32 ? sectorCount * 4 : 128 + (sectorCount - 32) * 16 }

    /// The sector of a block, and its number in there.
    func place(ofBlock block: Int) -> (sector: Int, index: Int)? {
        guard (0..<blockCount).contains(block) else { return nil }
        return block < 128 ? (block / 4, block % 4) : (32 + (block - 128) / 16, (block - 128) % 16)
    }

    func trailerBlock(ofSector sector: Int) -> Int {
        sector < 32 ? sector * 4 + 3 : 128 + (sector - 32) * 16 + 15
    }

    func isTrailer(_ block: Int) -> Bool {
        place(ofBlock: block).map { trailerBlock(ofSector: $0.sector) == block } ?? false
    }
}
