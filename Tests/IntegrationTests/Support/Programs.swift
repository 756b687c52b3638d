import Foundation

/// The programs under test, beside the test bundle.
enum Programs {
    static let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path

    static let nfcd = "\(directory)/nfcd"
    static let nfcctl = "\(directory)/nfcctl"
    static let strangeCard = "\(directory)/strange-card"
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
