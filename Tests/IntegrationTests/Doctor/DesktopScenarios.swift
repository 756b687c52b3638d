import Testing

@testable import nfcctl

extension DoctorScenario {
    static let desktop = desktopInstallation + desktopService + desktopSession

    private static let check = "desktop"

    private static let desktopInstallation = [
        DoctorScenario("a machine without nfcd-desktop", check, .ok, "is not installed", fix: nil) { _ in },
        DoctorScenario("a desktop session without nfcd-desktop", check, .note, "is not installed", fix: nil) {
            $0.environment["WAYLAND_DISPLAY"] = "wayland-0"
        },
        DoctorScenario("a desktop session with nfcd-desktop", check, .ok, "waits for taps", fix: nil) {
            $0.installDesktop()
        },
        DoctorScenario("an nfcd-desktop and a user without a session", check, .ok, "no desktop session", fix: nil) {
            $0.installDesktop(active: "inactive", target: "inactive")
            $0.leaveDesktop()
        },
        DoctorScenario("an nfcd-desktop, with sudo", check, .ok, "is not checked: it runs in the desktop", fix: nil) {
            $0.installDesktop(active: "failed")
            // sudo(8) keeps the display and nothing else of the session.
            $0.environment["XDG_RUNTIME_DIR"] = nil
            $0.environment["SUDO_UID"] = "71234"
            $0.user = 0
        },
        DoctorScenario("an nfcd-desktop, with sudo -E", check, .ok, "is not checked: it runs in the desktop", fix: nil)
        {
            $0.installDesktop(active: "failed")
            $0.user = 0
        },
        DoctorScenario("the desktop session of another user, with su", check, .ok, "no desktop session", fix: nil) {
            $0.installDesktop(active: "inactive", target: "inactive")
            $0.owners["/run/user/71234"] = 1
        },
        DoctorScenario("root's own desktop session", check, .ok, "waits for taps", fix: nil) {
            $0.installDesktop()
            $0.user = 0
            $0.owners["/run/user/71234"] = 0
        },
        DoctorScenario(
            "an invalid desktop.toml of the user", check, .warning, "/srv/ada/.config/nfcd/desktop.toml is invalid",
            fix: "${EDITOR:-nano} /srv/ada/.config/nfcd/desktop.toml"
        ) {
            $0.installDesktop()
            $0.breakDesktop("/srv/ada/.config/nfcd/desktop.toml")
        },
        DoctorScenario(
            "an invalid desktop.toml of the system", check, .warning, "/etc/nfcd/desktop.toml is invalid",
            fix: "sudo ${EDITOR:-nano} /etc/nfcd/desktop.toml"
        ) {
            $0.installDesktop()
            $0.breakDesktop("/etc/nfcd/desktop.toml")
        },
        DoctorScenario(
            "an invalid desktop.toml, outside a session", check, .warning, "is invalid", fix: "nfcd-desktop --check"
        ) {
            $0.installDesktop(active: "inactive", target: "inactive")
            $0.leaveDesktop()
            $0.breakDesktop("/etc/nfcd/desktop.toml")
        },
        DoctorScenario(
            "a user without the group, and nfcd-desktop", check, .warning, "may not use nfcd", fix: nil
        ) {
            $0.installDesktop()
            // The check of the socket has the commands.
            ($0.groups, $0.files["/etc/group"]) = ([71_234], "nfc:x:\(FakeSystem.nfc):\n")
        },
    ]

