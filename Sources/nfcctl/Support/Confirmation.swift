import Dispatch

/// A question before an operation that cannot be undone.
enum Confirmation {
    /// Prints the question, and returns whether the next line of standard input is the answer.
    ///
    /// Ctrl-C during the question cancels the task, which returns false.
    static func isGiven(_ question: String, answer: String) async -> Bool {
        Terminal.error(question)
        // The thread that waits for a line must not keep Ctrl-C from ending the command.
        let (lines, input) = AsyncStream.makeStream(of: String?.self)
        DispatchQueue(label: "nfcctl.input").async {
            input.yield(readLine())
            input.finish()
        }
        for await line in lines { return line == answer }
        return false
    }
}
