/// The path of the socket: a given one, a user's or the system's.
public enum SocketPath {
    /// The path of the system service.
    public static let system = "/run/nfcd/nfcd.sock"

    /// The path of a user's daemon; nil without a runtime directory.
    public static func user(_ environment: [String: String]) -> String? {
        environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : "\($0)/nfcd/nfcd.sock" }
    }

    /// Returns the path that a client connects to: the option, `NFCD_SOCKET`, the user's if it exists, otherwise the system's.
    public static func client(
        option: String?, environment: [String: String], exists: (String) -> Bool
    ) -> String {
        if let given = firstGiven(option, environment["NFCD_SOCKET"]) { return given }
        if let own = user(environment), exists(own) { return own }
        return system
    }

    /// Returns the path that a daemon listens on: the option, `NFCD_SOCKET`, the configuration, the system's for root, otherwise the
    /// user's.
    public static func daemon(
        option: String?, configured: String?, environment: [String: String], isRoot: Bool
    ) -> String {
        if let given = firstGiven(option, environment["NFCD_SOCKET"], configured) { return given }
        return isRoot ? system : user(environment) ?? system
    }

    /// Returns the first path that is not empty.
    private static func firstGiven(_ paths: String?...) -> String? {
        paths.lazy.compactMap(\.self).first { !$0.isEmpty }
    }
}
