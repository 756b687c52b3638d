/// A configuration file of nfcd's, and what nfcd says about it.
struct ConfigurationFile: Sendable {
    let path: String
    let canBeRead: Bool
    /// What `nfcd --check` answered; nil where it could not be asked.
    let answer: CommandResult?

    /// Those that are there: the system's and the user's own.
    static func all(_ tree: any SystemTree, _ host: Host) -> [ConfigurationFile] {
        let home = host.environment["HOME"].map { "\($0)/.config" }
        let own = host.environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home
        let paths = ["/etc/nfcd/nfcd.toml"] + (own.map { ["\($0)/nfcd/nfcd.toml"] } ?? [])
        return paths.filter { tree.exists($0) }.map { path in
            let nfcd = SystemPrograms.find("nfcd", tree, host)
            let canBeRead = tree.canRead(path)
            return ConfigurationFile(
                path: path, canBeRead: canBeRead,
                answer: canBeRead ? nfcd.flatMap { host.run([$0, "--check", "--config", path]) } : nil)
        }
    }
}