    private static let desktopService = [
        DoctorScenario(
            "an nfcd-desktop that was never started", check, .note, "does not run", fix: "nfcctl desktop enable"
        ) { $0.installDesktop(file: "disabled", active: "inactive") },
        DoctorScenario(
            "an nfcd-desktop that was never started, over ssh", check, .note, "does not run",
            fix: "nfcctl desktop enable"
        ) {
            $0.installDesktop(file: "disabled", active: "inactive")
            $0.leaveDesktop()
        },
        DoctorScenario(
            "an nfcd-desktop that has ended", check, .warning, "is not running", fix: "nfcctl desktop enable"
        ) { $0.installDesktop(active: "inactive") },
        DoctorScenario(
            "a session without its target", check, .warning, "was not started with your session",
            fix: "dbus-update-activation-environment --systemd --all"
        ) { $0.installDesktop(active: "inactive", target: "inactive") },
        DoctorScenario(
            "an nfcd-desktop that failed", check, .warning, "failed with exit status 69",
            fix: "journalctl --user --unit nfcd-desktop"
        ) { $0.installDesktop(active: "failed", exitStatus: 69) },
        DoctorScenario(
            "a masked nfcd-desktop", check, .note, "is masked", fix: "systemctl --user unmask nfcd-desktop"
        ) { $0.installDesktop(load: "masked", active: "inactive") },
        DoctorScenario(
            "an nfcd-desktop without nfcd", check, .warning, "not connected to nfcd",
            fix: "journalctl --user --unit nfcd-desktop"
        ) { $0.installDesktop(status: "waiting for nfcd: may not open the socket\u{1B}[2J") },
        DoctorScenario(
            "an nfcd-desktop without a unit", check, .note, "does not run in your session", fix: "nfcctl desktop enable"
        ) {
            $0.installDesktop()
            $0.answers["systemctl --user"] = nil
        },
        DoctorScenario("an nfcd-desktop of the autostart settings", check, .ok, "waits for taps", fix: nil) {
            $0.installDesktop(file: "disabled", active: "inactive")
            $0.files["/proc/90/comm"] = "nfcd-desktop\n"
            $0.owners["/proc/90"] = 71_234
        },
        DoctorScenario(
            "another user's nfcd-desktop", check, .note, "does not run in your session", fix: "nfcctl desktop enable"
        ) {
            $0.installDesktop(file: "disabled", active: "inactive")
            $0.files["/proc/90/comm"] = "nfcd-desktop\n"
            $0.owners["/proc/90"] = 1
        },
    ]

    private static let desktopSession = [
        DoctorScenario(
            "a session without notifications", check, .warning, "No program shows notifications", fix: "install dunst"
        ) {
            $0.installDesktop()
            $0.reportDesktop(notifications: "none: The name org.freedesktop.Notifications was not provided")
        },
        DoctorScenario(
            "a session whose lock nothing reports", check, .warning, "ignores all taps",
            fix: "sudo ${EDITOR:-nano} /etc/nfcd/desktop.toml"
        ) {
            $0.installDesktop()
            $0.reportDesktop(lock: "taps are ignored, as nothing reports whether it is locked: there is no system bus")
        },
        DoctorScenario(
            "typing without wtype", check, .warning, "is to type for taps on acr122u-0, till, and cannot type",
            fix: "sudo apt-get install wtype"
        ) {
            $0.installDesktop()
            $0.reportDesktop(typing: "on for acr122u-0, till; not possible: wtype, for wlroots compositors, is missing")
        },
        DoctorScenario(
            "typing without xdotool", check, .warning, "cannot type", fix: "sudo apt-get install xdotool"
        ) {
            $0.installDesktop()
            ($0.environment["WAYLAND_DISPLAY"], $0.environment["DISPLAY"]) = (nil, ":0")
            $0.reportDesktop(typing: "on for till; not possible: xdotool is missing; install xdotool")
        },
        DoctorScenario("typing where the compositor does not allow it", check, .warning, "cannot type", fix: nil) {
            $0.installDesktop()
            $0.programs.insert("/usr/bin/wtype")
            $0.reportDesktop(typing: "on for till; not possible: wtype failed, and the session has no portal")
        },
        DoctorScenario("no typing, and no way to type", check, .ok, "waits for taps", fix: nil) {
            $0.installDesktop()
            $0.reportDesktop(typing: "off; not possible: wtype, for wlroots compositors, is missing")
        },
        DoctorScenario("a locked session", check, .ok, "waits for taps", fix: nil) {
            $0.installDesktop()
            $0.reportDesktop(lock: "locked; taps are ignored")
        },
        DoctorScenario(
            "a session without a bus", check, .warning, "cannot use your session", fix: "nfcctl desktop status"
        ) {
            $0.installDesktop()
            $0.answers["nfcd-desktop --status"] = CommandResult(
                status: 69, output: "nfcd-desktop: no connection to the session bus: No such file or directory\n")
        },
        DoctorScenario(
            "a session that does not answer", check, .warning, "did not get an answer", fix: "nfcctl desktop status"
        ) {
            $0.installDesktop()
            $0.answers["nfcd-desktop --status"] = nil
        },
    ]
}

