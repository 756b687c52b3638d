import TagRecordings
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
        if let recorded = made as? RecordedTag {
            guard let model = TestReaderModel(rawValue: recorded.profile) else {
                throw TestTagError(
                    "\(tag.model) was recorded on a reader of the family \(recorded.profile); tests have readers of "
                        + "\(allCases.map(\.rawValue).joined(separator: ", ")). Record it on one of them")
            }
            return model
        }
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
