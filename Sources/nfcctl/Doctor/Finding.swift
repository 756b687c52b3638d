import ArgumentParser

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
