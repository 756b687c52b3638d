import FoundationEssentials

extension FuzzTarget {
    /// The input is what a client sends to a running server.
    static let requests = FuzzTarget(name: "requests") { bytes in
        guard let answers = ServerUnderFuzz.shared.answers(to: bytes, last: "the end of the input") else {
            return ["a connection outlives what a client sends, and later requests are answered"]
        }
        return answers.contains { !isAnswer($0) }
            ? ["every line is an answer or a notification, and no fault of nfcd's"] : []
    }

    /// As far as it is looked at. A batch has an answer in an array.
    private struct Line: Decodable {
        struct Failure: Decodable {
            let code: Int
            let message: String
        }

        private enum CodingKeys: String, CodingKey {
            case jsonrpc, id, method, result, error
        }

        let isGood: Bool

        init(from decoder: any Decoder) throws {
            let line = try decoder.container(keyedBy: CodingKeys.self)
            let failure = try line.decodeIfPresent(Failure.self, forKey: .error)
            let kinds = [line.contains(.method), line.contains(.result), line.contains(.error)]
            isGood =
                try line.decode(String.self, forKey: .jsonrpc) == "2.0" && kinds.count { $0 } == 1
                && line.contains(.method) != line.contains(.id) && failure?.code != -32603
        }
    }

    private static func isAnswer(_ line: String) -> Bool {
        let data = Data(line.utf8)
        if let one = try? JSONDecoder().decode(Line.self, from: data) { return one.isGood }
        guard let batch = try? JSONDecoder().decode([Line].self, from: data) else { return false }
        return !batch.isEmpty && batch.allSatisfy(\.isGood)
    }
}
