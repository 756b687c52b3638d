import NFCProtocol
import Testing

@testable import nfcctl

/// Something that is wrong on a made-up machine, and what the doctor has to say to it.
struct Situation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: String
    let verdict: Verdict
    /// A part of the cause.
    let cause: String
    /// A part of a command that mends it; nil where nothing is to be done.
    let mend: String?
    /// The exit code.
    let code: Int32
    let change: @Sendable (inout FakeSystem) -> Void

    init(
        _ name: String, _ check: String, _ verdict: Verdict, _ cause: String, mend: String?, code: Int32 = 0,
        change: @escaping @Sendable (inout FakeSystem) -> Void
    ) {
        (testDescription, self.check, self.verdict, self.cause) = (name, check, verdict, cause)
        (self.mend, self.code, self.change) = (mend, code, change)
    }
}

extension Situation {
    static let all = daemon + access + service + pcsc + readers + surroundings

    private static let daemon = [
        Situation(
            "no daemon, systemd", "daemon", .problem, "there is no socket", mend: "systemctl enable --now nfcd.socket",
            code: 69
        ) { system in
            (system.daemon, system.socketMode) = (.noSocket, nil)
        },
        Situation("no daemon, no systemd", "daemon", .problem, "there is no socket", mend: "sudo nfcd", code: 69) {
            ($0.daemon, $0.socketMode) = (.noSocket, nil)
            $0.files["/run/systemd/system/.keep"] = nil
        },
        Situation("no daemon, root without systemd", "daemon", .problem, "no socket", mend: "nfcd", code: 69) {
            ($0.daemon, $0.socketMode, $0.user) = (.noSocket, nil, 0)
            $0.files["/run/systemd/system/.keep"] = nil
        },
        Situation(
            "a socket that was left behind", "daemon", .problem, "Nobody listens", mend: "--simulator 1", code: 69
        ) { $0.daemon = .nobodyListens },
        Situation(
            "a daemon that hangs", "daemon", .problem, "does not answer", mend: "systemctl restart nfcd.service",
            code: 69
        ) { $0.daemon = .silent },
        Situation(
            "a daemon that hangs, without systemd", "daemon", .problem, "not answer", mend: "pkill -x nfcd", code: 69
        ) {
            $0.daemon = .silent
            $0.files["/run/systemd/system/.keep"] = nil
            $0.files["/proc/5/comm"] = "pcscd\n"
        },
        Situation("modules that are not to be seen", "modules", .ok, "not to be seen", mend: nil) {
            $0.files["/proc/modules"] = nil
        },
        Situation("another protocol", "daemon", .problem, "protocol 2", mend: "restart nfcd.service", code: 69) {
            $0.daemon = .answered(FakeSystem.state([FakeSystem.reader("ACS ACR122U")], protocolVersion: 2))
        },
        Situation("another version", "daemon", .note, "nfcd 0.0.9", mend: "restart nfcd.service") {
            $0.daemon = .answered(
                FakeSystem.state([FakeSystem.reader("ACS ACR122U PICC Interface 00 00")], version: "0.0.9"))
        },
    ]

    private static let access = [
        Situation(
            "a user outside the group", "daemon", .problem, "may not open", mend: "sudo usermod -aG nfc ada", code: 77
        ) {
            ($0.daemon, $0.groups) = (.notPermitted, [71_234])
            $0.files["/etc/group"] = "nfc:x:\(FakeSystem.nfc):\n"
        },
        Situation(
            "a login older than the membership", "daemon", .problem, "may not open", mend: "newgrp nfc", code: 77
        ) { ($0.daemon, $0.groups) = (.notPermitted, [71_234]) },
        Situation(
            "a socket for its owner alone", "daemon", .problem, "may not open", mend: "restart nfcd.socket", code: 77
        ) { ($0.daemon, $0.socketMode) = (.notPermitted, 0o600) },
        Situation("a closed folder", "daemon", .problem, "may not open", mend: "namei -l", code: 77) {
            ($0.daemon, $0.socketMode) = (.notPermitted, nil)
        },
        Situation("a socket for root alone", "socket", .note, "only root", mend: "groupadd --system --force nfc") {
            ($0.user, $0.socketGroup) = (0, 0)
        },
        Situation("a socket of root's group", "daemon", .problem, "may not open", mend: "groupadd", code: 77) {
            ($0.daemon, $0.socketGroup) = (.notPermitted, 0)
        },
        Situation("a socket for everybody", "socket", .warning, "everybody", mend: "chmod 0660") {
            $0.socketMode = 0o666
        },
    ]

