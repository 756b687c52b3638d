import NFCProtocol
import Testing

@testable import nfcctl

/// A fault of a simulated machine, and what the doctor has to report.
struct DoctorScenario: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: String
    let verdict: Verdict
    /// A part of the expected summary.
    let cause: String
    /// A part of an expected command; nil if no command is expected.
    let fix: String?
    /// The expected exit code.
    let code: Int32
    let change: @Sendable (inout FakeSystem) -> Void

    init(
        _ name: String, _ check: String, _ verdict: Verdict, _ cause: String, fix: String?, code: Int32 = 0,
        change: @escaping @Sendable (inout FakeSystem) -> Void
    ) {
        (testDescription, self.check, self.verdict, self.cause) = (name, check, verdict, cause)
        (self.fix, self.code, self.change) = (fix, code, change)
    }
}

extension DoctorScenario {
    static let all =
        daemon + access + keys + service + pcsc + readers + surroundings + taps + securityKeys + web + desktop
        + containers

    private static let daemon = [
        DoctorScenario(
            "no daemon, systemd", "daemon", .problem, "there is no socket", fix: "systemctl enable --now nfcd.socket",
            code: 69
        ) { system in
            (system.daemon, system.socketMode) = (.noSocket, nil)
        },
        DoctorScenario("no daemon, no systemd", "daemon", .problem, "there is no socket", fix: "sudo nfcd", code: 69) {
            ($0.daemon, $0.socketMode) = (.noSocket, nil)
            $0.files["/run/systemd/system/.keep"] = nil
        },
        DoctorScenario("no daemon, root without systemd", "daemon", .problem, "no socket", fix: "nfcd", code: 69) {
            ($0.daemon, $0.socketMode, $0.user) = (.noSocket, nil, 0)
            $0.files["/run/systemd/system/.keep"] = nil
        },
        DoctorScenario(
            "a stale socket", "daemon", .problem, "No program listens", fix: "nfcctl simulator", code: 69
        ) { $0.daemon = .staleSocket },
        DoctorScenario(
            "a daemon that hangs", "daemon", .problem, "does not answer", fix: "systemctl restart nfcd.service",
            code: 69
        ) { $0.daemon = .notAnswering },
        DoctorScenario(
            "a daemon that hangs, without systemd", "daemon", .problem, "not answer",
            fix: "sudo ss --unix --listening --processes src /run/nfcd/nfcd.sock", code: 69
        ) {
            $0.daemon = .notAnswering
            $0.files["/run/systemd/system/.keep"] = nil
            $0.files["/proc/5/comm"] = "pcscd\n"
        },
        DoctorScenario(
            "a daemon that hangs, without systemd, beside another user's", "daemon", .problem, "not answer",
            fix: "sudo kill 40", code: 69
        ) {
            $0.runOwnDaemon()
            $0.runSystemDaemon()
            $0.daemon = .notAnswering
        },
        DoctorScenario(
            "a user's own daemon that hangs", "daemon", .problem, "does not answer", fix: "kill 77", code: 69
        ) {
            $0.runOwnDaemon()
            $0.daemon = .notAnswering
        },
        DoctorScenario(
            "a user's own daemon that is not running", "daemon", .problem, "there is no socket",
            fix: "nfcd --socket /srv/ada/nfcd.sock", code: 69
        ) {
            $0.runOwnDaemon()
            ($0.daemon, $0.socketMode) = (.noSocket, nil)
        },
        DoctorScenario(
            "a user service that hangs", "daemon", .problem, "does not answer",
            fix: "systemctl --user restart nfcd.service", code: 69
        ) {
            $0.environment["XDG_RUNTIME_DIR"] = "/run/user/71234"
            $0.files["/usr/lib/systemd/user/nfcd.socket"] = "[Socket]\n"
            $0.socket = "/run/user/71234/nfcd/nfcd.sock"
            $0.daemon = .notAnswering
        },
        DoctorScenario("an unreadable list of modules", "modules", .ok, "cannot be read", fix: nil) {
            $0.files["/proc/modules"] = nil
        },
        DoctorScenario("another protocol", "daemon", .problem, "protocol 2", fix: "restart nfcd.service", code: 69) {
            $0.daemon = .answered(FakeSystem.state([FakeSystem.reader("ACS ACR122U")], protocolVersion: 2))
        },
        DoctorScenario("another version", "daemon", .note, "nfcd 0.0.9", fix: "restart nfcd.service") {
            $0.daemon = .answered(
                FakeSystem.state([FakeSystem.reader("ACS ACR122U PICC Interface 00 00")], version: "0.0.9"))
        },
    ]

