import NDEF
import NFCProtocol
import NFCTypes

/// Checks that pcscd is installed and running, and that nfcd is permitted to use it.
enum PCSCCheck: Check {
    static let name = "pcscd"

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        guard !snapshot.isSimulated else { return [ok("All readers are simulated; PC/SC is not used.")] }
        if let problem = PCSCUnits.problem(in: snapshot) ?? serviceProblem(snapshot) { return [problem] }
        let pcsc = snapshot.pcsc
        guard pcsc.program != nil || pcsc.hasSocket else {
            return [
                finding(
                    snapshot.severity, "pcscd is not installed.", "nfcd uses readers through it.",
                    fix: [snapshot.asRoot(snapshot.packages.install([.pcscd, .ccid]))])
            ]
        }
        guard pcsc.hasSocket else { return [notRunning(snapshot)] }
        if !snapshot.units.isBooted, !snapshot.programs.isEmpty,
            !snapshot.programs.contains(where: { $0.name == "pcscd" })
        {
            return [
                finding(
                    snapshot.severity, "pcscd has ended and left its socket \(PCSCService.socket) behind.",
                    fix: [snapshot.asRoot("pcscd")])
            ]
        }
        return [version(pcsc, snapshot)] + polkit(snapshot)
    }

    private static func notRunning(_ snapshot: SystemSnapshot) -> Finding {
        finding(
            snapshot.severity, "pcscd is not running: there is no \(PCSCService.socket).",
            snapshot.units.isBooted ? "systemd starts it on demand, through its socket." : "",
            fix: [
                snapshot.units.isBooted
                    ? snapshot.asRoot("systemctl enable --now pcscd.socket") : snapshot.asRoot("pcscd")
            ])
    }

    private static func version(_ pcsc: PCSCService, _ snapshot: SystemSnapshot) -> Finding {
        guard !pcsc.version.isEmpty else { return ok("pcscd is available.") }
        guard !pcsc.version.lexicographicallyPrecedes(PCSCService.oldestTested) else {
            return finding(
                .warning, "pcscd has version \(pcsc.versionText); nfcd was tested with 1.9.9 and later.",
                fix: [snapshot.asRoot(snapshot.packages.upgrade([.pcscd, .pcscLibrary]))])
        }
        return slotFault(snapshot)
            ?? ok("pcscd \(pcsc.versionText) is available\(pcsc.asksPolkit ? " and uses polkit" : "").")
    }

    /// pcscd 2.5.0 makes no room for the further slots of a reader: it leaves the reader out, or ends. 2.5.1 does; libccid 1.8.1 closes
    /// such readers correctly.
    private static func slotFault(_ snapshot: SystemSnapshot) -> Finding? {
        guard snapshot.pcsc.version.starts(with: [2, 5, 0]) else { return nil }
        let fix = [snapshot.asRoot(snapshot.packages.upgrade([.pcscd, .pcscLibrary, .ccid])), snapshot.restartPCSC]
        guard let reader = snapshot.devices.first(where: { ($0.slots ?? 1) > 1 }), let slots = reader.slots else {
            return finding(
                .note, "pcscd 2.5.0 fails with readers that have more than one slot; none is plugged in.",
                "A reader may have one for contact cards or a SAM beside its antenna. pcscd 2.5.1 has no such fault.",
                fix: fix)
        }
        return finding(
            snapshot.severity, "pcscd 2.5.0 fails with \(reader.summary.printable), which has \(slots) slots.",
            "It leaves out readers with more than one slot, or ends. pcscd 2.5.1 has no such fault.", fix: fix)
    }

    /// Diagnoses the PC/SC error that nfcd received from pcscd.
    private static func serviceProblem(_ snapshot: SystemSnapshot) -> Finding? {
        guard let detail = snapshot.daemon.state?.serviceProblem?.printable else { return nil }
        // A client that polkit rejects while it connects may see a broken connection.
        let mayBePolkit = snapshot.pcsc.asksPolkit && detail.contains("0x80100013")
        if mayBePolkit || detail.contains("0x8010006A") { return polkitRejection(detail, snapshot) }
        if detail.contains("0x8010001E") {
            return finding(
                .problem, "nfcd and pcscd use different versions of the PC/SC protocol.",
                "\(detail). A container or Flatpak has its own libpcsclite.",
                fix: [snapshot.asRoot(snapshot.packages.upgrade([.pcscLibrary, .pcscd])), snapshot.restartPCSC]
                    + snapshot.restartDaemon)
        }
        return nil
    }

    private static func polkitRejection(_ detail: String, _ snapshot: SystemSnapshot) -> Finding {
        if let state = snapshot.units.states["polkit.service"], state.isMasked || state.isMissing {
            return polkitAbsence(state, detail, snapshot)
        }
        let hasRule = snapshot.polkitRules?.isEmpty == false
        let reload = [snapshot.asRoot("systemctl restart polkit")] + snapshot.restartDaemon
        return finding(
            .problem, "polkit does not permit \(snapshot.daemonUser) to use pcscd.",
            "\(detail). A service has no seat, so a rule must permit the user \(snapshot.daemonUser)."
                + (hasRule ? " There is a rule for pcsc-lite, but it does not permit this user." : ""),
            fix: [rule(snapshot)] + reload, code: .notPermitted)
    }

    /// A pcscd that uses polkit rejects every client of another user if polkit does not run.
    private static func polkitAbsence(
        _ state: ServiceUnits.State, _ detail: String, _ snapshot: SystemSnapshot
    ) -> Finding {
        let steps =
            state.isMasked
            ? ["systemctl unmask polkit.service", "systemctl start polkit.service"]
            : [snapshot.packages.install([.polkit])]
        return finding(
            .problem,
            state.isMasked
                ? "polkit.service is masked, so pcscd rejects \(snapshot.daemonUser)."
                : "polkit is not installed, so pcscd rejects \(snapshot.daemonUser).",
            "\(detail). This pcscd asks polkit about every client.",
            fix: steps.map(snapshot.asRoot) + [snapshot.restartPCSC], code: .notPermitted)
    }

    private static func rule(_ snapshot: SystemSnapshot) -> String {
        let rule =
            #"polkit.addRule(function (action, subject) { if (action.id.indexOf("org.debian.pcsc-lite.") === 0 && "#
            + #"subject.user === ""# + snapshot.daemonUser + #"") return polkit.Result.YES; });"#
        return "echo \(rule.shellQuoted) | \(snapshot.asRoot("tee /etc/polkit-1/rules.d/50-nfcd.rules"))"
    }

    /// Warns before nfcd is rejected: polkit rejects a service unless a rule for pcsc-lite permits it.
    private static func polkit(_ snapshot: SystemSnapshot) -> [Finding] {
        let isService =
            snapshot.daemonUser != "root" && snapshot.accounts.users.contains { $0.name == snapshot.daemonUser }
        guard snapshot.pcsc.asksPolkit, !snapshot.hasWorkingReader, isService, snapshot.polkitRules?.isEmpty == true
        else { return [] }
        return [
            finding(
                .warning, "pcscd uses polkit, and no rule permits the user \(snapshot.daemonUser).",
                fix: [rule(snapshot)])
        ]
    }
}

