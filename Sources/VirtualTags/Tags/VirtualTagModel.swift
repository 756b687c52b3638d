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
    public static let all: [VirtualTagModel] = [
        type2("ntag213", .ntag213, "NXP NTAG213, NFC Forum Type 2"),
        type2("ntag215", .ntag215, "NXP NTAG215, NFC Forum Type 2"),
        type2("ntag216", .ntag216, "NXP NTAG216, NFC Forum Type 2"),
        type2("ultralight-ev1-11", .mf0ul11, "NXP MIFARE Ultralight EV1, 48 bytes", aliases: ["mf0ul11"]),
        type2("ultralight-ev1-21", .mf0ul21, "NXP MIFARE Ultralight EV1, 128 bytes", aliases: ["mf0ul21"]),
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
}
