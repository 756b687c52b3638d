import FoundationEssentials
import ServiceSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Types through the RemoteDesktop portal, of GNOME and KDE. The desktop asks the person once; the consent is kept in a file.
///
/// The portal's session lasts as long as the service, so that no indicator appears at each tap.
actor PortalKeyboard {
    /// Why nothing was typed.
    struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        let description: String
    }

    private struct Connection {
        let bus: BusConnection
        let session: String
    }

    private static let name = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"
    private static let interface = "org.freedesktop.portal.RemoteDesktop"
    private static let keyboard: UInt32 = 1
    /// A person needs time to read the question.
    private static let patience = Duration.seconds(120)

    private let stateFile: String?
    private var connection: Connection?
    private var lastToken = 0

    init(_ environment: [String: String]) {
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? "\($0)/.local/state" : nil }
        let folder = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
        stateFile = folder.map { "\($0)/nfcd/desktop-keyboard" }
    }

    /// Whether the portal has keyboards.
    func isAvailable() async -> Bool {
        guard let bus = try? BusConnection(.session) else { return false }
        let types = try? await bus.property("AvailableDeviceTypes", of: Self.interface, at: Self.path, in: Self.name)
        return (types?.number ?? 0) & Self.keyboard != 0
    }

    /// Types a text.
    func type(_ text: String) async throws(Failure) {
        do {
            let connection = try await connected()
            for scalar in text.unicodeScalars {
                for state in [UInt32(1), 0] {
                    _ = try await call(
                        connection.bus, "NotifyKeyboardKeysym",
                        [.objectPath(connection.session), .options([:]), .int32(Self.keysym(scalar)), .uint32(state)])
                }
            }
        } catch {
            // The person may have ended the session; the next tap begins another.
            connection = nil
            throw (error as? Failure) ?? Failure(description: "\(error)")
        }
    }

    /// The number of a key symbol (X Window System Protocol, appendix A).
    static func keysym(_ scalar: Unicode.Scalar) -> Int32 {
        switch scalar.value {
        case 0x0A: 0xFF0D
        case 0x09: 0xFF09
        case 0x20...0x7E, 0xA0...0xFF: Int32(scalar.value)
        default: Int32(bitPattern: 0x0100_0000 | scalar.value)
        }
    }

    private func connected() async throws -> Connection {
        if let connection { return connection }
        let bus = try BusConnection(.session)
        try await bus.match(
            "type='signal',sender='\(Self.name)',interface='org.freedesktop.portal.Request',member='Response'")
        let sessionToken = token()
        let created = try await request(bus, "CreateSession", [], ["session_handle_token": .string(sessionToken)])
        guard let session = created["session_handle"]?.text else {
            throw Failure(description: "the RemoteDesktop portal made no session")
        }
        var options: [String: BusValue] = ["types": .uint32(Self.keyboard), "persist_mode": .uint32(2)]
        if let kept = keptConsent() { options["restore_token"] = .string(kept) }
        _ = try await request(bus, "SelectDevices", [.objectPath(session)], options)
        let started = try await request(bus, "Start", [.objectPath(session), .string("")], [:])
        guard (started["devices"]?.number ?? 0) & Self.keyboard != 0 else {
            throw Failure(description: "the desktop was not allowed to type; allow the keyboard when it asks")
        }
        if let consent = started["restore_token"]?.text { keep(consent) }
        let made = Connection(bus: bus, session: session)
        connection = made
        return made
    }

    /// Makes a request, and waits for its response.
    private func request(
        _ bus: BusConnection, _ member: String, _ arguments: [BusValue], _ options: [String: BusValue]
    ) async throws -> BusValue {
        let options = options.merging(["handle_token": .string(token())]) { $1 }
        guard let handle = try await call(bus, member, arguments + [.options(options)]).first?.text else {
            throw Failure(description: "the RemoteDesktop portal did not answer \(member)")
        }
        return try await withThrowingTaskGroup(of: BusValue?.self) { group in
            group.addTask {
                try await bus.run()
                return nil
            }
            group.addTask {
                for await signal in bus.signals where signal.path == handle {
                    guard await bus.isSent(signal, by: Self.name) else { continue }
                    guard signal.values.first?.number == 0 else {
                        throw Failure(description: "the person, or the desktop, refused that nfcd-desktop types")
                    }
                    return signal.values.dropFirst().first ?? .array(of: "{sv}", [])
                }
                return nil
            }
            group.addTask {
                try await Task.sleep(for: Self.patience)
                throw Failure(description: "the question of the desktop was not answered within 120 s")
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() ?? nil else {
                throw Failure(description: "the connection to the RemoteDesktop portal has ended")
            }
            return response
        }
    }

    private func call(_ bus: BusConnection, _ member: String, _ arguments: [BusValue]) async throws -> [BusValue] {
        try await bus.call(
            BusCall(
                destination: Self.name, path: Self.path, interface: Self.interface, member: member, arguments: arguments
            ))
    }

    private func token() -> String {
        lastToken += 1
        return "nfcd\(getpid())_\(lastToken)"
    }

    private func keptConsent() -> String? {
        guard let stateFile, let bytes = try? FileBytes.read(stateFile, atMost: 4_096) else { return nil }
        return String(validating: bytes, as: UTF8.self).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Without the file the desktop asks again, so that a failure changes nothing else.
    private func keep(_ consent: String) {
        guard let stateFile else { return }
        let folder = String(stateFile.prefix(upTo: stateFile.lastIndex(of: "/") ?? stateFile.endIndex))
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? Data(consent.utf8).write(to: URL(filePath: stateFile), options: .atomic)
        _ = chmod(stateFile, 0o600)
    }
}