/// Diagnoses pcscd's systemd units. The socket's file proves nothing: it stays when the unit is stopped.
enum PCSCUnits {
    private static let names = ["pcscd.socket", "pcscd.service"]

    /// Why systemd does not start pcscd; nil if it does, or if pcscd works without it.
    static func problem(in snapshot: SystemSnapshot) -> Finding? {
        let states = snapshot.units.states
        guard snapshot.units.isBooted, !snapshot.hasWorkingReader,
            snapshot.daemon.state?.info.readerService != .available,
            !snapshot.programs.contains(where: { $0.name == "pcscd" }),
            let service = states["pcscd.service"], !service.isMissing, service.active != "active"
        else { return nil }
        let masked = names.filter { states[$0]?.isMasked == true }
        guard masked.isEmpty else { return self.masked(masked, snapshot) }
        let socket = states["pcscd.socket"].flatMap { $0.isMissing ? nil : $0 }
        if let failed = [socket, service].compactMap(\.self).first(where: { $0.active == "failed" }) {
            return self.failed(failed, snapshot)
        }
        guard socket?.active != "active" else { return nil }
        let unit = socket == nil ? "pcscd.service" : "pcscd.socket"
        return PCSCCheck.finding(
            snapshot.severity, "pcscd is stopped: \(unit) is not active.",
            socket == nil ? "" : "systemd starts pcscd on demand, through its socket.",
            fix: [snapshot.asRoot("systemctl enable --now \(unit)")])
    }

