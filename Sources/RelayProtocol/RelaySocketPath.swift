/// The path of the relay's control socket: a given one, a user's or the system's.
public enum RelaySocketPath {
    /// The path of the system service.
    public static let system = "/run/nfcd-relay/relay.sock"

    /// The path of a user's relay; nil without a runtime directory.
    public static func user(_ environment: [String: String]) -> String? {
        environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : "\($0)/nfcd-relay/relay.sock" }
    }

    /// Returns the path that a client connects to: the option, `NFCD_RELAY_SOCKET`, the user's if it exists, otherwise the system's.
    public static func client(
        option: String?, environment: [String: String], exists: (String) -> Bool
    ) -> String {
        if let given = given(option, environment) { return given }
        if let own = user(environment), exists(own) { return own }
        return system
    }

    /// Returns the path that the relay listens on: the option, `NFCD_RELAY_SOCKET`, the system's for root and for a service of the
    /// system, otherwise the user's.
    ///
    /// - Parameter isSystem: whether it runs as root, or as a service of the system.
    public static func relay(option: String?, environment: [String: String], isSystem: Bool) -> String {
        if let given = given(option, environment) { return given }
        return isSystem ? system : user(environment) ?? system
    }

    private static func given(_ option: String?, _ environment: [String: String]) -> String? {
        [option, environment["NFCD_RELAY_SOCKET"]].lazy.compactMap(\.self).first { !$0.isEmpty }
    }
}
