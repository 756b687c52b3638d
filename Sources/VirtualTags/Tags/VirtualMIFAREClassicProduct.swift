/// The facts of one MIFARE Classic chip (MF1S20/MF1S50yyX/MF1S70yyX data sheets).
public struct VirtualMIFAREClassicProduct: Sendable, Hashable, CustomStringConvertible {
    /// The name, for example `MIFARE Classic 1K`.
    public let name: String
    /// The number of sectors: 4 blocks each up to sector 31, 16 blocks each above.
    public let sectorCount: Int
    /// SAK, as block 0 and anticollision show it.
    public let selectAcknowledge: UInt8
    /// NN NN of the answer to reset that a PC/SC reader builds.
    public let cardName: UInt16

    /// MIFARE Mini: 5 sectors.
    public static let mini = VirtualMIFAREClassicProduct(
        name: "MIFARE Mini", sectorCount: 5, selectAcknowledge: 0x09, cardName: 0x0026)
    /// MIFARE Classic 1K: 16 sectors.
    public static let oneK = VirtualMIFAREClassicProduct(
        name: "MIFARE Classic 1K", sectorCount: 16, selectAcknowledge: 0x08, cardName: 0x0001)
    /// MIFARE Classic 4K: 40 sectors.
    public static let fourK = VirtualMIFAREClassicProduct(
        name: "MIFARE Classic 4K", sectorCount: 40, selectAcknowledge: 0x18, cardName: 0x0002)

    /// All modelled products.
    public static let all: [VirtualMIFAREClassicProduct] = [mini, oneK, fourK]

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

    /// The blocks of a sector, the trailer last.
    static func blocks(ofSector sector: Int) -> Range<Int> {
        sector < 32 ? sector * 4..<sector * 4 + 4 : 128 + (sector - 32) * 16..<128 + (sector - 31) * 16
    }

    func isTrailer(_ block: Int) -> Bool {
        place(ofBlock: block).map { trailerBlock(ofSector: $0.sector) == block } ?? false
    }
}

extension VirtualMIFAREClassicProduct {
    /// The sectors that hold data on a formatted card.
    var dataSectors: [Int] { (1..<sectorCount).filter { $0 != 16 } }

    /// The data blocks of a formatted card, in the order the TLVs run through them.
    var dataBlocks: [Int] {
        let sectors = Set(dataSectors)
        return (0..<blockCount).filter { block in
            guard let place = place(ofBlock: block) else { return false }
            return sectors.contains(place.sector) && !isTrailer(block)
        }
    }

    /// The largest NDEF message of a formatted card in bytes.
    public var messageCapacity: Int {
        let room = dataBlocks.count * Self.blockSize
        return max(min(room - 2, 254), room - 4, 0)
    }

    /// The memory as delivered, or formatted with a message.
    func image(identifier: [UInt8], message: [UInt8]?) throws(VirtualTagError) -> [UInt8] {
        var image = [UInt8](repeating: 0, count: memorySize)
        image.overwrite(at: 0, with: manufacturerBlock(identifier))
        for sector in 0..<sectorCount {
            image.overwrite(
                at: trailerBlock(ofSector: sector) * Self.blockSize, with: Self.trailer("FF0780", 0x69, nil))
        }
        if let message { try format(&image, message) }
        return image
    }

    /// Block 0: identifier, its check byte if it has 4 bytes, SAK, ATQA, then the maker's own bytes.
    private func manufacturerBlock(_ identifier: [UInt8]) -> [UInt8] {
        let check = identifier.count == 4 ? [identifier.reduce(0, ^)] : []
        let answer: UInt8 = (selectAcknowledge == 0x18 ? 0x02 : 0x04) | (identifier.count == 7 ? 0x40 : 0x00)
        let head = identifier + check + [selectAcknowledge, answer, 0x00]
        return head + [UInt8](repeating: 0x62, count: Self.blockSize - head.count)
    }

    private func format(_ image: inout [UInt8], _ message: [UInt8]) throws(VirtualTagError) {
        guard message.count <= messageCapacity else {
            throw .messageTooLarge(size: message.count, capacity: messageCapacity)
        }
        let long = [0xFF, UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)]
        let length = message.count < 0xFF ? [UInt8(truncatingIfNeeded: message.count)] : long
        var content = ([0x03] + length + message + [0xFE])[...]
        for block in dataBlocks {
            image.overwrite(at: block * Self.blockSize, with: content.prefix(Self.blockSize))
            content = content.dropFirst(Self.blockSize)
        }
        for sector in dataSectors {
            image.overwrite(
                at: trailerBlock(ofSector: sector) * Self.blockSize, with: Self.trailer("7F0788", 0x40, "D3F7D3F7D3F7"))
        }
        formatDirectory(&image)
    }

    /// MAD1 and, on cards with more than 16 sectors, MAD2 (NXP AN10787); entries of missing sectors are 0005.
    private func formatDirectory(_ image: inout [UInt8]) {
        let entries = (1..<40).map { $0 < sectorCount ? [0x03, 0xE1] : [0x05, 0x00] as [UInt8] }
        let first: [UInt8] = [0x00] + entries[0..<15].flatMap { $0 }
        image.overwrite(at: Self.blockSize, with: [Self.check(first)] + first)
        let hasSecond = sectorCount > 16
        image.overwrite(
            at: trailerBlock(ofSector: 0) * Self.blockSize,
            with: Self.trailer("787788", hasSecond ? 0xC2 : 0xC1, "A0A1A2A3A4A5"))
        guard hasSecond else { return }
        let second: [UInt8] = [0x00] + entries[16..<39].flatMap { $0 }
        image.overwrite(at: 64 * Self.blockSize, with: [Self.check(second)] + second)
        image.overwrite(at: 67 * Self.blockSize, with: Self.trailer("787788", 0x00, "A0A1A2A3A4A5"))
    }

    /// A trailer with FFFFFFFFFFFF as key B, and as key A where none is given.
    private static func trailer(_ access: String, _ general: UInt8, _ keyA: String?) -> [UInt8] {
        let transport = "FFFFFFFFFFFF"
        return digits(keyA ?? transport) + digits(access) + [general] + digits(transport)
    }

    private static func digits(_ text: String) -> [UInt8] {
        let values = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: values.count - 1, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }

    /// CRC-8, polynomial 1D, preset C7, worked out bit by bit.
    private static func check(_ bytes: [UInt8]) -> UInt8 {
        bytes.reduce(UInt8(0xC7)) { crc, byte in
            (0..<8).reduce(crc ^ byte) { value, _ in value & 0x80 == 0 ? value &<< 1 : (value &<< 1) ^ 0x1D }
        }
    }
}
