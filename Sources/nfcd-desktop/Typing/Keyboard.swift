/// Types text into the window that has the focus, in the way that this session offers.
struct Keyboard: Sendable {
    /// A way to type.
    enum Way: Sendable {
        /// The protocol of wlroots compositors for virtual keyboards, with `wtype`.
        case virtualKeyboard(HelperProgram)
        /// XTEST of an X server, with `xdotool`.
        case x11(X11Keyboard)
        /// The RemoteDesktop portal.
        case portal

        /// For people.
        var name: String {
            switch self {
            case .virtualKeyboard: "virtual keyboard (wtype)"
            case .x11: "XTEST (xdotool)"
            case .portal: "RemoteDesktop portal"
            }
        }
    }

    /// Why nothing can be typed.
    struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        let description: String
    }

    private let environment: [String: String]
    private let portal: PortalKeyboard

    init(_ environment: [String: String], portal: PortalKeyboard) {
        self.environment = environment
        self.portal = portal
    }

    /// The way of this session.
    func way() async throws(Failure) -> Way {
        if environment["WAYLAND_DISPLAY"]?.isEmpty == false { return try await waylandWay() }
        guard environment["DISPLAY"]?.isEmpty == false else {
            throw Failure(description: "the session has no display: neither WAYLAND_DISPLAY nor DISPLAY is set")
        }
        return .x11(try X11Keyboard(environment))
    }

    private func waylandWay() async throws(Failure) -> Way {
        let reason: String
        if let wtype = HelperProgram("wtype", environment) {
            do throws(HelperProgram.Failure) {
                // Connects and types nothing.
                try await wtype.run(["-s", "1"])
                return .virtualKeyboard(wtype)
            } catch {
                reason = "\(error)"
            }
        } else {
            reason = "wtype, for wlroots compositors, is missing"
        }
        if await portal.isAvailable() { return .portal }
        throw Failure(description: "\(reason), and the session has no RemoteDesktop portal for keyboards")
    }

    /// Types a text; a line end is the Enter key, a tab the Tab key.
    func type(_ text: String) async throws(Failure) {
        // The slowest is some 15 ms for a key.
        let timeout = Duration.seconds(10) + .milliseconds(30) * text.unicodeScalars.count
        do {
            switch try await way() {
            case .virtualKeyboard(let wtype):
                // In a session without any other keyboard, programs have to notice this one first, and would miss the first letter.
                try await wtype.run(["-s", "200", "-"], input: text, timeout: timeout)
            case .x11(let keyboard): try await keyboard.type(text, timeout: timeout)
            case .portal: try await portal.type(text)
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(description: "\(error)")
        }
    }
}