    private static let service = [
        DoctorScenario("missing units", "service", .note, "units are not installed", fix: "daemon-reload") {
            $0.files["/usr/lib/systemd/system/nfcd.socket"] = nil
            $0.files["/usr/lib/systemd/system/nfcd.service"] = nil
        },
        DoctorScenario(
            "a socket unit that is not enabled", "service", .note, "not enabled", fix: "enable --now nfcd.socket"
        ) {
            $0.answers["systemctl"] = CommandResult(status: 0, output: FakeSystem.systemd(file: "disabled"))
        },
        DoctorScenario("a masked unit", "service", .problem, "masked", fix: "systemctl unmask nfcd.socket", code: 69) {
            $0.answers["systemctl"] = CommandResult(status: 0, output: FakeSystem.systemd(file: "masked"))
            $0.daemon = .noSocket
        },
        DoctorScenario(
            "a service that crashed", "service", .problem, "core-dump", fix: "journalctl --unit nfcd", code: 69
        ) {
            $0.answers["systemctl"] = CommandResult(
                status: 0, output: FakeSystem.systemd(service: "failed", result: "core-dump"))
            $0.daemon = .staleSocket
        },
        DoctorScenario(
            "a service that failed with 78", "service", .problem, "exit status 78", fix: "reset-failed", code: 78
        ) {
            $0.answers["systemctl"] = CommandResult(
                status: 0, output: FakeSystem.systemd(service: "failed", result: "exit-code", exitStatus: 78))
            $0.daemon = .staleSocket
        },
        DoctorScenario(
            "an invalid configuration", "configuration", .problem, "is invalid", fix: "nfcd --check --config",
            code: 78
        ) {
            $0.answers["nfcd"] = CommandResult(
                status: 78, output: "nfcd: /etc/nfcd/nfcd.toml:3: session.timeuot: unknown key\n")
            $0.daemon = .staleSocket
        },
        DoctorScenario(
            "an unreadable configuration", "configuration", .note, "not permitted to read", fix: "sudo nfcd --check"
        ) {
            $0.closed = ["/etc/nfcd/nfcd.toml"]
        },
        DoctorScenario(
            "a grant that permits nothing", "configuration", .warning, "has grants that need attention",
            fix: "nfcd --check --config /etc/nfcd/nfcd.toml"
        ) {
            $0.answers["nfcd"] = CommandResult(
                status: 0,
                output: "/etc/nfcd/nfcd.toml: ok\nwarning: grant 1 (user 1000) permits nothing: it has no readers\n")
        },
        DoctorScenario(
            "a user without a grant", "daemon", .warning, "to begin sessions, nor to read tags, nor to use any reader",
            fix: "sudo nfcd --check"
        ) {
            let nothing = ServerInfo.Entitlements(formats: [], capabilities: [])
            $0.daemon = .answered(
                FakeSystem.state([FakeSystem.reader("ACS ACR122U PICC Interface 00 00")], entitlements: nothing))
        },
        DoctorScenario(
            "a user whose grant names no reader", "daemon", .warning, "does not permit you to use any reader",
            fix: "systemctl reload nfcd"
        ) {
            let useless = ServerInfo.Entitlements(formats: ["NDEF"], capabilities: ["read"])
            $0.daemon = .answered(
                FakeSystem.state([FakeSystem.reader("ACS ACR122U PICC Interface 00 00")], entitlements: useless))
        },
        DoctorScenario("a configuration without nfcd", "configuration", .note, "not checked", fix: "nfcd --check") {
            $0.programs.remove("/usr/bin/nfcd")
        },
    ]

