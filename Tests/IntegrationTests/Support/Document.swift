import Foundation

/// A page of the documentation, and the blocks of code in it.
struct Document {
    private let text: String

    /// - Parameter path: the path in the repository.
    init(_ path: String) throws {
        text = try String(contentsOf: Repository.file(path), encoding: .utf8)
    }

    private init(text: String) { self.text = text }

    /// The two parts of the page: in front of a heading, and from it on.
    ///
    /// - Throws: if there is no such heading.
    func split(at heading: String) throws -> (Document, Document) {
        guard let place = text.firstRange(of: "\n\(heading)\n") else {
            throw TestError("there is no heading \(heading)")
        }
        return (Document(text: String(text[..<place.lowerBound])), Document(text: String(text[place.lowerBound...])))
    }

    /// The blocks of a language, in order.
    func blocks(_ language: String) -> [String] {
        text.components(separatedBy: "\n```").enumerated().filter { $0.offset % 2 == 1 }.compactMap { _, block in
            guard block.hasPrefix("\(language)\n") else { return nil }
            return String(block.dropFirst(language.count + 1)) + "\n"
        }
    }

    /// The calls of a program in any block and in the text, without those that contain a placeholder such as NAME or `…`.
    func calls(of program: String) -> [String] {
        let inText = text.matches(of: /`((?:sudo )?[a-z][^`\n]*)`/).map { String($0.1) }
        let lines = text.split(separator: "\n").map(String.init)
        return (inText + lines).compactMap { line in
            let command = line.hasPrefix("sudo ") ? line.dropFirst(5) : line[...]
            let plain = command.prefix { $0 != "|" && $0 != ">" && $0 != "#" }
            let hasPlaceholder = plain.contains("…") || plain.contains(/\b[A-Z]{4,}\b/) || plain.contains("/")
            return command.hasPrefix("\(program) ") && !hasPlaceholder ? String(plain) : nil
        }
    }

    /// The lines of the shell blocks: every one is run by a test. Blocks without a language are not. The user of a test's nfcd
    /// may do everything there, so `sudo` before nfcctl is dropped.
    var commands: [String] {
        blocks("sh").flatMap { block in
            block.split(separator: "\n").map { String($0.hasPrefix("sudo nfcctl ") ? $0.dropFirst(5) : $0) }
        }
    }
}
