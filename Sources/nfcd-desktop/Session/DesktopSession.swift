/// The parts of the desktop session that the service uses.
struct DesktopSession: Sendable {
    let bus: BusConnection
    let lock: SessionLock
    let notifications: NotificationServer
    let opener: LinkOpener
    let clipboard: Clipboard
    let keyboard: Keyboard
    /// The signals of the notification server.
    let signals: AsyncStream<BusSignal>

    /// Connects to the buses of the session.
    init(_ environment: [String: String]) throws(BusFailure) {
        bus = try BusConnection(.session)
        lock = SessionLock(
            session: bus, system: try? BusConnection(.system), id: environment["XDG_SESSION_ID"])
        notifications = NotificationServer(bus: bus)
        opener = LinkOpener(bus: bus, environment: environment)
        clipboard = Clipboard(environment)
        signals = bus.signals
        keyboard = Keyboard(environment, portal: PortalKeyboard(environment))
    }
}
