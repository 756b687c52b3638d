/// An entry of the catalogue of tags that can be made by name.
public struct VirtualTagModel: Sendable {
    /// The name to ask for, lower case.
    public let name: String
    /// Other names of the same model, lower case.
    public let aliases: [String]
    /// One line for people.
    public let description: String
    private let product: any CatalogueProduct

    init(_ name: String, _ product: any CatalogueProduct, _ description: String, aliases: [String] = []) {
        self.name = name
        self.aliases = aliases
        self.description = description
        self.product = product
    }

    /// The whole memory of the chip in bytes, configuration included.
    public var memorySize: Int { product.memorySize }
    /// The largest NDEF message the model takes, in bytes.
    public var messageCapacity: Int { product.messageCapacity }

    /// Makes a tag of this model.
    ///
    /// - Parameters:
    ///   - identifier: the identifier in the product's length, nil for one derived from the model.
    ///   - ndefMessage: a raw NDEF message, empty for a formatted tag without content, nil for factory content.
    /// - Throws: ``VirtualTagError`` when the identifier has the wrong length or the message does not fit.
    public func makeTag(
        identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil
    ) throws(VirtualTagError) -> any VirtualTag {
        try product.makeTag(identifier: identifier, ndefMessage: ndefMessage)
    }

    /// The model with this name or alias; letter case does not matter.
    ///
    /// - Throws: ``VirtualTagError/unknownModel(name:known:)``, which lists the names there are.
    public static func named(_ name: String) throws(VirtualTagError) -> VirtualTagModel {
        let wanted = name.lowercased()
        guard let model = all.first(where: { $0.name == wanted || $0.aliases.contains(wanted) }) else {
            throw .unknownModel(name: name, known: all.map(\.name))
        }
        return model
    }
}

extension VirtualTagModel {
    /// Every model, in the order to list them: by type, the common ones first.
    public static let all: [VirtualTagModel] = type2 + type4 + type5 + type3 + type1 + mifareClassic

    private static let type2 = [
        Self("ntag213", VirtualType2Product.ntag213, "NXP NTAG213, NFC Forum Type 2"),
        Self("ntag215", VirtualType2Product.ntag215, "NXP NTAG215, NFC Forum Type 2"),
        Self("ntag216", VirtualType2Product.ntag216, "NXP NTAG216, NFC Forum Type 2"),
        Self("ultralight", VirtualType2Product.ultralight, "NXP MIFARE Ultralight, 48 bytes", aliases: ["mf0icu1"]),
        Self(
            "ultralight-c", VirtualType2Product.ultralightC, "NXP MIFARE Ultralight C, 144 bytes", aliases: ["mf0icu2"]),
        Self(
            "ultralight-ev1-11", VirtualType2Product.mf0ul11, "NXP MIFARE Ultralight EV1, 48 bytes",
            aliases: ["mf0ul11"]),
        Self(
            "ultralight-ev1-21", VirtualType2Product.mf0ul21, "NXP MIFARE Ultralight EV1, 128 bytes",
            aliases: ["mf0ul21"]),
        Self(
            "ultralight-aes", VirtualType2Product.ultralightAES, "NXP MIFARE Ultralight AES, 144 bytes",
            aliases: ["mf0aes20"]),
        Self("ntag203", VirtualType2Product.ntag203, "NXP NTAG203, NFC Forum Type 2"),
        Self("ntag210", VirtualType2Product.ntag210, "NXP NTAG210, NFC Forum Type 2"),
        Self("ntag212", VirtualType2Product.ntag212, "NXP NTAG212, NFC Forum Type 2"),
        Self("ntag-i2c-1k", VirtualNTAGI2CTag.Size.oneKilobyte, "NXP NTAG I2C, 888 bytes", aliases: ["nt3h1101"]),
        Self(
            "ntag-i2c-2k", VirtualNTAGI2CTag.Size.twoKilobytes, "NXP NTAG I2C, 1904 bytes in two sectors",
            aliases: ["nt3h1201"]),
    ]

    private static let type4 = [
        Self("type4", VirtualType4Card.Configuration(), "NFC Forum Type 4, 2 KiB"),
        Self(
            "type4-extended", VirtualType4Card.Configuration.extended,
            "NFC Forum Type 4, mapping version 3.0, a file of 70,000 bytes"),
        Self(
            "desfire-ev1", VirtualDESFireProduct.desfireEV1, "NXP MIFARE DESFire EV1 with an NDEF application",
            aliases: ["mf3icd41"]),
        Self(
            "desfire-ev2", VirtualDESFireProduct.desfireEV2, "NXP MIFARE DESFire EV2 with an NDEF application",
            aliases: ["mf3d42"]),
        Self(
            "desfire-ev3", VirtualDESFireProduct.desfireEV3, "NXP MIFARE DESFire EV3 with an NDEF application",
            aliases: ["mf3d43"]),
        Self(
            "desfire-ev1-blank", BlankDESFireProduct(product: .desfireEV1),
            "NXP MIFARE DESFire EV1 as delivered: no application, card master key DES zero"),
        Self(
            "desfire-ev2-blank", BlankDESFireProduct(product: .desfireEV2),
            "NXP MIFARE DESFire EV2 as delivered: no application, card master key DES zero"),
        Self(
            "desfire-ev3-blank", BlankDESFireProduct(product: .desfireEV3),
            "NXP MIFARE DESFire EV3 as delivered: no application, card master key DES zero"),
        Self(
            "ntag424", NTAG424Product.dna, "NXP NTAG 424 DNA, NFC Forum Type 4, keys 0 to 4 all zero",
            aliases: ["ntag424-dna"]),
        Self(
            "ntag424-tt", NTAG424Product.tagTamper,
            "NXP NTAG 424 DNA TagTamper, NFC Forum Type 4, with a closed tamper loop", aliases: ["ntag424-tagtamper"]),
    ]