    private static let service = [
        Situation("units that are not there", "service", .note, "no units", mend: "daemon-reload") {
            $0.files["/usr/lib/systemd/system/nfcd.socket"] = nil
            $0.files["/usr/lib/systemd/system/nfcd.service"] = nil
        },
        Situation(
            "a socket unit that is not enabled", "service", .note, "not enabled", mend: "enable --now nfcd.socket"
        ) {
            $0.answers["systemctl"] = CommandResult(status: 0, output: FakeSystem.systemd(file: "disabled"))
        },
        Situation("a masked unit", "service", .problem, "masked", mend: "systemctl unmask nfcd.socket", code: 69) {
            $0.answers["systemctl"] = CommandResult(status: 0, output: FakeSystem.systemd(file: "masked"))
            $0.daemon = .noSocket
        },
        Situation("a service that crashed", "service", .problem, "core-dump", mend: "journalctl --unit nfcd", code: 69)
        {
            $0.answers["systemctl"] = CommandResult(
                status: 0, output: FakeSystem.systemd(service: "failed", result: "core-dump"))
            $0.daemon = .nobodyListens
        },
        Situation(
            "a service that failed with 78", "service", .problem, "exit status 78", mend: "reset-failed", code: 78
        ) {
            $0.answers["systemctl"] = CommandResult(
                status: 0, output: FakeSystem.systemd(service: "failed", result: "exit-code", exitStatus: 78))
            $0.daemon = .nobodyListens
        },
        Situation(
            "a mistake in the configuration", "configuration", .problem, "has a mistake", mend: "nfcd --check --config",
            code: 78
        ) {
            $0.answers["nfcd"] = CommandResult(
                status: 78, output: "nfcd: /etc/nfcd/nfcd.toml:3: session.timeuot: unknown key\n")
            $0.daemon = .nobodyListens
        },
        Situation(
            "a configuration that is closed", "configuration", .note, "may not be read", mend: "sudo nfcd --check"
        ) {
            $0.closed = ["/etc/nfcd/nfcd.toml"]
        },
        Situation("a configuration nobody can check", "configuration", .note, "not checked", mend: "nfcd --check") {
            $0.programs.remove("/usr/bin/nfcd")
        },
    ]

    private static func none(_ code: Int, _ detail: String) -> DaemonAnswer {
        .answered(FakeSystem.state([], refusal: .init(code: code, detail: detail)))
    }

    private static let pcsc = [
        Situation("no pcscd", "pcscd", .problem, "not installed", mend: "apt-get install pcscd libccid", code: 69) {
            $0.programs.remove("/usr/sbin/pcscd")
            $0.files[FakeSystem.pcscSocket] = nil
            $0.daemon = none(6, "the PC/SC service is not running (SCARD_E_NO_SERVICE, 0x8010001D)")
        },
        Situation(
            "a pcscd that is not started", "pcscd", .problem, "not run", mend: "enable --now pcscd.socket", code: 69
        ) {
            $0.files[FakeSystem.pcscSocket] = nil
            $0.daemon = none(6, "the PC/SC service is not running (SCARD_E_NO_SERVICE, 0x8010001D)")
        },
        Situation("a pcscd that has ended", "pcscd", .problem, "left", mend: "sudo pcscd", code: 69) {
            $0.files["/run/systemd/system/.keep"] = nil
            $0.daemon = none(6, "0x8010001D")
        },
        Situation("an old pcscd", "pcscd", .warning, "1.8.24", mend: "--only-upgrade pcscd") {
            $0.answers["pcscd"] = CommandResult(status: 0, output: "pcsc-lite version 1.8.24.\n")
        },
        Situation("polkit refuses", "pcscd", .problem, "polkit keeps nfcd", mend: "rules.d/50-nfcd.rules", code: 77) {
            $0.daemon = none(6, "refused (SCARD_W_SECURITY_VIOLATION, 0x8010006A)")
        },
        Situation(
            "polkit breaks the connection", "pcscd", .problem, "polkit keeps nfcd", mend: "restart polkit", code: 77
        ) {
            $0.answers["pcscd"] = CommandResult(status: 0, output: "pcsc-lite version 2.3.0.\nEnabled: usb polkit\n")
            $0.daemon = none(6, "the connection broke (SCARD_F_COMM_ERROR, 0x80100013)")
        },
        Situation("polkit will refuse", "pcscd", .warning, "no rule", mend: #"subject.user === "nfcd""#, code: 69) {
            $0.answers["pcscd"] = CommandResult(status: 0, output: "pcsc-lite version 2.3.0.\nEnabled: usb polkit\n")
            $0.daemon = .noSocket
        },
        Situation(
            "another libpcsclite", "pcscd", .problem, "different versions", mend: "upgrade libpcsclite1", code: 69
        ) { $0.daemon = none(6, "SCARD_E_SERVICE_STOPPED, 0x8010001E") },
        Situation("no driver", "driver", .problem, "no driver", mend: "install --reinstall libccid", code: 69) {
            $0.files[FakeSystem.plist] = nil
            $0.daemon = none(1, "no reader")
        },
        Situation("a libccid older than pcscd", "driver", .problem, "too old", mend: "upgrade libccid", code: 69) {
            $0.answers["pcscd"] = CommandResult(status: 0, output: "pcsc-lite version 2.4.1.\n")
            $0.daemon = none(1, "no reader")
        },
        Situation("a reader that libccid does not know", "driver", .warning, "076B:5022", mend: "upgrade libccid") {
            $0.plug("1-2", 0x076B, 0x5022, "HID", "OMNIKEY 5022 CL")
        },
        Situation("a reader that acsccid knows", "driver", .problem, "072F:2308", mend: "install libacsccid1", code: 69)
        {
            $0.unplugAll()
            $0.plug("1-2", 0x072F, 0x2308, "ACS", "ACR1552 CL Reader")
            $0.daemon = none(1, "no reader")
        },
    ]

