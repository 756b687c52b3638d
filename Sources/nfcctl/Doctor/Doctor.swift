import ArgumentParser

/// All checks, and what comes out of them together.
struct Doctor {
    /// In the order in which NFC depends on them.
    private static var checks: [any Check.Type] {
        [
            DaemonCheck.self, SocketCheck.self, ServiceCheck.self, ConfigurationCheck.self, PCSCCheck.self,
            DriverCheck.self, ModulesCheck.self, ReadersCheck.self, ProgramsCheck.self, EscapeCheck.self,
            SlotCheck.self,
            PowerCheck.self, ClockCheck.self,
        ]
    }

    let findings: [Finding]

    init(_ scene: Scene) {
        findings = Self.checks.flatMap { $0.findings(in: scene) }
    }

    /// The worst there is.
    var verdict: Verdict { findings.map(\.verdict).max() ?? .ok }

    /// 0 where nothing stops NFC; else that of the problem that is behind the others: what is wrong in the configuration or
    /// not permitted leaves no daemon or no reader, not the other way round.
    var code: ExitCode {
        let codes = findings.filter { $0.verdict == .problem }.map(\.code)
        let causes: [ExitCode] = [.configuration, .notPermitted]
        return causes.first { codes.contains($0) } ?? codes.first ?? .success
    }

    /// What nfcctl ends with.
    var status: Int32 { code.rawValue }

    /// The verdict of all, as a finding of its own.
    var conclusion: Finding {
        Finding(check: "all", verdict: verdict, summary: words, detail: "", mend: [], code: code)
    }

    private var words: String {
        let counts = [Verdict.problem, .warning, .note].compactMap { verdict -> String? in
            let count = findings.count { $0.verdict == verdict }
            return count == 0 ? nil : "\(count) \(verdict.rawValue)\(count == 1 ? "" : "s")"
        }
        let state = code == .success ? "Nothing stops NFC from working" : "NFC does not work until this is mended"
        return counts.isEmpty ? "\(state)." : "\(state): \(counts.joined(separator: ", "))."
    }
}

/// How bad it is.
enum Verdict: String, Encodable, Sendable, CaseIterable {
    /// As it should be.
    case ok
    /// Good to know.
    case note
    /// NFC works, or would, but something may get in its way.
    case warning
    /// NFC does not work until this is mended.
    case problem
}

extension Verdict: Comparable {
    static func < (one: Verdict, other: Verdict) -> Bool {
        (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
    }
}

/// What a check found; as JSON `{"check":…,"verdict":…,"summary":…,"detail":…,"mend":[…]}`, a fixed interface.
struct Finding: Sendable, Encodable {
    /// What was looked at.
    let check: String
    let verdict: Verdict
    /// One sentence.
    let summary: String
    /// What it means, where that has to be said.
    let detail: String
    /// The commands that mend it, in their order.
    let mend: [String]
    /// What nfcctl ends with, where this is a problem.
    var code = ExitCode.unavailable

    private enum CodingKeys: String, CodingKey {
        case check, verdict, summary, detail, mend
    }
}

/// Looks at one thing. What it finds depends on the scene and on nothing else.
protocol Check {
    /// The name in the first column, and in JSON.
    static var name: String { get }

    static func findings(in scene: Scene) -> [Finding]
}

extension Check {
    static func ok(_ summary: String, _ detail: String = "") -> Finding {
        finding(.ok, summary, detail, mend: [])
    }

    static func finding(
        _ verdict: Verdict, _ summary: String, _ detail: String = "", mend: [String],
        code: ExitCode = .unavailable
    ) -> Finding {
        Finding(check: name, verdict: verdict, summary: summary, detail: detail, mend: mend, code: code)
    }
}
