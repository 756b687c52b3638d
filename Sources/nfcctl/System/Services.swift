/// The systemd units of nfcd and pcscd.
struct ServiceUnits: Sendable {
    /// The state of a unit, as `systemctl show` prints it (systemctl(1)).
    struct State: Sendable, Equatable {
        var load = ""
        var active = ""
        var file = ""
        var result = ""
        var exitStatus = ""
        /// What the service reports of itself.
        var status = ""

        /// Whether systemd is not permitted to start the unit.
        var isMasked: Bool { load == "masked" || file == "masked" }
        /// Whether the unit has no unit file.
        var isMissing: Bool { load == "not-found" }
    }

    /// Whether the machine was booted with systemd (sd_booted(3)).
    let isBooted: Bool
    /// The units that have a unit file.
    let installed: Set<String>
    let states: [String: State]
    /// Whether nfcd's generator is installed, which starts nfcd at boot if the journal is enabled.
    private let hasGenerator: Bool

    /// Whether an nfcd that keeps a journal starts at boot, before a client connects.
    var startsJournalAtBoot: Bool { hasGenerator || states["nfcd.service"]?.file == "enabled" }

    private static let names = [
        "nfcd.socket", "nfcd.service", "pcscd.socket", "pcscd.service", "polkit.service", "nfcd-relay.service",
        "nfcd-fido.service",
    ]

    /// The option of `systemctl show` for what ``states(_:)`` reads.
    static let properties = "--property=Id,LoadState,ActiveState,UnitFileState,Result,ExecMainStatus,StatusText"

    private static let folders = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]
    private static let userFolders = [
        "/etc/systemd/user", "/run/systemd/user", "/usr/local/lib/systemd/user", "/usr/lib/systemd/user",
    ]

    init(_ files: any SystemFiles, _ host: Host) {
        isBooted = Self.isBooted(files)
        installed = Self.files(files)
        hasGenerator = Self.generatorFolders.contains { files.exists("\($0)/nfcd-generator") }
        let systemctl = isBooted ? SystemPrograms.find("systemctl", files, host) : nil
        let answer = systemctl.flatMap {
            host.run([$0, "show", "--no-pager", Self.properties] + Self.names)
        }
        states = answer.map { Self.states($0.output) } ?? [:]
    }

    /// The folders of programs that add units at boot (systemd.generator(7)).
    private static let generatorFolders = [
        "/etc/systemd/system-generators", "/run/systemd/system-generators", "/usr/local/lib/systemd/system-generators",
        "/usr/lib/systemd/system-generators", "/lib/systemd/system-generators",
    ]

    /// Whether a machine was booted with systemd.
    static func isBooted(_ files: any SystemFiles) -> Bool { files.attributes("/run/systemd/system")?.isFolder == true }

    /// The units that have a unit file, of the system's service manager or of a user's.
    static func files(_ files: any SystemFiles, ofUser: Bool = false) -> Set<String> {
        let folders = ofUser ? userFolders : folders
        return Set(names.filter { name in folders.contains { files.exists("\($0)/\(name)") } })
    }

    /// Parses blocks of `Key=Value` lines, separated by empty lines.
    static func states(_ text: String) -> [String: State] {
        var states: [String: State] = [:]
        for block in text.split(separator: "\n\n") {
            let pairs = block.split(separator: "\n").compactMap { line -> (Substring, String)? in
                guard let mark = line.firstIndex(of: "=") else { return nil }
                return (line[..<mark], String(line[line.index(after: mark)...]))
            }
            let values = Dictionary(pairs) { $1 }
            guard let id = values["Id"] else { continue }
            states[id] = State(
                load: values["LoadState"] ?? "", active: values["ActiveState"] ?? "",
                file: values["UnitFileState"] ?? "", result: values["Result"] ?? "",
                exitStatus: values["ExecMainStatus"] ?? "", status: values["StatusText"] ?? "")
        }
        return states
    }
}

/// Finds the paths of programs.
enum SystemPrograms {
    /// Debian installs pcscd in /usr/sbin, which is not in every user's PATH.
    private static let folders = ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/bin", "/sbin"]

    /// The path of a program, in PATH or one of the usual directories.
    static func find(_ name: String, _ files: any SystemFiles, _ host: Host) -> String? {
        let named = (host.environment["PATH"] ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        return (named + folders).lazy.map { "\($0)/\(name)" }.first { files.canRun($0) }
    }
}

/// What can be determined about pcscd without connecting to it.
struct PCSCService: Sendable {
    /// The path of the program, if it is installed.
    let program: String?
    /// Whether its socket exists.
    let hasSocket: Bool
    /// The components of the version, such as [1, 9, 9]; empty if unknown.
    let version: [Int]
    /// Whether it was built with polkit support.
    let asksPolkit: Bool

