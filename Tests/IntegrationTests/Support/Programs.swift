import Foundation

/// The programs under test, beside the test bundle.
enum Programs {
    static let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path

    static let nfcd = "\(directory)/nfcd"
    static let nfcctl = "\(directory)/nfcctl"
    static let coreNFCPrograms = "\(directory)/corenfc-programs"
    static let strangeCard = "\(directory)/strange-card"

    /// Whether programs of somebody else's are there; says that a test is skipped where one is not.
    static func found(_ names: [String]) async throws -> Bool {
        for name in names where try await run(["sh", "-c", "command -v \(name)"]).status != 0 {
            print("skipped: there is no \(name)")
            return false
        }
        return true
    }
}

/// A folder for a socket, short enough for one, removed in the end.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = "\(NSTemporaryDirectory())nfcd-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A file of this name and content.
    func file(_ name: String, _ content: String) throws -> String {
        try file(name, Array(content.utf8))
    }

    /// A file of this name and content.
    func file(_ name: String, _ content: [UInt8]) throws -> String {
        let path = "\(path)/\(name)"
        try Data(content).write(to: URL(fileURLWithPath: path))
        return path
    }
}

/// The clone that the tests belong to.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func file(_ path: String) -> URL { root.appending(path: path) }

    /// The path of a program in `Scripts`.
    static func script(_ name: String) -> String { file("Scripts/\(name)").path }
}

/// What `make release` makes of the programs to install, made once of those under test.
struct StagedPrograms {
    let scratch: Scratch
    /// The folder with `bin`, `man` and `completions`.
    let path: String

    private static let folder = Repository.file(".build/package-of-tests").path
    /// Whether it could be made; false, and a message, where a program that it takes is missing.
    private static let staging = Task {
        guard try await Programs.found(["strip", "python3", "gzip"]) else { return false }
        let made = try await run([Repository.script("stage"), Programs.directory, folder])
        guard made.status == 0 else { throw TestError("Scripts/stage: \(made.errors)") }
        return true
    }

    init?() async throws {
        guard try await Self.staging.value else { return nil }
        scratch = try Scratch()
        path = Self.folder
    }

    /// The names in one of its folders.
    func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)").sorted()
    }
}

/// Why a test could not be set up.
struct TestError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
