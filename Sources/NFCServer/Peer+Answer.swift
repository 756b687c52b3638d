import FoundationEssentials
import NFCProtocol
import NFCTags

extension Peer {
    /// Sends the answer to a request; in place of one that is longer than a line may be, error 105.
    func answer(_ response: Response) {
        guard let length = sendWithinLimit(response.line) else { return }
        let error = Self.tooLong(length, "the answer")
        // An id may be nearly as long as a line, too.
        if sendWithinLimit(Response.failure(response.id, error).line) != nil {
            answer(Response.failure(.null, error))
        }
    }

    /// Sends the answers to a batch, or in their place error 105.
    func answer(_ responses: [Response]) {
        guard let length = sendWithinLimit({ try Response.line(responses) }) else { return }
        answer(Response.failure(.null, Self.tooLong(length, "the answers to this batch, which was carried out,")))
    }

    /// Sends a line; nothing but its length where it is too long.
    private func sendWithinLimit(_ makeLine: () throws -> Data) -> Int? {
        guard let line = encoded(makeLine) else { return nil }
        guard line.count <= JSONLine.maximumLength + 1 else { return line.count - 1 }
        write(line)
        return nil
    }

    private static func tooLong(_ length: Int, _ what: String) -> RPCError {
        RPCError(
            .packetTooLong, detail: "\(what) would have \(length) bytes; a line has at most \(JSONLine.maximumLength)")
    }
}
