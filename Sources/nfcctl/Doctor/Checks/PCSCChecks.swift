import NDEF

/// Whether pcscd is there, and lets nfcd in.
enum PCSCCheck: Check {
    static let name = "pcscd"

    static func findings(in scene: Scene) -> [Finding] {
        guard !scene.isSimulated else { return [ok("nfcd simulates its readers; PC/SC has no part in it.")] }
        if let refusal = refusal(scene) { return [refusal] }
        let pcsc = scene.pcsc
        guard pcsc.program != nil || pcsc.hasSocket else {
            return [
                finding(
                    scene.worst, "pcscd is not installed.", "nfcd reaches readers through it.",
                    mend: [scene.root("apt-get install pcscd libccid")])
            ]
        }
        guard pcsc.hasSocket else { return [notRunning(scene)] }
        if !scene.units.isBooted, !scene.programs.isEmpty, !scene.programs.contains(where: { $0.name == "pcscd" }) {
            return [
                finding(
                    scene.worst, "pcscd has ended and left \(PCSCService.socket) behind.", mend: [scene.root("pcscd")])
            ]
        }
        return [version(pcsc, scene)] + polkit(scene)
    }

    private static func notRunning(_ scene: Scene) -> Finding {
        finding(
            scene.worst, "pcscd does not run: there is no \(PCSCService.socket).",
            scene.units.isBooted ? "Its socket starts it when it is needed." : "",
            mend: [scene.units.isBooted ? scene.root("systemctl enable --now pcscd.socket") : scene.root("pcscd")])
    }

    private static func version(_ pcsc: PCSCService, _ scene: Scene) -> Finding {
        guard !pcsc.version.isEmpty else { return ok("pcscd is there.") }
        guard !pcsc.version.lexicographicallyPrecedes(PCSCService.oldest) else {
            return finding(
                .warning, "pcscd is of version \(pcsc.versionWords); nfcd was tried with 1.9.9 and newer.",
                mend: [scene.root("apt-get install --only-upgrade pcscd libpcsclite1")])
        }
        return ok("pcscd \(pcsc.versionWords) is there\(pcsc.asksPolkit ? ", and asks polkit" : "").")
    }

    /// What nfcd was told by pcscd, by PC/SC's numbers.
    private static func refusal(_ scene: Scene) -> Finding? {
        guard let refusal = scene.daemon.state?.refusal, refusal.code == 6 else { return nil }
        let detail = refusal.detail.escaped
        // What is refused while it connects may show as a broken connection.
        let mayBePolkit = scene.pcsc.asksPolkit && detail.contains("0x80100013")
        if mayBePolkit || detail.contains("0x8010006A") { return polkitRefusal(detail, scene) }
        if detail.contains("0x8010001E") {
            return finding(
                .problem, "nfcd and pcscd speak different versions of their protocol.",
                "\(detail). A container or Flatpak brings a libpcsclite of its own.",
                mend: [scene.root("apt-get install --only-upgrade libpcsclite1 pcscd"), scene.restartPCSC]
                    + scene.restartDaemon)
        }
        return nil
    }

    private static func polkitRefusal(_ detail: String, _ scene: Scene) -> Finding {
        let hasRule = scene.polkitRules?.isEmpty == false
        let reload = [scene.root("systemctl restart polkit")] + scene.restartDaemon
        return finding(
            .problem, "polkit keeps \(scene.daemonUser) from pcscd.",
            "\(detail). Services have no seat; a rule has to let the user \(scene.daemonUser) in."
                + (hasRule ? " There is a rule for pcsc-lite, but it does not." : ""),
            mend: [rule(scene)] + reload, code: .notPermitted)
    }

    private static func rule(_ scene: Scene) -> String {
        let words =
            #"polkit.addRule(function (action, subject) { if (action.id.indexOf("org.debian.pcsc-lite.") === 0 && "#
            + #"subject.user === ""# + scene.daemonUser + #"") return polkit.Result.YES; });"#
        return "echo \(words.shellWord) | \(scene.root("tee /etc/polkit-1/rules.d/50-nfcd.rules"))"
    }

    /// Before nfcd was refused: where polkit is asked and no rule speaks of pcsc-lite, a service will be.
    private static func polkit(_ scene: Scene) -> [Finding] {
        let isService = scene.daemonUser != "root" && scene.accounts.users.contains { $0.name == scene.daemonUser }
        guard scene.pcsc.asksPolkit, !scene.works, isService, scene.polkitRules?.isEmpty == true else { return [] }
        return [
            finding(
                .warning, "pcscd asks polkit, and no rule lets the user \(scene.daemonUser) in.", mend: [rule(scene)])
        ]
    }
}

/// Whether pcscd has a driver for each reader that is plugged in.
enum DriverCheck: Check {
    static let name = "driver"

