import FoundationEssentials
import Synchronization
import Testing

@Suite struct HygieneTests {
    @Test func `no source file only continues another`() {
        for file in PackageFiles.sources where file.isSwift {
            #expect(file.components.last?.contains("+") == false, "\(file.path)")
        }
    }

    /// Each access would wrap the function in two more, which stay: `inout` of a generic type converts a function in both directions.
    @Test func `no lock holds a bare function`() {
        let bare = #/Mutex<(\(?(@\w+ )*)\([^<>]*\)( async)?( throws)? -> /#
        #expect("Mutex<(@Sendable () -> Void)?>(nil)".contains(bare))
        for file in PackageFiles.sources + PackageFiles.tests where file.components.last != "HygieneTests.swift" {
            let lines = file.text.split(separator: "\n").filter { $0.contains(bare) }
            #expect(lines.isEmpty, "\(file.path): put the function into a struct: \(lines)")
        }
    }

    @Test func `no file names a folder of one machine or one person`() {
        for file in PackageFiles.all {
            let found = PrivatePaths.found(in: file.text, isSource: file.components.first == "Sources")
            #expect(found.isEmpty, "\(file.path): \(found)")
        }
    }

    // The tests' own text must not hold what they look for.
    @Test(arguments: ["home", "root", "work", "Users"])
    func `a private path is found`(folder: String) {
        let path = "/" + folder + "/someone"
        #expect(PrivatePaths.found(in: "let path = \"\(path)/file\"", isSource: false).count == 1)
        #expect(PrivatePaths.found(in: path, isSource: false).count == 1)
        #expect(PrivatePaths.found(in: "first line\n\(path)", isSource: false).count == 1)
    }

    @Test(arguments: [
        "/run/nfcd/nfcd.sock", "/etc/nfcd", "https://example.com/home/page", "../home/file", "$HOME/\("root")/x",
    ])
    func `another path is not`(path: String) {
        #expect(PrivatePaths.found(in: "let path = \"\(path)\"", isSource: true).isEmpty)
    }

    @Test func `sources name no temporary file but the example's`() {
        let folder = "/" + "tmp/"
        #expect(PrivatePaths.found(in: "\(folder)other", isSource: true).count == 1)
        #expect(PrivatePaths.found(in: "\(folder)other", isSource: false).isEmpty)
        #expect(PrivatePaths.found(in: "--socket \(folder)nfcd.sock", isSource: true).isEmpty)
    }
}

/// Absolute paths that exist on one machine only.
private enum PrivatePaths {
    static func found(in text: String, isSource: Bool) -> [String] {
        let anywhere = #/(?:^|[^\w.~\/\-])\/(?:home|root|work|Users)\/[^\s"]*/#.anchorsMatchLineEndings()
        // Help may show a socket for trying nfcd out.
        let inSources = #/(?:^|[^\w.~\/\-])\/tmp\/(?!nfcd\.sock)[^\s"]*/#.anchorsMatchLineEndings()
        let paths = text.matches(of: anywhere).map { String($0.0) }
        return isSource ? paths + text.matches(of: inSources).map { String($0.0) } : paths
    }
}

/// A text file of the package, by its path from the package's root.
struct PackageFile: Sendable {
    let path: String
    let text: String

    /// The code of a Swift file, without comments and literals. It is read for several tests.
    var code: String { CodeCache.shared.code(of: self) }

    /// The parts of the path, such as `Sources`, `NDEF`, `Hex.swift`.
    var components: [Substring] { path.split(separator: "/") }

    var isSwift: Bool { path.hasSuffix(".swift") }
}

/// The code of files, each determined once.
private final class CodeCache: Sendable {
    static let shared = CodeCache()
    private let known = Mutex<[String: String]>([:])

    func code(of file: PackageFile) -> String {
        known.withLock { known in
            if let code = known[file.path] { return code }
            let code = ImportScanner.code(in: file.text)
            known[file.path] = code
            return code
        }
    }
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

    /// The text of a file; nil if it does not exist.
    static func text(of path: String) -> String? { file(path)?.text }

    /// Whether a file or folder exists, by its path from the root.
    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: "\(root)/\(path)") }

    /// The text files at or below a path from the root; what is not text is left out.
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
