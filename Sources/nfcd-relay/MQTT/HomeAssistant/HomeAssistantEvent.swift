import FoundationEssentials
import NDEF
import NFCProtocol

/// What happens on a reader now: what Home Assistant's tag scanner and event entity receive.
struct HomeAssistantEvent: Sendable, Hashable, Encodable {
    /// What happened.
    enum Kind: String, CaseIterable, Sendable, Encodable {
        case tap, removed, error
    }

    private enum CodingKeys: String, CodingKey {
        case kind = "event_type"
        case tagID = "tag_id"
        case identifier, type, id, time, uri, text, error
    }

    /// Older taps would start automations long after the tag was there.
    private static let oldest = Duration.seconds(60)
    private static let tagURIs = [
        "https://www.home-assistant.io/tag/", "https://home-assistant.io/tag/", "http://www.home-assistant.io/tag/",
        "homeassistant://tag/",
    ]
    private static let longestTagID = 128

    let kind: Kind
    /// The id of the tag for Home Assistant; empty if there is none.
    let tagID: String
    var identifier: String?
    var type: String?
    var id: String?
    var time: String?
    var uri: String?
    var text: String?
    var error: String?

    /// The tag of a tap left the field.
    init(removalOf tap: RecordedTap, time: String) {
        self.init(kind: .removed, tagID: Self.tagID(tap))
        (identifier, type, id, self.time) = (tap.tag.identifier.description, tap.tag.type.rawValue, tap.id, time)
    }

    private init(kind: Kind, tagID: String) {
        self.kind = kind
        self.tagID = tagID
    }

    /// The event of a tap; nil for one that is late or delivered again on request.
    init?(_ event: TapEvent) {
        guard !event.isReplay, let age = event.age, age < Self.oldest else { return nil }
        self.init(event.tap)
    }

    /// The event of a tap. A tag without NDEF is a tap like another; one that could not be read is an error.
    init(_ tap: RecordedTap) {
        let isError = tap.message == nil && tap.status == nil && tap.error != nil
        let written = Self.writtenID(tap)
        self.init(kind: isError ? .error : .tap, tagID: isError ? "" : Self.tagID(tap))
        identifier = tap.tag.identifier.description
        type = tap.tag.type.rawValue
        id = tap.id
        time = tap.time
        // The URI that the id is of, where another record comes before it.
        (uri, text) = (tap.uri == nil ? nil : written?.uri ?? tap.uri, tap.text)
        error = isError ? tap.error?.detail : nil
    }

    /// The id that Home Assistant's app has written to the tag, or else the UID: phone and reader agree.
    private static func tagID(_ tap: RecordedTap) -> String { writtenID(tap)?.id ?? tap.tag.identifier.description }

    /// The id that Home Assistant's app has written, and its URI.
    private static func writtenID(_ tap: RecordedTap) -> (id: String, uri: String)? {
        for record in tap.message?.records ?? [] {
            guard case .uri(let record) = record.decoded else { continue }
            for prefix in tagURIs where record.uri.lowercased().hasPrefix(prefix) {
                let id = record.uri.dropFirst(prefix.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
                if (1...longestTagID).contains(id.utf8.count) {
                    return (String(id), record.uri)
                }
            }
        }
        return nil
    }

    /// The message for a reader.
    func message(_ topic: String) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: JSON.data(self))
    }
}
