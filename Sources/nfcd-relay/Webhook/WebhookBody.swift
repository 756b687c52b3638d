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

    /// Why an event cannot be sent.
    struct Unsuitable: Error {
        let delivery: Delivery

        init(_ delivery: Delivery) { self.delivery = delivery }
    }

    // MARK: Taps

    /// The body for a tap.
    ///
    /// - Throws: ``Unsuitable``.
    init(_ event: TapEvent, _ settings: WebhookSettings, _ identity: RelayIdentity) throws {
        let tap = event.tap
        switch settings.preset {
        case .cloudevents: self.init("application/cloudevents+json", event.cloudEvent)
        case .json: try self.init(json: tap)
        case .spoolman: try self.init(json: SpoolmanScan(tap, identity, contents: settings.contents))
        case .moonraker:
            try self.init(json: Moonraker.ScanRequest(SpoolmanScan(tap, identity, contents: settings.contents)))
        case .ntfy:
            let tag = tap.tag.identifier.bytes.isEmpty ? "a tag" : "tag \(tap.tag.identifier)"
            let failure = tap.error.map { ": \($0.message)" } ?? ""
            try self.init(
                json: NtfyMessage(
                    title: tap.readerName, message: "\(tap.error == nil ? "Read" : "Could not read") \(tag)\(failure)",
                    tags: [tap.error == nil ? "label" : "warning"], url: settings.url))
        }
    }

    // MARK: Notices

    /// The body for a notice; nil: the receiver has no use for it.
    init?(_ notice: RelayNotice, _ settings: WebhookSettings, _ identity: RelayIdentity) throws {
        switch settings.preset {
        case .cloudevents: self.init("application/cloudevents+json", notice.cloudEvent)
        case .json:
            try self.init(
                json: PlainNotice(
                    type: notice.subject.rawValue, id: notice.id, reader: notice.reader, message: notice.text))
        case .spoolman:
            guard notice.subject == .test else { return nil }
            try self.init(json: SpoolmanScan(test: identity))
        case .moonraker:
            guard notice.subject == .test else { return nil }
            try self.init(json: Moonraker.ScanRequest(SpoolmanScan(test: identity)))
        case .ntfy:
            let isTest = notice.subject == .test
            try self.init(
                json: NtfyMessage(
                    title: isTest ? "Test" : "Taps were lost", message: notice.text,
                    tags: [isTest ? "test_tube" : "warning"],
                    url: settings.url))
        }
    }

    /// A body that makes a spool the active one of Moonraker.
    init(activating spool: Int) throws {
        try self.init(json: Moonraker.ActiveSpool(spool))
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
        case .moonraker: return try base(url, for: key, source)
        case .ntfy:
            guard url.pathComponents.count >= 2, url.lastPathComponent != "/" else {
                throw source.wrong(
                    key, "the topic is missing; write it at the end, such as \"https://ntfy.sh/front-door\"")
            }
            return url.absoluteString
        }
    }

    /// An address that paths are appended to.
    private static func base(
        _ url: URL, for key: String, _ source: ConfigurationSource
    ) throws(ConfigurationError) -> String {
        let text = url.absoluteString
        guard !text.contains("?"), !text.contains("#") else {
            throw source.wrong(key, "expected the address of Moonraker alone, such as \"http://127.0.0.1:7125\"")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
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
        switch preset {
        case .cloudevents, .json, .spoolman: url
        case .moonraker: url + Moonraker.scanPath
        case .ntfy: URL(string: url)?.deletingLastPathComponent().absoluteString ?? url
        }
    }
}
