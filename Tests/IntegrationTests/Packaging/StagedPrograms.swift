import Foundation

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
