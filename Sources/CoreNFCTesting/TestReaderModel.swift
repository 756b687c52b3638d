import VirtualTags

/// The product that a virtual reader imitates.
public enum TestReaderModel: String, Sendable, CaseIterable {
    /// ACR1552U: sees all kinds of tags that an iPhone does, but Topaz.
    case acr1552U = "acr1552u"
    /// ACR122U: sees Topaz, but no tags of ISO/IEC 15693.
    case acr122U = "acr122u"

    /// The first model that sees a tag; the first of all where none does.
    static func seeing(_ tag: TestTag) throws -> TestReaderModel {
        let made = try tag.made()
        return try allCases.first { try $0.model.card(made) != nil } ?? .acr1552U
    }

    var model: VirtualReaderModel {
        get throws {
            guard let model = VirtualReaderModel.named(rawValue) else {
                throw TestTagError("no reader model \(rawValue)")
            }
            return model
        }
    }
}
