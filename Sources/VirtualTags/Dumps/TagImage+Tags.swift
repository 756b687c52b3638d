extension TagImage {
    /// Makes a virtual tag of the image.
    ///
    /// - Parameter filler: what holes are filled with; nil refuses an image with holes.
    /// - Throws: ``DumpError`` with the page or block that is not known, or because there is no model of the product.
    public func makeTag(filler: UInt8? = nil) throws(DumpError) -> any VirtualTag {
        switch kind {
        case .type2: try makeType2(filler)
        case .feliCa: try makeFeliCa(filler)
        case .topaz: try makeTopaz(filler)
        case .mifareClassic, .iso15693: throw DumpError(.unsupported("a virtual tag of this kind"))
        }
    }

    /// The image of a Type 2 tag, password included.
    public init(_ tag: Type2Tag) {
        self.init(
            kind: .type2, product: tag.product.name, identifier: tag.identifier, unitSize: 4,
            unitCount: tag.product.pageCount)
        for page in 0..<unitCount { setUnit(page, Array(tag.memory.dropFirst(page * 4).prefix(4))) }
        facts.atqa = [0x00, 0x44]
        facts.sak = 0x00
        facts.version = tag.product.version.isEmpty ? nil : tag.product.version
        facts.signature = tag.signature
        facts.counters = tag.counters
    }

    /// The image of a FeliCa card.
    public init(_ tag: FeliCaTag) {
        self.init(
            kind: .feliCa, product: tag.product.name, identifier: tag.identifier, unitSize: FeliCaTag.blockSize,
            unitCount: tag.blocks.count)
        for (number, block) in tag.blocks { setUnit(number, block) }
        facts.manufactureParameter = tag.product.manufactureParameter
    }

    private func makeType2(_ filler: UInt8?) throws(DumpError) -> any VirtualTag {
        let known = Type2Product.all.first { $0.pageCount == unitCount && (facts.version ?? $0.version) == $0.version }
        guard let product = known else { throw DumpError(.unsupported("a Type 2 tag of \(unitCount) pages")) }
        var memory: [UInt8] = []
        for page in 0..<unitCount { memory += try filled(page, "Page", filler) }
        do throws(VirtualTagError) {
            return try Type2Tag(
                product: product, memory: memory, signature: facts.signature, counters: facts.counters)
        } catch {
            throw DumpError(.tag(error))
        }
    }

    private func makeTopaz(_ filler: UInt8?) throws(DumpError) -> any VirtualTag {
        guard let product = TopazProduct.all.first(where: { $0.memorySize == unitCount * unitSize }) else {
            throw DumpError(.unsupported("a Topaz of \(unitCount) blocks"))
        }
        var memory: [UInt8] = []
        for block in 0..<unitCount { memory += try filled(block, "Block", filler) }
        do throws(VirtualTagError) {
            return try TopazTag(product: product, memory: memory)
        } catch {
            throw DumpError(.tag(error))
        }
    }

    private func makeFeliCa(_ filler: UInt8?) throws(DumpError) -> any VirtualTag {
        let known = [FeliCaProduct.lite, .liteS].first {
            $0.manufactureParameter[1] == facts.manufactureParameter?.dropFirst().first
        }
        guard let product = known else { throw DumpError(.unsupported("a FeliCa card other than Lite")) }
        var blocks: [Int: [UInt8]] = [:]
        for number in product.blockNumbers { blocks[number] = try filled(number, "Block", filler) }
        do throws(VirtualTagError) {
            return try FeliCaTag(product: product, identifier: identifier, blocks: blocks)
        } catch {
            throw DumpError(.tag(error))
        }
    }

    private func filled(_ number: Int, _ name: String, _ filler: UInt8?) throws(DumpError) -> [UInt8] {
        if let bytes = unit(number) { return bytes }
        guard let filler else { throw DumpError(.incomplete, field: "\(name) \(number)") }
        return (units[number] ?? [UInt8?](repeating: nil, count: unitSize)).map { $0 ?? filler }
    }
}
