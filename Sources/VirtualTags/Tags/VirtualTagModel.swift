/// An entry of the catalogue of tags that can be made by name.
public struct VirtualTagModel: Sendable {
    /// Makes a tag from an identifier and an NDEF message, nil for the product's defaults.
    typealias Maker =
        @Sendable (_ identifier: [UInt8]?, _ ndefMessage: [UInt8]?) throws(VirtualTagError) -> any VirtualTag

    /// The name to ask for, lower case.
    public let name: String
    /// Other names of the same model, lower case.
    public let aliases: [String]
    /// One line for people.
    public let description: String
    /// The whole memory of the chip in bytes, configuration included.
    public let memorySize: Int
    /// The largest NDEF message the model takes, in bytes.
    public let messageCapacity: Int

    private let maker: Maker

    init(
        name: String, aliases: [String], description: String, memorySize: Int, messageCapacity: Int,
        maker: @escaping Maker
    ) {
        self.name = name
        self.aliases = aliases
        self.description = description
        self.memorySize = memorySize
        self.messageCapacity = messageCapacity
        self.maker = maker
    }

    /// Makes a tag of this model.
    ///
    /// - Parameters:
    ///   - identifier: the identifier in the product's length, nil for one derived from the model.
    ///   - ndefMessage: a raw NDEF message, empty for a formatted tag without content, nil for factory content.
    /// - Throws: ``VirtualTagError`` when the identifier has the wrong length or the message does not fit.
    public func makeTag(
        identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil
    ) throws(VirtualTagError) -> any VirtualTag {
        try maker(identifier, ndefMessage)
    }
}

extension VirtualTagModel {
    /// Every model, in the order to list them.
    public static let all: [VirtualTagModel] = type2Tags + feliCa + topaz

    private static let type2Tags: [VirtualTagModel] = [
        type2("ntag213", .ntag213, "NXP NTAG213, NFC Forum Type 2"),
        type2("ntag215", .ntag215, "NXP NTAG215, NFC Forum Type 2"),
        type2("ntag216", .ntag216, "NXP NTAG216, NFC Forum Type 2"),
        type2("ultralight-ev1-11", .mf0ul11, "NXP MIFARE Ultralight EV1, 48 bytes", aliases: ["mf0ul11"]),
        type2("ultralight-ev1-21", .mf0ul21, "NXP MIFARE Ultralight EV1, 128 bytes", aliases: ["mf0ul21"]),
        type4, type4Extended, desfireEV1, ntag424,
        type2("ultralight", .ultralight, "NXP MIFARE Ultralight, 48 bytes", aliases: ["mf0icu1"]),
        type2("ultralight-c", .ultralightC, "NXP MIFARE Ultralight C, 144 bytes", aliases: ["mf0icu2"]),
        type2("ntag203", .ntag203, "NXP NTAG203, NFC Forum Type 2"),
        type2("ntag210", .ntag210, "NXP NTAG210, NFC Forum Type 2"),
        type2("ntag212", .ntag212, "NXP NTAG212, NFC Forum Type 2"),
        i2c("ntag-i2c-1k", .oneKilobyte, "NXP NTAG I2C, 888 bytes", aliases: ["nt3h1101"]),
        i2c("ntag-i2c-2k", .twoKilobytes, "NXP NTAG I2C, 1904 bytes in two sectors", aliases: ["nt3h1201"]),
        classic("mifare-classic-mini", .mini, "NXP MIFARE Mini, 4 data sectors", aliases: ["mf1s20"]),
        classic("mifare-classic-1k", .oneK, "NXP MIFARE Classic 1K, 15 data sectors", aliases: ["mf1s50"]),
        classic("mifare-classic-4k", .fourK, "NXP MIFARE Classic 4K, 38 data sectors", aliases: ["mf1s70"]),
        iso15693("slix", .slix, "NXP ICODE SLIX, NFC Forum Type 5", aliases: ["icode-slix"]),
        iso15693("slix2", .slix2, "NXP ICODE SLIX2, NFC Forum Type 5", aliases: ["icode-slix2"]),
        iso15693("st25dv04k", .st25dv04k, "ST ST25DV04K, NFC Forum Type 5", aliases: []),
        iso15693("st25dv64k", .st25dv64k, "ST ST25DV64K, NFC Forum Type 5, 8 KiB", aliases: []),
        iso15693("tag-it", .tagIt, "TI Tag-it HF-I Plus, NFC Forum Type 5, wants the option flag", aliases: []),
    ]

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

    private static func type2(
        _ name: String, _ product: Type2Product, _ description: String, aliases: [String] = []
    ) -> VirtualTagModel {
        VirtualTagModel(
            name: name, aliases: aliases, description: description,
            memorySize: product.memorySize, messageCapacity: product.messageCapacity
        ) { identifier, message throws(VirtualTagError) in
            try Type2Tag(product: product, identifier: identifier, ndefMessage: message)
        }
    }

    private static func i2c(
        _ name: String, _ size: NTAGI2CTag.Size, _ description: String, aliases: [String]
    ) -> VirtualTagModel {
        VirtualTagModel(
            name: name, aliases: aliases, description: description, memorySize: size.byteCount,
            messageCapacity: size.messageCapacity
        ) { identifier, message throws(VirtualTagError) in
            try NTAGI2CTag(size: size, identifier: identifier, ndefMessage: message)
        }
    }

    private static func classic(
        _ name: String, _ product: MIFAREClassicProduct, _ description: String, aliases: [String]
    ) -> VirtualTagModel {
        VirtualTagModel(
            name: name, aliases: aliases, description: description,
            memorySize: product.memorySize, messageCapacity: product.messageCapacity
        ) { identifier, message throws(VirtualTagError) in
            try MIFAREClassicTag(product: product, identifier: identifier, ndefMessage: message)
        }
    }

    private static func iso15693(
        _ name: String, _ product: ISO15693Product, _ description: String, aliases: [String]
    ) -> VirtualTagModel {
        VirtualTagModel(
            name: name, aliases: aliases, description: description,
            memorySize: product.memorySize, messageCapacity: product.messageCapacity
        ) { identifier, message throws(VirtualTagError) in
            try ISO15693Tag(product: product, identifier: identifier, ndefMessage: message)
        }
    }
}
