import Logging

/// Whether the person who sees this session may be the one at the reader.
enum ScreenState: Sendable, Hashable {
    case active
    case locked
    /// Another user's session, or another one of this user, is on the screen.
    case inBackground
    /// Nothing reports it; with the reason.
    case unknown(String)
}

/// Asks the session's lock and its place on the screen: systemd-logind, and the screen savers of desktops, which know it earlier.
struct SessionLock: Sendable {
    private static let screenSavers = [
        ("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"),
        ("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"),
    ]
    private static let logind = "org.freedesktop.login1"

    private let session: BusConnection
    private let system: BusConnection?
    private let sessionPath: String

    /// - Parameters:
    ///   - system: the system bus, if there is one.
    ///   - id: XDG_SESSION_ID. A user service has none; systemd-logind then takes the session with the user's screen.
    init(session: BusConnection, system: BusConnection?, id: String?) {
        self.session = session
        self.system = system
        sessionPath = "/org/freedesktop/login1/session/" + (id.flatMap(Self.pathElement) ?? "auto")
    }

    /// The form of a name in an object path: what is not a letter or a digit as `_2d`.
    private static func pathElement(_ name: String) -> String? {
        guard let first = name.utf8.first else { return nil }
        return name.utf8.enumerated().map { index, byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            // A digit at the beginning is escaped, too.
            return isPlain && !(index == 0 && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first))
                ? String(scalar) : "_" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// The state now.
    func state() async -> ScreenState {
        let saver = await screenSaverIsActive()
        if saver == true { return .locked }
        let reason: String
        do throws(BusFailure) {
            if let state = try await logindState() { return state }
            reason = "there is no system bus"
        } catch {
            reason = "\(error)"
        }
        return saver == false ? .active : .unknown(reason)
    }

    private func logindState() async throws(BusFailure) -> ScreenState? {
        guard let system else { return nil }
        let interface = "\(Self.logind).Session"
        let isLocked = try await system.property("LockedHint", of: interface, at: sessionPath, in: Self.logind)?.truth
        let isActive = try await system.property("Active", of: interface, at: sessionPath, in: Self.logind)?.truth
        guard let isLocked, let isActive else { throw BusFailure("systemd-logind does not report the session") }
        return isLocked ? .locked : isActive ? .active : .inBackground
    }

    /// Nil where no screen saver is on the bus.
    private func screenSaverIsActive() async -> Bool? {
        var known: Bool?
        for (name, path) in Self.screenSavers {
            guard (try? await session.hasOwner(name)) == true else { continue }
            let call = BusCall(destination: name, path: path, interface: name, member: "GetActive", starts: false)
            if let isActive = try? await session.call(call).first?.truth { known = isActive || known == true }
        }
        return known
    }
}
