import NDEF
import NFCProtocol

/// Other programs that hold readers, or may.
enum ProgramsCheck: Check {
    static let name = "programs"

    /// Programs that open readers of their own accord, by the first letters of their names, and what stops them.
    private static let suspects: [(prefix: String, words: String, mend: [String])] = [
        (
            "scdaemon", "GnuPG's smart card program; gpg-agent starts it again when it is asked for a key",
            ["gpgconf --kill scdaemon"]
        ),
        (
            "gsd-smartcard", "GNOME's smart card login",
            ["systemctl --user mask --now org.gnome.SettingsDaemon.Smartcard"]
        ),
        ("pcsc_scan", "it shows what readers do", ["pkill -x pcsc_scan"]),
        ("opensc", "a tool of OpenSC's", []),
        ("pkcs11", "a tool for cryptographic cards", []),
        ("p11-kit", "it offers cards to other programs", []),
        ("ifdnfc", "it gives readers of libnfc's to pcscd", []),
        ("neard", "the kernel's own NFC", ["sudo systemctl disable --now neard"]),
        ("nfc-agent", "another NFC service", []),
        ("lpac", "it manages eSIMs", []),
    ]

    /// nfcd itself, and what it reaches readers with.
    private static let ours: Set<String> = ["nfcd", "pcscd", "nfcctl"]

    static func findings(in scene: Scene) -> [Finding] {
        let others = scene.programs.filter { !ours.contains($0.name) }
        let found = others.compactMap { finding($0, scene) }
        return found.isEmpty ? [ok("No other program is seen to use readers.")] : found
    }

    private static func finding(_ program: RunningProgram, _ scene: Scene) -> Finding? {
        let words = "\(program.name.escaped) (process \(program.number))"
        if program.name == "scdaemon" { return scdaemon(words, scene) }
        if let suspect = suspects.first(where: { program.name.hasPrefix($0.prefix) }) {
            return finding(.note, "\(words) may hold a reader: \(suspect.words).", sharing, mend: suspect.mend)
        }
        guard program.usesPCSC else { return nil }
        return finding(.note, "\(words) uses PC/SC.", sharing, mend: [])
    }

    private static let sharing = "While it holds a tag, nfcd gets errors of sharing; where it does not let go, stop it."

    /// Without these options it takes readers from pcscd, or holds cards alone (scdaemon(1)).
    private static func scdaemon(_ words: String, _ scene: Scene) -> Finding? {
        let missing = ["disable-ccid", "pcsc-shared"].filter { !scene.scdaemonOptions.contains($0) }
        let lines = missing.map { "\($0)" }.joined(separator: " ")
        guard let suspect = suspects.first(where: { $0.prefix == "scdaemon" }) else { return nil }
        guard !missing.isEmpty else {
            return finding(.note, "\(words) runs, and shares readers as it is set up.", mend: [])
        }
        return finding(
            .warning, "\(words) may hold a reader: \(suspect.words).",
            "Its own driver takes readers from pcscd, and it does not share cards, unless scdaemon.conf says otherwise.",
            mend: ["printf '%s\\n' \(lines) >> ~/.gnupg/scdaemon.conf"] + suspect.mend)
    }
}

/// Whether the session limit counts the time the system is suspended.
enum ClockCheck: Check {
    static let name = "clock"

    /// What the two readings, one after the other, may differ by.
    private static let slack = 0.5

    static func findings(in scene: Scene) -> [Finding] {
        let limit = scene.daemon.state.map { "\(Int(clamping: $0.info.limits.sessionTimeout))" }
        let words = limit.map { "The session limit of \($0) s" } ?? "The session limit"
        guard let boottime = scene.host.clocks.boottime, let monotonic = scene.host.clocks.monotonic else {
            return [finding(.warning, "\(words) does not count suspended time: there is no CLOCK_BOOTTIME.", mend: [])]
        }
        guard boottime - monotonic > -slack else {
            return [
                finding(
                    .warning, "\(words) may be wrong: CLOCK_BOOTTIME is behind CLOCK_MONOTONIC.",
                    "A time namespace or a virtual machine sets them apart.", mend: [])
            ]
        }
        let suspended = Int(clamping: (boottime - monotonic).rounded())
        let history = suspended > 0 ? "this system was suspended for \(suspended) s since its start" : "never suspended"
        return [ok("\(words) counts suspended time, too (CLOCK_BOOTTIME; \(history)).")]
    }
}

extension Int {
    /// The nearest number there is; 0 for what is no number.
    fileprivate init(clamping value: Double) {
        self = value.isNaN ? 0 : Int(exactly: Swift.min(Swift.max(value, -1e15), 1e15).rounded()) ?? 0
    }
}
