import ArgumentParser
import NDEF
import NFCProtocol
import NFCTypes

/// Checks that nfcd can be reached and uses the same protocol version.
enum DaemonCheck: Check {
    static let name = "daemon"

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        // The check of the container knows why.
        guard !snapshot.isCutOff else { return [] }
        let path = snapshot.socket.path.printable
        switch snapshot.daemon {
        case .answered(let state):
            return [versions(state.info, path, snapshot), rights(state.info.entitlements, snapshot)].compactMap(\.self)
        case .noSocket:
            return [
                unreachable(
                    "nfcd is not running: there is no socket \(path).",
                    "nfcctl uses the socket of --socket or NFCD_SOCKET, then your own nfcd's socket, then the system's.",
                    snapshot)
            ]
        case .staleSocket:
            return [
                unreachable(
                    "No program listens on \(path): nfcd has ended and left its socket behind.",
                    "nfcd replaces the socket when it starts.", snapshot)
            ]
        case .notPermitted: return [notPermitted(path, snapshot)]
        case .notAnswering:
            return [
                finding(
                    .problem, "A program listens on \(path) but does not answer.",
                    "nfcd hangs, or systemd cannot start it.", fix: snapshot.restartDaemon)
            ]
        case .failed(let reason):
            return [finding(.problem, "The request to nfcd failed: \(reason.printable)", fix: snapshot.restartDaemon)]
        }
    }

    private static func unreachable(_ summary: String, _ detail: String, _ snapshot: SystemSnapshot) -> Finding {
        finding(.problem, summary, detail, fix: [snapshot.start.command] + snapshot.start.simulatorCommands)
    }

    private static func notPermitted(_ path: String, _ snapshot: SystemSnapshot) -> Finding {
        finding(
            .problem, "You are not permitted to open \(path).", snapshot.socket.advice?.reason ?? "",
            fix: snapshot.socket.advice?.fix ?? [], code: .notPermitted)
    }

    /// Members of the group may connect; what they may do there, grants define.
    private static func rights(_ rights: ServerInfo.Entitlements, _ snapshot: SystemSnapshot) -> Finding? {
        let missing = [
            rights.formats.isEmpty ? "to begin sessions" : nil,
            rights.capabilities.contains("read") ? nil : "to read tags",
            rights.readers.isEmpty ? "to use any reader" : nil,
        ].compactMap(\.self)
        guard !missing.isEmpty else { return nil }
        return finding(
            .warning, "nfcd does not permit you \(missing.joined(separator: ", nor ")).",
            "The [[grant]] tables of nfcd.toml that apply to you do not give it; the first of them replaces the built-in grant "
                + "of every user. 'nfcd --check' prints the table that gives it back.",
            fix: [
                "sudo nfcd --check", snapshot.asRoot("${EDITOR:-nano} /etc/nfcd/nfcd.toml"),
                snapshot.asRoot("systemctl reload nfcd"),
            ], code: .notPermitted)
    }

    private static func versions(_ info: ServerInfo.Result, _ path: String, _ snapshot: SystemSnapshot) -> Finding {
        let daemon = "nfcd \(info.version.printable) answers on \(path), protocol \(info.protocolVersion)"
        let ours = "nfcctl is \(NFCDVersion.release), protocol \(NFCDVersion.protocolVersion)."
        if info.protocolVersion != NFCDVersion.protocolVersion {
            return finding(
                .problem, "\(daemon); \(ours)", "Install nfcd and nfcctl of the same release, and restart nfcd.",
                fix: snapshot.restartDaemon)
        }
        guard info.version == NFCDVersion.release else {
            return finding(
                .note, "\(daemon); \(ours)",
                "They are compatible. After an upgrade, the old nfcd runs until it is restarted.",
                fix: snapshot.restartDaemon)
        }
        return ok("\(daemon).")
    }
}

/// Checks who may open the socket.
enum SocketCheck: Check {
    static let name = "socket"

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        let socket = snapshot.socket
        guard let attributes = socket.attributes else { return [] }
        let summary = "\(socket.path.printable): \(socket.permissions.printable)"
        if attributes.mode & 0o002 != 0 {
            return [
                finding(
                    .warning, "\(summary): every user on this machine may open it.",
                    "With mode 0660, only members of the group may.",
                    fix: [snapshot.asRoot("chmod 0660 \(socket.path.shellQuoted)")])
            ]
        }
        // The finding about the daemon already includes the advice.
        if case .notPermitted = snapshot.daemon { return [] }
        if attributes.group == 0, socket.path == SocketPath.system {
            return [
                finding(
                    .note, "\(summary): only root may open it.",
                    "nfcd uses the group \(SocketAccess.expectedGroup) if that group exists.",
                    fix: socket.createGroup.map(snapshot.asRoot))
            ]
        }
        guard let advice = socket.advice else { return [ok("\(summary); you may open it.")] }
        return [finding(.warning, "\(summary). \(advice.reason)", fix: advice.fix, code: .notPermitted)]
    }
}