    private static let type5 = [
        Self("slix", VirtualISO15693Product.slix, "NXP ICODE SLIX, NFC Forum Type 5", aliases: ["icode-slix"]),
        Self("slix2", VirtualISO15693Product.slix2, "NXP ICODE SLIX2, NFC Forum Type 5", aliases: ["icode-slix2"]),
        Self("st25dv04k", VirtualISO15693Product.st25dv04k, "ST ST25DV04K, NFC Forum Type 5"),
        Self("st25dv64k", VirtualISO15693Product.st25dv64k, "ST ST25DV64K, NFC Forum Type 5, 8 KiB"),
        Self("tag-it", VirtualISO15693Product.tagIt, "TI Tag-it HF-I Plus, NFC Forum Type 5, requires the option flag"),
    ]

    private static let type3 = [
        Self("felica-lite", VirtualFeliCaProduct.lite, "Sony FeliCa Lite, NFC Forum Type 3"),
        Self("felica-lite-s", VirtualFeliCaProduct.liteS, "Sony FeliCa Lite-S, NFC Forum Type 3"),
        Self("type3", VirtualFeliCaProduct.type3, "generic NFC Forum Type 3 Tag, 1024 bytes"),
    ]

    private static let type1 = [
        Self("topaz", VirtualTopazProduct.topaz, "Broadcom Topaz, NFC Forum Type 1, 96 bytes", aliases: ["topaz96"]),
        Self("topaz512", VirtualTopazProduct.topaz512, "Broadcom Topaz 512, NFC Forum Type 1"),
    ]

    private static let mifareClassic = [
        Self(
            "mifare-classic-mini", VirtualMIFAREClassicProduct.mini, "NXP MIFARE Mini, 4 data sectors",
            aliases: ["mf1s20"]),
        Self(
            "mifare-classic-1k", VirtualMIFAREClassicProduct.oneK, "NXP MIFARE Classic 1K, 15 data sectors",
            aliases: ["mf1s50"]),
        Self(
            "mifare-classic-4k", VirtualMIFAREClassicProduct.fourK, "NXP MIFARE Classic 4K, 38 data sectors",
            aliases: ["mf1s70"]),
    ]
}

/// A product of the catalogue.
protocol CatalogueProduct: Sendable {
    /// The whole memory in bytes.
    var memorySize: Int { get }
    /// The largest NDEF message in bytes.
    var messageCapacity: Int { get }

    /// A tag of this product; nil stands for its own identifier, and for its content as delivered.
    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag
}

extension VirtualType2Product: CatalogueProduct {
    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        try VirtualType2Tag(product: self, identifier: identifier, ndefMessage: ndefMessage)
    }
}

extension VirtualNTAGI2CTag.Size: CatalogueProduct {
    var memorySize: Int { byteCount }

    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        try VirtualNTAGI2CTag(size: self, identifier: identifier, ndefMessage: ndefMessage)
    }
}

extension VirtualType4Card.Configuration: CatalogueProduct {
    var memorySize: Int { fileSize }

    /// Mapping version 3.0, with a file beyond what two bytes can count.
    static var extended: Self {
        var configuration = Self()
        configuration.mappingVersion = 0x30
        configuration.fileSize = 70_000
        return configuration
    }

    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        try VirtualType4Card(self, identifier: identifier, ndefMessage: ndefMessage)
    }
}

extension VirtualDESFireProduct: CatalogueProduct {
    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        try VirtualDESFireCard(product: self, identifier: identifier, ndefMessage: ndefMessage)
    }
}

/// A DESFire card as delivered; with a message it gets an NDEF application.
private struct BlankDESFireProduct: CatalogueProduct {
    let product: VirtualDESFireProduct
    var memorySize: Int { product.memorySize }
    var messageCapacity: Int { product.messageCapacity }

    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        guard let ndefMessage else { return try VirtualDESFireCard(blank: product, identifier: identifier) }
        return try VirtualDESFireCard(product: product, identifier: identifier, ndefMessage: ndefMessage)
    }
}

/// NTAG 424 DNA, and the same with a tamper loop.
private enum NTAG424Product: CatalogueProduct {
    case dna
    case tagTamper

    var memorySize: Int { VirtualNTAG424Card.memorySize }
    var messageCapacity: Int { VirtualNTAG424Card.messageCapacity }

    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        var setup = self == .dna ? VirtualNTAG424Setup() : VirtualNTAG424Setup(tamperLoop: VirtualTamperLoop())
        setup.identifier = identifier
        return try VirtualNTAG424Card(setup, ndefMessage: ndefMessage)
    }
}

extension VirtualISO15693Product: CatalogueProduct {
    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        try VirtualISO15693Tag(product: self, identifier: identifier, ndefMessage: ndefMessage)
    }
}

extension VirtualFeliCaProduct: CatalogueProduct {
    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        try VirtualFeliCaTag(product: self, identifier: identifier, ndefMessage: ndefMessage)
    }
}

extension VirtualTopazProduct: CatalogueProduct {
    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        try VirtualTopazTag(product: self, identifier: identifier, ndefMessage: ndefMessage)
    }
}

extension VirtualMIFAREClassicProduct: CatalogueProduct {
    func makeTag(identifier: [UInt8]?, ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag {
        try VirtualMIFAREClassicTag(product: self, identifier: identifier, ndefMessage: ndefMessage)
    }
}
