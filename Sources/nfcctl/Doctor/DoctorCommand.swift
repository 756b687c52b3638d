import ArgumentParser

/// `nfcctl doctor`: shows why NFC does not work on this machine, and how to fix it.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show why NFC does not work, and how to fix it.",
        discussion: """
            Checks nfcd and its socket, the systemd units, the configuration, the keys of tags, pcscd and polkit, drivers, kernel modules, \
            USB readers, other programs that use them, the clock, the journal of taps, \
            nfcd-relay, nfcd-fido: what it needs to make security keys available, nfcd-web: what browsers need so that \
            web pages can use NFC, and nfcd-desktop: what it needs of your session. In a container or Flatpak, it checks how that reaches the nfcd of the machine. It changes nothing: it prints commands for you to run. Run it as root to check more.

            Verdicts: ok; note (useful to know); warning (NFC works, but something may interfere with it); problem (NFC \
            will not work until this is fixed).

            With --prerequisites, checks only pcscd, drivers and kernel modules, without a connection to nfcd, and prints \
            what is wrong with its fix; nothing if all is well. The packages do so when they are installed.

            With --json, prints one line per finding, and a last line with the check "all":
              {"check":"pcscd","verdict":"problem","summary":…,"detail":…,
               "fix":["sudo systemctl …"]}

            Examples:
              nfcctl doctor
              sudo nfcctl doctor
              nfcctl doctor --json | jq -r 'select(.verdict == "problem").fix[]'

            Exit codes: 0 nothing prevents NFC from working, 69 no daemon, PC/SC service or reader, 77 not permitted (the \
            socket's group, polkit), 78 invalid configuration. With several problems, 78 takes precedence over 77, and 77 \
            over 69.
            """)

    @Flag(help: "Print one line of JSON per finding, and one for the overall verdict.")
    var json = false

    @Flag(help: "Check only pcscd, drivers and kernel modules; print only what is wrong.")
    var prerequisites = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let doctor = prerequisites ? examineSystem() : await examine()
        if json {
            for finding in doctor.findings + [doctor.conclusion] { Terminal.print(json: finding) }
        } else {
            let report = DoctorReport(style: .output)
            for line in prerequisites ? report.faults(doctor) : report.lines(doctor) { Terminal.print(line) }
        }
        if doctor.status != 0 { throw doctor.code }
    }

    /// What the system has to have, without a connection that would start nfcd.
    private func examineSystem() -> Doctor {
        let (files, host) = (MachineFiles(), Host.machine)
        let relay = RelayState(.notRunning, path: RelayOptions.usualPath, files, host)
        let snapshot = SystemSnapshot(files, host, socket: connection.path, daemon: .noSocket, relay: relay)
        return Doctor(snapshot, onlyPrerequisites: true)
    }

    private func examine() async -> Doctor {
        let path = connection.path
        let probe = DaemonProbe(path: path, hasSocket: MachineFiles().exists(path)) {
            Terminal.error("nfcctl: waiting for the PC/SC service to start")
        }
        let daemon = await probe.status()
        let control = RelayOptions.usualPath
        let (files, host) = (MachineFiles(), Host.machine)
        let relay = RelayState(await RelayProbe(path: control).answer(), path: control, files, host)
        // The daemon first: connecting may make systemd start it, and the other checks depend on that.
        return Doctor(SystemSnapshot(files, host, socket: path, daemon: daemon, relay: relay))
    }
}

/// The findings as text: verdict, check and summary, followed by the explanation and the commands.
struct DoctorReport {
    let style: OutputStyle

    /// The width if the output is not a terminal.
    private static let defaultWidth = 100
    private static let verdictColumns = 9

    /// The lines of a finding.
    func lines(_ finding: Finding, checkColumns: Int) -> [String] {
        let margin = Self.verdictColumns + checkColumns + 2
        let width = max((style.width ?? Self.defaultWidth) - margin, 24)
        let verdict = style.paint(
            TextLines.pad(finding.verdict.rawValue, to: Self.verdictColumns), finding.verdict.color)
        let head = verdict + TextLines.pad(finding.check, to: checkColumns + 2)
        let space = String(repeating: " ", count: margin)
        let summary = TextLines.wrap(finding.summary, to: width)
        let detail = finding.detail.isEmpty ? [] : TextLines.wrap(finding.detail, to: width)
        // A command is never wrapped, so that it can be copied.
        return (summary + detail).enumerated().map { ($0 == 0 ? head : space) + $1 }
            + finding.fix.map { "\(space)\(style.paint("$ \($0)", .bold))" }
    }

    /// Two lines for each warning and problem: what is wrong, and the commands that fix it, in one.
    func faults(_ doctor: Doctor) -> [String] {
        doctor.findings.filter { $0.verdict >= .warning }.flatMap { finding in
            ["nfcd: \(finding.summary)"]
                + (finding.fix.isEmpty ? [] : ["nfcd: to fix it, run: \(finding.fix.joined(separator: " && "))"])
        }
    }

    /// The lines of all findings, followed by the overall verdict.
    func lines(_ doctor: Doctor) -> [String] {
        let columns = doctor.findings.map(\.check.count).max() ?? 0
        let conclusion = style.paint(doctor.conclusion.summary, doctor.verdict.color)
        return doctor.findings.flatMap { lines($0, checkColumns: columns) } + ["", conclusion]
    }
}

extension Verdict {
    fileprivate var color: OutputStyle.Color {
        switch self {
        case .ok: .green
        case .note: .blue
        case .warning: .yellow
        case .problem: .red
        }
    }
}
