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