    private static func none(_ code: Int, _ detail: String) -> DaemonStatus {
        .answered(FakeSystem.state([], serviceProblem: code == 6 ? detail : nil))
    }

    private static let pcsc = [
        DoctorScenario("no pcscd", "pcscd", .problem, "not installed", fix: "apt-get install pcscd libccid", code: 69) {
            $0.programs.remove("/usr/sbin/pcscd")
            $0.files[FakeSystem.pcscSocket] = nil
            $0.daemon = none(6, "the PC/SC service is not running (SCARD_E_NO_SERVICE, 0x8010001D)")
        },
        DoctorScenario(
            "a pcscd whose socket unit was stopped", "pcscd", .problem, "pcscd is stopped",
            fix: "enable --now pcscd.socket", code: 69
        ) {
            // The socket's file stays.
            $0.setUnits(.init("pcscd.socket", active: "inactive"), .init("pcscd.service", active: "inactive"))
            $0.daemon = none(6, "SCARD_E_NO_SERVICE, 0x8010001D")
        },
        DoctorScenario(
            "a pcscd without a socket unit that was stopped", "pcscd", .problem, "pcscd is stopped",
            fix: "enable --now pcscd.service", code: 69
        ) {
            $0.setUnits(.init("pcscd.socket", load: "not-found"), .init("pcscd.service", active: "inactive"))
            $0.daemon = none(6, "SCARD_E_NO_SERVICE, 0x8010001D")
        },
        DoctorScenario(
            "a masked pcscd", "pcscd", .problem, "pcscd.service is masked", fix: "unmask pcscd.service", code: 69
        ) {
            $0.setUnits(
                .init("pcscd.socket", active: "failed"), .init("pcscd.service", load: "masked", active: "inactive"))
            $0.answers["pcscd"] = CommandResult(status: 0, output: "pcsc-lite version 2.3.3.\nEnabled: usb polkit\n")
            $0.daemon = none(6, "the connection broke (SCARD_F_COMM_ERROR, 0x80100013)")
        },
        DoctorScenario(
            "a pcscd whose socket unit is masked, too", "pcscd", .problem, "pcscd.socket and pcscd.service are masked",
            fix: "unmask pcscd.socket pcscd.service", code: 69
        ) {
            $0.setUnits(
                .init("pcscd.socket", load: "masked", active: "inactive"),
                .init("pcscd.service", load: "masked", active: "inactive"))
            $0.daemon = .noSocket
        },
        DoctorScenario(
            "a pcscd whose socket unit has failed", "pcscd", .problem, "cannot start pcscd (service-start-limit-hit)",
            fix: "reset-failed pcscd.socket", code: 69
        ) {
            $0.setUnits(
                .init("pcscd.socket", active: "failed", result: "service-start-limit-hit"),
                .init("pcscd.service", active: "inactive"))
            $0.daemon = none(6, "SCARD_E_NO_SERVICE, 0x8010001D")
        },
        DoctorScenario(
            "a masked polkit", "pcscd", .problem, "polkit.service is masked", fix: "unmask polkit.service", code: 77
        ) {
            $0.setUnits(.init("polkit.service", load: "masked", active: "inactive"))
            $0.daemon = none(6, "refused (SCARD_W_SECURITY_VIOLATION, 0x8010006A)")
        },
        DoctorScenario(
            "a missing polkit", "pcscd", .problem, "polkit is not installed", fix: "install polkitd", code: 77
        ) {
            $0.setUnits(.init("polkit.service", load: "not-found", active: "inactive"))
            $0.daemon = none(6, "refused (SCARD_W_SECURITY_VIOLATION, 0x8010006A)")
        },
        DoctorScenario(
            "polkit rejects a user's own nfcd", "pcscd", .problem, "does not permit ada",
            fix: #"subject.user === "ada""#, code: 77
        ) {
            $0.runOwnDaemon()
            $0.daemon = none(6, "refused (SCARD_W_SECURITY_VIOLATION, 0x8010006A)")
        },
        DoctorScenario(
            "a pcscd that is not started", "pcscd", .problem, "not running", fix: "enable --now pcscd.socket", code: 69
        ) {
            $0.files[FakeSystem.pcscSocket] = nil
            $0.daemon = none(6, "the PC/SC service is not running (SCARD_E_NO_SERVICE, 0x8010001D)")
        },
        DoctorScenario("a pcscd that has ended", "pcscd", .problem, "left", fix: "sudo pcscd", code: 69) {
            $0.files["/run/systemd/system/.keep"] = nil
            $0.daemon = none(6, "0x8010001D")
        },
        DoctorScenario("an old pcscd", "pcscd", .warning, "1.8.24", fix: "--only-upgrade pcscd") {
            $0.answers["pcscd"] = CommandResult(status: 0, output: "pcsc-lite version 1.8.24.\n")
        },
        DoctorScenario(
            "polkit rejects nfcd", "pcscd", .problem, "does not permit nfcd", fix: "rules.d/50-nfcd.rules", code: 77
        ) {
            $0.daemon = none(6, "refused (SCARD_W_SECURITY_VIOLATION, 0x8010006A)")
        },
        DoctorScenario(
            "polkit closes the connection", "pcscd", .problem, "does not permit nfcd", fix: "restart polkit", code: 77
        ) {
            $0.answers["pcscd"] = CommandResult(status: 0, output: "pcsc-lite version 2.3.0.\nEnabled: usb polkit\n")
            $0.daemon = none(6, "the connection broke (SCARD_F_COMM_ERROR, 0x80100013)")
        },
        DoctorScenario(
            "polkit will reject nfcd", "pcscd", .warning, "no rule", fix: #"subject.user === "nfcd""#, code: 69
        ) {
            $0.answers["pcscd"] = CommandResult(status: 0, output: "pcsc-lite version 2.3.0.\nEnabled: usb polkit\n")
            $0.daemon = .noSocket
        },
        DoctorScenario(
            "another libpcsclite", "pcscd", .problem, "different versions", fix: "upgrade libpcsclite1", code: 69
        ) { $0.daemon = none(6, "SCARD_E_SERVICE_STOPPED, 0x8010001E") },
        DoctorScenario("no driver", "driver", .problem, "has no driver", fix: "install --reinstall libccid", code: 69) {
            $0.files[FakeSystem.plist] = nil
            $0.daemon = none(1, "no reader")
        },
        DoctorScenario("a libccid older than pcscd", "driver", .problem, "too old", fix: "upgrade libccid", code: 69) {
            $0.answers["pcscd"] = CommandResult(status: 0, output: "pcsc-lite version 2.4.1.\n")
            $0.daemon = none(1, "no reader")
        },
        DoctorScenario(
            "a pcscd that fails with several slots", "pcscd", .problem, "which has 3 slots", fix: "upgrade pcscd",
            code: 69
        ) {
            $0.answers["pcscd"] = CommandResult(status: 0, output: "pcsc-lite version 2.5.0.\n")
            $0.files[FakeSystem.plist] = FakeSystem.plist(readers: [acr122u], version: "1.8.0")
            $0.addDescriptors("1-1", slots: 3)
            $0.daemon = none(1, "no reader")
        },
        DoctorScenario(
            "a pcscd that would fail with several slots", "pcscd", .note, "none is plugged in", fix: "upgrade pcscd"
        ) {
            $0.answers["pcscd"] = CommandResult(status: 0, output: "pcsc-lite version 2.5.0.\n")
            $0.files[FakeSystem.plist] = FakeSystem.plist(readers: [acr122u], version: "1.8.0")
            $0.addDescriptors("1-1", slots: 1)
        },
        DoctorScenario(
            "an acsccid without udev rules", "driver", .problem, "pcscd runs as pcscd, which may not open ACS ACR122U",
            fix: "upgrade libacsccid1", code: 69
        ) {
            $0.runUnprivileged("2.4.1")
            $0.addNode("1-1")
            $0.files[FakeSystem.plist] = FakeSystem.plist(readers: [], version: "1.7.0")
            $0.files["/usr/lib/pcsc/drivers/ifd-acsccid.bundle/Contents/Info.plist"] = FakeSystem.plist(
                readers: [acr122u], version: "1.1.12")
            $0.daemon = none(1, "no reader")
        },
        DoctorScenario(
            "another driver without udev rules", "driver", .problem, "may not open ACS ACR122U",
            fix: #"=="2200", GROUP="pcscd"' | sudo tee /etc/udev/rules.d/92-pcscd-072f-2200.rules"#, code: 69
        ) {
            $0.runUnprivileged("2.5.1")
            $0.addNode("1-1", group: FakeSystem.nfc)
            $0.files[FakeSystem.plist] = FakeSystem.plist(readers: [], version: "1.8.1")
            $0.files["/usr/lib/pcsc/drivers/ifd-other.bundle/Contents/Info.plist"] = FakeSystem.plist(
                readers: [acr122u], version: "1.0")
            $0.daemon = none(1, "no reader")
        },
        DoctorScenario(
            "udev rules that were not applied", "driver", .problem, "may not open ACS ACR122U",
            fix: "udevadm trigger --action=add /sys/bus/usb/devices/1-1", code: 69
        ) {
            $0.runUnprivileged("2.5.1")
            $0.addNode("1-1")
            $0.files[FakeSystem.plist] = FakeSystem.plist(readers: [acr122u], version: "1.8.1")
            $0.daemon = none(1, "no reader")
        },
        DoctorScenario(
            "a reader that libccid does not support", "driver", .warning, "076B:5022", fix: "upgrade libccid"
        ) {
            $0.plug("1-2", 0x076B, 0x5022, "HID", "OMNIKEY 5022 CL")
        },
        DoctorScenario(
            "a reader that acsccid supports", "driver", .problem, "072F:8201", fix: "install libacsccid1", code: 69
        ) {
            $0.unplugAll()
            $0.plug("1-2", 0x072F, 0x8201, "ACS", "ACR1552 CL Reader")
            $0.daemon = none(1, "no reader")
        },
    ]

