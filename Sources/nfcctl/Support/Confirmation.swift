import ArgumentParser
import Dispatch
import NDEF
import NFCClient

/// A question before an operation that cannot be undone.
struct Confirmation: Sendable {
    private let operation: String
    private let warning: String
    private let word: String
    private let option: String

    /// - Parameters:
    ///   - operation: what cannot be undone, for errors: `locking`.
    ///   - warning: what will happen, as a sentence.
    ///   - word: the answer that confirms it.
    ///   - option: the option that confirms it instead.
    init(of operation: String, warning: String, word: String, option: String = "--yes") {
        (self.operation, self.warning, self.word, self.option) = (operation, warning, word, option)
    }

    /// Refuses an operation without the option where standard input is not a terminal, so that nothing can be asked.
    ///
    /// - Parameter isConfirmed: whether the option is given.
    func validate(isGiven isConfirmed: Bool) throws {
        if !isConfirmed, !Terminal.isInput {
            throw ValidationError("\(operation) cannot be undone; confirm it with \(option)")
        }
    }

    /// Shows a tag with its content, asks, and returns whether the answer is yes.
    @Sendable func isGiven(for tag: RemoteTag) async -> Bool {
        Terminal.error(tag.summary)
        for record in ((try? await tag.readNDEF())?.message.records ?? []).enumerated() {
            Terminal.error("  \(record.offset + 1)  \(record.element)")
        }
        return await isGiven()
    }

    /// Asks, and returns whether the answer is yes.
    ///
    /// Ctrl-C during the question cancels the task, which returns false.
    func isGiven() async -> Bool {
        await WordQuestion.line(after: "\(warning) Type \"\(word)\" to continue:") == word
    }
}

/// A question that is answered with one of several words.
struct WordQuestion: Sendable {
    private let text: String
    private let words: [String]

    /// - Parameters:
    ///   - text: what the question is about, in sentences.
    ///   - words: the answers, at least two.
    init(_ text: String, _ words: [String]) { (self.text, self.words) = (text, words) }

    /// Asks, and returns the word; nil for any other answer, and where Ctrl-C cancels the task.
    func answer() async -> String? {
        let choice = words.map { "\"\($0)\"" }.joined(separator: " or ")
        let line = await Self.line(after: "\(text) Type \(choice); anything else writes nothing:")
        return words.first { $0 == line }
    }

    /// The line that is typed after a prompt; nil at the end of the input, and where the task is cancelled.
    fileprivate static func line(after prompt: String) async -> String? {
        Terminal.error(prompt)
        // The thread that waits for a line must not keep Ctrl-C from ending the command.
        let (lines, input) = AsyncStream.makeStream(of: String?.self)
        DispatchQueue(label: "nfcctl.input").async {
            input.yield(readLine())
            input.finish()
        }
        for await line in lines { return line }
        return nil
    }
}
