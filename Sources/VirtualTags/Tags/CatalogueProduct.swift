/// A product that tags of the catalogue are made of.
protocol CatalogueProduct: Sendable {
    /// The whole memory in bytes.
    var memorySize: Int { get }
    /// The largest NDEF message in bytes.
    var messageCapacity: Int { get }

    /// A tag of this product; nil stands for its own identifier, and for its content as delivered.
    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag
}

extension Type2Product: CatalogueProduct {
    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        try Type2Tag(product: self, identifier: identifier, ndefMessage: ndefMessage)
    }
}

extension NTAGI2CTag.Size: CatalogueProduct {
    var memorySize: Int { byteCount }

    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        try NTAGI2CTag(size: self, identifier: identifier, ndefMessage: ndefMessage)
    }
}

extension Type4Card.Configuration: CatalogueProduct {
    var memorySize: Int { fileSize }

    /// Mapping version 3.0, with a file beyond what two bytes can count.
    static var extended: Self {
        var configuration = Self()
        configuration.mappingVersion = 0x30
        configuration.fileSize = 70_000
        return configuration
    }

    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        try Type4Card(self, identifier: identifier, ndefMessage: ndefMessage)
    }
}

extension DESFireProduct: CatalogueProduct {
    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        try DESFireCard(product: self, identifier: identifier, ndefMessage: ndefMessage)
    }
}

extension ISO15693Product: CatalogueProduct {
    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        try ISO15693Tag(product: self, identifier: identifier, ndefMessage: ndefMessage)
    }
}

extension FeliCaProduct: CatalogueProduct {
    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        try FeliCaTag(product: self, identifier: identifier, ndefMessage: ndefMessage)
    }
}

extension TopazProduct: CatalogueProduct {
    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        try TopazTag(product: self, identifier: identifier, ndefMessage: ndefMessage)
    }
}

extension MIFAREClassicProduct: CatalogueProduct {
    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        try MIFAREClassicTag(product: self, identifier: identifier, ndefMessage: ndefMessage)
    }
}
