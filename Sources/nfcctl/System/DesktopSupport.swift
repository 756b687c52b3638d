/// nfcd-desktop in the session of a user, as far as this process can see it.
struct DesktopSupport: Sendable {
    /// What this process sees of a desktop session.
    enum Session: Sendable, Equatable {
        /// It runs in one.
        case here
        /// It runs outside, such as over ssh, and the user has one.
        case elsewhere
        /// The user has none.
        case none
        /// It is root's process without a session, such as with sudo(8): what the sessions of users have, it cannot see.
        case root
    }

    /// Nil if nfcd-desktop is not installed.
    let unit: DesktopUnit?
    let session: Session
    /// The state of the service; nil if it is not known.
    let service: ServiceUnits.State?
    /// Whether the user's session has reached the target that the service starts with.
    let targetIsActive: Bool
    /// Whether a process of this user runs it, by the service or by hand.
    let isRunning: Bool
    /// The configuration file: the user's, or else the system's.
    let configuration: String
    /// The result of `nfcd-desktop --check`; nil if it was not run.
    let checkResult: CommandResult?
    /// The package of the program that types in this session; nil if that is installed, or without a display.
    let typingPackage: PackageManager.Package?
    /// What nfcd-desktop reports of this session; nil if it was not asked.
    let report: Report?

    /// `nfcd-desktop --status`.
    enum Report: Sendable, Equatable {
        /// Lines with a name each, such as `Typing`.
        case lines([String: String])
        /// It cannot use the session.
        case refused(String)
        case late
    }

    init(_ files: any SystemFiles, _ host: Host, _ programs: [RunningProgram]) {
        let unit = DesktopUnit(files, host)
        self.unit = unit
        configuration = Self.configuration(files, host)
        typingPackage = Self.typingPackage(files, host)
        isRunning = programs.contains { $0.name == "nfcd-desktop" && $0.user == host.user }
        // su(1) and sudo -E keep the session of the user before, which lets no other user in.
        let isOfAnother =
            host.environment["XDG_RUNTIME_DIR"].flatMap { files.attributes($0) }.map { $0.user != host.user } ?? false
        let hasBus = ["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"].contains { host.isSet($0) } && !isOfAnother
        guard hasBus || !host.isRoot else {
            (session, service, targetIsActive, checkResult, report) = (.root, nil, false, nil, nil)
            return
        }
        let states = ServiceUnits.isBooted(files) ? unit?.states() ?? [:] : [:]
        service = states[DesktopUnit.name]
        targetIsActive = states[DesktopUnit.target]?.active == "active"
        // A display that ssh(1) forwards is on another machine.
        let hasDisplay =
            ["WAYLAND_DISPLAY", "DISPLAY"].contains { host.isSet($0) } && !host.isSet("SSH_CONNECTION") && !isOfAnother
        session = hasDisplay ? .here : targetIsActive ? .elsewhere : .none
        checkResult = unit?.run("--check")
        report = hasDisplay && checkResult?.status == 0 ? unit.map { Self.report($0.run("--status")) } : nil
    }

    private static func configuration(_ files: any SystemFiles, _ host: Host) -> String {
        let home = host.environment["HOME"].map { "\($0)/.config" }
        let folder = host.environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
        return folder.map { "\($0)/nfcd/desktop.toml" }.flatMap { files.exists($0) ? $0 : nil }
            ?? "/etc/nfcd/desktop.toml"
    }

    private static func typingPackage(_ files: any SystemFiles, _ host: Host) -> PackageManager.Package? {
        let isWayland = host.isSet("WAYLAND_DISPLAY")
        guard isWayland || host.isSet("DISPLAY") else { return nil }
        let (program, package): (String, PackageManager.Package) = isWayland ? ("wtype", .wtype) : ("xdotool", .xdotool)
        return SystemPrograms.find(program, files, host) == nil ? package : nil
    }

