@testable import nfcctl

extension DoctorScenario {
    private static let path = "/etc/nfcd/keys.toml"

    static let keys = [
        DoctorScenario(
            "a key file that others can read", "keys", .warning, "can be read or written by other users",
            fix: "sudo chmod 600 /etc/nfcd/keys.toml"
        ) { $0.files[path] = "" },
        DoctorScenario(
            "a key file that others can read, and that systemd passes", "keys", .warning, "can be read or written",
            fix: "sudo chmod 600 /etc/nfcd/keys.toml"
        ) {
            $0.keepKeys(
                CommandResult(status: 78, output: "nfcd: \(path): other users could read it; run chmod 600 x\n"))
            $0.modes[path] = 0o644
        },
        DoctorScenario("a key file that the user may not read", "keys", .ok, "was not checked", fix: nil) {
            $0.keepKeys()
        },
        DoctorScenario("a key file", "keys", .ok, "2 keys, 1 profile", fix: nil) {
            $0.keepKeys(CommandResult(status: 0, output: "/etc/nfcd/nfcd.toml: ok\n\(path): 2 keys, 1 profile\n"))
        },
        DoctorScenario(
            "a published key", "keys", .warning, "proves nothing", fix: "sudo nfcctl keys list"
        ) {
            $0.keepKeys(
                CommandResult(
                    status: 0,
                    output:
                        "/etc/nfcd/nfcd.toml: ok\n\(path): 1 key, 1 profile\nwarning: key door version 1 is published\n"
                ))
        },
        DoctorScenario(
            "an invalid key file", "keys", .problem, "does not start with them", fix: "sudo nfcctl keys check", code: 78
        ) {
            $0.keepKeys(CommandResult(status: 78, output: "nfcd: \(path):3: key[0].value: expected 32 digits\n"))
            $0.daemon = .staleSocket
        },
        DoctorScenario(
            "a profile without a journal", "keys", .problem, "does not start with them",
            fix: "sudo nfcctl keys check", code: 78
        ) {
            $0.keepKeys(
                CommandResult(status: 78, output: "nfcd: \(path): profile web: method = \"sun\" needs the journal\n"))
            $0.daemon = .staleSocket
        },
        DoctorScenario("a key file that nfcd is asked about without root", "keys", .ok, "was not checked", fix: nil) {
            $0.keepKeys(CommandResult(status: 78, output: "nfcd: \(path): cannot be read: Permission denied\n"))
        },
        DoctorScenario("keys in credentials of the unit", "configuration", .ok, "is valid", fix: nil) {
            $0.keepKeys(
                CommandResult(
                    status: 78, output: "nfcd: \(path):3: key[0].credential: systemd passed no credentials; add it\n"))
        },
    ]
}

extension FakeSystem {
    /// A file with keys that only root can read, and what `nfcd --check` prints of it.
    fileprivate mutating func keepKeys(_ answer: CommandResult? = nil) {
        files["/etc/nfcd/keys.toml"] = ""
        modes["/etc/nfcd/keys.toml"] = 0o600
        closed.insert("/etc/nfcd/keys.toml")
        if let answer { answers["nfcd"] = answer }
    }
}