    private static let acr122u = (vendor: "0x072F", product: "0x2200", name: "ACS ACR122U PICC Interface")

    private static let readers = [
        DoctorScenario(
            "a module that claims the reader", "modules", .problem, "pn533_usb claims ACS ACR122U",
            fix: "modprobe -r pn533_usb pn533 nfc", code: 69
        ) {
            $0.links["\(FakeSystem.usb)/1-1:1.0/driver"] = "../../../../bus/usb/drivers/pn533_usb"
            $0.files["/proc/modules"] =
                "pn533_usb 20480 0 - Live 0x0\npn533 1 1 pn533_usb, Live 0x0\nnfc 1 1 pn533, Live 0x0\n"
            $0.files["/usr/lib/modprobe.d/nfcd.conf"] = nil
            $0.daemon = none(1, "no reader")
        },
        DoctorScenario(
            "modules that will claim a reader", "modules", .warning, "pn533_usb, pn533, nfc", fix: "blacklist pn533_usb"
        ) {
            $0.files["/proc/modules"] = "nfc 1 1\npn533 1 1\npn533_usb 1 0\n"
            $0.files["/usr/lib/modprobe.d/nfcd.conf"] = nil
        },
        DoctorScenario("blacklisted modules that are still loaded", "modules", .note, "blacklisted", fix: "modprobe -r")
        {
            $0.files["/proc/modules"] = "pn533_usb 1 0\n"
        },
        DoctorScenario("no reader", "readers", .problem, "No reader is plugged in", fix: "nfcctl simulator", code: 69) {
            $0.unplugAll()
            $0.daemon = none(1, "no reader")
        },
        DoctorScenario(
            "a reader that pcscd has not opened", "readers", .problem, "does not detect it", fix: "restart pcscd",
            code: 69
        ) {
            $0.daemon = none(1, "no reader")
        },
        DoctorScenario(
            "a reader that failed", "readers", .problem, "has failed", fix: "systemctl restart pcscd", code: 69
        ) {
            let name = "ACS ACR122U PICC Interface 00 00"
            $0.daemon = .answered(
                FakeSystem.state([FakeSystem.reader(name, state: .failed, failure: "it does not answer")]))
        },
        DoctorScenario(
            "a reader that another program holds", "readers", .warning, "held by another program", fix: "kill 33"
        ) {
            $0.hold()
            $0.files["/proc/33/comm"] = "cashdesk\n"
            $0.files["/proc/33/maps"] = "7f00-7f01 r-xp 0 08:01 1 /usr/lib/x86_64-linux-gnu/libpcsclite.so.1.0.0\n"
        },
        DoctorScenario(
            "a reader that a program of another user holds", "readers", .warning, "held by another program",
            fix: "sudo nfcctl doctor"
        ) { $0.hold() },
        DoctorScenario("an RC-S380", "readers", .warning, "Sony RC-S380/S (054C:06C1)", fix: nil) {
            $0.plug("1-3", 0x054C, 0x06C1, "SONY", "RC-S380/S", classCode: "ff")
        },
        DoctorScenario("an SCL3711", "readers", .warning, "SCM SCL3711 (04E6:5591)", fix: nil) {
            $0.plug("1-3", 0x04E6, 0x5591, "SCM", "SCL3711", classCode: "ff")
        },
    ]

