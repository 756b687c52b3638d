/// Opens links with the program that the person has chosen for them: through the desktop portal, or else with `xdg-open`.
struct LinkOpener: Sendable {
    /// Why a link was not opened.
    struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        let description: String
    }

    private static let portal = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"
    private static let interface = "org.freedesktop.portal.OpenURI"

    let bus: BusConnection
    let environment: [String: String]

    /// Whether the portal opens links in this session.
    func hasPortal() async -> Bool {
        (try? await bus.property("version", of: Self.interface, at: Self.path, in: Self.portal)) != nil
    }

    /// Opens a link.
    ///
    /// - Parameter token: what lets the program come to the front, from the click.
    func open(_ link: TagLink, token: String?) async throws(Failure) {
        let options: [String: BusValue] = token.map { ["activation_token": .string($0)] } ?? [:]
        let call = BusCall(
            destination: Self.portal, path: Self.path, interface: Self.interface, member: "OpenURI",
            arguments: [.string(""), .string(link.uri), .options(options)])
        do throws(BusFailure) {
            _ = try await bus.call(call)
        } catch {
            // Where the portal exists, its refusal counts; and what takes long may still be opened, which twice would be wrong.
            guard Self.isMissing.contains(error.name) else { throw Failure(description: "\(error)") }
            try await openWithProgram(link, token)
        }
    }

    private static let isMissing: Set = [
        "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
        "org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownInterface",
        "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.Spawn.ServiceNotFound",
        "org.freedesktop.DBus.Error.Spawn.ExecFailed", "org.freedesktop.DBus.Error.Spawn.ChildExited",
        "org.freedesktop.systemd1.NoSuchUnit",
    ]

    private func openWithProgram(_ link: TagLink, _ token: String?) async throws(Failure) {
        guard let program = HelperProgram("xdg-open", environment) else {
            throw Failure(
                description: "there is neither a desktop portal nor xdg-open; install xdg-utils")
        }
        do throws(HelperProgram.Failure) {
            // The link begins with its scheme: xdg-open does not take it for an option.
            try await program.run(
                [link.uri], leaves: true,
                variables: token.map { ["XDG_ACTIVATION_TOKEN": $0, "DESKTOP_STARTUP_ID": $0] } ?? [:])
        } catch {
            throw Failure(description: "\(error)")
        }
    }
}
