import FoundationEssentials
import NDEF

/// Inputs to start from, one file for each fuzz target: `Fuzz/Seeds/NAME.txt`.
package enum Seeds {
    /// The lines of a file, without comments; empty where there is no such file.
    package static func lines(_ name: String) -> [String] {
        guard let text = try? String(contentsOfFile: folder + name + ".txt", encoding: .utf8) else { return [] }
        return text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    /// The payloads of a kind, which stand in their file in hexadecimal; nil where a line is something else.
    package static func payloads(_ kind: String) -> [[UInt8]]? {
        let lines = lines(kind)
        let payloads = lines.compactMap { [UInt8](hexadecimal: $0.filter { $0 != " " }) }
        return payloads.count == lines.count && !lines.isEmpty ? payloads : nil
    }

    private static let folder =
        #filePath.split(separator: "/", omittingEmptySubsequences: false)
        .dropLast(3).joined(separator: "/") + "/Fuzz/Seeds/"
}