    private static let surroundings = [
        DoctorScenario("scdaemon", "programs", .warning, "scdaemon (process 812)", fix: "gpgconf --kill scdaemon") {
            $0.files["/proc/812/comm"] = "scdaemon\n"
        },
        DoctorScenario("scdaemon that shares", "programs", .note, "scdaemon (process 812)", fix: nil) {
            $0.files["/proc/812/comm"] = "scdaemon\n"
            $0.files["/srv/ada/.gnupg/scdaemon.conf"] = "disable-ccid\n  pcsc-shared\n"
        },
        DoctorScenario("GNOME's smart card service", "programs", .note, "gsd-smartcard", fix: "systemctl --user mask") {
            $0.files["/proc/9/comm"] = "gsd-smartcard\n"
        },
        DoctorScenario("another client of pcscd", "programs", .note, "cashdesk (process 33) uses PC/SC", fix: nil) {
            $0.files["/proc/33/comm"] = "cashdesk\n"
            $0.files["/proc/33/maps"] = "7f00-7f01 r-xp 0 08:01 1 /usr/lib/x86_64-linux-gnu/libpcsclite.so.1.0.0\n"
        },
        DoctorScenario("escape commands that are not allowed", "escape", .note, "escape commands", fix: "0x0001") {
            $0.plug("1-4", 0x072F, 0x223B, "ACS", "ACR1252 Dual Reader")
            $0.files[FakeSystem.plist] = FakeSystem.plist(readers: [
                ("0x072F", "0x2200", "ACS ACR122U PICC Interface"), ("0x072f", "0x223b", "ACS ACR1252 Dual Reader"),
            ])
        },
        DoctorScenario("a SAM slot", "slots", .note, "ACR1252 Dual Reader SAM", fix: nil) {
            $0.plug("1-4", 0x072F, 0x223B, "ACS", "ACR1252", interface: "ACR1252 Dual Reader SAM")
        },
        DoctorScenario(
            "a reader that failed and may be suspended", "power", .note, "may suspend", fix: "1-1/power/control",
            code: 69
        ) {
            let name = "ACS ACR122U PICC Interface 00 00"
            $0.daemon = .answered(FakeSystem.state([FakeSystem.reader(name, state: .failed, failure: "it hangs")]))
            $0.files["\(FakeSystem.usb)/1-1/power/control"] = "auto\n"
        },
        DoctorScenario("no clock that includes suspended time", "clock", .warning, "does not include", fix: nil) {
            $0.clocks.boottime = nil
        },
        DoctorScenario("inconsistent clocks", "clock", .warning, "behind", fix: nil) { $0.clocks.boottime = 2 },
    ]
}