    private static func masked(_ units: [String], _ snapshot: SystemSnapshot) -> Finding {
        PCSCCheck.finding(
            snapshot.severity,
            "\(units.joined(separator: " and ")) \(units.count == 1 ? "is" : "are") masked: systemd will not start pcscd.",
            fix: [
                snapshot.asRoot("systemctl unmask \(units.joined(separator: " "))"),
                snapshot.asRoot("systemctl restart pcscd.socket"),
            ])
    }

    private static func failed(_ state: ServiceUnits.State, _ snapshot: SystemSnapshot) -> Finding {
        PCSCCheck.finding(
            snapshot.severity, "systemd cannot start pcscd (\(state.result.printable)).",
            "The journal has its last messages.",
            fix: [
                snapshot.asRoot("journalctl --unit pcscd.socket --unit pcscd.service --boot --lines 20"),
                snapshot.asRoot("systemctl reset-failed pcscd.socket pcscd.service"),
                snapshot.asRoot("systemctl restart pcscd.socket"),
            ])
    }
}

/// Checks that pcscd has a driver for each reader that is plugged in.
enum DriverCheck: Check {
    static let name = "driver"

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        guard !snapshot.isSimulated else { return [] }
        guard !snapshot.bundles.isEmpty else { return missing(snapshot) }
        let readers = snapshot.cardReaders
        if let ccid = snapshot.bundles.first(where: { $0.isTooOld(for: snapshot.pcsc) }) {
            return [tooOld(ccid, snapshot)]
        }
        guard !readers.isEmpty else {
            return [
                ok(
                    "\(snapshot.bundles.map { "\($0.package) \($0.version.printable)" }.joined(separator: ", ")) is installed."
                )
            ]
        }
        return readers.map {
            ReaderAccess.problem($0, snapshot) ?? supported($0, snapshot) ?? unsupported($0, snapshot)
        }
    }

    private static func missing(_ snapshot: SystemSnapshot) -> [Finding] {
        guard snapshot.pcsc.program != nil || !snapshot.cardReaders.isEmpty else { return [] }
        return [
            finding(
                snapshot.severity, "pcscd has no driver for USB readers, or the driver's Info.plist cannot be read.",
                "libccid supports most readers.",
                fix: [snapshot.asRoot(snapshot.packages.reinstall(.ccid)), snapshot.restartPCSC])
        ]
    }

    private static func tooOld(_ bundle: ReaderBundle, _ snapshot: SystemSnapshot) -> Finding {
        finding(
            snapshot.severity, "libccid \(bundle.version.printable) is too old for pcscd \(snapshot.pcsc.versionText).",
            "This pcscd runs as its own user; only libccid 1.7.0 and later give that user access to the readers.",
            fix: [snapshot.asRoot(snapshot.packages.upgrade([.ccid])), snapshot.restartPCSC])
    }

    private static func supported(_ device: USBDevice, _ snapshot: SystemSnapshot) -> Finding? {
        snapshot.bundles.first { $0.readers[device.identity] != nil }.map {
            ok("\($0.package) \($0.version.printable) supports \(device.summary.printable).")
        }
    }

    private static func unsupported(_ device: USBDevice, _ snapshot: SystemSnapshot) -> Finding {
        let known = snapshot.bundles.map { "\($0.package) \($0.version.printable)" }.joined(separator: ", ")
        guard device.identity.vendor == acs else {
            return finding(
                snapshot.severity, "No installed driver supports \(device.summary.printable) (\(known)).",
                "A newer libccid may support it.",
                fix: [snapshot.asRoot(snapshot.packages.upgrade([.ccid])), snapshot.restartPCSC])
        }
        if let first = firstCCID[device.identity] { return unknown(device, known, first, snapshot) }
        let hasOwnDriver = snapshot.bundles.contains { $0.name == "ifd-acsccid" }
        return finding(
            snapshot.severity, "No installed driver supports \(device.summary.printable) (\(known)).",
            hasOwnDriver
                ? "A newer driver of the manufacturer, acsccid, or a newer libccid may support it."
                : "The manufacturer's driver, acsccid, supports it; a newer libccid may, too.",
            fix: [
                snapshot.asRoot(
                    hasOwnDriver ? snapshot.packages.upgrade([.acsccid, .ccid]) : snapshot.packages.install([.acsccid])),
                snapshot.restartPCSC,
            ])
    }

    /// Advanced Card Systems.
    private static let acs: UInt16 = 0x072F

    /// The first libccid that lists a reader which the driver packages of Debian 12, libccid 1.5.2 and libacsccid1 1.1.8, do not.
    private static let firstCCID: [USBIdentity: String] = [
        USBIdentity(vendor: acs, product: 0x2303): "1.5.3", USBIdentity(vendor: acs, product: 0x2308): "1.5.3",
    ]

    /// The finding for a reader that no package of an older system supports, so that installing one does not help.
    private static func unknown(
        _ device: USBDevice, _ known: String, _ first: String, _ snapshot: SystemSnapshot
    ) -> Finding {
        finding(
            snapshot.severity, "No installed driver supports \(device.summary.printable) (\(known)).",
            "It needs libccid \(first) or later, which Debian 13 has. Debian 12 has 1.5.2, and its libacsccid1 1.1.8 does not know the "
                + "reader either: upgrade the system, install the manufacturer's driver from its site, or use another reader.",
            fix: [snapshot.asRoot(snapshot.packages.upgrade([.ccid])), snapshot.restartPCSC])
    }
}

