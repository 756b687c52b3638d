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
        let desktop = try DesktopUnit.installed()
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
        let desktop = try DesktopUnit.installed()
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
        let desktop = try DesktopUnit.installed()
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

extension DesktopUnit {
    /// - Throws: the exit status 69, if nfcd-desktop is not installed; the reason was printed.
    fileprivate static func installed() throws -> DesktopUnit {
        guard let unit = DesktopUnit(MachineFiles(), .machine) else {
            Terminal.error("nfcctl: nfcd-desktop is not installed. Install the package nfcd-desktop.")
            throw ExitCode.unavailable
        }
        return unit
    }
}

extension CommandResult {
    /// The exit code of the program.
    fileprivate var exitCode: ExitCode { ExitCode(status) }
}
