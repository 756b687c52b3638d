/// The text file of MIFARE Classic Tool: `+Sector: 0`, then a line of 32 digits for each block; `--` for a byte that was not read.
enum ClassicText {
    /// How such a file starts.
    static let start = Array("+Sector:".utf8)

    private static let field = "+Sector"

    static func image(_ bytes: [UInt8]) throws(DumpError) -> TagImage {
        var blocks: [Int: [UInt8?]] = [:]
        var next = 0
        var end = 0
        for (index, line) in bytes.split(omittingEmptySubsequences: false, whereSeparator: isLineEnd).enumerated() {
            let text = String(decoding: line, as: UTF8.self)
            if text.isEmpty { continue }
            if text.hasPrefix("+Sector:") {
                let number = Int(text.dropFirst(8).filter { $0 != " " })
                guard let number, (0..<40).contains(number) else {
                    throw DumpError(.invalid(text), line: index + 1, field: field)
                }
                let sector = VirtualMIFAREClassicProduct.blocks(ofSector: number)
                (next, end) = (sector.lowerBound, sector.upperBound)
                continue
            }
            guard next < end, let block = DumpHex.bytes(text), block.count == 16 else {
                throw DumpError(.invalid(text), line: index + 1, field: field)
            }
            guard blocks.updateValue(block, forKey: next) == nil else {
                throw DumpError(.repeated, line: index + 1, field: "block \(next)")
            }
            next += 1
        }
        return try image(of: blocks)
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    private static func image(of blocks: [Int: [UInt8?]]) throws(DumpError) -> TagImage {
        guard let last = blocks.keys.max() else { throw DumpError(.missing, field: field) }
        let first = (blocks[0] ?? []).compactMap { $0 }
        guard first.count == 16 else { throw DumpError(.incomplete, field: "block 0") }
        let hasCheckByte = first.prefix(4).reduce(0, ^) == first[4]
        let size = [20, 64, 256].first { last < $0 } ?? 256
        var image = TagImage(
            kind: .mifareClassic, product: [20: "MINI", 64: "1K"][size] ?? "4K",
            identifier: Array(first.prefix(hasCheckByte ? 4 : 7)), unitSize: 16, unitCount: size)
        for (number, bytes) in blocks { image.setUnit(number, bytes) }
        return image
    }
}

extension TagImage {
    /// The image of a MIFARE Classic as a text file of MIFARE Classic Tool.
    ///
    /// - Throws: ``DumpError`` for any other tag.
    public func classicTextFile() throws(DumpError) -> String {
        let product = VirtualMIFAREClassicProduct.all.first { $0.blockCount == unitCount }
        guard kind == .mifareClassic, let product else {
            throw DumpError(.unsupported("a tag other than a MIFARE Classic in such a file"))
        }
        let hole = [UInt8?](repeating: nil, count: unitSize)
        return (0..<product.sectorCount).map { sector in
            let blocks = VirtualMIFAREClassicProduct.blocks(ofSector: sector)
            return "+Sector: \(sector)\n"
                + blocks.map { DumpHex.text(units[$0] ?? hole, separator: "", unknown: "--") + "\n" }.joined()
        }.joined()
    }

    /// Makes holes of the keys of a MIFARE Classic that the card did not show to whoever read it with key A.
    ///
    /// A card answers zeros for a key that it does not show; they are not a key.
    public mutating func hideUnreadKeys() {
        guard kind == .mifareClassic else { return }
        let product = VirtualMIFAREClassicProduct.all.first { $0.blockCount == unitCount }
        for block in units.keys where product?.isTrailer(block) == true {
            guard let bytes = unit(block), !Self.showsKeyB(trailer: bytes), bytes.suffix(6).allSatisfy({ $0 == 0 })
            else { continue }
            setUnit(block, bytes.prefix(10).map { $0 } + [UInt8?](repeating: nil, count: 6))
        }
    }

    /// Whether key A may read key B: C1 of the trailer is 0, and not both C2 and C3 are 1 (MF1S50 data sheet, §8.7.2).
    public static func showsKeyB(trailer: [UInt8]) -> Bool {
        guard trailer.count == 16 else { return false }
        let (first, second, third) = (trailer[7] >> 7, trailer[8] >> 3 & 1, trailer[8] >> 7)
        return first == 0 && !(second == 1 && third == 1)
    }
}