/// Checks that no kernel driver claims a reader.
enum ModulesCheck: Check {
    static let name = "modules"

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        let found = snapshot.cardReaders.compactMap { claimed($0, snapshot) }
        guard found.isEmpty else { return found }
        let loaded = snapshot.modules.loaded.filter { KernelModules.unwanted.contains($0) }
        guard !loaded.isEmpty else {
            return [
                ok(
                    snapshot.modules.isReadable
                        ? "No kernel module claims readers."
                        : "The list of kernel modules cannot be read; none of them claims a reader.")
            ]
        }
        return [idle(loaded, snapshot)]
    }

    /// The finding for a reader whose interface is bound to one of the modules.
    private static func claimed(_ device: USBDevice, _ snapshot: SystemSnapshot) -> Finding? {
        let drivers = device.interfaces.compactMap(\.driver)
        guard let driver = drivers.first(where: { KernelModules.known.contains($0) }) else { return nil }
        return finding(
            snapshot.severity, "The kernel module \(driver) claims \(device.summary.printable).",
            "pcscd cannot open the reader, and does not retry by itself.",
            fix: [unload(snapshot)] + blacklist(snapshot) + [
                snapshot.asRoot("udevadm trigger --action=add /sys/bus/usb/devices/\(device.port)"),
                snapshot.restartPCSC,
            ])
    }

    /// The finding for loaded modules that claim no reader yet.
    private static func idle(_ loaded: [String], _ snapshot: SystemSnapshot) -> Finding {
        let names = loaded.joined(separator: ", ")
        guard !snapshot.modules.areBlacklisted else {
            return finding(
                .note, "The kernel modules \(names) are loaded, but blacklisted from the next start on.",
                fix: [unload(snapshot)])
        }
        return finding(
            .warning, "The kernel modules \(names) are loaded and will claim an ACR122U when it is plugged in.",
            fix: [unload(snapshot)] + blacklist(snapshot))
    }

    private static func unload(_ snapshot: SystemSnapshot) -> String {
        let loaded = snapshot.modules.loaded.isEmpty ? KernelModules.unwanted : snapshot.modules.loaded
        return snapshot.asRoot("modprobe -r \(loaded.joined(separator: " "))")
    }

    /// The commands that blacklist the modules (modprobe.d(5)); udev has to reload its configuration afterwards.
    private static func blacklist(_ snapshot: SystemSnapshot) -> [String] {
        guard !snapshot.modules.areBlacklisted else { return [] }
        let lines = KernelModules.unwanted.map { "'blacklist \($0)'" }.joined(separator: " ")
        return [
            "printf '%s\\n' \(lines) | \(snapshot.asRoot("tee /etc/modprobe.d/nfcd.conf"))",
            snapshot.asRoot("udevadm control --reload"),
        ]
    }
}
