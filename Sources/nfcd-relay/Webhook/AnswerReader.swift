import NFCTypes

/// An answer that is not HTTP.
struct InvalidAnswer: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ what: String) {
        description = "the receiver's answer is not valid HTTP: \(what); check url, and the program that listens there"
    }
}

/// Reads an answer as it arrives: its status, the headers that matter, and the beginning of its body.
struct AnswerReader: Sendable {
    private enum State {
        /// So many interim answers arrived.
        case waiting(interim: Int)
        /// The status is known, and headers arrive.
        case head(interim: Int)
        case body
    }

    /// A receiver that sends more of them keeps the connection busy (RFC 9110, 15.2: interim answers).
    private static let mostInterim = 16
    /// Of the body.
    private static let mostBytes = 64 * 1024

    private var state = State.waiting(interim: 0)
    private var received = 0
    private var current = WebhookAnswer(status: 0)
    private var beginning: [UInt8] = []
    private let kept: Int

    /// - Parameter kept: the bytes of the body that are kept.
    init(keeping kept: Int = WebhookAnswer.longestText) { self.kept = kept }

    /// The answer; nil before its head is complete.
    var answer: WebhookAnswer? {
        guard case .body = state else { return nil }
        var answer = current
        answer.body = beginning
        answer.text = String(decoding: beginning.prefix(WebhookAnswer.longestText), as: UTF8.self).printable
        return answer
    }

    /// Takes a line of a head, with its end.
    mutating func take(line: some Collection<UInt8>) throws(InvalidAnswer) {
        let text = String(decoding: line, as: UTF8.self).trimmingSuffix { $0 == "\r\n" || $0 == "\n" || $0 == "\r" }
        switch state {
        case .waiting(let interim): try take(status: text, interim)
        case .head(let interim):
            guard text.isEmpty else { return take(field: text) }
            state = current.status < 200 ? .waiting(interim: interim + 1) : .body
        // A field behind the body.
        case .body: return
        }
    }

    /// A version, and a status of three digits, the first of which is not 0 (RFC 9112, 4; RFC 9110, 15).
    private mutating func take(status line: String, _ interim: Int) throws(InvalidAnswer) {
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0", words[1].utf8.count == 3,
            words[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let status = UInt(words[1]), status >= 100
        else { throw InvalidAnswer("it begins with \"\(line.prefix(40).description.printable)\"") }
        guard status != 101 else {
            throw InvalidAnswer("status 101 changes the protocol, which was not asked for")
        }
        guard status >= 200 || interim < Self.mostInterim else {
            throw InvalidAnswer("more than \(Self.mostInterim) interim answers")
        }
        (current, state) = (WebhookAnswer(status: status), .head(interim: interim))
    }

    private mutating func take(field: String) {
        guard let colon = field.firstIndex(of: ":") else { return }
        let value = field[field.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        switch field[..<colon].lowercased() {
        case "retry-after": current.retryAfter = current.retryAfter ?? String(value)
        case "date": current.date = current.date ?? String(value)
        default: return
        }
    }

    /// Takes bytes of the body.
    ///
    /// - Returns: whether more of them are wanted.
    mutating func take(body: some Collection<UInt8>) -> Bool {
        received += body.count
        beginning += body.prefix(kept - beginning.count)
        return received <= Self.mostBytes
    }
}

extension String {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> String {
        guard let last = lastIndex(where: { !isTrimmed($0) }) else { return "" }
        return String(self[...last])
    }
}
