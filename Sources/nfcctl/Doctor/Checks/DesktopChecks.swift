import NFCTypes

/// Checks nfcd-desktop, which shows taps in the desktop session of a user.
enum DesktopCheck: Check {
    static let name = "desktop"

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        let desktop = snapshot.desktop
        guard let unit = desktop.unit else { return [missing(desktop.session)] }
        switch desktop.session {
        case .root:
            return [
                ok(
                    "nfcd-desktop is not checked: it runs in the desktop session of a user, which root does not see.",
                    "Run nfcctl doctor as that user, without sudo.")
            ]
        case .none:
            let found = configuration(snapshot)
            return found.isEmpty ? [ok("nfcd-desktop is installed, and you have no desktop session.")] : found
        case .here, .elsewhere:
            let faults = user(snapshot) + configuration(snapshot) + report(snapshot)
            let found = faults + service(unit, snapshot)
            return found.isEmpty ? [ok("nfcd-desktop waits for taps.")] : found
        }
    }

    private static func missing(_ session: DesktopSupport.Session) -> Finding {
        let summary = "nfcd-desktop is not installed: desktops do not show taps."
        let detail =
            "To see taps as notifications, and to open, copy or type what is on a tag, install the package nfcd-desktop."
        return session == .here ? finding(.note, summary, detail, fix: []) : ok(summary, detail)
    }

    /// The check of the socket examines the same user.
    private static func user(_ snapshot: SystemSnapshot) -> [Finding] {
        guard let advice = snapshot.socket.advice, snapshot.socket.attributes != nil else { return [] }
        return [
            finding(
                .warning, "nfcd-desktop may not use nfcd, so it gets no taps. \(advice.reason)",
                "It keeps the groups that your first login had: log out of all sessions, and in again.", fix: advice.fix
            )
        ]
    }

    private static func configuration(_ snapshot: SystemSnapshot) -> [Finding] {
        guard let result = snapshot.desktop.checkResult, result.status == 78 else { return [] }
        let line = String(result.output.prefix { !$0.isNewline })
        return [
            finding(
                .warning,
                "\(snapshot.desktop.configuration.printable) is invalid; nfcd-desktop does not start with it.",
                (line.hasPrefix("nfcd-desktop: ") ? String(line.dropFirst(14)) : line).printable,
                fix: [edit(snapshot), "nfcd-desktop --check", "systemctl --user restart nfcd-desktop"],
                code: .configuration)
        ]
    }

    /// The file of the system belongs to root.
    private static func edit(_ snapshot: SystemSnapshot) -> String {
        let path = snapshot.desktop.configuration
        let command = "${EDITOR:-nano} \(path.shellQuoted)"
        return path.hasPrefix("/etc/") ? snapshot.asRoot(command) : command
    }

    // MARK: The service

    private static func service(_ unit: DesktopUnit, _ snapshot: SystemSnapshot) -> [Finding] {
        let enable = "nfcctl desktop enable"
        guard let state = snapshot.desktop.service, !state.isMissing else {
            guard !snapshot.desktop.isRunning else { return [] }
            return [finding(.note, "nfcd-desktop does not run in your session.", fix: [enable])]
        }
        if state.isMasked {
            return [
                finding(.note, "\(DesktopUnit.name) is masked.", fix: ["systemctl --user unmask nfcd-desktop", enable])
            ]
        }
        if state.active == "failed" {
            let status = state.exitStatus.isEmpty ? "" : " with exit status \(state.exitStatus.printable)"
            let fix = [journal, "systemctl --user restart nfcd-desktop"]
            return [finding(.warning, "nfcd-desktop has failed\(status).", fix: fix)]
        }
        guard ["active", "activating", "reloading"].contains(state.active) else {
            return snapshot.desktop.isRunning ? [] : [stopped(state, snapshot)]
        }
        guard state.status.hasPrefix("waiting for nfcd: ") else { return [] }
        return [
            finding(
                .warning, "nfcd-desktop is not connected to nfcd.", String(state.status.dropFirst(18)).printable,
                fix: [journal])
        ]
    }

    private static let journal = "journalctl --user --unit nfcd-desktop --boot --lines 20"

    /// Each user decides whether it starts with the session.
    private static func stopped(_ state: ServiceUnits.State, _ snapshot: SystemSnapshot) -> Finding {
        guard state.file == "enabled" else {
            return finding(
                .note, "nfcd-desktop does not run in your session.",
                "The command starts it, now and with each session.", fix: ["nfcctl desktop enable"])
        }
        guard snapshot.desktop.targetIsActive else {
            return finding(
                .warning, "nfcd-desktop was not started with your session.", DesktopUnit.sessionAdvice,
                fix: ["dbus-update-activation-environment --systemd --all", "nfcctl desktop enable"])
        }
        return finding(.warning, "nfcd-desktop is not running.", fix: ["nfcctl desktop enable"])
    }

    // MARK: The session

    /// What nfcctl desktop status prints.
    private static func report(_ snapshot: SystemSnapshot) -> [Finding] {
        guard let report = snapshot.desktop.report else { return [] }
        switch report {
        case .late:
            return [
                finding(
                    .warning, "nfcd-desktop did not get an answer of your session within 5 s.",
                    fix: ["nfcctl desktop status"])
            ]
        case .refused(let reason):
            return [
                finding(
                    .warning, "nfcd-desktop cannot use your session.", reason.printable, fix: ["nfcctl desktop status"])
            ]
        case .lines:
            return [notifications, lock, typing].compactMap { $0(report, snapshot) }
        }
    }

    private static func notifications(_ report: DesktopSupport.Report, _ snapshot: SystemSnapshot) -> Finding? {
        guard let reason = report.reason("Notifications", after: "none: ") else { return nil }
        return finding(
            .warning, "No program shows notifications in your session, so taps are not shown.",
            "\(reason). Desktops have one; in sway and its like, install and start one, such as dunst.".printable,
            fix: [snapshot.asRoot(snapshot.packages.install([.dunst]))])
    }

    private static func lock(_ report: DesktopSupport.Report, _ snapshot: SystemSnapshot) -> Finding? {
        let mark = "taps are ignored, as nothing reports whether it is locked: "
        guard let reason = report.reason("Session", after: mark) else { return nil }
        return finding(
            .warning, "nfcd-desktop ignores all taps, because nothing reports whether your session is locked.",
            reason.printable, fix: [edit(snapshot), "systemctl --user restart nfcd-desktop"])
    }

    private static func typing(_ report: DesktopSupport.Report, _ snapshot: SystemSnapshot) -> Finding? {
        guard let line = report.reason("Typing", after: "on for "), let mark = line.firstRange(of: "; not possible: ")
        else { return nil }
        let package = snapshot.desktop.typingPackage
        return finding(
            .warning,
            "nfcd-desktop is to type for taps on \(String(line[..<mark.lowerBound]).printable), and cannot type in your session.",
            String(line[mark.upperBound...]).printable,
            fix: package.map { [snapshot.asRoot(snapshot.packages.install([$0]))] } ?? [])
    }
}