    private static let readers = [
        Situation(
            "a module that holds the reader", "modules", .problem, "pn533_usb holds ACS ACR122U",
            mend: "modprobe -r pn533_usb pn533 nfc", code: 69
        ) {
            $0.links["\(FakeSystem.usb)/1-1:1.0/driver"] = "../../../../bus/usb/drivers/pn533_usb"
            $0.files["/proc/modules"] =
                "pn533_usb 20480 0 - Live 0x0\npn533 1 1 pn533_usb, Live 0x0\nnfc 1 1 pn533, Live 0x0\n"
            $0.files["/usr/lib/modprobe.d/nfcd.conf"] = nil
            $0.daemon = none(1, "no reader")
        },
        Situation("modules that lie in wait", "modules", .warning, "pn533_usb, pn533, nfc", mend: "blacklist pn533_usb")
        {
            $0.files["/proc/modules"] = "nfc 1 1\npn533 1 1\npn533_usb 1 0\n"
            $0.files["/usr/lib/modprobe.d/nfcd.conf"] = nil
        },
        Situation("modules that are kept away from now on", "modules", .note, "will not be", mend: "modprobe -r") {
            $0.files["/proc/modules"] = "pn533_usb 1 0\n"
        },
        Situation("no reader", "readers", .problem, "No reader is plugged in", mend: "--simulator 1", code: 69) {
            $0.unplugAll()
            $0.daemon = none(1, "no reader")
        },
        Situation(
            "a reader that pcscd has not seen", "readers", .problem, "does not see it", mend: "restart pcscd", code: 69
        ) {
            $0.daemon = none(1, "no reader")
        },
        Situation("a reader that failed", "readers", .problem, "has failed", mend: "systemctl restart pcscd", code: 69)
        {
            let name = "ACS ACR122U PICC Interface 00 00"
            $0.daemon = .answered(
                FakeSystem.state([FakeSystem.reader(name, state: .failed, failure: "it does not answer")]))
        },
        Situation("an RC-S380", "readers", .warning, "Sony RC-S380/S (054C:06C1)", mend: nil) {
            $0.plug("1-3", 0x054C, 0x06C1, "SONY", "RC-S380/S", classCode: "ff")
        },
        Situation("an SCL3711", "readers", .warning, "SCM SCL3711 (04E6:5591)", mend: nil) {
            $0.plug("1-3", 0x04E6, 0x5591, "SCM", "SCL3711", classCode: "ff")
        },
    ]

    private static let surroundings = [
        Situation("scdaemon", "programs", .warning, "scdaemon (process 812)", mend: "gpgconf --kill scdaemon") {
            $0.files["/proc/812/comm"] = "scdaemon\n"
        },
        Situation("scdaemon that shares", "programs", .note, "scdaemon (process 812)", mend: nil) {
            $0.files["/proc/812/comm"] = "scdaemon\n"
            $0.files["/srv/ada/.gnupg/scdaemon.conf"] = "disable-ccid\n  pcsc-shared\n"
        },
        Situation("GNOME's smart card service", "programs", .note, "gsd-smartcard", mend: "systemctl --user mask") {
            $0.files["/proc/9/comm"] = "gsd-smartcard\n"
        },
        Situation("another client of pcscd", "programs", .note, "cashdesk (process 33) uses PC/SC", mend: nil) {
            $0.files["/proc/33/comm"] = "cashdesk\n"
            $0.files["/proc/33/maps"] = "7f00-7f01 r-xp 0 08:01 1 /usr/lib/x86_64-linux-gnu/libpcsclite.so.1.0.0\n"
        },
        Situation("escape commands that do not pass", "escape", .note, "escape commands", mend: "0x0001") {
            $0.plug("1-4", 0x072F, 0x223B, "ACS", "ACR1252 Dual Reader")
            $0.files[FakeSystem.plist] = FakeSystem.plist(readers: [
                ("0x072F", "0x2200", "ACS ACR122U PICC Interface"), ("0x072f", "0x223b", "ACS ACR1252 Dual Reader"),
            ])
        },
        Situation("a slot for a SAM", "slots", .note, "ACR1252 Dual Reader SAM", mend: nil) {
            $0.plug("1-4", 0x072F, 0x223B, "ACS", "ACR1252", interface: "ACR1252 Dual Reader SAM")
        },
        Situation("a reader that may be suspended", "power", .note, "may suspend", mend: "1-1/power/control") {
            $0.files["\(FakeSystem.usb)/1-1/power/control"] = "auto\n"
        },
        Situation("no clock that counts suspended time", "clock", .warning, "does not count", mend: nil) {
            $0.clocks.boottime = nil
        },
        Situation("clocks that contradict", "clock", .warning, "behind", mend: nil) { $0.clocks.boottime = 2 },
    ]
}
