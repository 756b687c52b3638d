import NDEF
import NFCTypes

/// Checks nfcd-fido, which makes security keys on readers available to every program.
enum SecurityKeyCheck: Check {
    static let name = "security keys"

    private static let service = "nfcd-fido.service"

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        let support = snapshot.securityKeys
        guard support.program != nil else {
            return [
                ok(
                    "nfcd-fido is not installed: browsers and ssh do not see security keys on readers.",
                    "To use FIDO cards as security keys, install the package nfcd-fido.")
            ]
        }
        if support.isContainer, support.nodeAccess == nil {
            return [
                finding(
                    .note, "This is a container without \(SecurityKeySupport.node): nfcd-fido cannot make HID devices.",
                    "Run nfcd-fido on the host.", fix: [])
            ]
        }
        let causes = configuration(snapshot) + device(snapshot)
        // A service does not work without its device; what is wrong with the device comes first.
        let faults = causes.isEmpty ? state(of: snapshot) : causes
        let found = faults + seat(snapshot) + browsers(snapshot)
        return faults.isEmpty ? [ok("nfcd-fido waits for security keys.")] + found : found
    }

    private static func configuration(_ snapshot: SystemSnapshot) -> [Finding] {
        guard let result = snapshot.securityKeys.checkResult, result.status == 78 else { return [] }
        let line = String(result.output.prefix { !$0.isNewline })
        let path = SecurityKeySupport.configuration
        return [
            finding(
                .warning, "\(path) is invalid; nfcd-fido does not start with it.",
                (line.hasPrefix("nfcd-fido: ") ? String(line.dropFirst(11)) : line).printable,
                fix: [
                    snapshot.asRoot("${EDITOR:-nano} \(path)"), snapshot.asRoot("nfcd-fido --check"), restart(snapshot),
                ], code: .configuration)
        ]
    }

    // MARK: The device

    private static func device(_ snapshot: SystemSnapshot) -> [Finding] {
        let support = snapshot.securityKeys
        var found: [Finding] = []
        if !support.hasUser {
            found.append(
                finding(
                    .warning, "The user nfcd-fido does not exist.",
                    fix: [snapshot.asRoot("systemd-sysusers nfcd-fido.conf")] + settle(snapshot)))
        }
        if !support.hasRule {
            found.append(
                finding(
                    .warning,
                    "The udev rule 70-nfcd-fido.rules is missing; \(node) belongs to root alone after a start.",
                    fix: [snapshot.asRoot("apt-get install --reinstall nfcd-fido")]))
        }
        guard found.isEmpty else { return found }
        return [access(snapshot), seatRules(snapshot)].compactMap(\.self)
    }

    private static let node = SecurityKeySupport.node

    private static func access(_ snapshot: SystemSnapshot) -> Finding? {
        switch snapshot.securityKeys.nodeAccess {
        case .service: return nil
        case nil: return missingNode(snapshot)
        case .rootOnly:
            return finding(.warning, "nfcd-fido may not open \(node).", fix: settle(snapshot))
        case .everyone:
            return finding(
                .warning, "Every user may open \(node), and so type as if on a keyboard.",
                "A rule of udev opens it. It has to belong to nfcd-fido alone.",
                fix: ["grep -rs uhid /etc/udev/rules.d /run/udev/rules.d /usr/lib/udev/rules.d"])
        }
    }

    private static func missingNode(_ snapshot: SystemSnapshot) -> Finding {
        guard snapshot.securityKeys.kernelHasDriver != false else {
            return finding(
                .warning, "This kernel has no driver uhid, so nfcd-fido cannot make HID devices.",
                "Kernels for clouds and small boards may leave it out. Install the standard kernel of the distribution.",
                fix: [])
        }
        return finding(
            .warning, "\(node) does not exist: the kernel's module uhid is not loaded.",
            fix: [snapshot.asRoot("modprobe uhid"), restart(snapshot)])
    }

    private static func seatRules(_ snapshot: SystemSnapshot) -> Finding? {
        guard !snapshot.securityKeys.hasSeatRules else { return nil }
        return finding(
            .warning, "udev has no rules for security keys: only root may open them.",
            "60-fido-id.rules and 70-uaccess.rules belong to systemd 244 and later.", fix: [])
    }

    /// The commands that give the device its owner again.
    private static func settle(_ snapshot: SystemSnapshot) -> [String] {
        [
            snapshot.asRoot("udevadm control --reload"),
            snapshot.asRoot("udevadm trigger --settle --subsystem-match=misc --sysname-match=uhid"),
            restart(snapshot),
        ]
    }

    private static func restart(_ snapshot: SystemSnapshot) -> String {
        snapshot.asRoot(snapshot.units.isBooted ? "systemctl restart nfcd-fido" : "nfcd-fido")
    }

    // MARK: The service

    private static func state(of snapshot: SystemSnapshot) -> [Finding] {
        guard let state = snapshot.units.states[service] else {
            guard !snapshot.programs.contains(where: { $0.name == "nfcd-fido" }) else { return [] }
            let command = snapshot.units.isBooted ? "systemctl enable --now nfcd-fido" : "nfcd-fido"
            return [finding(.warning, "nfcd-fido is not running.", fix: [snapshot.asRoot(command)])]
        }
        let journal = snapshot.asRoot("journalctl --unit nfcd-fido --boot --lines 20")
        if state.isMasked {
            let fix = ["systemctl unmask nfcd-fido", "systemctl enable --now nfcd-fido"].map(snapshot.asRoot)
            return [finding(.warning, "\(service) is masked.", fix: fix)]
        }
        if state.active == "failed" {
            let status = state.exitStatus.isEmpty ? "" : " with exit status \(state.exitStatus.printable)"
            return [finding(.warning, "nfcd-fido has failed\(status).", fix: [journal, restart(snapshot)])]
        }
        if !state.isMissing, !["active", "activating", "reloading"].contains(state.active) {
            let fix = snapshot.asRoot("systemctl enable --now nfcd-fido")
            return [finding(.warning, "nfcd-fido is not running.", fix: [fix])]
        }
        guard state.status.hasPrefix("waiting for nfcd: ") else { return [] }
        return [
            finding(
                .warning, "nfcd-fido is not connected to nfcd.", String(state.status.dropFirst(18)).printable,
                fix: [journal])
        ]
    }

    // MARK: Users and browsers

    private static func seat(_ snapshot: SystemSnapshot) -> [Finding] {
        let rule =
            "Only programs of the user who is logged in at the machine may open security keys; those of logins over ssh "
            + "may not."
        switch snapshot.securityKeys.seat {
        case .active, .unknown: return []
        case .another: return [finding(.note, "Another user is active at this machine's seat.", rule, fix: [])]
        case .none: return [finding(.note, "No user is active at this machine's seat.", rule, fix: [])]
        }
    }

    private static func browsers(_ snapshot: SystemSnapshot) -> [Finding] {
        snapshot.securityKeys.browsers.map { browser in
            let name = browser.name
            switch browser.sandbox {
            case .snap:
                return finding(
                    .note, "\(name) is a snap; it sees security keys only through the interface u2f-devices.",
                    "Quit it completely and start it again after nfcd-fido was installed.",
                    fix: [snapshot.asRoot("snap connect \(name):u2f-devices")])
            case .flatpak:
                return finding(
                    .note, "\(name) is a flatpak that may not open devices, so it sees no security keys.",
                    "The command lets it open all devices. Quit it and start it again.",
                    fix: ["flatpak override --user --device=all \(name)"])
            }
        }
    }
}
