/// An entry of the catalogue of reader models that can be made by name.
public struct VirtualReaderModel: Sendable, Hashable {
    /// The name to ask for, lower case.
    public let name: String
    /// One line for people.
    public let description: String
    /// What libccid calls the real reader, without serial number and index.
    public let readerName: String
    /// How it behaves.
    public let settings: VirtualReader.Settings
    /// The kinds of tags it finds in its field.
    let sees: Set<TagKind>

    /// The model with this name; letter case does not matter.
    public static func named(_ name: String) -> VirtualReaderModel? {
        all.first { $0.name == name.lowercased() }
    }

    /// A reader of this model, still off, with a tag in its field; nil where such a reader does not see the tag.
    public func card(_ tag: any VirtualTag) -> (any VirtualCard)? {
        sees.contains(TagKind(tag)) ? VirtualReader(tag: tag, settings: settings) : nil
    }
}
