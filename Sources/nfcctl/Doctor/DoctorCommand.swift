import ArgumentParser

/// `nfcctl doctor`: says why NFC does not work here, and what to do.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what keeps NFC from working, and say what mends it.",
        discussion: """
            Looks at nfcd and its socket, systemd's units, the configuration, pcscd and polkit, drivers, modules of the \
            kernel, the readers on the USB, other programs that use them, and the clock. It changes nothing: each command \
            that it shows is for you to run. Run as root, it sees more.

            Verdicts: ok; note (good to know); warning (it works, or would, but something may get in its way); problem \
            (NFC does not work until this is mended).

            With --json, one line per finding, and a last one with check "all":
              {"check":"pcscd","verdict":"problem","summary":…,"detail":…,"mend":["sudo systemctl …"]}

            Examples:
              nfcctl doctor
              sudo nfcctl doctor
              nfcctl doctor --json | jq -r 'select(.verdict == "problem").mend[]'

            Exit codes: 0 nothing stops NFC from working, 69 no daemon, PC/SC service or reader, 77 not permitted (the \
            socket's group, polkit), 78 a mistake in the configuration. With several problems 78 goes before 77, 77 before 69.
            """)

    @Flag(help: "One line of JSON per finding, and one for all.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let path = connection.path
        let daemon = await DaemonProbe(path: path, hasSocket: MachineFiles().exists(path)).ask()
        // The daemon first: where systemd starts it for us, the rest is looked at after that.
        let doctor = Doctor(Scene(MachineFiles(), .machine, socket: path, daemon: daemon))
        if json {
            for finding in doctor.findings + [doctor.conclusion] { Terminal.print(json: finding) }
        } else {
            for line in DoctorSheet(look: .output).lines(doctor) { Terminal.print(line) }
        }
        if doctor.status != 0 { throw doctor.code }
    }
}

/// Findings for people: verdict, check, sentence; below it what it means and what mends it.
struct DoctorSheet {
    let look: Look

    /// Where nobody says how wide it is.
    private static let usualWidth = 100
    private static let verdictColumns = 9

    /// The lines of a finding.
    func lines(_ finding: Finding, checkColumns: Int) -> [String] {
        let margin = Self.verdictColumns + checkColumns + 2
        let width = max((look.width ?? Self.usualWidth) - margin, 24)
        let verdict = look.paint(
            TextLines.pad(finding.verdict.rawValue, to: Self.verdictColumns), finding.verdict.colour)
        let head = verdict + TextLines.pad(finding.check, to: checkColumns + 2)
        let space = String(repeating: " ", count: margin)
        let words = TextLines.wrap(finding.summary, to: width)
        let detail = finding.detail.isEmpty ? [] : TextLines.wrap(finding.detail, to: width)
        // A command is one line, however long: it is there to be copied.
        return (words + detail).enumerated().map { ($0 == 0 ? head : space) + $1 }
            + finding.mend.map { "\(space)\(look.paint("$ \($0)", .bold))" }
    }

    /// Everything, the verdict of all last.
    func lines(_ doctor: Doctor) -> [String] {
        let columns = doctor.findings.map(\.check.count).max() ?? 0
        let conclusion = look.paint(doctor.conclusion.summary, doctor.verdict.colour)
        return doctor.findings.flatMap { lines($0, checkColumns: columns) } + ["", conclusion]
    }
}

extension Verdict {
    fileprivate var colour: Look.Colour {
        switch self {
        case .ok: .green
        case .note: .blue
        case .warning: .yellow
        case .problem: .red
        }
    }
}