    /// Where clients connect.
    static let socket = "/run/pcscd/pcscd.comm"
    /// The oldest version that nfcd was tested with.
    static let oldestTested = [1, 9, 9]

    init(_ files: any SystemFiles, _ host: Host) {
        program = SystemPrograms.find("pcscd", files, host)
        hasSocket = files.exists(Self.socket)
        let output = program.flatMap { host.run([$0, "--version"]) }?.output ?? ""
        version = Self.version(in: output)
        asksPolkit = output.split { $0.isWhitespace }.contains("polkit")
    }

    /// The version as text.
    var versionText: String { version.map { "\($0)" }.joined(separator: ".") }

    /// Parses `pcsc-lite version 1.9.9.`; returns an empty array for any other text.
    private static func version(in text: String) -> [Int] {
        let words = text.prefix { !$0.isNewline }.split { $0.isWhitespace }
        guard let mark = words.firstIndex(of: "version"), let word = words.dropFirst(mark + 1).first else { return [] }
        return word.split(separator: ".").prefix(4).compactMap { Int($0.prefix { $0.isASCII && $0.isNumber }) }
    }
}

/// A process, as shown in /proc.
struct RunningProgram: Sendable, Equatable {
    let id: Int
    /// The name, at most 15 bytes (proc_pid_comm(5)).
    let name: String
    let user: UInt32
    /// Whether it has loaded libpcsclite; false if its memory maps cannot be read.
    let usesPCSC: Bool

    /// The process with this id; nil if there is none.
    private init?(_ id: Int, _ files: any SystemFiles) {
        guard let name = files.word("/proc/\(id)/comm") else { return nil }
        self.id = id
        self.name = name
        user = files.attributes("/proc/\(id)")?.user ?? 0
        usesPCSC = files.contains("libpcsclite", in: "/proc/\(id)/maps")
    }

    /// Whether it has the Unix socket of this path open; false if its descriptors cannot be read.
    func listens(on path: String, _ files: any SystemFiles) -> Bool {
        // The last two words of a line are the inode and the path (proc_net(5)); a path may contain spaces.
        let inodes = files.lines("/proc/net/unix").filter { $0.hasSuffix(" \(path)") }.compactMap { line in
            line.dropLast(path.count + 1).split { $0.isWhitespace }.last
        }
        let sockets = Set(inodes.map { "socket:[\($0)]" })
        return files.names(in: "/proc/\(id)/fd").contains { name in
            files.linkedName("/proc/\(id)/fd/\(name)").map { sockets.contains($0) } ?? false
        }
    }

    /// The file after `--config` of its command line; nil without the option, or if the command line cannot be read.
    func configuration(_ files: any SystemFiles) -> String? {
        let bytes = files.bytes("/proc/\(id)/cmdline", limit: MachineFiles.largestFile) ?? []
        let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        if let word = words.last(where: { $0.hasPrefix("--config=") }) { return String(word.dropFirst(9)) }
        return words.lastIndex(of: "--config").flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
    }

    /// The nfcd that listens on a socket; nil if that cannot be determined.
    static func daemon(listeningOn path: String, _ files: any SystemFiles) -> RunningProgram? {
        files.names(in: "/proc").lazy.compactMap { Int($0) }
            .filter { files.word("/proc/\($0)/comm") == "nfcd" }
            .compactMap { RunningProgram($0, files) }
            .first { $0.listens(on: path, files) }
    }

    /// Every visible process.
    static func all(_ files: any SystemFiles) -> [RunningProgram] {
        files.names(in: "/proc").compactMap { Int($0) }.sorted().compactMap { RunningProgram($0, files) }
    }
}

/// A configuration file of nfcd, and the result of checking it.
struct CheckedConfiguration: Sendable {
    let path: String
    let isReadable: Bool
    /// The result of `nfcd --check`; nil if it could not be run.
    let checkResult: CommandResult?

    /// The configuration files that exist: that of a running nfcd with `--config`, or else the system's and the user's.
    static func all(_ files: any SystemFiles, _ host: Host, of daemon: RunningProgram?) -> [CheckedConfiguration] {
        if let path = daemon?.configuration(files) { return [CheckedConfiguration(path, files, host)] }
        let home = host.environment["HOME"].map { "\($0)/.config" }
        let own = host.environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home
        let paths = ["/etc/nfcd/nfcd.toml"] + (own.map { ["\($0)/nfcd/nfcd.toml"] } ?? [])
        return paths.filter { files.exists($0) }.map { CheckedConfiguration($0, files, host) }
    }

    private init(_ path: String, _ files: any SystemFiles, _ host: Host) {
        self.path = path
        isReadable = files.canRead(path)
        let nfcd = SystemPrograms.find("nfcd", files, host)
        checkResult = isReadable ? nfcd.flatMap { host.run([$0, "--check", "--config", path]) } : nil
    }
}
