extension TagImage {
    func makeType2(_ filler: UInt8?) throws(DumpError) -> any VirtualTag {
        if let size = sizeOfNTAGI2C { return try makeNTAGI2C(size, filler) }
        guard let product = type2Product else { throw DumpError(.unsupported("a Type 2 tag of \(unitCount) pages")) }
        let memory = try memory(filler) { "Page \($0)" }
        let tag = try modelled { () throws(VirtualTagError) in
            try Type2Tag(product: product, memory: memory, signature: facts.signature, counters: facts.counters)
        }
        return try agreeing(tag, identifier: tag.identifier, in: 1)
    }

    /// The pages of both sectors, then the dynamic lock bytes; what stands behind them is not modelled.
    private func makeNTAGI2C(_ size: NTAGI2CTag.Size, _ filler: UInt8?) throws(DumpError) -> any VirtualTag {
        let memory = try memory(filler, count: size.lockPage) { "Page \($0)" }
        let lock = try filled(size.lockPage, filler) { "Page \($0)" }
        let tag = try modelled { () throws(VirtualTagError) in
            try NTAGI2CTag(size: size, memory: memory, dynamicLock: lock)
        }
        return try agreeing(tag, identifier: tag.identifier, in: 1)
    }

    /// The modelled product; where the version is not known, the name decides between those of one size.
    var type2Product: Type2Product? {
        let sized = Type2Product.all.filter { $0.pageCount == unitCount && isVersion($0.version) }
        return sized.first { $0.name == product || $0.flipperName == product } ?? sized.first
    }

    /// Which NTAG I2C it is, if it is one.
    var sizeOfNTAGI2C: NTAGI2CTag.Size? {
        NTAGI2CTag.Size.allCases.first { size in
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

extension Type2Product {
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

extension NTAGI2CTag.Size {
    /// The name of the product.
    var name: String { self == .oneKilobyte ? "NT3H1101" : "NT3H1201" }
    /// What a Flipper calls it.
    var flipperName: String { self == .oneKilobyte ? "NTAG I2C 1K" : "NTAG I2C 2K" }
    /// The page of the dynamic lock bytes, counted on over the sectors.
    var lockPage: Int { byteCount / 4 }
}
