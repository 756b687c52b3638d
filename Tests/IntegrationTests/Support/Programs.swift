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
