/// The state of the system that the checks examine.
struct SystemSnapshot: Sendable {
    let daemon: DaemonStatus
    let relay: RelayState
    let instance: DaemonInstance
    let socket: SocketAccess
    let start: StartInstructions
    let host: Host
    let accounts: AccountFiles
    let units: ServiceUnits
    let pcsc: PCSCService
    let packages: PackageManager
    let bundles: [ReaderBundle]
    let devices: [USBDevice]
    let modules: KernelModules
    let programs: [RunningProgram]
    let configurations: [CheckedConfiguration]
    let keyFiles: [KeyFileState]
    /// Whether the clock of the machine is synchronised; nil if that is not known.
    let clockIsSynchronised: Bool?
    /// The lines of scdaemon.conf; empty if there is no such file.
    let scdaemonOptions: Set<String>
    /// The polkit rule files that mention pcsc-lite; nil if they cannot be read.
    let polkitRules: [String]?
    let securityKeys: SecurityKeySupport
    let web: WebSupport
    let desktop: DesktopSupport
    /// The container that this program runs in; nil on a machine.
    let container: Container?
    /// Why a client in a container does not reach nfcd's socket, and why it may not open it; nil on a machine.
    let absence, refusal: Container.Obstacle?

    init(
        _ files: any SystemFiles, _ host: Host, socket path: String, daemon: DaemonStatus, relay: RelayState
    ) {
        self.daemon = daemon
        self.relay = relay
        self.host = host
        accounts = AccountFiles(files)
        units = ServiceUnits(files, host)
        instance = DaemonInstance(path: path, environment: host.environment)
        socket = SocketAccess(path: path, files, host, accounts)
        start = StartInstructions(path: path, files, host)
        pcsc = PCSCService(files, host)
        packages = PackageManager(files)
        bundles = ReaderBundle.all(files)
        devices = USBDevice.all(files)
        modules = KernelModules(files)
        programs = RunningProgram.all(files)
        configurations = CheckedConfiguration.all(files, host, of: socket.listener)
        keyFiles = KeyFileState.all(files, host)
        clockIsSynchronised = Self.clockIsSynchronised(files, host)
        scdaemonOptions = Self.scdaemonOptions(files, host)
        polkitRules = PolkitRules.containing("org.debian.pcsc-lite", files)
        securityKeys = SecurityKeySupport(files, host, accounts)
        web = WebSupport(files, host)
        desktop = DesktopSupport(files, host, programs)
        container = Container(files, host, for: path)
        absence = container?.absence(of: path, files)
        refusal = container?.refusal(of: path, files.attributes(path), host)
    }

    /// As timedatectl(1) reports it, which asks the kernel.
    private static func clockIsSynchronised(_ files: any SystemFiles, _ host: Host) -> Bool? {
        guard ServiceUnits.isBooted(files), let program = SystemPrograms.find("timedatectl", files, host),
            let answer = host.run([program, "show", "--property=NTPSynchronized", "--value"]), answer.status == 0
        else { return nil }
        return ["yes": true, "no": false][answer.output.trimmed]
    }

    private static func scdaemonOptions(_ files: any SystemFiles, _ host: Host) -> Set<String> {
        let home = host.environment["GNUPGHOME"] ?? host.environment["HOME"].map { "\($0)/.gnupg" }
        return Set(home.map { files.lines("\($0)/scdaemon.conf") } ?? [])
    }
}

extension SystemSnapshot {
    /// The USB devices that are readers: by their class, or because an installed driver supports them.
    var cardReaders: [USBDevice] {
        devices.filter { device in device.isCardReader || bundles.contains { $0.readers[device.identity] != nil } }
    }

    /// Whether this is a container for clients, so that nfcd and its readers are outside.
    var isClientContainer: Bool { container.map { !$0.hasDaemon } ?? false }

    /// Whether this is a container for clients that does not reach the socket, or may not open it.
    var isCutOff: Bool {
        switch daemon {
        case .noSocket, .staleSocket, .notPermitted: isClientContainer
        case .answered, .notAnswering, .failed: false
        }
    }

    /// Whether nfcd has a working reader, so that other findings do not prevent NFC from working.
    var hasWorkingReader: Bool { daemon.state?.hasWorkingReader == true }

    /// The verdict for a finding that prevents NFC from working, unless it evidently works.
    var severity: Verdict { hasWorkingReader ? .warning : .problem }

    /// Whether all readers are simulated, so that PC/SC is not used.
    var isSimulated: Bool { daemon.state?.isSimulated == true }

    /// The user that nfcd runs as, or would run as.
    var daemonUser: String {
        if let listener = socket.listener, let name = accounts.user(listener.user)?.name { return name }
        if instance != .system {
            let owner = socket.attributes?.user ?? host.user
            return accounts.user(owner)?.name ?? "\(owner)"
        }
        let running = programs.filter { $0.name == "nfcd" }.compactMap { accounts.user($0.user)?.name }
        return running.contains("nfcd") ? "nfcd" : running.first ?? "nfcd"
    }

    /// The commands that start nfcd with a simulated reader, on a socket that is free.
    var simulatorCommands: [String] {
        switch daemon {
        case .noSocket, .staleSocket: start.simulatorCommands
        case .answered, .notPermitted, .notAnswering, .failed: start.simulatorCommandsBesideDaemon
        }
    }

    /// A command that requires root.
    func asRoot(_ command: String) -> String { host.isRoot ? command : "sudo \(command)" }

    /// The commands that restart nfcd; none in a container, from where that is not possible.
    var restartDaemon: [String] {
        guard !isClientContainer else { return [] }
        return switch instance {
        case .system where units.isBooted: [asRoot("systemctl restart nfcd.service")]
        case .system: [endListener, start.command]
        case .user where start.command.hasPrefix("systemctl"): ["systemctl --user restart nfcd.service"]
        case .user, .manual: [endListener, start.command]
        }
    }

    /// The command that ends the nfcd that listens on the socket, or finds it.
    private var endListener: String {
        socket.listener?.user == host.user ? socket.endListener : asRoot(socket.endListener)
    }

    /// The command that shows the last messages of nfcd; nil if it does not log to the journal.
    var showJournal: String? {
        guard units.isBooted else { return nil }
        switch instance {
        case .system: return asRoot("journalctl --unit nfcd --boot --lines 20")
        case .user: return "journalctl --user --unit nfcd --boot --lines 20"
        case .manual: return nil
        }
    }

    /// The command that restarts pcscd.
    var restartPCSC: String {
        units.isBooted
            ? asRoot("systemctl restart pcscd.socket pcscd.service") : asRoot("sh -c 'pkill -x pcscd; pcscd'")
    }
}

/// The rule files of polkit (polkit(8)).
enum PolkitRules {
    private static let folders = [
        "/etc/polkit-1/rules.d", "/run/polkit-1/rules.d", "/usr/local/share/polkit-1/rules.d",
        "/usr/share/polkit-1/rules.d",
    ]

    /// The files that contain a text; nil if a directory cannot be read.
    static func containing(_ text: String, _ files: any SystemFiles) -> [String]? {
        let folders = folders.filter { files.exists($0) }
        guard folders.allSatisfy({ files.canRead($0) }) else { return nil }
        return folders.flatMap { folder in files.names(in: folder).map { "\(folder)/\($0)" } }
            .filter { files.contains(text, in: $0) }
    }
}
