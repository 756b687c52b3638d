/// What a file says about a tag beside its memory, compared with that memory.
extension TagImage {
    /// Replaces an identifier that the memory contradicts.
    ///
    /// - Returns: a warning for each contradiction.
    mutating func takeIdentifierFromMemory() -> [String] {
        if kind == .iso15693, identifier.isEmpty {
            return ["the file has no UID; a virtual tag of it gets one that was made up"]
        }
        guard let found = identifierInMemory, !found.isEmpty, found != identifier else { return [] }
        defer { identifier = found }
        if identifier.isEmpty { return [] }
        let (line, memory) = (DumpHex.text(identifier), DumpHex.text(found))
        return ["the file has UID \(line), but its memory has \(memory); the UID of the memory is used"]
    }

    /// The identifier that the memory holds, as long as that of the file; nil if it is not there or not known.
    private var identifierInMemory: [UInt8]? {
        switch kind {
        case .type2:
            guard let first = unit(0), let second = unit(1) else { return nil }
            // The check bytes are left out; an NTAG I2C has none.
            return sizeOfNTAGI2C == nil ? Array(first.prefix(3)) + second : Array((first + second).prefix(7))
        case .mifareClassic:
            // A block 0 whose check byte is wrong does not hold an identifier of four bytes.
            guard let block = unit(0), [4, 7].contains(identifier.count) else { return nil }
            guard identifier.count == 7 || block.prefix(4).reduce(0, ^) == block[4] else { return nil }
            return Array(block.prefix(identifier.count))
        case .topaz: return unit(0).map { Array($0.prefix(identifier.count)) }
        case .iso15693, .feliCa, .type4: return nil
        }
    }

    /// Adds the second check byte of the UID of a Type 2 tag (BCC1, ISO/IEC 14443-3) where the first one is right and it is zero: a chip
    /// always has both.
    mutating func completeCheckByte() -> [String] {
        guard kind == .type2, sizeOfNTAGI2C == nil, let first = unit(0), let second = unit(1), var third = unit(2),
            first.prefix(3).reduce(0x88, ^) == first[3], third[0] == 0
        else { return [] }
        let right = second.reduce(0, ^)
        guard right != 0 else { return [] }
        third[0] = right
        setUnit(2, third)
        return [
            "the file has no second check byte of the UID in page 2; \(DumpHex.text([right])), which a chip has, is used"
        ]
    }

    /// Adds PWD and PACK of an NTAG215 to a file without them, as images of amiibo are. A tag shows zeros there.
    mutating func completeNTAG215() -> [String] {
        let whole = VirtualType2Product.ntag215
        guard kind == .type2, (whole.pageCount - 2..<whole.pageCount).contains(unitCount), isNTAG215 else { return [] }
        var complete = TagImage(
            kind: kind, product: whole.name, identifier: identifier, unitSize: unitSize, unitCount: whole.pageCount)
        for (number, bytes) in units { complete.setUnit(number, bytes) }
        for number in unitCount..<whole.pageCount { complete.setUnit(number, [0, 0, 0, 0]) }
        (complete.files, complete.facts) = (files, facts)
        let missing = whole.pageCount - unitCount == 2 ? "password and PACK" : "PACK"
        self = complete
        return ["the file has no \(missing) of the NTAG215; zeros are used, as the tag shows them"]
    }

    /// By its version or its name, else by its capability container.
    private var isNTAG215: Bool {
        if let version = facts.version, version.contains(where: { $0 != 0 }) {
            return version == VirtualType2Product.ntag215.version
        }
        return product.isEmpty ? unit(3)?.starts(with: [0xE1, 0x10, 0x3E]) == true : product == "NTAG215"
    }
}
