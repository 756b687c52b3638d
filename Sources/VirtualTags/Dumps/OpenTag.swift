extension TagImage {
    /// Makes a virtual tag whose memory can be read without a password or key: for what the file holds, whatever access rules the
    /// dumped tag has.
    ///
    /// - Parameter filler: what holes are filled with.
    /// - Throws: ``DumpError`` if there is no model of the product.
    public func makeOpenTag(filler: UInt8) throws(DumpError) -> any VirtualTag {
        var image = self
        switch kind {
        case .type2:
            image.clearAccess(inUnit: 3, byte: 3, mask: 0x0F)
            return try image.makeOpenType2(filler)
        case .mifareClassic: image.openSectors()
        case .iso15693: image.clearAccess(inUnit: 0, byte: 1, mask: 0xF3)
        case .feliCa: image.openFeliCaLite()
        case .topaz: image.clearAccess(inUnit: 1, byte: 3, mask: 0x0F)
        case .type4: image.openContainer()
        }
        return try image.makeTag(filler: filler)
    }

    /// Clears bits of a capability container that restrict reading.
    private mutating func clearAccess(inUnit number: Int, byte: Int, mask: UInt8) {
        guard var bytes = units[number], bytes.indices.contains(byte), let value = bytes[byte] else { return }
        bytes[byte] = value & mask
        setUnit(number, bytes)
    }

    private func makeOpenType2(_ filler: UInt8) throws(DumpError) -> any VirtualTag {
        guard sizeOfNTAGI2C == nil, (16...256).contains(unitCount) else { return try makeTag(filler: filler) }
        let memory = try memory(filler) { "Page \($0)" }
        let product = (type2Product ?? cloneProduct).opened
        return try modelled { () throws(VirtualTagError) in try VirtualType2Tag(product: product, memory: memory) }
    }

    /// Gives all sectors the public keys of NFC Forum sectors and of the directory (NXP AN1304).
    private mutating func openSectors() {
        guard let product = VirtualMIFAREClassicProduct.all.first(where: { $0.blockCount == unitCount }) else { return }
        for sector in 0..<product.sectorCount {
            let block = product.trailerBlock(ofSector: sector)
            let isDirectory = [0, 16].contains(sector)
            let general = units[block]?[9] ?? (sector == 0 ? 0xC1 : 0x40)
            let key: [UInt8] =
                isDirectory ? [0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5] : [0xD3, 0xF7, 0xD3, 0xF7, 0xD3, 0xF7]
            let access: [UInt8] = isDirectory ? [0x78, 0x77, 0x88] : [0x7F, 0x07, 0x88]
            setUnit(block, key + access + [general] + [UInt8](repeating: 0xFF, count: 6))
        }
        // A card with a wrong check byte is not selected; its message is read all the same.
        if identifier.count == 4, var first = units[0] {
            first.replaceSubrange(0..<5, with: (identifier + [identifier.reduce(0, ^)]).map { $0 })
            setUnit(0, first)
        }
    }

    /// Lets MC of a FeliCa Lite permit reading, and answer to the NDEF system.
    private mutating func openFeliCaLite() {
        var bytes: [UInt8?] = unit(VirtualFeliCaTag.configurationBlock) ?? [0xFF, 0xFF, 0xFF, 0x01, 0xFF]
        bytes += [UInt8?](repeating: 0, count: max(unitSize - bytes.count, 0))
        guard bytes.count == 16 else { return }
        bytes[3] = (bytes[3] ?? 0) | 0x01
        bytes.replaceSubrange(6..<12, with: [UInt8?](repeating: 0, count: 6))
        if units[VirtualFeliCaTag.configurationBlock] != nil { setUnit(VirtualFeliCaTag.configurationBlock, bytes) }
    }

    /// Lets the control TLV of a Type 4 Tag grant read access.
    private mutating func openContainer() {
        guard var container = files[Type4Content.containerIdentifier], container.count >= 15,
            container[7] == 0x04, container[8] == 0x06
        else { return }
        container[13] = 0x00
        files[Type4Content.containerIdentifier] = container
    }
}
