extension TagImage {
    /// The image of any modelled tag, keys and passwords included.
    ///
    /// - Throws: ``DumpError`` for a tag of a type this library does not have.
    public init(of tag: any VirtualTag) throws(DumpError) {
        switch tag {
        case let tag as Type2Tag: self.init(tag)
        case let tag as NTAGI2CTag: self.init(tag)
        case let tag as MIFAREClassicTag: self.init(tag)
        case let tag as ISO15693Tag: self.init(tag)
        case let tag as FeliCaTag: self.init(tag)
        case let tag as TopazTag: self.init(tag)
        case let tag as Type4Card: self.init(identifier: tag.identifier, files: tag.contents)
        case let tag as DESFireCard:
            self.init(product: tag.product.name, identifier: tag.identifier, files: tag.contents)
        default: throw DumpError(.unsupported("an image of this tag"))
        }
    }

    /// The image of a Type 2 tag, password included.
    public init(_ tag: Type2Tag) {
        self.init(kind: .type2, product: tag.product.name, identifier: tag.identifier, memory: tag.memory, unitSize: 4)
        facts.atqa = [0x00, 0x44]
        facts.sak = 0x00
        facts.version = tag.product.version.isEmpty ? nil : tag.product.version
        facts.signature = tag.signature
        facts.counters = tag.counters
    }

    /// The image of an NTAG I2C: its pages, then the dynamic lock bytes.
    public init(_ tag: NTAGI2CTag) {
        self.init(
            kind: .type2, product: tag.size.name, identifier: tag.identifier, memory: tag.memory + tag.dynamicLock,
            unitSize: 4)
        facts.atqa = [0x00, 0x44]
        facts.sak = 0x00
        facts.version = tag.size.version
    }

    /// The image of a MIFARE Classic, keys included.
    public init(_ tag: MIFAREClassicTag) {
        let name = ["MINI", "1K"][tag.product.sectorCount == 5 ? 0 : 1]
        self.init(
            kind: .mifareClassic, product: tag.product.sectorCount > 16 ? "4K" : name, identifier: tag.identifier,
            memory: tag.memory, unitSize: MIFAREClassicProduct.blockSize)
        let size: UInt8 = tag.identifier.count == 7 ? 0x40 : 0x00
        facts.atqa = [0x00, (tag.product.sectorCount > 16 ? 0x02 : 0x04) | size]
        facts.sak = tag.product.selectAcknowledge
    }

    /// The image of an ISO/IEC 15693 tag, locks included.
    public init(_ tag: ISO15693Tag) {
        self.init(
            kind: .iso15693, product: tag.product.name, identifier: tag.identifier, memory: tag.memory,
            unitSize: tag.product.blockSize)
        facts.dsfid = tag.dsfid
        facts.afi = tag.afi
        facts.icReference = tag.product.icReference
        facts.lockedUnits = tag.lockedBlocks
        facts.isAFILocked = tag.isAFILocked
        facts.isDSFIDLocked = tag.isDSFIDLocked
    }

    /// The image of a FeliCa card.
    public init(_ tag: FeliCaTag) {
        self.init(
            kind: .feliCa, product: tag.product.name, identifier: tag.identifier, unitSize: FeliCaTag.blockSize,
            unitCount: tag.blocks.count)
        for (number, block) in tag.blocks { setUnit(number, block) }
        facts.manufactureParameter = tag.product.manufactureParameter
    }

    /// The image of a Topaz.
    public init(_ tag: TopazTag) {
        self.init(kind: .topaz, product: tag.product.name, identifier: tag.identifier, memory: tag.memory, unitSize: 8)
        facts.header = tag.product.header
    }

    private init(kind: Kind, product: String, identifier: [UInt8], memory: [UInt8], unitSize: Int) {
        self.init(
            kind: kind, product: product, identifier: identifier, unitSize: unitSize,
            unitCount: memory.count / unitSize)
        for number in 0..<unitCount {
            setUnit(number, Array(memory[number * unitSize..<(number + 1) * unitSize]))
        }
    }
}
