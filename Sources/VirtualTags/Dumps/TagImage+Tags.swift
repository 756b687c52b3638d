extension TagImage {
    /// Makes a virtual tag of the image: its exact memory, identifier, locks and counters.
    ///
    /// - Parameter filler: what holes are filled with, keys and lock bytes included; nil refuses an image with holes.
    /// - Throws: ``DumpError`` with the page or block that is not known, or because there is no model of the product.
    public func makeTag(filler: UInt8? = nil) throws(DumpError) -> any VirtualTag {
        switch kind {
        case .type2: try makeType2(filler)
        case .mifareClassic: try makeMIFAREClassic(filler)
        case .iso15693: try makeISO15693(filler)
        case .feliCa: try makeFeliCa(filler)
        case .topaz: try makeTopaz(filler)
        case .type4: try makeType4()
        }
    }

    private func makeTopaz(_ filler: UInt8?) throws(DumpError) -> any VirtualTag {
        let known = TopazProduct.all.first {
            $0.memorySize == unitCount * unitSize && (facts.header ?? $0.header) == $0.header
        }
        guard let product = known else { throw DumpError(.unsupported("a Topaz of \(unitCount) blocks")) }
        let memory = try memory(filler)
        let tag = try modelled { () throws(VirtualTagError) in try TopazTag(product: product, memory: memory) }
        // UID0 to UID3 are what RID answers; some dumps have no more of it.
        return try agreeing(tag, identifier: Array(tag.identifier.prefix(identifier.count)), in: 0)
    }

    private func makeMIFAREClassic(_ filler: UInt8?) throws(DumpError) -> any VirtualTag {
        guard let product = MIFAREClassicProduct.all.first(where: { $0.blockCount == unitCount }) else {
            throw DumpError(.unsupported("a MIFARE Classic of \(unitCount) blocks"))
        }
        let memory = try memory(filler) { block in
            let sector = product.place(ofBlock: block).map { "\($0.sector)" } ?? ""
            return product.isTrailer(block)
                ? "Keys of sector \(sector), block \(block)" : "Sector \(sector), block \(block)"
        }
        let tag = try modelled { () throws(VirtualTagError) in
            try MIFAREClassicTag(product: product, memory: memory, identifierSize: identifier.count)
        }
        guard let first = unit(0), identifier.count == 4 else {
            return try agreeing(tag, identifier: tag.identifier, in: 0)
        }
        guard first[4] == identifier.reduce(0, ^) else {
            throw DumpError(.invalid(DumpHex.text(Array(first.prefix(5)))), field: "Block 0, UID and its check byte")
        }
        return try agreeing(tag, identifier: tag.identifier, in: 0)
    }

    private func makeISO15693(_ filler: UInt8?) throws(DumpError) -> any VirtualTag {
        guard (1...Self.largestBlockCount).contains(unitCount), (1...32).contains(unitSize) else {
            throw DumpError(.unsupported("an ISO/IEC 15693 tag of \(unitCount) blocks of \(unitSize) bytes"))
        }
        let product = ISO15693Product.of(
            identifier, icReference: facts.icReference, blockCount: unitCount, blockSize: unitSize)
        let memory = try memory(filler)
        var tag = try modelled { () throws(VirtualTagError) in
            try ISO15693Tag(product: product, memory: memory, identifier: identifier)
        }
        tag.afi = facts.afi ?? 0
        tag.dsfid = facts.dsfid ?? 0
        tag.lockedBlocks = facts.lockedUnits
        tag.isAFILocked = facts.isAFILocked
        tag.isDSFIDLocked = facts.isDSFIDLocked
        return tag
    }

    private func makeFeliCa(_ filler: UInt8?) throws(DumpError) -> any VirtualTag {
        guard let parameter = facts.manufactureParameter, parameter.count == 8 else {
            throw DumpError(.missing, field: "PMm")
        }
        guard (1...Self.largestBlockCount).contains(unitCount) else {
            throw DumpError(.unsupported("a FeliCa card of \(unitCount) blocks"))
        }
        let product = FeliCaProduct.of(parameter, blockCount: unitCount, attributes: unit(0))
        var blocks: [Int: [UInt8]] = [:]
        for number in product.blockNumbers { blocks[number] = try filled(number, filler) { "Block \($0)" } }
        let content = blocks
        return try modelled { () throws(VirtualTagError) in
            try FeliCaTag(product: product, identifier: identifier, blocks: content)
        }
    }
}

extension TagImage {
    /// All pages or blocks behind one another, or the first ones.
    func memory(
        _ filler: UInt8?, count: Int? = nil, name: (Int) -> String = { "Block \($0)" }
    ) throws(DumpError) -> [UInt8] {
        var memory: [UInt8] = []
        for number in 0..<(count ?? unitCount) { memory += try filled(number, filler, name: name) }
        return memory
    }

    /// A page or block with its holes filled.
    func filled(_ number: Int, _ filler: UInt8?, name: (Int) -> String) throws(DumpError) -> [UInt8] {
        if let bytes = unit(number) { return bytes }
        guard let filler else { throw DumpError(.incomplete, field: name(number)) }
        return (units[number] ?? [UInt8?](repeating: nil, count: unitSize)).map { $0 ?? filler }
    }

    /// The tag, if the identifier in its memory is that of the image, or was not known.
    ///
    /// - Parameter last: the last page or block that holds a part of it.
    func agreeing(_ tag: any VirtualTag, identifier found: [UInt8], in last: Int) throws(DumpError) -> any VirtualTag {
        guard found == identifier || (0...last).contains(where: { unit($0) == nil }) else {
            throw DumpError(.contradiction(DumpHex.text(found)), field: "UID")
        }
        return tag
    }

    /// What a model refuses, as an error of the dump.
    func modelled<Tag>(_ make: () throws(VirtualTagError) -> Tag) throws(DumpError) -> Tag {
        do throws(VirtualTagError) {
            return try make()
        } catch {
            throw DumpError(.tag(error))
        }
    }
}
