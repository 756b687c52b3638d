import Foundation
import TestSupport

/// A row of spools.jsonl about a tag without NDEF: a dump, and what another program reads there.
struct SpoolVector: Sendable, CustomStringConvertible {
    let id: String
    let kind: String
    let dump: [UInt8]
    let signature: String?
    let warnings: Int
    /// The fields as numbers and as texts, by their names; others are left out.
    let numbers: [String: Double]
    let texts: [String: String]
    let lists: [String: [String]]

    static let path: String = {
        if let folder = ProcessInfo.processInfo.environment["NFCD_VECTORS"] { return folder + "/spools.jsonl" }
        let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let places = ["../shared", "../../shared", "../../../shared"].map {
            root.appending(path: $0 + "/vectors/spools.jsonl").standardizedFileURL.path
        }
        return places.first(where: FileManager.default.isReadableFile(atPath:)) ?? places[0]
    }()

    static let isAvailable = FileManager.default.isReadableFile(atPath: path)

    /// The rows of a kind; none where the file is missing.
    static func rows(_ kind: String) -> [SpoolVector] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").compactMap { SpoolVector(json: String($0)) }.filter { $0.kind == kind }
    }

    private init?(json: String) {
        guard let row = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any],
            let id = row["id"] as? String, let kind = row["kind"] as? String, kind.hasSuffix(".dump"),
            let given = row["given"] as? [String: Any], let dump = given["dump"] as? String,
            let expect = row["expect"] as? [String: Any]
        else { return nil }
        (self.id, self.kind) = (id, kind)
        self.dump = hex(dump)
        signature = expect["signature"] as? String
        warnings = (expect["warnings"] as? [Any])?.count ?? 0
        let fields = expect["raw"] as? [String: Any] ?? expect
        numbers = fields.compactMapValues { ($0 as? NSNumber)?.doubleValue }
        texts = fields.compactMapValues { $0 as? String }
        lists = fields.compactMapValues { $0 as? [String] }
    }

    var description: String { id }
}
