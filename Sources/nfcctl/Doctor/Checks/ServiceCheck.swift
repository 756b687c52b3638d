import ArgumentParser

/// What systemd makes of nfcd's units.
enum ServiceCheck: Check {
    static let name = "service"

    static func findings(in scene: Scene) -> [Finding] {
        let units = scene.units
        guard units.isBooted else { return [ok("systemd does not run here; nfcd is started by hand.")] }
        guard units.installed.contains("nfcd.socket") || units.installed.contains("nfcd.service") else {
            return [
                finding(
                    scene.works ? .note : .warning, "systemd has no units of nfcd's.",
                    "They come with the package, or with make install.", mend: [scene.root("systemctl daemon-reload")])
            ]
        }
        let found = ["nfcd.socket", "nfcd.service"].compactMap { name in
            units.states[name].flatMap { finding(name, $0, scene) }
        }
        return found.isEmpty ? [ok("systemd has nfcd's units, and none has failed.")] : found
    }

    private static func finding(_ unit: String, _ state: ServiceUnits.State, _ scene: Scene) -> Finding? {
        if state.load == "masked" || state.file == "masked" {
            return finding(
                scene.worst, "\(unit) is masked: systemd will not start it.",
                mend: [scene.root("systemctl unmask \(unit)"), scene.root("systemctl enable --now \(unit)")])
        }
        if state.active == "failed" { return failed(unit, state, scene) }
        guard unit == "nfcd.socket", state.file == "disabled" else { return nil }
        return finding(
            scene.works ? .note : .warning, "nfcd.socket is not enabled: nfcd is not there after the next start.",
            mend: [scene.root("systemctl enable --now nfcd.socket")])
    }

    private static func failed(_ unit: String, _ state: ServiceUnits.State, _ scene: Scene) -> Finding {
        // nfcd's own exit status for a mistake in the configuration.
        let isConfiguration = state.exitStatus == "78"
        let status = state.exitStatus.isEmpty || state.exitStatus == "0" ? "" : ", exit status \(state.exitStatus)"
        return finding(
            scene.worst, "\(unit) has failed (\(state.result)\(status)).",
            isConfiguration
                ? "The status means a mistake in /etc/nfcd/nfcd.toml." : "Its last words are in the journal.",
            mend: [
                scene.root("journalctl --unit nfcd --boot --lines 20"),
                scene.root("systemctl reset-failed nfcd.socket nfcd.service"),
                scene.root("systemctl restart nfcd.socket"),
            ],
            code: isConfiguration ? .configuration : .unavailable)
    }
}
