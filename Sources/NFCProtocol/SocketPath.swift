/// Where the socket is (design: the system's, a user's, or as told).
public enum SocketPath {
    /// The system service's.
    public static let system = "/run/nfcd/nfcd.sock"

    /// A user instance's, if there is a runtime directory.
    public static func user(_ environment: [String: String]) -> String? {
        environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : "\($0)/nfcd/nfcd.sock" }
    }

    /// Where a client looks: as told, as `NFCD_SOCKET` says, the user's own if it is there, else the system's.
    public static func client(
        option: String?, environment: [String: String], exists: (String) -> Bool
    ) -> String {
        if let told = told(option, environment["NFCD_SOCKET"]) { return told }
        if let own = user(environment), exists(own) { return own }
        return system
    }

    /// Where a daemon listens: as told, as `NFCD_SOCKET` or the configuration says, the system's for root, else the
    /// user's.
    public static func daemon(
        option: String?, configured: String?, environment: [String: String], isRoot: Bool
    ) -> String {
        if let told = told(option, environment["NFCD_SOCKET"], configured) { return told }
        return isRoot ? system : user(environment) ?? system
    }

    /// The first that says anything.
    private static func told(_ paths: String?...) -> String? {
        paths.lazy.compactMap(\.self).first { !$0.isEmpty }
    }
}
