import ArgumentParser
import NDEF
import NFCProtocol

/// Whether nfcd can be reached, and speaks as we do.
enum DaemonCheck: Check {
    static let name = "daemon"

    static func findings(in scene: Scene) -> [Finding] {
        let path = scene.socket.path.escaped
        switch scene.daemon {
        case .answered(let state): return [answered(state.info, path, scene)]
        case .noSocket:
            return [
                unreachable(
                    "No nfcd runs: there is no socket \(path).",
                    "nfcctl looks where --socket or NFCD_SOCKET says, then for your own nfcd's socket, then for the system's.",
                    scene)
            ]
        case .nobodyListens:
            return [
                unreachable(
                    "Nobody listens on \(path): nfcd has ended and left its socket behind.",
                    "nfcd replaces the socket when it starts.", scene)
            ]
        case .notPermitted: return [refused(path, scene)]
        case .silent:
            return [
                finding(
                    .problem, "Something listens on \(path) and does not answer.",
                    "nfcd hangs, or cannot be started by systemd.", mend: scene.restartDaemon)
            ]
        case .failed(let reason):
            return [finding(.problem, "nfcd could not be asked: \(reason.escaped)", mend: scene.restartDaemon)]
        }
    }

    private static func unreachable(_ summary: String, _ detail: String, _ scene: Scene) -> Finding {
        finding(.problem, summary, detail, mend: [scene.starting.command] + scene.starting.trial)
    }

    private static func refused(_ path: String, _ scene: Scene) -> Finding {
        finding(
            .problem, "You may not open \(path).", scene.socket.advice?.sentence ?? "",
            mend: scene.socket.advice?.mend ?? [], code: .notPermitted)
    }

    private static func answered(_ info: ServerInfo.Result, _ path: String, _ scene: Scene) -> Finding {
        let words = "nfcd \(info.version.escaped) answers on \(path), protocol \(info.protocolVersion)"
        let ours = "nfcctl is \(NFCDVersion.release), protocol \(NFCDVersion.protocolVersion)."
        if info.protocolVersion != NFCDVersion.protocolVersion {
            return finding(
                .problem, "\(words); \(ours)", "Install nfcd and nfcctl of one release, and start nfcd again.",
                mend: scene.restartDaemon)
        }
        guard info.version == NFCDVersion.release else {
            return finding(
                .note, "\(words); \(ours)", "They understand each other; after an upgrade the old nfcd runs on.",
                mend: scene.restartDaemon)
        }
        return ok("\(words).")
    }
}

/// Who may open the socket.
enum SocketCheck: Check {
    static let name = "socket"

    static func findings(in scene: Scene) -> [Finding] {
        let socket = scene.socket
        guard let facts = socket.facts else { return [] }
        let words = "\(socket.path.escaped): \(socket.modeWords.escaped)"
        if facts.mode & 0o002 != 0 {
            return [
                finding(
                    .warning, "\(words): everybody on this machine may open it.", "0660 lets in the group alone.",
                    mend: [scene.root("chmod 0660 \(socket.path.shellWord)")])
            ]
        }
        // Where the daemon could not be opened, that finding has said what to do.
        if case .notPermitted = scene.daemon { return [] }
        if facts.group == 0, socket.path == SocketPath.system {
            return [
                finding(
                    .note, "\(words): only root may open it.",
                    "nfcd gives it to the group \(SocketAccess.wanted) where there is one.",
                    mend: socket.makeGroup.map(scene.root))
            ]
        }
        guard let advice = socket.advice else { return [ok("\(words); you may open it.")] }
        return [finding(.warning, "\(words). \(advice.sentence)", mend: advice.mend, code: .notPermitted)]
    }
}

/// What systemd makes of nfcd's units.
enum ServiceCheck: Check {
    static let name = "service"

    static func findings(in scene: Scene) -> [Finding] {
        let units = scene.units
        guard units.isBooted else { return [ok("systemd does not run here; nfcd is started by hand.")] }
        guard units.installed.contains("nfcd.socket") || units.installed.contains("nfcd.service") else {
            return [
                finding(
                    scene.works ? .note : .warning, "systemd has no units of nfcd's.",
                    "They come with the package, or with make install.", mend: [scene.root("systemctl daemon-reload")])
            ]
        }
        let found = ["nfcd.socket", "nfcd.service"].compactMap { name in
            units.states[name].flatMap { finding(name, $0, scene) }
        }
        return found.isEmpty ? [ok("systemd has nfcd's units, and none has failed.")] : found
    }

    private static func finding(_ unit: String, _ state: ServiceUnits.State, _ scene: Scene) -> Finding? {
        if state.load == "masked" || state.file == "masked" {
            return finding(
                scene.worst, "\(unit) is masked: systemd will not start it.",
                mend: [scene.root("systemctl unmask \(unit)"), scene.root("systemctl enable --now \(unit)")])
        }
        if state.active == "failed" { return failed(unit, state, scene) }
        guard unit == "nfcd.socket", state.file == "disabled" else { return nil }
        return finding(
            scene.works ? .note : .warning, "nfcd.socket is not enabled: nfcd is not there after the next start.",
            mend: [scene.root("systemctl enable --now nfcd.socket")])
    }

    private static func failed(_ unit: String, _ state: ServiceUnits.State, _ scene: Scene) -> Finding {
        // nfcd's own exit status for a mistake in the configuration.
        let isConfiguration = state.exitStatus == "78"
        let status = state.exitStatus.isEmpty || state.exitStatus == "0" ? "" : ", exit status \(state.exitStatus)"
        return finding(
            scene.worst, "\(unit) has failed (\(state.result)\(status)).",
            isConfiguration
                ? "The status means a mistake in /etc/nfcd/nfcd.toml." : "Its last words are in the journal.",
            mend: [
                scene.root("journalctl --unit nfcd --boot --lines 20"),
                scene.root("systemctl reset-failed nfcd.socket nfcd.service"),
                scene.root("systemctl restart nfcd.socket"),
            ],
            code: isConfiguration ? .configuration : .unavailable)
    }
}

/// Whether nfcd understands its configuration.
enum ConfigurationCheck: Check {
    static let name = "configuration"

    static func findings(in scene: Scene) -> [Finding] {
        guard !scene.configurations.isEmpty else { return [ok("There is no configuration file; the defaults hold.")] }
        return scene.configurations.map { finding($0, scene) }
    }

    private static func finding(_ file: ConfigurationFile, _ scene: Scene) -> Finding {
        let path = file.path.escaped
        guard file.canBeRead else {
            return finding(
                .note, "\(path) may not be read by you, so it was not checked.",
                mend: ["sudo nfcd --check --config \(file.path.shellWord)"])
        }
        guard let answer = file.answer else {
            return finding(
                .note, "\(path) was not checked: nfcd was not found, or did not answer.",
                mend: ["nfcd --check --config \(file.path.shellWord)"])
        }
        if answer.status == 0 { return ok("\(path) is right.") }
        return finding(
            scene.worst, "\(path) has a mistake; nfcd does not start with it.", words(answer.output),
            mend: [
                scene.root("${EDITOR:-nano} \(file.path.shellWord)"),
                "nfcd --check --config \(file.path.shellWord)", scene.starting.command,
            ],
            code: .configuration)
    }

    /// What nfcd said, without its name and on one line.
    private static func words(_ output: String) -> String {
        let lines = output.split { $0.isNewline }.prefix(4).map { line in
            line.hasPrefix("nfcd: ") ? line.dropFirst(6) : line[...]
        }
        return lines.joined(separator: "; ").escaped
    }
}
