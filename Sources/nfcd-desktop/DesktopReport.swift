import NDEF
import NFCClient
import NFCProtocol
import NFCTypes
import ServiceSupport

/// What a session offers, and what is missing, in lines for people.
struct DesktopReport: Sendable {
    private let session: DesktopSession
    private let settings: DesktopConfiguration
    private let file: String
    private let socket: String

    init(_ session: DesktopSession, _ settings: DesktopConfiguration, file: String, socket: String) {
        self.session = session
        self.settings = settings
        self.file = file
        self.socket = socket
    }

    /// The lines.
    func text() async -> String {
        let lines = [
            ("Configuration", settings.sections.isEmpty ? "defaults (\(file) sets nothing)" : file),
            ("nfcd", await daemon()),
            ("Session", await lock()),
            ("Notifications", await notifications()),
            ("Opening", await opening()),
            ("Copying", copying()),
            ("Typing", await typing()),
        ]
        let width = (lines.map(\.0.count).max() ?? 0) + 2
        return lines.map { "\($0):".padded(to: width) + $1.printable + "\n" }.joined()
    }

    private func daemon() async -> String {
        do {
            let client = try await NFCClient.connect(to: SocketEndpoint(path: socket))
            let taps = try await client.observeTaps(matching: settings.filter, requiring: settings.requirement)
            taps.stop()
            await client.close()
            return "taps are delivered"
        } catch {
            return "no taps: \(error)"
        }
    }

    private func lock() async -> String {
        switch await session.lock.state() {
        case .active: "unlocked, on the screen"
        case .locked: "locked; taps are ignored"
        case .inBackground: "not on the screen; taps are ignored"
        case .unknown(let reason):
            settings.unknownLock == .unlocked
                ? "taken as unlocked (unknown-lock); nothing reports it: \(reason)"
                : "taps are ignored, as nothing reports whether it is locked: \(reason); see unknown-lock in desktop.toml"
        }
    }

    private func notifications() async -> String {
        guard settings.shows else { return "off (show in section [notifications])" }
        do {
            let capabilities = try await session.notifications.capabilities()
            let actions = capabilities.contains("actions") ? "" : ", without actions"
            return try await session.notifications.information() + actions
        } catch {
            return "none: \(error)"
        }
    }

    private func opening() async -> String {
        let way =
            await session.opener.hasPortal()
            ? "desktop portal" : session.opener.program ?? "neither portal nor xdg-open"
        let hosts =
            settings.hosts.isEmpty ? "always after a click" : "without a click for \(settings.hosts.count) hosts"
        return "\(way), \(settings.schemes.joined(separator: ", ")), \(hosts)"
    }

    private func copying() -> String {
        do {
            return try session.clipboard.program().0.name
        } catch {
            return "\(error)"
        }
    }

    private func typing() async -> String {
        let rules = settings.typing.isEmpty ? "off" : "on for \(settings.typing.map(\.reader).joined(separator: ", "))"
        do {
            return "\(rules); \(try await session.keyboard.way().name)"
        } catch {
            return "\(rules); not possible: \(error)"
        }
    }
}

extension LinkOpener {
    /// The path of xdg-open, if it is installed.
    var program: String? { HelperProgram("xdg-open", environment)?.path }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

/// Shows a notification as for a tap, and waits for a click on it.
struct DesktopTrial: Sendable {
    private static let patience = Duration.seconds(60)

    let session: DesktopSession
    let policy: OpenPolicy

    /// - Parameter report: is called with lines for people.
    func run(_ report: (String) -> Void) async throws {
        let notice = TapNotice(Self.tap, policy)
        try await session.bus.match(NotificationServer.rule)
        let number = try await session.notifications.show(
            NotificationServer.Notification(summary: notice.summary, body: notice.body, actions: notice.actions),
            replacing: 0)
        report("A notification is shown. Click one of its buttons within 60 seconds.")
        report(try await result(of: number))
    }

    private func result(of number: UInt32) async throws -> String {
        try await withThrowingTaskGroup(of: String.self) { group in
            group.addTask {
                try await session.bus.run()
                return "The session bus has ended."
            }
            group.addTask {
                for await signal in session.signals {
                    switch await session.notifications.event(signal) {
                    case .action(number, let action): return "The button \"\(action.rawValue)\" was clicked: it works."
                    case .closed(number): return "The notification was closed without a click on a button."
                    default: continue
                    }
                }
                return "The session bus has ended."
            }
            group.addTask {
                try await Task.sleep(for: Self.patience)
                return "No button was clicked."
            }
            defer { group.cancelAll() }
            return try await group.next() ?? ""
        }
    }

    private static var tap: BackgroundDidReadTag {
        let record = NDEFRecord(
            typeNameFormat: .nfcWellKnown, type: Array("U".utf8), payload: [4] + Array("example.com/nfcd".utf8))
        return BackgroundDidReadTag(
            subscription: "test", reader: "test", readerName: "test of nfcd-desktop",
            tag: BackgroundDidReadTag.Tag(type: .miFare, technology: nil, identifier: HexBytes([4, 1, 2, 3, 4, 5, 6])),
            messages: [NDEFMessage(records: [record])], uri: nil, record: nil, status: nil, capacity: nil, error: nil)
    }
}