    private static func report(_ result: CommandResult?) -> Report {
        guard let result else { return .late }
        let lines = result.output.split(whereSeparator: \.isNewline)
        guard result.status == 0 else {
            let line = String(lines.first ?? "it failed with status \(result.status)")
            return .refused(line.hasPrefix("nfcd-desktop: ") ? String(line.dropFirst(14)) : line)
        }
        let pairs = lines.compactMap { line in
            line.firstIndex(of: ":").map {
                (String(line[..<$0]), String(String(line[line.index(after: $0)...]).trimmed))
            }
        }
        return .lines(Dictionary(pairs) { first, _ in first })
    }
}

extension DesktopSupport.Report {
    /// What follows the beginning of the line of a name, such as the reason after `none: `; nil if the line begins otherwise.
    func reason(_ name: String, after beginning: String) -> String? {
        guard case .lines(let lines) = self, let line = lines[name], line.hasPrefix(beginning) else { return nil }
        return String(line.dropFirst(beginning.count))
    }
}

extension Host {
    fileprivate func isSet(_ variable: String) -> Bool { environment[variable]?.isEmpty == false }
}

/// The service of nfcd-desktop in the user's service manager.
struct DesktopUnit: Sendable {
    static let name = "nfcd-desktop.service"
    /// What a desktop session reaches, and the service starts with.
    static let target = "graphical-session.target"
    /// What to do in a session that has not reached the target.
    static let sessionAdvice = """
        This session has not reached \(target), which desktops do by themselves. In the configuration of \
        sway and its like, run: dbus-update-activation-environment --systemd --all, then start a target that binds to it.
        """

    let program: String
    private let systemctl: String?
    private let host: Host

    /// Nil if nfcd-desktop is not installed.
    init?(_ files: any SystemFiles, _ host: Host) {
        guard let program = SystemPrograms.find("nfcd-desktop", files, host) else { return nil }
        self.program = program
        systemctl = SystemPrograms.find("systemctl", files, host)
        self.host = host
    }

    /// Whether it runs.
    var isActive: Bool { systemctl("is-active")?.output.oneLine == "active" }

    /// Such as `active, enabled`.
    var state: String {
        guard let active = word("is-active"), let enabled = word("is-enabled") else {
            return "unknown: systemctl --user does not answer"
        }
        return "\(active), \(enabled)" + (active == "active" ? "" : " (start it with: nfcctl desktop enable)")
    }

    /// The states of the service and of the session's target, by their names; empty if the service manager does not answer.
    func states() -> [String: ServiceUnits.State] {
        let answer = systemctl.flatMap {
            host.run([$0, "--user", "show", "--no-pager", ServiceUnits.properties, Self.name, Self.target])
        }
        return answer.map { ServiceUnits.states($0.output) } ?? [:]
    }

    /// The answer of systemctl, which is one word; nil for an error message.
    private func word(_ command: String) -> String? {
        let answer = systemctl(command)?.output.oneLine.printable
        return answer?.contains(" ") == false ? answer : nil
    }

    /// Runs nfcd-desktop with an option.
    func run(_ option: String) -> CommandResult? { host.run([program, option]) }

    /// Starts it, now and with each session; returns why that failed.
    func enable() -> String? {
        guard let systemctl else {
            return "systemctl is missing. Start nfcd-desktop from the autostart settings of the desktop instead."
        }
        guard let result = host.run([systemctl, "--user", "enable", "--now", Self.name]) else {
            return "systemctl --user did not answer within 5 s. Look at: systemctl --user status \(Self.name)"
        }
        guard result.status != 0 else { return nil }
        let advice = isSessionReached ? "Look at: journalctl --user --unit nfcd-desktop" : Self.sessionAdvice
        return "\(Self.name) was not started: \(result.output.oneLine.printable). \(advice)"
    }

    private var isSessionReached: Bool { systemctl("is-active", Self.target)?.output.oneLine == "active" }

    private func systemctl(_ command: String, _ unit: String = DesktopUnit.name) -> CommandResult? {
        systemctl.flatMap { host.run([$0, "--user", command, unit]) }
    }
}

extension String {
    fileprivate var oneLine: String { split(whereSeparator: \.isNewline).joined(separator: "; ") }
}
