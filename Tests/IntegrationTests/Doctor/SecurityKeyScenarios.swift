import Testing

@testable import nfcctl

extension DoctorScenario {
    static let securityKeys = keyService + keyDevice + keyUsers

    private static let check = "security keys"

    private static let keyService = [
        DoctorScenario("a machine without nfcd-fido", check, .ok, "is not installed", fix: nil) { _ in },
        DoctorScenario("a machine with nfcd-fido", check, .ok, "waits for security keys", fix: nil) {
            $0.installSecurityKeys()
        },
        DoctorScenario(
            "an nfcd-fido that does not run", check, .warning, "is not running", fix: "systemctl enable --now nfcd-fido"
        ) { $0.installSecurityKeys(active: "inactive") },
        DoctorScenario(
            "an nfcd-fido that does not run, without systemd", check, .warning, "is not running", fix: "sudo nfcd-fido"
        ) {
            $0.installSecurityKeys()
            $0.files["/run/systemd/system/.keep"] = nil
        },
        DoctorScenario(
            "an nfcd-fido that failed", check, .warning, "failed with exit status 73",
            fix: "journalctl --unit nfcd-fido"
        ) { $0.installSecurityKeys(active: "failed", exitStatus: 73) },
        DoctorScenario("a masked nfcd-fido", check, .warning, "is masked", fix: "systemctl unmask nfcd-fido") {
            $0.installSecurityKeys(load: "masked", active: "inactive")
        },
        DoctorScenario(
            "an nfcd-fido without nfcd", check, .warning, "not connected to nfcd", fix: "journalctl --unit nfcd-fido"
        ) { $0.installSecurityKeys(status: "waiting for nfcd: error 2, capability background\u{1B}[2J") },
        DoctorScenario("an invalid fido.toml", check, .warning, "fido.toml is invalid", fix: "nfcd-fido --check") {
            $0.installSecurityKeys(active: "failed", exitStatus: 78)
            $0.answers["nfcd-fido"] = CommandResult(
                status: 78, output: "nfcd-fido: /etc/nfcd/fido.toml:3: key.lingre: unknown key\n")
        },
    ]

    private static let keyDevice = [
        DoctorScenario("a module that is not loaded", check, .warning, "is not loaded", fix: "sudo modprobe uhid") {
            $0.installSecurityKeys(active: "inactive")
            $0.files["/dev/uhid"] = nil
        },
        DoctorScenario("a kernel without uhid", check, .warning, "no driver uhid", fix: nil) {
            $0.installSecurityKeys(active: "inactive")
            $0.files["/dev/uhid"] = nil
            $0.files["\(FakeSystem.modules)/modules.order"] = "kernel/drivers/hid/hid.ko\n"
        },
        DoctorScenario("a container", check, .note, "container without /dev/uhid", fix: nil) {
            $0.installSecurityKeys(active: "inactive")
            $0.files["/dev/uhid"] = nil
            $0.files["/run/systemd/container"] = "systemd-nspawn"
        },
        DoctorScenario("a user that is missing", check, .warning, "nfcd-fido does not exist", fix: "systemd-sysusers") {
            $0.installSecurityKeys(active: "failed")
            $0.files["/etc/passwd"] = FakeSystem().files["/etc/passwd"]
        },
        DoctorScenario("a missing rule", check, .warning, "70-nfcd-fido.rules is missing", fix: "--reinstall nfcd-fido")
        {
            $0.installSecurityKeys()
            $0.files["/usr/lib/udev/rules.d/70-nfcd-fido.rules"] = nil
        },
        DoctorScenario(
            "a device of root", check, .warning, "may not open /dev/uhid", fix: "--sysname-match=uhid"
        ) {
            $0.installSecurityKeys(active: "failed")
            $0.fileGroups["/dev/uhid"] = nil
        },
        DoctorScenario("a device that is open to all", check, .warning, "Every user may open", fix: "grep -rs uhid") {
            $0.installSecurityKeys()
            $0.modes["/dev/uhid"] = 0o666
        },
        DoctorScenario("a systemd that is too old", check, .warning, "no rules for security keys", fix: nil) {
            $0.installSecurityKeys()
            $0.files["/usr/lib/udev/rules.d/60-fido-id.rules"] = nil
        },
    ]

    private static let keyUsers = [
        DoctorScenario("a user at the seat", check, .ok, "waits for security keys", fix: nil) {
            $0.installSecurityKeys()
            $0.activate(user: "71234")
        },
        DoctorScenario("another user at the seat", check, .note, "Another user is active", fix: nil) {
            $0.installSecurityKeys()
            $0.activate(user: "1")
        },
        DoctorScenario("no user at the seat", check, .note, "No user is active", fix: nil) {
            $0.installSecurityKeys()
            $0.activate(user: nil)
        },
        DoctorScenario("another user at the seat, with sudo", check, .note, "Another user is active", fix: nil) {
            $0.installSecurityKeys()
            $0.activate(user: "1")
            $0.user = 0
            $0.environment["SUDO_UID"] = "71234"
        },
        DoctorScenario("a browser in a snap", check, .note, "firefox is a snap", fix: "connect firefox:u2f-devices") {
            $0.installSecurityKeys()
            $0.files["/snap/firefox/current/meta/snap.yaml"] = "name: firefox\n"
        },
        DoctorScenario(
            "a browser in a flatpak", check, .note, "org.mozilla.firefox is a flatpak",
            fix: "flatpak override --user --device=all org.mozilla.firefox"
        ) {
            $0.installSecurityKeys()
            $0.files["/var/lib/flatpak/app/org.mozilla.firefox/current/active/metadata"] = "[Context]\ndevices=dri;\n"
        },
    ]
}

