/// nfcd's and pcscd's units of systemd.
struct ServiceUnits: Sendable {
    /// What systemd says of a unit (systemctl(1), show).
    struct State: Sendable, Equatable {
        var load = ""
        var active = ""
        var file = ""
        var result = ""
        var exitStatus = ""
    }

    /// Whether systemd is what runs this machine (sd_booted(3)).
    let isBooted: Bool
    /// Of nfcd's units those with a file.
    let installed: Set<String>
    let states: [String: State]

    static let names = ["nfcd.socket", "nfcd.service", "pcscd.socket", "pcscd.service"]

    private static let folders = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]

    init(_ tree: any SystemTree, _ host: Host) {
        isBooted = Self.isBooted(tree)
        installed = Self.files(tree)
        let properties = "Id,LoadState,ActiveState,UnitFileState,Result,ExecMainStatus"
        let systemctl = isBooted ? SystemPrograms.find("systemctl", tree, host) : nil
        let answer = systemctl.flatMap {
            host.run([$0, "show", "--no-pager", "--property=\(properties)"] + Self.names)
        }
        states = answer.map { Self.states($0.output) } ?? [:]
    }

    /// Whether systemd is what runs a machine.
    static func isBooted(_ tree: any SystemTree) -> Bool { tree.facts("/run/systemd/system")?.isFolder == true }

    /// The units that have a file.
    static func files(_ tree: any SystemTree) -> Set<String> {
        Set(names.filter { name in folders.contains { tree.exists("\($0)/\(name)") } })
    }

    /// Blocks of `Key=Value` lines, an empty line between two.
    private static func states(_ text: String) -> [String: State] {
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
                exitStatus: values["ExecMainStatus"] ?? "")
        }
        return states
    }
}

/// Where programs are.
enum SystemPrograms {
    /// Debian keeps pcscd where not everybody's PATH leads.
    private static let folders = ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/bin", "/sbin"]

    /// The path of a program, by PATH and the usual folders.
    static func find(_ name: String, _ tree: any SystemTree, _ host: Host) -> String? {
        let named = (host.environment["PATH"] ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        return (named + folders).lazy.map { "\($0)/\(name)" }.first { tree.canRun($0) }
    }
}

/// pcscd, as far as it can be seen without being asked.
struct PCSCService: Sendable {
    /// The program.
    let program: String?
    /// Whether its socket is there.
    let hasSocket: Bool
    /// Such as [1, 9, 9].
    let version: [Int]
    /// Whether it asks polkit who may use readers.
    let asksPolkit: Bool

    /// Where clients connect.
    static let socket = "/run/pcscd/pcscd.comm"
    /// The oldest that nfcd was tried with.
    static let oldest = [1, 9, 9]

    init(_ tree: any SystemTree, _ host: Host) {
        program = SystemPrograms.find("pcscd", tree, host)
        hasSocket = tree.exists(Self.socket)
        let words = program.flatMap { host.run([$0, "--version"]) }?.output ?? ""
        version = Self.version(in: words)
        asksPolkit = words.split { $0.isWhitespace }.contains("polkit")
    }

    /// The version for people.
    var versionWords: String { version.map { "\($0)" }.joined(separator: ".") }

    /// Of `pcsc-lite version 1.9.9.`; nothing where it says something else.
    private static func version(in text: String) -> [Int] {
        let words = text.prefix { !$0.isNewline }.split { $0.isWhitespace }
        guard let mark = words.firstIndex(of: "version"), let word = words.dropFirst(mark + 1).first else { return [] }
        return word.split(separator: ".").prefix(4).compactMap { Int($0.prefix { $0.isASCII && $0.isNumber }) }
    }
}

/// A process, as /proc shows it.
struct RunningProgram: Sendable, Equatable {
    let number: Int
    /// Its name, at most 15 bytes (proc_pid_comm(5)).
    let name: String
    let user: UInt32
    /// Whether it has libpcsclite in its memory; false also where that may not be seen.
    let usesPCSC: Bool

    /// Every process that may be seen.
    static func all(_ tree: any SystemTree) -> [RunningProgram] {
        tree.names(in: "/proc").compactMap { Int($0) }.sorted().compactMap { number in
            guard let name = tree.word("/proc/\(number)/comm") else { return nil }
            return RunningProgram(
                number: number, name: name, user: tree.facts("/proc/\(number)")?.user ?? 0,
                usesPCSC: tree.contains("libpcsclite", in: "/proc/\(number)/maps"))
        }
    }
}

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
