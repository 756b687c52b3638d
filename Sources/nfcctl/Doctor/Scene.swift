/// Everything that the checks look at.
struct Scene: Sendable {
    let daemon: DaemonAnswer
    let socket: SocketAccess
    let starting: StartAdvice
    let host: Host
    let accounts: Accounts
    let units: ServiceUnits
    let pcsc: PCSCService
    let bundles: [ReaderBundle]
    let devices: [USBDevice]
    let modules: KernelModules
    let programs: [RunningProgram]
    let configurations: [ConfigurationFile]
    /// scdaemon.conf, as far as there is one.
    let scdaemonOptions: Set<String>
    /// Files of rules for polkit that name pcsc-lite; nil where they may not be read.
    let polkitRules: [String]?

    init(_ tree: any SystemTree, _ host: Host, socket path: String, daemon: DaemonAnswer) {
        self.daemon = daemon
        self.host = host
        accounts = Accounts(tree)
        units = ServiceUnits(tree, host)
        socket = SocketAccess(path: path, tree, host, accounts)
        starting = StartAdvice(path: path, units.installed, isBooted: units.isBooted, isRoot: host.isRoot)
        pcsc = PCSCService(tree, host)
        bundles = ReaderBundle.all(tree)
        devices = USBDevice.all(tree)
        modules = KernelModules(tree)
        programs = RunningProgram.all(tree)
        configurations = ConfigurationFile.all(tree, host)
        scdaemonOptions = Self.scdaemonOptions(tree, host)
        polkitRules = PolkitRules.naming("org.debian.pcsc-lite", tree)
    }

    private static func scdaemonOptions(_ tree: any SystemTree, _ host: Host) -> Set<String> {
        let home = host.environment["GNUPGHOME"] ?? host.environment["HOME"].map { "\($0)/.gnupg" }
        return Set(home.map { tree.lines("\($0)/scdaemon.conf") } ?? [])
    }
}

extension Scene {
    /// The USB devices that are readers: by their class, or because a driver drives them.
    var cardReaders: [USBDevice] {
        devices.filter { device in device.isCardReader || bundles.contains { $0.readers[device.identity] != nil } }
    }

    /// Whether nfcd reads from somewhere right now, so that what else is found stops nothing.
    var works: Bool { daemon.state?.hasWorkingReader == true }

    /// `problem`, unless NFC works all the same.
    var worst: Verdict { works ? .warning : .problem }

    /// Whether PC/SC has no part in it.
    var isSimulated: Bool { daemon.state?.isSimulated == true }

    /// The user that nfcd runs as, or would.
    var daemonUser: String {
        let user = programs.first { $0.name == "nfcd" }.flatMap { accounts.user($0.user)?.name }
        return user ?? "nfcd"
    }

    /// A command that takes root.
    func root(_ command: String) -> String { host.isRoot ? command : "sudo \(command)" }

    /// Starts an nfcd anew that may run.
    var restartDaemon: [String] {
        units.isBooted ? [root("systemctl restart nfcd.service")] : [root("pkill -x nfcd"), starting.command]
    }

    /// Makes pcscd begin anew.
    var restartPCSC: String {
        units.isBooted ? root("systemctl restart pcscd.socket pcscd.service") : root("sh -c 'pkill -x pcscd; pcscd'")
    }
}

/// Files of rules for polkit (polkit(8)).
enum PolkitRules {
    private static let folders = [
        "/etc/polkit-1/rules.d", "/run/polkit-1/rules.d", "/usr/local/share/polkit-1/rules.d",
        "/usr/share/polkit-1/rules.d",
    ]

    /// The files that hold a text; nil where a folder is closed to us.
    static func naming(_ text: String, _ tree: any SystemTree) -> [String]? {
        let folders = folders.filter { tree.exists($0) }
        guard folders.allSatisfy({ tree.canRead($0) }) else { return nil }
        return folders.flatMap { folder in tree.names(in: folder).map { "\(folder)/\($0)" } }
            .filter { tree.contains(text, in: $0) }
    }
}
