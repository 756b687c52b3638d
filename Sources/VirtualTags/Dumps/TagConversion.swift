extension TagImage {
    /// The image of any modelled tag, keys and passwords included, except the keys of an NTAG 424 DNA.
    ///
    /// - Throws: ``DumpError`` for a tag of a type this library does not have.
    public init(of tag: any VirtualTag) throws(DumpError) {
        switch tag {
        case let tag as VirtualType2Tag: self.init(tag)
        case let tag as VirtualNTAGI2CTag: self.init(tag)
        case let tag as VirtualMIFAREClassicTag: self.init(tag)
        case let tag as VirtualISO15693Tag: self.init(tag)
        case let tag as VirtualFeliCaTag: self.init(tag)
        case let tag as VirtualTopazTag: self.init(tag)
        case let tag as VirtualType4Card: self.init(identifier: tag.identifier, files: tag.contents)
        case let tag as VirtualDESFireCard:
            guard !tag.contents.isEmpty else { throw DumpError(.unsupported("an image of a card without a message")) }
            self.init(product: tag.product.name, identifier: tag.serialNumber, files: tag.contents)
        case let tag as VirtualNTAG424Card:
            self.init(product: tag.productName, identifier: tag.uid, files: tag.contents)
        default: throw DumpError(.unsupported("an image of this tag"))
        }
    }

    /// The image of a Type 2 tag, password included.
    public init(_ tag: VirtualType2Tag) {
        self.init(kind: .type2, product: tag.product.name, identifier: tag.identifier, memory: tag.memory, unitSize: 4)
        facts.atqa = [0x00, 0x44]
        facts.sak = 0x00
        // Eight zeros say that the chip does not know GET_VERSION although others of its size do.
        let isClone = tag.product.version.isEmpty && tag.product.name == VirtualType2Product.cloneName
        facts.version =
            isClone ? [UInt8](repeating: 0, count: 8) : tag.product.version.isEmpty ? nil : tag.product.version
        // The files have room for signatures of 32 bytes.
        facts.signature = tag.signature.count == 32 ? tag.signature : nil
        facts.counters = tag.counters
    }

    /// The image of an NTAG I2C: its pages, then the dynamic lock bytes.
    public init(_ tag: VirtualNTAGI2CTag) {
        self.init(
            kind: .type2, product: tag.size.name, identifier: tag.identifier, memory: tag.memory + tag.dynamicLock,
            unitSize: 4)
        facts.atqa = [0x00, 0x44]
        facts.sak = 0x00
        facts.version = tag.size.version
    }

    /// The image of a MIFARE Classic, keys included.
    public init(_ tag: VirtualMIFAREClassicTag) {
        let name = ["MINI", "1K"][tag.product.sectorCount == 5 ? 0 : 1]
        self.init(
            kind: .mifareClassic, product: tag.product.sectorCount > 16 ? "4K" : name, identifier: tag.identifier,
            memory: tag.memory, unitSize: VirtualMIFAREClassicProduct.blockSize)
        let size: UInt8 = tag.identifier.count == 7 ? 0x40 : 0x00
        facts.atqa = [0x00, (tag.product.sectorCount > 16 ? 0x02 : 0x04) | size]
        facts.sak = tag.product.selectAcknowledge
    }

    /// The image of an ISO/IEC 15693 tag, locks included.
    public init(_ tag: VirtualISO15693Tag) {
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
    public init(_ tag: VirtualFeliCaTag) {
        self.init(
            kind: .feliCa, product: tag.product.name, identifier: tag.identifier, unitSize: VirtualFeliCaTag.blockSize,
            unitCount: tag.blocks.count)
        for (number, block) in tag.blocks { setUnit(number, block) }
        facts.manufactureParameter = tag.product.manufactureParameter
    }

    /// The image of a Topaz.
    public init(_ tag: VirtualTopazTag) {
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
        let known = VirtualTopazProduct.all.first {
            $0.memorySize == unitCount * unitSize && (facts.header ?? $0.header) == $0.header
        }
        guard let product = known else { throw DumpError(.unsupported("a Topaz of \(unitCount) blocks")) }
        let memory = try memory(filler)
        let tag = try modelled { () throws(VirtualTagError) in try VirtualTopazTag(product: product, memory: memory) }
        // UID0 to UID3 are what RID answers; some dumps have no more of it.
        return try agreeing(tag, identifier: Array(tag.identifier.prefix(identifier.count)), in: 0)
    }

    private func makeMIFAREClassic(_ filler: UInt8?) throws(DumpError) -> any VirtualTag {
        guard let product = VirtualMIFAREClassicProduct.all.first(where: { $0.blockCount == unitCount }) else {
            throw DumpError(.unsupported("a MIFARE Classic of \(unitCount) blocks"))
        }
        let memory = try memory(filler) { block in
            let sector = product.place(ofBlock: block).map { "\($0.sector)" } ?? ""
            return product.isTrailer(block)
                ? "Keys of sector \(sector), block \(block)" : "Sector \(sector), block \(block)"
        }
        let tag = try modelled { () throws(VirtualTagError) in
            try VirtualMIFAREClassicTag(product: product, memory: memory, identifierSize: identifier.count)
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
        // A file of nothing but memory has no UID; a tag has one.
        let identifier = identifier.isEmpty ? Self.inventedIdentifier : identifier
        let product = VirtualISO15693Product.of(
            identifier, icReference: facts.icReference, blockCount: unitCount, blockSize: unitSize)
        let memory = try memory(filler)
        var tag = try modelled { () throws(VirtualTagError) in
            try VirtualISO15693Tag(product: product, memory: memory, identifier: identifier)
        }
        tag.afi = facts.afi ?? 0
        tag.dsfid = facts.dsfid ?? 0
        tag.lockedBlocks = facts.lockedUnits
        tag.isAFILocked = facts.isAFILocked
        tag.isDSFIDLocked = facts.isDSFIDLocked
        return tag
    }

    /// The UID of a tag whose file has none: no maker's.
    private static let inventedIdentifier: [UInt8] = [0xE0, 0xFF, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01]

    private func makeFeliCa(_ filler: UInt8?) throws(DumpError) -> any VirtualTag {
        guard let parameter = facts.manufactureParameter, parameter.count == 8 else {
            throw DumpError(.missing, field: "PMm")
        }
        guard (1...Self.largestBlockCount).contains(unitCount) else {
            throw DumpError(.unsupported("a FeliCa card of \(unitCount) blocks"))
        }
        let product = VirtualFeliCaProduct.of(
            parameter, blockCount: unitCount, attributes: unit(0),
            hasSystemBlocks: units[VirtualFeliCaTag.configurationBlock] != nil)
        var blocks: [Int: [UInt8]] = [:]
        for number in product.blockNumbers { blocks[number] = try filled(number, filler) { "Block \($0)" } }
        let content = blocks
        return try modelled { () throws(VirtualTagError) in
            try VirtualFeliCaTag(product: product, identifier: identifier, blocks: content)
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

extension TagImage {
    func makeType2(_ filler: UInt8?) throws(DumpError) -> any VirtualTag {
        if let size = sizeOfNTAGI2C { return try makeNTAGI2C(size, filler) }
        guard (16...256).contains(unitCount) else {
            throw DumpError(.unsupported("a Type 2 tag of \(unitCount) pages"))
        }
        let product = type2Product ?? cloneProduct
        let memory = try memory(filler) { "Page \($0)" }
        let tag = try modelled { () throws(VirtualTagError) in
            let signature = product.signatureSize == 32 ? facts.signature : nil
            return try VirtualType2Tag(
                product: product, memory: memory, signature: signature, counters: facts.counters)
        }
        return try agreeing(tag, identifier: tag.identifier, in: 1)
    }

    /// The pages of both sectors, then the dynamic lock bytes; what follows them is not modelled.
    private func makeNTAGI2C(_ size: VirtualNTAGI2CTag.Size, _ filler: UInt8?) throws(DumpError) -> any VirtualTag {
        let memory = try memory(filler, count: size.lockPage) { "Page \($0)" }
        let lock = try filled(size.lockPage, filler) { "Page \($0)" }
        let tag = try modelled { () throws(VirtualTagError) in
            try VirtualNTAGI2CTag(size: size, memory: memory, dynamicLock: lock)
        }
        return try agreeing(tag, identifier: tag.identifier, in: 1)
    }

    /// The modelled product; where the version is not known, the name decides between those of one size.
    var type2Product: VirtualType2Product? {
        let sized = VirtualType2Product.all.filter { $0.pageCount == unitCount && isVersion($0.version) }
        return sized.first { $0.name == product || $0.flipperName == product } ?? sized.first
    }

    /// A chip that is not modelled: like the modelled one of its size if there is one, with the answer to GET_VERSION that the
    /// file has; else nothing but pages.
    var cloneProduct: VirtualType2Product {
        let sized = VirtualType2Product.all.filter { $0.pageCount == unitCount }
        let model = sized.first { $0.name == product || $0.flipperName == product } ?? sized.first
        let known = facts.version.flatMap { version in version.contains { $0 != 0 } ? version : nil }
        return .clone(of: model, pageCount: unitCount, version: known ?? [])
    }

    /// Which NTAG I2C it is, if it is one.
    var sizeOfNTAGI2C: VirtualNTAGI2CTag.Size? {
        VirtualNTAGI2CTag.Size.allCases.first { size in
            if let version = facts.version { return version == size.version }
            return product == size.name || product == size.flipperName
        }
    }

    private func isVersion(_ version: [UInt8]) -> Bool {
        guard let known = facts.version else { return true }
        // Files of the proxmark3 have zeros for chips without GET_VERSION.
        return version.isEmpty ? !known.contains { $0 != 0 } : known == version
    }
}

extension VirtualType2Product {
    /// What a Flipper calls it.
    var flipperName: String {
        switch name {
        case "MF0UL11": "Mifare Ultralight 11"
        case "MF0UL21": "Mifare Ultralight 21"
        case "MIFARE Ultralight": "Mifare Ultralight"
        case "MIFARE Ultralight C": "Mifare Ultralight C"
        default: name
        }
    }
}

extension VirtualNTAGI2CTag.Size {
    /// The name of the product.
    var name: String { self == .oneKilobyte ? "NT3H1101" : "NT3H1201" }
    /// What a Flipper calls it.
    var flipperName: String { self == .oneKilobyte ? "NTAG I2C 1K" : "NTAG I2C 2K" }
    /// The page of the dynamic lock bytes, counted on over the sectors.
    var lockPage: Int { byteCount / 4 }
}

extension TagImage {
    /// A card of a modelled product where the image names one, else a Type 4 tag of no particular make.
    func makeType4() throws(DumpError) -> any VirtualTag {
        guard files[Type4Content.containerIdentifier] != nil else { throw DumpError(.missing, field: "files.E103") }
        let desfire = VirtualDESFireProduct.all.first { $0.name == product }
        return try modelled { () throws(VirtualTagError) -> any VirtualTag in
            if let desfire { return try VirtualDESFireCard(product: desfire, identifier: identifier, files: files) }
            return switch product {
            case VirtualNTAG424Card.productName: try VirtualNTAG424Card(identifier: identifier, files: files)
            case VirtualNTAG424Card.tagTamperName:
                try VirtualNTAG424Card(identifier: identifier, files: files, tamperLoop: VirtualTamperLoop())
            default: try VirtualType4Card(identifier: identifier, files: files)
            }
        }
    }
}
