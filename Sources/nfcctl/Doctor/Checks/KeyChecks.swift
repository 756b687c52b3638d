import NFCTypes

/// Checks the file with the keys of tags: who can read it, and what nfcd says about it. The file itself is not read.
enum KeysCheck: Check {
    static let name = "keys"

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        let open = snapshot.keyFiles.filter(\.isOpenToOthers).map { opened($0, snapshot) }
        let reported = snapshot.configurations.flatMap { reports($0, snapshot) }
        let found = open + reported
        guard found.isEmpty, let file = snapshot.keyFiles.first else { return found }
        return [ok("\(file.path.printable) was not checked: only its owner may read it.")]
    }

    private static func opened(_ file: KeyFileState, _ snapshot: SystemSnapshot) -> Finding {
        let command = "chmod 600 \(file.path.shellQuoted)"
        return finding(
            .warning, "\(file.path.printable) can be read or written by other users.",
            "Who has a key can imitate every tag. If others could read it, give the tags new keys (nfcctl keys rotate).",
            fix: [file.owner == snapshot.host.user ? command : snapshot.asRoot(command)], code: .configuration)
    }

    /// What nfcd says of the keys beside a configuration: an error, or a summary and warnings.
    private static func reports(_ file: CheckedConfiguration, _ snapshot: SystemSnapshot) -> [Finding] {
        guard let report = file.keyReport else { return [] }
        if let error = report.error {
            return [
                finding(
                    snapshot.severity, "The keys of tags are invalid; nfcd does not start with them.", error.printable,
                    fix: [snapshot.asRoot("nfcctl keys check")] + snapshot.restartDaemon, code: .configuration)
            ]
        }
        guard report.warnings.isEmpty else {
            return [
                finding(
                    .warning, "A key of tags proves nothing.", report.warnings.joined(separator: "; ").printable,
                    fix: [snapshot.asRoot("nfcctl keys list")])
            ]
        }
        return report.summary.map { [ok("\($0.printable).")] } ?? []
    }
}

/// A key file in a usual place.
struct KeyFileState: Sendable {
    let path: String
    /// The user that it belongs to.
    let owner: UInt32
    /// Whether other users may read or write it.
    let isOpenToOthers: Bool

    /// The files that exist: the system's, and the user's.
    static func all(_ files: any SystemFiles, _ host: Host) -> [KeyFileState] {
        let home = host.environment["HOME"].map { "\($0)/.config" }
        let own = host.environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home
        let paths = ["/etc/nfcd/keys.toml"] + (own.map { ["\($0)/nfcd/keys.toml"] } ?? [])
        return paths.compactMap { path in
            files.attributes(path).map {
                KeyFileState(path: path, owner: $0.user, isOpenToOthers: $0.mode & 0o077 != 0)
            }
        }
    }
}

/// What `nfcd --check` printed about keys.
struct KeyReport: Sendable, Equatable {
    /// The error, without the name of the program; nil if there is none that is about keys.
    var error: String?
    /// How many keys and profiles there are.
    var summary: String?
    /// Keys that prove nothing.
    var warnings: [String] = []
}

extension CheckedConfiguration {
    private static let warning = "warning: key "

    /// Nil if nfcd was not asked, or has no keys, or may not read them.
    var keyReport: KeyReport? {
        guard let result = checkResult else { return nil }
        let lines = result.output.split { $0.isNewline }.map(String.init)
        guard result.status == 0 else {
            guard let error = keyError, !isKeyFileClosed else { return nil }
            return KeyReport(error: error)
        }
        let summary = lines.first { $0.wholeMatch(of: /.+: [0-9]+ keys?, [0-9]+ profiles?/) != nil }
        let warnings = lines.filter { $0.hasPrefix(Self.warning) }.map { String($0.dropFirst("warning: ".count)) }
        return summary == nil ? nil : KeyReport(summary: summary, warnings: warnings)
    }

    /// Whether the error of nfcd is that this user may not read the keys, or has no credentials of the unit; or that others may read
    /// them, which is reported as such, and does not keep nfcd from starting where systemd reads the file.
    var isKeyFileClosed: Bool {
        guard let error = keyError else { return false }
        let reasons = ["cannot be read: Permission denied", "systemd passed no credentials", "run chmod 600"]
        return reasons.contains { error.contains($0) }
    }

    /// The first line of an error that is not about this file.
    private var keyError: String? {
        guard let result = checkResult, result.status != 0 else { return nil }
        let line = result.output.prefix { !$0.isNewline }
        let text = line.hasPrefix("nfcd: ") ? line.dropFirst(6) : line
        let isAboutKeys = text.contains("keys.toml:") || text.contains("key[") || text.contains("profile")
        return text.hasPrefix("\(path):") || !isAboutKeys ? nil : String(text)
    }

    /// Whether an error is about the keys only, so that the configuration is valid.
    var isFaultOfKeys: Bool { keyError != nil }

    /// The warnings of nfcd that are not about keys.
    var warnings: [String] {
        let lines = (checkResult?.output ?? "").split { $0.isNewline }.map(String.init)
        return lines.filter { $0.hasPrefix("warning: ") && !$0.hasPrefix(Self.warning) }.map { String($0.dropFirst(9)) }
    }
}
