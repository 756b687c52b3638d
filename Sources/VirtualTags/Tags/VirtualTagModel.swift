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
