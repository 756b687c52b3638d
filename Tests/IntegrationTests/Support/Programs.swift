import Foundation

/// The programs under test, in the directory of the test bundle.
enum Programs {
    static let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path

    static let nfcd = "\(directory)/nfcd"
    static let nfcctl = "\(directory)/nfcctl"
    static let relay = "\(directory)/nfcd-relay"
    static let fido = "\(directory)/nfcd-fido"
    static let web = "\(directory)/nfcd-web"
    static let desktop = "\(directory)/nfcd-desktop"
    static let coreNFCPrograms = "\(directory)/corenfc-programs"
    static let strangeCard = "\(directory)/strange-card"
    static let tagPile = "\(directory)/tag-pile"

    /// Whether programs are installed; prints that the test is skipped if one is missing.
    static func found(_ names: [String]) async throws -> Bool {
        for name in names where try await run(["sh", "-c", "command -v \(name)"]).status != 0 {
            print("skipped: there is no \(name)")
            return false
        }
        return true
    }
}

/// A temporary directory with a path that is short enough for a socket.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = "\(NSTemporaryDirectory())nfcd-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Creates a file and returns its path.
    func file(_ name: String, _ content: String) throws -> String {
        try file(name, Array(content.utf8))
    }

    /// Creates a file and returns its path.
    func file(_ name: String, _ content: [UInt8]) throws -> String {
        let path = "\(path)/\(name)"
        try Data(content).write(to: URL(fileURLWithPath: path))
        return path
    }
}

/// The repository of the tests.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func file(_ path: String) -> URL { root.appending(path: path) }

    /// The path of a script, such as `products/deb`.
    static func script(_ name: String) -> String { file("Scripts/\(name)").path }
}

/// The results of `Scripts/products/stage` for the programs under test, created once.
struct StagedPrograms {
    let scratch: Scratch
    /// The directory with `bin`, `man` and `completions`.
    let path: String

    private static let folder = Repository.file(".build/package-of-tests").path
    /// Whether the files were created; false if a required program is missing.
    private static let staging = Task {
        guard try await Programs.found(["strip", "python3", "gzip"]) else { return false }
        let made = try await run([Repository.script("products/stage"), Programs.directory, folder])
        guard made.status == 0 else { throw TestError("Scripts/products/stage: \(made.errors)") }
        return true
    }

    init?() async throws {
        guard try await Self.staging.value else { return nil }
        scratch = try Scratch()
        path = Self.folder
    }

    /// The names in a subdirectory.
    func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)").sorted()
    }
}

/// The reason why a test could not be set up.
struct TestError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
