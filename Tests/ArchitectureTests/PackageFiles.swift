import FoundationEssentials

/// A text file of the package, by its path from the package's root.
struct PackageFile: Sendable {
    let path: String
    let text: String

    /// The parts of the path, such as `Sources`, `NDEF`, `Hex.swift`.
    var components: [Substring] { path.split(separator: "/") }

    var isSwift: Bool { path.hasSuffix(".swift") }
}

/// Reads the files of the package that this test belongs to.
enum PackageFiles {
    /// The package's root, three steps above this file.
    static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    static let sources = files(in: "Sources")
    static let tests = files(in: "Tests")

    /// Everything that is kept of the package: all but what is built, and what git keeps for itself.
    static let all: [PackageFile] = names(in: root).flatMap { name in
        let isKept =
            ![".build", ".fuzz"].contains { name.hasPrefix($0) } && name != ".git" && name != "Package.resolved"
        return isKept ? files(in: name) : []
    }

    /// The names of the folders in `Sources`.
    static let targets: [String] = names(in: "\(root)/Sources").filter { isFolder("\(root)/Sources/\($0)") }

    /// The text files at or below a path from the root; what is no text is left out.
    private static func files(in path: String) -> [PackageFile] {
        guard isFolder("\(root)/\(path)") else { return [file(path)].compactMap(\.self) }
        let below = (try? FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(path)")) ?? []
        return below.sorted().compactMap { file("\(path)/\($0)") }
    }

    private static func file(_ path: String) -> PackageFile? {
        guard let text = try? String(contentsOfFile: "\(root)/\(path)", encoding: .utf8) else { return nil }
        return PackageFile(path: path, text: text)
    }

    private static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }
}