extension FakeSystem {
    /// Installs nfcd-desktop, which runs in a Wayland session of the user.
    fileprivate mutating func installDesktop(
        load: String = "loaded", file: String = "enabled", active: String = "active", exitStatus: Int = 0,
        status: String = "", target: String = "active"
    ) {
        programs.insert("/usr/bin/nfcd-desktop")
        environment["XDG_RUNTIME_DIR"] = "/run/user/71234"
        files["/run/user/71234/bus"] = ""
        owners["/run/user/71234"] = 71_234
        environment["WAYLAND_DISPLAY"] = "wayland-0"
        answers["nfcd-desktop --check"] = CommandResult(status: 0, output: "/etc/nfcd/desktop.toml: ok\n")
        answers["systemctl --user"] = CommandResult(
            status: 0,
            output: """
                Result=success
                ExecMainStatus=\(exitStatus)
                StatusText=\(status)
                Id=nfcd-desktop.service
                LoadState=\(load)
                ActiveState=\(active)
                UnitFileState=\(load == "masked" ? "masked" : file)

                Id=graphical-session.target
                LoadState=loaded
                ActiveState=\(target)
                UnitFileState=static

                """)
        reportDesktop()
    }

    /// What nfcd-desktop reports of the session, as DesktopReport prints it.
    fileprivate mutating func reportDesktop(
        lock: String = "unlocked, on the screen", notifications: String = "dunst 1.12.2",
        typing: String = "off; virtual keyboard (wtype)"
    ) {
        answers["nfcd-desktop --status"] = CommandResult(
            status: 0,
            output: """
                Configuration: defaults (/etc/nfcd/desktop.toml sets nothing)
                nfcd:          taps are delivered
                Session:       \(lock)
                Notifications: \(notifications)
                Opening:       desktop portal, https, always after a click
                Copying:       wl-copy
                Typing:        \(typing)

                """)
    }

    /// Makes the configuration invalid.
    fileprivate mutating func breakDesktop(_ path: String) {
        files[path] = "[open]\nhost = []\n"
        answers["nfcd-desktop --check"] = CommandResult(
            status: 78, output: "nfcd-desktop: \(path):2: open.host: unknown key\n")
        answers["nfcd-desktop --status"] = answers["nfcd-desktop --check"]
    }

    /// A login over ssh beside the session, with a forwarded display.
    fileprivate mutating func leaveDesktop() {
        environment["WAYLAND_DISPLAY"] = nil
        environment["DISPLAY"] = "localhost:10.0"
        environment["SSH_CONNECTION"] = "192.0.2.1 50000 192.0.2.2 22"
        // It has no way to show or to type anything.
        answers["nfcd-desktop --status"] = CommandResult(status: 69, output: "nfcd-desktop: no session\n")
    }
}

/// What the doctor reports of nfcd-desktop.
@Suite struct `The doctor of the desktop` {
    private func findings(_ change: (inout FakeSystem) -> Void) -> [Finding] {
        var system = FakeSystem()
        system.installDesktop()
        change(&system)
        return Doctor(system.snapshot()).findings.filter { $0.check == "desktop" }
    }

    @Test func `finds no fault with what the package installs`() {
        #expect(findings { _ in }.map(\.verdict) == [.ok])
    }

    @Test func `does not ask a session that nfcd-desktop would refuse for its configuration`() {
        let found = findings { $0.breakDesktop("/etc/nfcd/desktop.toml") }
        #expect(found.map(\.verdict) == [.warning])
        #expect(found.first?.detail == "/etc/nfcd/desktop.toml:2: open.host: unknown key")
        #expect(found.first?.code == .configuration)
    }

    @Test func `reports everything that is missing of a session at once`() {
        let found = findings {
            $0.installDesktop(file: "disabled", active: "inactive")
            $0.reportDesktop(notifications: "none: nothing", typing: "on for till; not possible: no way")
        }
        #expect(found.map(\.verdict) == [.warning, .warning, .note])
    }

    @Test func `names the packages of other distributions`() {
        let found = findings {
            $0.files["/etc/os-release"] = "ID=arch\n"
            $0.reportDesktop(notifications: "none: nothing", typing: "on for till; not possible: no way")
        }
        #expect(found.flatMap(\.fix) == ["sudo pacman -S dunst", "sudo pacman -S wtype"])
    }

    @Test func `shows what nfcd-desktop reports, without control characters`() {
        let found = findings { $0.installDesktop(status: "waiting for nfcd: refused\u{1B}[2J") }
        #expect(found.first?.detail.hasPrefix("refused") == true)
        #expect(found.first?.detail.contains("\u{1B}") == false)
    }

    @Test func `accepts any output of the programs that it asks`() {
        for content in `The doctor with invalid files`.junk.map(\.content) {
            for status in [Int32(0), 69, 78] {
                let found = findings { system in
                    for name in ["systemctl --user", "nfcd-desktop --status", "nfcd-desktop --check"] {
                        system.answers[name] = CommandResult(status: status, output: content)
                    }
                }
                #expect(!found.isEmpty)
                #expect(found.allSatisfy { !($0.summary + $0.detail).contains("\u{1B}") })
            }
        }
    }
}
