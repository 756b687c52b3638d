import Testing

/// Answers that no line can hold.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct LongAnswerTests {
    static let limit = 1_048_576

    @Test func `the answers to a batch that are too long together are refused`() async throws {
        try await withServer { server in
            let client = try server.client()
            let info = #"{"jsonrpc":"2.0","id":1,"method":"server.info"}"#
            await client.send("[\(Array(repeating: info, count: 8000).joined(separator: ","))]")
            let line = try await client.line()
            #expect(line.utf8.count <= Self.limit)
            let answer = try JSON(parsing: line)
            #expect(answer["error"]["code"] == 105 && answer["id"] == nil)
            #expect(answer["error"]["data"]["detail"].text?.contains("1048576") == true)
            #expect(try await client.call("simulator.list")["result"] == [])
        }
    }

    @Test func `an answer that its id makes too long is refused without it`() async throws {
        try await withServer { server in
            let client = try server.client()
            let start = #"{"jsonrpc":"2.0","method":"server.info","id":""#
            let id = String(repeating: "x", count: Self.limit - start.utf8.count - 2)
            let line = try await client.ask(#"\#(start)\#(id)"}"#)
            #expect(line.utf8.count <= Self.limit)
            #expect(try JSON(parsing: line)["error"]["code"] == 105)
            #expect(try await client.call("simulator.list")["result"] == [])
        }
    }
}
