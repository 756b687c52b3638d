import NDEF

/// Whether nfcd understands its configuration.
enum ConfigurationCheck: Check {
    static let name = "configuration"

    static func findings(in scene: Scene) -> [Finding] {
        guard !scene.configurations.isEmpty else { return [ok("There is no configuration file; the defaults hold.")] }
        return scene.configurations.map { finding($0, scene) }
    }

    private static func finding(_ file: ConfigurationFile, _ scene: Scene) -> Finding {
        let path = file.path.escaped
        guard file.canBeRead else {
            return finding(
                .note, "\(path) may not be read by you, so it was not checked.",
                mend: ["sudo nfcd --check --config \(file.path.shellWord)"])
        }
        guard let answer = file.answer else {
            return finding(
                .note, "\(path) was not checked: nfcd was not found, or did not answer.",
                mend: ["nfcd --check --config \(file.path.shellWord)"])
        }
        if answer.status == 0 { return ok("\(path) is right.") }
        return finding(
            scene.worst, "\(path) has a mistake; nfcd does not start with it.", words(answer.output),
            mend: [
                scene.root("${EDITOR:-nano} \(file.path.shellWord)"),
                "nfcd --check --config \(file.path.shellWord)", scene.starting.command,
            ],
            code: .configuration)
    }

    /// What nfcd said, without its name and on one line.
    private static func words(_ output: String) -> String {
        let lines = output.split { $0.isNewline }.prefix(4).map { line in
            line.hasPrefix("nfcd: ") ? line.dropFirst(6) : line[...]
        }
        return lines.joined(separator: "; ").escaped
    }
}
