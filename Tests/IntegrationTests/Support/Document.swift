import Foundation

/// A page of the documentation, and the blocks of code in it.
struct Document {
    private let text: String

    /// - Parameter path: the path in the repository.
    init(_ path: String) throws {
        text = try String(contentsOf: Repository.file(path), encoding: .utf8)
    }

    /// The blocks of a language, in order.
    func blocks(_ language: String) -> [String] {
        text.components(separatedBy: "\n```").enumerated().filter { $0.offset % 2 == 1 }.compactMap { _, block in
            guard block.hasPrefix("\(language)\n") else { return nil }
            return String(block.dropFirst(language.count + 1)) + "\n"
        }
    }

    /// The lines of the shell blocks: every one is run by a test. Blocks without a language are not.
    var commands: [String] {
        blocks("sh").flatMap { $0.split(separator: "\n").map(String.init) }
    }
}
