import ArgumentParser
import FoundationEssentials
import NFCTypes

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `nfcctl desktop`: nfcd-desktop in the session of the user.
struct DesktopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "desktop",
        abstract: "Show and start nfcd-desktop, which shows taps as notifications.",
        discussion: """
            nfcd-desktop runs in the desktop session of a user: it shows what is on a tag, and opens, copies or types it. \
            desktop.toml(5) describes its settings.

            Examples:
              nfcctl desktop status
              nfcctl desktop enable
              nfcctl desktop test

            Exit codes: 69 nfcd-desktop is not installed, or does not run, or there is no session, 78 desktop.toml is invalid; the \
            others are those of nfcctl(1).
            """,
        subcommands: [DesktopStatusCommand.self, DesktopEnableCommand.self, DesktopTestCommand.self])
}

/// `nfcctl desktop status`: shows whether the service runs, and what the session offers.
struct DesktopStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether nfcd-desktop runs, and what the session offers.",
        discussion: """
            Run it in the desktop session. It shows the notification server, how links are opened, whether text can be typed, \
            and, where something is missing, what to install.

            Examples:
              nfcctl desktop status
            """)

    func run() async throws {
        let desktop = try DesktopUnit(MachineFiles(), .machine)
        Terminal.print("Service:       \(desktop.state)")
        let report = desktop.run("--status")
        for line in (report?.output ?? "").split(separator: "\n") { Terminal.print(String(line)) }
        guard let report, report.status == 0 else { throw report?.exitCode ?? .unavailable }
        guard desktop.isActive else { throw ExitCode.unavailable }
    }
}

/// `nfcctl desktop enable`: starts the service, now and with each session.
struct DesktopEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Start nfcd-desktop now, and with each session of this user.",
        discussion: """
            The same as: systemctl --user enable --now nfcd-desktop, after a check of the configuration. To end that: \
            systemctl --user disable --now nfcd-desktop

            Examples:
              nfcctl desktop enable
            """)

    func run() async throws {
        let desktop = try DesktopUnit(MachineFiles(), .machine)
        if let check = desktop.run("--check"), check.status != 0 {
            Terminal.error("nfcctl: \(check.output.printableLines)")
            throw check.exitCode
        }
        let problem = desktop.enable()
        guard let problem else { return Terminal.print("nfcd-desktop runs, and starts with each session. Tap a tag.") }
        Terminal.error("nfcctl: \(problem)")
        throw ExitCode.unavailable
    }
}

/// `nfcctl desktop test`: shows a notification as for a tap.
struct DesktopTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Show a notification as for a tap, and wait for a click on it.",
        discussion: """
            Nothing is opened or copied. Without a click it ends after 60 seconds.

            Examples:
              nfcctl desktop test
            """)

    func run() async throws {
        let desktop = try DesktopUnit(MachineFiles(), .machine)
        // nfcd-desktop takes the place of this process: it writes while it waits.
        let words = [desktop.program, "--test"]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        execv(desktop.program, &arguments)
        let reason = String(cString: strerror(errno))
        Terminal.error(
            "nfcctl: \(desktop.program) cannot be started: \(reason). Install the package nfcd-desktop again.")
        throw ExitCode.unavailable
    }
}

/// The service of nfcd-desktop in the user's service manager.
struct DesktopUnit: Sendable {
    private static let name = "nfcd-desktop.service"

    let program: String
    private let systemctl: String?
    private let host: Host

    /// - Throws: the exit status 69, if nfcd-desktop is not installed; the reason was printed.
    init(_ files: any SystemFiles, _ host: Host) throws {
        guard let program = SystemPrograms.find("nfcd-desktop", files, host) else {
            Terminal.error("nfcctl: nfcd-desktop is not installed. Install the package nfcd-desktop.")
            throw ExitCode.unavailable
        }
        self.program = program
        systemctl = SystemPrograms.find("systemctl", files, host)
        self.host = host
    }

    /// Whether it runs.
    var isActive: Bool { systemctl("is-active")?.output.trimmed == "active" }

    /// Such as `active, enabled`.
    var state: String {
        guard let active = word("is-active"), let enabled = word("is-enabled") else {
            return "unknown: systemctl --user does not answer"
        }
        return "\(active), \(enabled)" + (active == "active" ? "" : " (start it with: nfcctl desktop enable)")
    }

    /// The answer of systemctl, which is one word; nil for an error message.
    private func word(_ command: String) -> String? {
        let answer = systemctl(command)?.output.trimmed.printable
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
        let advice =
            isSessionReached
            ? "Look at: journalctl --user --unit nfcd-desktop"
            : """
            This session has not reached graphical-session.target, which desktops do by themselves. In the configuration of \
            sway and its like, run: dbus-update-activation-environment --systemd --all, then start a target that binds to it.
            """
        return "\(Self.name) was not started: \(result.output.trimmed.printable). \(advice)"
    }

    private var isSessionReached: Bool {
        systemctl("is-active", "graphical-session.target")?.output.trimmed == "active"
    }

    private func systemctl(_ command: String, _ unit: String = DesktopUnit.name) -> CommandResult? {
        systemctl.flatMap { host.run([$0, "--user", command, unit]) }
    }
}

extension CommandResult {
    /// The exit code of the program.
    fileprivate var exitCode: ExitCode { ExitCode(status) }
}

extension String {
    fileprivate var trimmed: String {
        split(whereSeparator: \.isNewline).joined(separator: "; ")
    }
}
