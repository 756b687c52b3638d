import NDEF
import NFCProtocol
import NFCTypes

/// Checks for other programs that use readers.
enum ProgramsCheck: Check {
    static let name = "programs"

    /// Programs that may open readers, by the beginnings of their names, and the commands that stop them.
    private static let suspects: [(prefix: String, description: String, fix: [String])] = [
        (
            "scdaemon", "GnuPG's smart card daemon; gpg-agent restarts it when it needs a key",
            ["gpgconf --kill scdaemon"]
        ),
        (
            "gsd-smartcard", "GNOME's smart card login",
            ["systemctl --user mask --now org.gnome.SettingsDaemon.Smartcard"]
        ),
        ("pcsc_scan", "it displays reader events", ["pkill -x pcsc_scan"]),
        ("opensc", "an OpenSC tool", []),
        ("pkcs11", "a tool for cryptographic cards", []),
        ("p11-kit", "it provides cards to other programs", []),
        ("ifdnfc", "it provides libnfc readers to pcscd", []),
        ("neard", "the Linux NFC daemon", ["sudo systemctl disable --now neard"]),
        ("nfc-agent", "another NFC service", []),
        ("lpac", "an eSIM manager", []),
    ]

    /// The programs that belong to nfcd, and pcscd.
    private static let ours: Set<String> = ["nfcd", "pcscd", "nfcctl", "nfcd-relay", "nfcd-fido"]

    /// The programs that have loaded libpcsclite or are known to use readers, and the commands that end each.
    static func users(in snapshot: SystemSnapshot) -> [(process: String, fix: [String])] {
        snapshot.programs.filter { !ours.contains($0.name) }.compactMap { program in
            let suspect = suspects.first { program.name.hasPrefix($0.prefix) }
            guard program.usesPCSC || suspect != nil else { return nil }
            let end = "kill \(program.id)"
            let fix = suspect.flatMap { $0.fix.isEmpty ? nil : $0.fix }
            return (
                "\(program.name.printable) (process \(program.id))",
                fix ?? [program.user == snapshot.host.user ? end : snapshot.asRoot(end)]
            )
        }
    }

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        let others = snapshot.programs.filter { !ours.contains($0.name) }
        let found = others.compactMap { finding($0, snapshot) }
        return found.isEmpty ? [ok("No other program was found that uses readers.")] : found
    }

    private static func finding(_ program: RunningProgram, _ snapshot: SystemSnapshot) -> Finding? {
        let process = "\(program.name.printable) (process \(program.id))"
        if program.name == "scdaemon" { return scdaemon(process, snapshot) }
        if let suspect = suspects.first(where: { program.name.hasPrefix($0.prefix) }) {
            return finding(.note, "\(process) may use a reader: \(suspect.description).", sharing, fix: suspect.fix)
        }
        guard program.usesPCSC else { return nil }
        return finding(.note, "\(process) uses PC/SC.", sharing, fix: [])
    }

    private static let sharing =
        "While it is connected to a tag, nfcd gets sharing violations. If it does not release the tag, stop it."

    /// Without these options, scdaemon uses its own reader driver or connects to cards exclusively (scdaemon(1)).
    private static func scdaemon(_ process: String, _ snapshot: SystemSnapshot) -> Finding? {
        let missing = ["disable-ccid", "pcsc-shared"].filter { !snapshot.scdaemonOptions.contains($0) }
        let lines = missing.joined(separator: " ")
        guard let suspect = suspects.first(where: { $0.prefix == "scdaemon" }) else { return nil }
        guard !missing.isEmpty else {
            return finding(.note, "\(process) is running; it is configured to share readers.", fix: [])
        }
        return finding(
            .warning, "\(process) may use a reader: \(suspect.description).",
            "By default it uses its own reader driver instead of pcscd, and does not share cards. Set both options in "
                + "scdaemon.conf.",
            fix: ["printf '%s\\n' \(lines) >> ~/.gnupg/scdaemon.conf"] + suspect.fix)
    }
}

/// Checks that the session limit includes the time that the system is suspended.
enum ClockCheck: Check {
    static let name = "clock"

    /// The tolerance for two consecutive clock readings, in seconds.
    private static let tolerance = 0.5

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        let limit = snapshot.daemon.state.map { "\(Int(clamping: $0.info.limits.sessionTimeout))" }
        let subject = limit.map { "The session limit of \($0) s" } ?? "The session limit"
        guard let boottime = snapshot.host.clocks.boottime, let monotonic = snapshot.host.clocks.monotonic else {
            return [
                finding(
                    .warning, "\(subject) does not include suspended time: CLOCK_BOOTTIME is not available.", fix: [])
            ]
        }
        guard boottime - monotonic > -tolerance else {
            return [
                finding(
                    .warning, "\(subject) may be wrong: CLOCK_BOOTTIME is behind CLOCK_MONOTONIC.",
                    "A time namespace or a virtual machine can cause this.", fix: [])
            ]
        }
        let suspended = Int(clamping: (boottime - monotonic).rounded())
        let history = suspended > 0 ? "suspended for \(suspended) s since boot" : "not suspended since boot"
        return [ok("\(subject) includes suspended time (CLOCK_BOOTTIME; \(history)).")]
    }
}

extension Int {
    /// The nearest integer; 0 for NaN.
    fileprivate init(clamping value: Double) {
        self = value.isNaN ? 0 : Int(exactly: Swift.min(Swift.max(value, -1e15), 1e15).rounded()) ?? 0
    }
}
