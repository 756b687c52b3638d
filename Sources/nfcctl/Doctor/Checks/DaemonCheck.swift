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
