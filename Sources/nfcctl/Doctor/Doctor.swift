import ArgumentParser

/// Runs all checks and summarizes their findings.
struct Doctor {
    /// The checks, from the daemon down to the hardware.
    private static var checks: [any Check.Type] {
        [
            DaemonCheck.self, SocketCheck.self, ServiceCheck.self, ConfigurationCheck.self, KeysCheck.self,
            PCSCCheck.self,
            DriverCheck.self, ModulesCheck.self, ReadersCheck.self, ProgramsCheck.self, EscapeCheck.self,
            SlotCheck.self,
            PowerCheck.self, ClockCheck.self, JournalCheck.self, RelayCheck.self, SecurityKeyCheck.self, WebCheck.self,
            DesktopCheck.self, ContainerCheck.self,
        ]
    }

    /// The checks in a container for clients: everything else is outside.
    private static var clientChecks: [any Check.Type] { [DaemonCheck.self, ContainerCheck.self] }

    /// The checks of what the system has to have, whether nfcd runs or not.
    private static var prerequisites: [any Check.Type] { [PCSCCheck.self, DriverCheck.self, ModulesCheck.self] }

    let findings: [Finding]

    /// - Parameter onlyPrerequisites: whether only pcscd, drivers and kernel modules are checked.
    init(_ snapshot: SystemSnapshot, onlyPrerequisites: Bool = false) {
        var shown: Set<String> = []
        let complete = snapshot.isClientContainer ? Self.clientChecks : Self.checks
        let checks = onlyPrerequisites ? Self.prerequisites : complete
        // The same advice once: the first finding with it is closest to the cause.
        findings = checks.flatMap { $0.findings(in: snapshot) }.map { finding in
            let isKnown = finding.fix.allSatisfy { shown.contains($0) }
            shown.formUnion(finding.fix)
            return isKnown ? finding.with(fix: []) : finding
        }
    }

    /// The worst verdict of all findings.
    var verdict: Verdict { findings.map(\.verdict).max() ?? .ok }

    /// Success if nothing prevents NFC from working. Otherwise the exit code of the most likely root cause: an invalid
    /// configuration or a missing permission can cause an unavailable daemon or reader, but not vice versa.
    var code: ExitCode {
        let codes = findings.filter { $0.verdict == .problem }.map(\.code)
        let causes: [ExitCode] = [.configuration, .notPermitted]
        return causes.first { codes.contains($0) } ?? codes.first ?? .success
    }

    /// The exit code as a number.
    var status: Int32 { code.rawValue }

    /// The overall verdict, as a finding.
    var conclusion: Finding {
        Finding(check: "all", verdict: verdict, summary: summary, detail: "", fix: [], code: code)
    }

    private var summary: String {
        let counts = [Verdict.problem, .warning, .note].compactMap { verdict -> String? in
            let count = findings.count { $0.verdict == verdict }
            return count == 0 ? nil : "\(count) \(verdict.rawValue)\(count == 1 ? "" : "s")"
        }
        let state = code == .success ? "Nothing prevents NFC from working" : "NFC will not work until this is fixed"
        return counts.isEmpty ? "\(state)." : "\(state): \(counts.joined(separator: ", "))."
    }
}

/// The severity of a finding.
enum Verdict: String, Encodable, Sendable, CaseIterable {
    /// Everything is as it should be.
    case ok
    /// Useful to know.
    case note
    /// NFC works, but something may interfere with it.
    case warning
    /// NFC will not work until this is fixed.
    case problem
}

extension Verdict: Comparable {
    static func < (one: Verdict, other: Verdict) -> Bool {
        (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
    }
}

/// The result of a check. Its JSON form `{"check":…,"verdict":…,"summary":…,"detail":…,"fix":[…]}` is a fixed interface.
struct Finding: Sendable, Encodable {
    /// The name of the check.
    let check: String
    let verdict: Verdict
    /// One sentence.
    let summary: String
    /// The explanation; may be empty.
    let detail: String
    /// The commands that fix the problem, in order.
    let fix: [String]
    /// The exit code of nfcctl if this is a problem.
    var code = ExitCode.unavailable

    private enum CodingKeys: String, CodingKey {
        case check, verdict, summary, detail, fix
    }

    /// The same finding with other commands.
    fileprivate func with(fix: [String]) -> Finding {
        Finding(check: check, verdict: verdict, summary: summary, detail: detail, fix: fix, code: code)
    }
}

/// A check of one aspect of the system. Its findings depend only on the snapshot.
protocol Check {
    /// The name that is shown in the output.
    static var name: String { get }

    static func findings(in snapshot: SystemSnapshot) -> [Finding]
}

extension Check {
    static func ok(_ summary: String, _ detail: String = "") -> Finding {
        finding(.ok, summary, detail, fix: [])
    }

    static func finding(
        _ verdict: Verdict, _ summary: String, _ detail: String = "", fix: [String],
        code: ExitCode = .unavailable
    ) -> Finding {
        Finding(check: name, verdict: verdict, summary: summary, detail: detail, fix: fix, code: code)
    }
}
