import FoundationEssentials
import NFCProtocol
import ServiceSupport

/// The body of a request.
struct WebhookBody: Sendable {
    let contentType: String
    let data: Data

    private init(_ contentType: String, _ data: Data) {
        self.contentType = contentType
        self.data = data
    }

    private init(json value: some Encodable) throws {
        self.init("application/json", Data(try JSONLine.encode(value).dropLast()))
    }

    /// Why a receiver can never take an event.
    struct Unsuitable: Error {
        let reason: String
    }

    // MARK: Taps

    /// The body for a tap.
    ///
    /// - Throws: ``Unsuitable``.
    init(_ event: TapEvent, _ preset: WebhookSettings.Preset, url: String, _ identity: RelayIdentity) throws {
        let tap = event.tap
        switch preset {
        case .cloudevents: self.init("application/cloudevents+json", event.cloudEvent)
        case .json: try self.init(json: tap)
        case .spoolman:
            guard !tap.tag.identifier.bytes.isEmpty else {
                throw Unsuitable(reason: "the tap has no UID, which Spoolman finds a spool by")
            }
            try self.init(json: SpoolmanScan(uid: tap.tag.identifier.description, tap.reader, tap.readerName, identity))
        case .ntfy:
            let tag = tap.tag.identifier.bytes.isEmpty ? "a tag" : "tag \(tap.tag.identifier)"
            let failure = tap.error.map { ": \($0.message)" } ?? ""
            try self.init(
                json: NtfyMessage(
                    title: tap.readerName, message: "\(tap.error == nil ? "Read" : "Could not read") \(tag)\(failure)",
                    tags: [tap.error == nil ? "label" : "warning"], url: url))
        }
    }

    // MARK: Notices

    /// The body for a notice; nil: the receiver has no use for it.
    init?(_ notice: RelayNotice, _ preset: WebhookSettings.Preset, url: String, _ identity: RelayIdentity) throws {
        switch preset {
        case .cloudevents: self.init("application/cloudevents+json", notice.cloudEvent)
        case .json:
            try self.init(
                json: PlainNotice(
                    type: notice.subject.rawValue, id: notice.id, reader: notice.reader, message: notice.text))
        case .spoolman:
            guard notice.subject == .test else { return nil }
            try self.init(json: SpoolmanScan(uid: "00000000", "test", "Test of nfcd-relay", identity))
        case .ntfy:
            let isTest = notice.subject == .test
            try self.init(
                json: NtfyMessage(
                    title: isTest ? "Test" : "Taps were lost", message: notice.text,
                    tags: [isTest ? "test_tube" : "warning"],
                    url: url))
        }
    }

    private struct PlainNotice: Encodable {
        let type: String
        let id: String
        let reader: String?
        let message: String
    }

    // MARK: Receivers

    /// Where requests go: the address of the configuration, completed for a known receiver.
    static func address(
        _ url: URL, _ preset: WebhookSettings.Preset, for key: String, _ source: ConfigurationSource
    ) throws(ConfigurationError) -> String {
        switch preset {
        case .cloudevents, .json: return url.absoluteString
        case .spoolman:
            guard url.path.isEmpty || url.path == "/" else { return url.absoluteString }
            return url.appending(path: "api/v1/tag/scan").absoluteString
        case .ntfy:
            guard url.pathComponents.count >= 2, url.lastPathComponent != "/" else {
                throw source.wrong(
                    key, "the topic is missing; write it at the end, such as \"https://ntfy.sh/front-door\"")
            }
            return url.absoluteString
        }
    }

    /// A scan for Spoolman: it finds the spool by the UID.
    private struct SpoolmanScan: Encodable {
        let uid: String
        let reader_id: String
        let name: String

        /// An id has 64 characters of a few kinds.
        init(uid: String, _ reader: String, _ readerName: String, _ identity: RelayIdentity) {
            self.uid = uid
            let id = "\(identity.device):\(reader)".map { character -> Character in
                let isAllowed =
                    character.isASCII && (character.isLetter || character.isNumber || "._:-".contains(character))
                return isAllowed ? character : "-"
            }
            reader_id = String(id.prefix(64))
            name = String(readerName.prefix(64))
        }
    }

    /// A message for ntfy, which is sent to the address without the topic.
    private struct NtfyMessage: Encodable {
        let topic: String
        let title: String
        let message: String
        let tags: [String]

        init(title: String, message: String, tags: [String], url: String) {
            topic = URL(string: url)?.lastPathComponent ?? ""
            self.title = title
            self.message = message
            self.tags = tags
        }
    }

    /// Where a request with this body goes.
    static func target(_ url: String, _ preset: WebhookSettings.Preset) -> String {
        guard preset == .ntfy, let address = URL(string: url) else { return url }
        return address.deletingLastPathComponent().absoluteString
    }
}
