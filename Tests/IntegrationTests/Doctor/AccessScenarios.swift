@testable import nfcctl

/// Sockets that the user may not open, or that too many users may open.
extension DoctorScenario {
    static let access = [
        DoctorScenario(
            "a user outside the group", "daemon", .problem, "not permitted to open", fix: "sudo usermod -aG nfc ada",
            code: 77
        ) {
            ($0.daemon, $0.groups) = (.notPermitted, [71_234])
            $0.files["/etc/group"] = "nfc:x:\(FakeSystem.nfc):\n"
        },
        DoctorScenario(
            "a login from before the user joined the group", "daemon", .problem, "not permitted to open",
            fix: "newgrp nfc", code: 77
        ) { ($0.daemon, $0.groups) = (.notPermitted, [71_234]) },
        DoctorScenario(
            "a socket that only its owner may open", "daemon", .problem, "not permitted to open",
            fix: "restart nfcd.socket", code: 77
        ) { ($0.daemon, $0.socketMode) = (.notPermitted, 0o600) },
        DoctorScenario(
            "a socket that only its owner may open, without systemd", "daemon", .problem, "not permitted to open",
            fix: "sudo kill 40", code: 77
        ) {
            $0.runOwnDaemon()
            $0.runSystemDaemon()
            ($0.daemon, $0.socketMode) = (.notPermitted, 0o600)
        },
        DoctorScenario(
            "a socket that only its owner may open, of an unknown process", "daemon", .problem, "not permitted to open",
            fix: "sudo ss --unix --listening --processes src /run/nfcd/nfcd.sock", code: 77
        ) {
            $0.files["/run/systemd/system/.keep"] = nil
            ($0.daemon, $0.socketMode) = (.notPermitted, 0o600)
        },
        DoctorScenario(
            "another user's private socket", "daemon", .problem, "not permitted to open",
            fix: "sudo chmod 0660 /srv/ada/nfcd.sock", code: 77
        ) {
            $0.runOwnDaemon()
            ($0.user, $0.daemon, $0.socketMode) = (1000, .notPermitted, 0o600)
        },
        DoctorScenario(
            "another user's private socket of root's group", "daemon", .problem, "not permitted to open",
            fix: "sudo chgrp nfc /srv/ada/nfcd.sock", code: 77
        ) {
            $0.runOwnDaemon()
            ($0.user, $0.daemon, $0.socketGroup) = (1000, .notPermitted, 0)
        },
        DoctorScenario(
            "a closed parent directory", "daemon", .problem, "not permitted to open", fix: "namei -l", code: 77
        ) {
            ($0.daemon, $0.socketMode) = (.notPermitted, nil)
        },
        DoctorScenario(
            "a socket that only root may open", "socket", .note, "only root", fix: "groupadd --system --force nfc"
        ) {
            ($0.user, $0.socketGroup) = (0, 0)
        },
        DoctorScenario(
            "a socket that belongs to root's group", "daemon", .problem, "not permitted to open", fix: "groupadd",
            code: 77
        ) {
            ($0.daemon, $0.socketGroup) = (.notPermitted, 0)
        },
        DoctorScenario("a socket that every user may open", "socket", .warning, "every user", fix: "chmod 0660") {
            $0.socketMode = 0o666
        },
    ]
}
