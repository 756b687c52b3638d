/// The program that shows notifications in this session (Desktop Notifications Specification).
struct NotificationServer: Sendable {
    /// What a person does with a notification.
    enum Action: String, CaseIterable, Sendable {
        /// A click on the notification.
        case `default`
        case open
        case copy
        case details

        fileprivate var label: String {
            switch self {
            case .default, .open: "Open"
            case .copy: "Copy"
            case .details: "Show details"
            }
        }
    }

    /// A notification.
    struct Notification: Sendable, Hashable {
        var summary: String
        /// Without markup.
        var body: String
        var actions: [Action] = []
    }

    /// What the server reports of notifications of this program.
    enum Event: Sendable, Hashable {
        case action(UInt32, Action)
        /// What lets a program come to the front; the action follows.
        case token(UInt32, String)
        case closed(UInt32)

        fileprivate init?(_ signal: BusSignal) {
            guard signal.interface == name, let id = signal.values.first?.number else { return nil }
            let text = signal.values.dropFirst().first?.text
            switch signal.member {
            case "ActionInvoked":
                guard let action = text.flatMap({ Action(rawValue: $0) }) else { return nil }
                self = .action(id, action)
            case "ActivationToken":
                guard let text, text.utf8.count <= 256 else { return nil }
                self = .token(id, text)
            case "NotificationClosed": self = .closed(id)
            default: return nil
            }
        }
    }

    static let name = "org.freedesktop.Notifications"
    /// The signals of the server, as a rule of the bus.
    static let rule = "type='signal',sender='\(name)',interface='\(name)'"
    private static let path = "/org/freedesktop/Notifications"

    let bus: BusConnection

    /// What the server can do, such as `actions` and `body-markup`.
    func capabilities() async throws(BusFailure) -> Set<String> {
        Set(try await call("GetCapabilities", []).first?.elements.compactMap(\.text) ?? [])
    }

    /// The server's name and version.
    func information() async throws(BusFailure) -> String {
        try await call("GetServerInformation", []).compactMap(\.text).prefix(3).enumerated()
            .filter { $0.offset != 1 }.map { ShownText($0.element, limit: 60).plain }.joined(separator: " ")
    }

    /// What a signal reports; nil where it is not an event of the server, or another program has sent it.
    func event(_ signal: BusSignal) async -> Event? {
        guard let event = Event(signal), await bus.isSent(signal, by: Self.name) else { return nil }
        return event
    }

    /// Shows a notification, and returns its number.
    ///
    /// - Parameter replaced: the number of the notification that it takes the place of; 0 for none.
    func show(_ notification: Notification, replacing replaced: UInt32) async throws(BusFailure) -> UInt32 {
        let capabilities = try await capabilities()
        let hasMarkup = capabilities.contains("body-markup")
        let body = hasMarkup ? ShownText.escapingMarkup(notification.body) : notification.body
        let actions = capabilities.contains("actions") ? notification.actions.flatMap { [$0.rawValue, $0.label] } : []
        return try await call(
            "Notify",
            [
                .string("NFC"), .uint32(replaced), .string("network-wireless"), .string(notification.summary),
                .string(body), .array(of: "s", actions.map { .string($0) }),
                .options(["desktop-entry": .string("org.nfcd.Desktop")]), .int32(-1),
            ]
        ).first?.number ?? 0
    }

    private func call(_ member: String, _ arguments: [BusValue]) async throws(BusFailure) -> [BusValue] {
        try await bus.call(
            BusCall(destination: Self.name, path: Self.path, interface: Self.name, member: member, arguments: arguments)
        )
    }
}
