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
