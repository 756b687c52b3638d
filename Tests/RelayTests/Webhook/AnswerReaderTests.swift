import Testing

@testable import nfcd_relay

@Suite struct AnswerReaderTests {
    private func answer(_ lines: [String], body: [String] = []) throws -> WebhookAnswer? {
        var reader = AnswerReader()
        for line in lines { try reader.take(line: "\(line)\r\n".utf8) }
        for part in body { _ = reader.take(body: Array(part.utf8)) }
        return reader.answer
    }

    @Test(arguments: [
        (["HTTP/1.1 200 OK", ""], 200), (["HTTP/1.0 404 Not Found", ""], 404), (["HTTP/1.1 204", ""], 204),
        (["HTTP/1.1 999 Odd", ""], 999), (["HTTP/1.1 100 Continue", "", "HTTP/1.1 201 Created", "a: b", ""], 201),
    ])
    func `the status is that of the last head`(lines: [String], status: Int) throws {
        #expect(try answer(lines)?.status == UInt(status))
    }

    @Test(arguments: [[], ["HTTP/1.1 200 OK"], ["HTTP/1.1 200 OK", "a: b"], ["HTTP/1.1 103 Hints", ""]])
    func `there is no answer before its head is complete`(lines: [String]) throws {
        #expect(try answer(lines) == nil)
    }

    @Test(arguments: [
        "", "HTTP", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1  200 OK", "HTTP/1.1 000 Zero", "HTTP/1.1 099 Nearly",
        "HTTP/1.1 20 Two",
        "HTTP/1.1 2000 Long", "HTTP/1.1 +20 Sign", "HTTP/1.1 -20 Sign", "HTTP/1.1 0x2 Hex", "HTTP/1.1 ２００ OK",
        "HTTP/1.1 101 Switching Protocols", "HTTP/2 200 OK", "HTTP/0.9 200 OK", "http/1.1 200 OK", "ICY 200 OK",
        "RTSP/1.0 200 OK", "\u{0}",
    ])
    func `a line that is not a status is refused`(line: String) {
        #expect(throws: InvalidAnswer.self) { try answer([line, ""]) }
    }

    @Test(arguments: [(16, true), (17, false), (5_000, false)])
    func `interim answers have a limit`(count: Int, isTaken: Bool) {
        let interim = (0..<count).flatMap { _ in ["HTTP/1.1 103 Early Hints", "link: a", ""] }
        let answer = try? answer(interim + ["HTTP/1.1 200 OK", ""])
        #expect((answer != nil) == isTaken)
    }

    @Test func `the headers that matter are those of the answer, the first of each`() throws {
        let answer = try answer([
            "HTTP/1.1 103 Hints", "Retry-After: 1", "", "HTTP/1.1 503 Busy", "rEtRy-aFtEr:  30", "retry-after: 99",
            "Date: Sun, 06 Nov 1994 08:49:37 GMT", "retry-after-all: 5", "no-colon", "",
        ])
        #expect(answer?.retryAfter == "30")
        #expect(answer?.date == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test func `fields behind the body change nothing`() throws {
        let answer = try answer(["HTTP/1.1 503 Busy", "", "retry-after: 30", "HTTP/1.1 200 OK", ""])
        #expect(answer?.status == 503 && answer?.retryAfter == nil)
    }

    @Test func `of a body only the beginning is kept, and a long one is not wanted`() throws {
        var reader = AnswerReader()
        try reader.take(line: "HTTP/1.1 422 No\r\n".utf8)
        try reader.take(line: "\r\n".utf8)
        let part = [UInt8](repeating: 0x61, count: 1_000)
        let taken = (0..<100).prefix { _ in reader.take(body: part) }.count
        #expect(taken == 65)
        #expect(reader.answer?.text == String(repeating: "a", count: 1_024))
    }
}