/// Checks the state of nfcd's systemd units.
enum ServiceCheck: Check {
    static let name = "service"

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        let units = snapshot.units
        guard units.isBooted else { return [ok("systemd is not running; nfcd is started manually.")] }
        guard snapshot.instance == .system else { return [ok("This nfcd is not the system's service.")] }
        guard units.installed.contains("nfcd.socket") || units.installed.contains("nfcd.service") else {
            return [
                finding(
                    snapshot.hasWorkingReader ? .note : .warning, "nfcd's systemd units are not installed.",
                    "The package and 'make install' install them.", fix: [snapshot.asRoot("systemctl daemon-reload")])
            ]
        }
        let found = ["nfcd.socket", "nfcd.service"].compactMap { name in
            units.states[name].flatMap { finding(name, $0, snapshot) }
        }
        return found.isEmpty ? [ok("nfcd's systemd units are installed, and none has failed.")] : found
    }

    private static func finding(_ unit: String, _ state: ServiceUnits.State, _ snapshot: SystemSnapshot) -> Finding? {
        if state.isMasked {
            return finding(
                snapshot.severity, "\(unit) is masked: systemd will not start it.",
                fix: [snapshot.asRoot("systemctl unmask \(unit)"), snapshot.asRoot("systemctl enable --now \(unit)")])
        }
        if state.active == "failed" { return failed(unit, state, snapshot) }
        guard unit == "nfcd.socket", state.file == "disabled" else { return nil }
        return finding(
            snapshot.hasWorkingReader ? .note : .warning,
            "nfcd.socket is not enabled: nfcd will not start after a reboot.",
            fix: [snapshot.asRoot("systemctl enable --now nfcd.socket")])
    }

    private static func failed(_ unit: String, _ state: ServiceUnits.State, _ snapshot: SystemSnapshot) -> Finding {
        // nfcd's exit status for an invalid configuration.
        let isConfiguration = state.exitStatus == "78"
        let status = state.exitStatus.isEmpty || state.exitStatus == "0" ? "" : ", exit status \(state.exitStatus)"
        return finding(
            snapshot.severity, "\(unit) has failed (\(state.result)\(status)).",
            isConfiguration
                ? "The status means that /etc/nfcd/nfcd.toml is invalid." : "The journal has its last messages.",
            fix: [
                snapshot.asRoot("journalctl --unit nfcd --boot --lines 20"),
                snapshot.asRoot("systemctl reset-failed nfcd.socket nfcd.service"),
                snapshot.asRoot("systemctl restart nfcd.socket"),
            ],
            code: isConfiguration ? .configuration : .unavailable)
    }
}

/// Checks nfcd's configuration files.
enum ConfigurationCheck: Check {
    static let name = "configuration"

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        guard !snapshot.configurations.isEmpty else {
            guard snapshot.instance == .manual else {
                return [ok("There is no configuration file; nfcd uses its defaults.")]
            }
            return [
                ok("There is no configuration file in the usual places; an nfcd without --config uses its defaults.")
            ]
        }
        return snapshot.configurations.map { finding($0, snapshot) }
    }

    private static func finding(_ file: CheckedConfiguration, _ snapshot: SystemSnapshot) -> Finding {
        let path = file.path.printable
        guard file.isReadable else {
            return finding(
                .note, "\(path) was not checked: you are not permitted to read it.",
                fix: ["sudo nfcd --check --config \(file.path.shellQuoted)"])
        }
        guard let result = file.checkResult else {
            return finding(
                .note, "\(path) was not checked: 'nfcd --check' could not be run.",
                fix: ["nfcd --check --config \(file.path.shellQuoted)"])
        }
        if result.status == 0 { return warnings(file, snapshot) ?? ok("\(path) is valid.") }
        if file.isFaultOfKeys { return ok("\(path) is valid.") }
        return finding(
            snapshot.severity, "\(path) is invalid; nfcd does not start with it.", firstLines(result.output),
            fix: [
                snapshot.asRoot("${EDITOR:-nano} \(file.path.shellQuoted)"),
                "nfcd --check --config \(file.path.shellQuoted)", snapshot.start.command,
            ],
            code: .configuration)
    }

    /// The grants that do not do what a person may expect.
    private static func warnings(_ file: CheckedConfiguration, _ snapshot: SystemSnapshot) -> Finding? {
        let found = file.warnings
        guard !found.isEmpty else { return nil }
        return finding(
            .warning, "\(file.path.printable) is valid, but has grants that need attention.",
            found.joined(separator: "; ").printable,
            fix: ["nfcd --check --config \(file.path.shellQuoted)"])
    }

    /// The first lines of nfcd's output, without the program's name, on one line.
    private static func firstLines(_ output: String) -> String {
        let lines = output.split { $0.isNewline }.prefix(4).map { line in
            line.hasPrefix("nfcd: ") ? line.dropFirst(6) : line[...]
        }
        return lines.joined(separator: "; ").printable
    }
}