    static func findings(in scene: Scene) -> [Finding] {
        guard !scene.isSimulated else { return [] }
        guard !scene.bundles.isEmpty else { return missing(scene) }
        let readers = scene.cardReaders
        if let ccid = scene.bundles.first(where: { $0.isTooOld(for: scene.pcsc) }) {
            return [tooOld(ccid, scene)]
        }
        guard !readers.isEmpty else {
            return [
                ok("\(scene.bundles.map { "\($0.package) \($0.version.escaped)" }.joined(separator: ", ")) is there.")
            ]
        }
        return readers.map { driven($0, scene) ?? unknown($0, scene) }
    }

    private static func missing(_ scene: Scene) -> [Finding] {
        guard scene.pcsc.program != nil || !scene.cardReaders.isEmpty else { return [] }
        return [
            finding(
                scene.worst, "pcscd has no driver for USB readers, or its list cannot be read.",
                "libccid drives most of them.",
                mend: [scene.root("apt-get install --reinstall libccid"), scene.restartPCSC])
        ]
    }

    private static func tooOld(_ bundle: ReaderBundle, _ scene: Scene) -> Finding {
        finding(
            scene.worst, "libccid \(bundle.version.escaped) is too old for pcscd \(scene.pcsc.versionWords).",
            "This pcscd runs as a user of its own, to whom only libccid 1.7.0 and newer give the readers.",
            mend: [scene.root("apt-get install --only-upgrade libccid"), scene.restartPCSC])
    }

    private static func driven(_ device: USBDevice, _ scene: Scene) -> Finding? {
        scene.bundles.first { $0.readers[device.identity] != nil }.map {
            ok("\(device.words.escaped) is driven by \($0.package) \($0.version.escaped).")
        }
    }

    private static func unknown(_ device: USBDevice, _ scene: Scene) -> Finding {
        let known = scene.bundles.map { "\($0.package) \($0.version.escaped)" }.joined(separator: ", ")
        // Advanced Card Systems, whose own driver knows all of its readers.
        let package = device.identity.vendor == 0x072F ? "libacsccid1" : "libccid"
        let action = package == "libccid" ? "--only-upgrade libccid" : package
        return finding(
            scene.worst, "\(device.words.escaped) is in no driver's list (\(known)).",
            package == "libccid"
                ? "A newer libccid may know it." : "The maker's driver, acsccid, knows it; so may a newer libccid.",
            mend: [scene.root("apt-get install \(action)"), scene.restartPCSC])
    }
}

/// Whether a driver of the kernel's holds a reader that pcscd wants.
enum ModulesCheck: Check {
    static let name = "modules"

    static func findings(in scene: Scene) -> [Finding] {
        let found = scene.cardReaders.compactMap { held($0, scene) }
        guard found.isEmpty else { return found }
        let loaded = scene.modules.loaded.filter { KernelModules.unwanted.contains($0) }
        guard !loaded.isEmpty else {
            return [
                ok(
                    scene.modules.isSeen
                        ? "No module of the kernel's takes readers away from pcscd."
                        : "The modules of the kernel are not to be seen here; none holds a reader.")
            ]
        }
        return [lurking(loaded, scene)]
    }

    /// A reader whose interface one of the modules has.
    private static func held(_ device: USBDevice, _ scene: Scene) -> Finding? {
        let drivers = device.interfaces.compactMap(\.driver)
        guard let driver = drivers.first(where: { KernelModules.known.contains($0) }) else { return nil }
        return finding(
            scene.worst, "The kernel module \(driver) holds \(device.words.escaped).",
            "pcscd cannot open the reader meanwhile, and does not look again by itself.",
            mend: [unload(scene)] + blacklist(scene) + [
                scene.root("udevadm trigger --action=add /sys/bus/usb/devices/\(device.place)"), scene.restartPCSC,
            ])
    }

    /// They hold no reader that is plugged in; the next one they may.
    private static func lurking(_ loaded: [String], _ scene: Scene) -> Finding {
        let names = loaded.joined(separator: ", ")
        guard !scene.modules.areKeptAway else {
            return finding(
                .note, "The kernel modules \(names) are loaded; the next time they will not be.", mend: [unload(scene)])
        }
        return finding(
            .warning, "The kernel modules \(names) are loaded; they take an ACR122U when it is plugged in.",
            mend: [unload(scene)] + blacklist(scene))
    }

    private static func unload(_ scene: Scene) -> String {
        let loaded = scene.modules.loaded.isEmpty ? KernelModules.unwanted : scene.modules.loaded
        return scene.root("modprobe -r \(loaded.joined(separator: " "))")
    }

    /// udev reads a new file when it is told to; see modprobe.d(5).
    private static func blacklist(_ scene: Scene) -> [String] {
        guard !scene.modules.areKeptAway else { return [] }
        let lines = KernelModules.unwanted.map { "'blacklist \($0)'" }.joined(separator: " ")
        return [
            "printf '%s\\n' \(lines) | \(scene.root("tee /etc/modprobe.d/nfcd.conf"))",
            scene.root("udevadm control --reload"),
        ]
    }
}