extension FakeSystem {
    fileprivate static let modules = "/lib/modules/6.12.0"
    private static let group: UInt32 = 4243

    /// Installs nfcd-fido, which runs.
    fileprivate mutating func installSecurityKeys(
        load: String = "loaded", active: String = "active", exitStatus: Int = 0, status: String = ""
    ) {
        programs.insert("/usr/bin/nfcd-fido")
        files["/usr/lib/systemd/system/nfcd-fido.service"] = "[Service]\n"
        for name in ["70-nfcd-fido", "60-fido-id", "70-uaccess"] {
            files["/usr/lib/udev/rules.d/\(name).rules"] = "# rule\n"
        }
        files["/etc/nfcd/fido.toml"] = ""
        files["/etc/passwd", default: ""] += "nfcd-fido:x:991:\(Self.group)::/:/bin/false\n"
        files["/etc/group", default: ""] += "nfcd-fido:x:\(Self.group):\n"
        files["/proc/sys/kernel/osrelease"] = "6.12.0\n"
        files["\(Self.modules)/modules.order"] = "kernel/drivers/hid/hid.ko\nkernel/drivers/hid/uhid.ko\n"
        files["\(Self.modules)/modules.builtin"] = "kernel/fs/ext4/ext4.ko\n"
        files["/dev/uhid"] = ""
        (fileGroups["/dev/uhid"], modes["/dev/uhid"]) = (Self.group, 0o660)
        let unit = Unit("nfcd-fido.service", load: load, active: active)
        let output = "\(Self.systemd())\n\(unit.text)ExecMainStatus=\(exitStatus)\nStatusText=\(status)\n"
        answers["systemctl"] = CommandResult(status: 0, output: output)
    }

    /// Makes the session of a user the active one of the seat.
    fileprivate mutating func activate(user: String?) {
        programs.insert("/usr/bin/loginctl")
        answers["loginctl show-seat"] = CommandResult(status: 0, output: user == nil ? "\n" : "c2\n")
        answers["loginctl show-session"] = user.map { CommandResult(status: 0, output: "\($0)\n") }
    }
}

/// What the doctor reports of security keys.
@Suite struct `The doctor of security keys` {
    private func findings(_ change: (inout FakeSystem) -> Void) -> [Finding] {
        var system = FakeSystem()
        system.installSecurityKeys()
        change(&system)
        return Doctor(system.snapshot()).findings.filter { $0.check == "security keys" }
    }

    @Test func `does not mention a flatpak that may open devices`() {
        let folder = "/var/lib/flatpak/app/org.chromium.Chromium/current/active"
        #expect(findings { $0.files["\(folder)/metadata"] = "[Context]\ndevices=dri;all;\n" }.count == 1)
        let found = findings {
            $0.files["\(folder)/metadata"] = "[Context]\ndevices=dri;\n"
            $0.files["/srv/ada/.local/share/flatpak/overrides/org.chromium.Chromium"] = "[Context]\ndevices=all;\n"
        }
        #expect(found.map(\.verdict) == [.ok])
    }

    @Test func `reports the device, not the service that fails without it`() {
        let found = findings {
            $0.installSecurityKeys(active: "failed", exitStatus: 73)
            $0.files["/dev/uhid"] = nil
        }
        #expect(found.map(\.verdict) == [.warning])
        #expect(found.first?.fix == ["sudo modprobe uhid", "sudo systemctl restart nfcd-fido"])
    }

    @Test func `shows what nfcd-fido reports, without control characters`() {
        let found = findings { $0.installSecurityKeys(status: "waiting for nfcd: refused\u{1B}[2J") }
        #expect(found.first?.detail.hasPrefix("refused") == true)
        #expect(found.first?.detail.contains("\u{1B}") == false)
    }

    @Test func `accepts any content of the files that it reads`() {
        for content in `The doctor with invalid files`.junk.map(\.content) {
            let found = findings { system in
                for path in system.files.keys where path != "/dev/uhid" { system.files[path] = content }
                for name in ["loginctl", "systemctl", "nfcd-fido"] {
                    system.answers[name] = CommandResult(status: 78, output: content)
                }
                system.programs.insert("/usr/bin/loginctl")
            }
            #expect(!found.isEmpty)
            #expect(found.allSatisfy { !($0.summary + $0.detail).contains("\u{1B}") })
        }
    }
}
