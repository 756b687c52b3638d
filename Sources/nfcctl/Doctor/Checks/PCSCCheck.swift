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
