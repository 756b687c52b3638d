import ArgumentParser

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// For whom nfcd runs: that settles where it listens and what it reads, unless it is told.
enum Instance: String, EnumerableFlag {
    case system
    case user

    /// Root's is the system's.
    static var usual: Instance { geteuid() == 0 ? .system : .user }

    /// The configuration that is read if it is there. A relative path in the environment does not count (XDG Base Directory
    /// Specification).
    func configurationFile(_ environment: [String: String]) -> String? {
        guard self == .user else { return "/etc/nfcd/nfcd.toml" }
        let folder = Self.folder(environment["XDG_CONFIG_HOME"])
        return (folder ?? Self.folder(environment["HOME"]).map { "\($0)/.config" }).map { "\($0)/nfcd/nfcd.toml" }
    }

    private static func folder(_ path: String?) -> String? {
        path.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
