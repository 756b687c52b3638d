/// Findings for people: verdict, check, sentence; below it what it means and what mends it.
struct DoctorSheet {
    let look: Look

    /// Where nobody says how wide it is.
    private static let usualWidth = 100
    private static let verdictColumns = 9

    /// The lines of a finding.
    func lines(_ finding: Finding, checkColumns: Int) -> [String] {
        let margin = Self.verdictColumns + checkColumns + 2
        let width = max((look.width ?? Self.usualWidth) - margin, 24)
        let verdict = look.paint(
            TextLines.pad(finding.verdict.rawValue, to: Self.verdictColumns), finding.verdict.colour)
        let head = verdict + TextLines.pad(finding.check, to: checkColumns + 2)
        let space = String(repeating: " ", count: margin)
        let words = TextLines.wrap(finding.summary, to: width)
        let detail = finding.detail.isEmpty ? [] : TextLines.wrap(finding.detail, to: width)
        // A command is one line, however long: it is there to be copied.
        return (words + detail).enumerated().map { ($0 == 0 ? head : space) + $1 }
            + finding.mend.map { "\(space)\(look.paint("$ \($0)", .bold))" }
    }

    /// Everything, the verdict of all last.
    func lines(_ doctor: Doctor) -> [String] {
        let columns = doctor.findings.map(\.check.count).max() ?? 0
        let conclusion = look.paint(doctor.conclusion.summary, doctor.verdict.colour)
        return doctor.findings.flatMap { lines($0, checkColumns: columns) } + ["", conclusion]
    }
}

extension Verdict {
    fileprivate var colour: Look.Colour {
        switch self {
        case .ok: .green
        case .note: .blue
        case .warning: .yellow
        case .problem: .red
        }
    }
}
