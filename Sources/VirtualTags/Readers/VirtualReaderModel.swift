/// An entry of the catalogue of reader models that can be made by name.
public struct VirtualReaderModel: Sendable, Hashable {
    /// The name to ask for, lower case.
    public let name: String
    /// One line for people.
    public let description: String
    /// How it behaves.
    public let settings: StorageCardReader.Settings

    /// Every model, in the order to list them.
    public static let all: [VirtualReaderModel] = [
        VirtualReaderModel(
            name: "generic", description: "PC/SC reader without pass-through", settings: .init()),
        VirtualReaderModel(
            name: "acr122u", description: "ACR122U: PN532 commands in FF 00 00 00; a tag that refused stays mute",
            settings: .init(reactivatesAfterRefusal: false, passThrough: .pn53x)),
        VirtualReaderModel(
            name: "acr1252u", description: "ACR1252U: frames in FF 00 00 00; a tag that refused stays mute",
            settings: .init(reactivatesAfterRefusal: false, passThrough: .direct)),
        VirtualReaderModel(
            name: "acr1552u", description: "ACR1552U: transparent sessions FF C2",
            settings: .init(passThrough: .transparentSession)),
    ]

    /// The model with this name; letter case does not matter.
    public static func named(_ name: String) -> VirtualReaderModel? {
        all.first { $0.name == name.lowercased() }
    }

    /// A reader of this model, still off, with a tag in its field; nil where such a reader does not see the tag.
    public func card(_ tag: any VirtualTag) -> (any VirtualCard)? {
        guard tag is Type2Tag else { return tag.inReader() }
        return StorageCardReader(tag: tag, settings: settings)
    }
}
