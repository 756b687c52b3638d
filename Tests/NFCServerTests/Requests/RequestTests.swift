import Testing

@Suite(.serialized, .timeLimit(.minutes(20)))
struct RequestTests {
    private static let notUTF8: [[UInt8]] = [
        [0xFF],
        [0xC3, 0x28],
        line(#"{"jsonrpc":"2.0","id":1,"method":"simulator.list","x":""#, [0xFF]),
        line(#"{"jsonrpc":"2.0","id":1,"method":""#, [0xC3, 0x28]),
        line(#"{"jsonrpc":"2.0","method":"simulator.list","id":""#, [0xED, 0xA0, 0x80]),
        // UTF-16 with its byte order mark.
        [0xFF, 0xFE] + #"{"jsonrpc":"2.0","id":1,"method":"simulator.list"}"#.utf16.flatMap { [UInt8($0), 0] },
    ]

    private static func line(_ start: String, _ text: [UInt8]) -> [UInt8] {
        Array(start.utf8) + text + Array(#""}"#.utf8)
    }

    /// `simulator.list` has the shortest answer.
    private static let list = #""jsonrpc":"2.0","method":"simulator.list""#

    private func answer(to line: String) async throws -> String {
        var answer = ""
        try await withServer { server in answer = try await server.client().ask(line) }
        return answer
    }

    @Test(arguments: [
        (#""""#, #""""#), (#""a\"b/é""#, #""a\"b/é""#), ("0", "0"), ("-7", "-7"),
        ("9223372036854775807", "9223372036854775807"), ("1.5", "1.5"), ("null", "null"),
    ])
    func `the answer has the id of the request`(sent: String, answered: String) async throws {
        let answer = try await answer(to: #"{\#(Self.list),"id":\#(sent)}"#)
        #expect(answer == #"{"id":\#(answered),"jsonrpc":"2.0","result":[]}"#)
    }

    @Test(arguments: ["true", "false", "{}", "[]", "[1]", "1e999", "1234567890123456789012345678901234567"])
    func `an invalid id is answered with null`(id: String) async throws {
        let answer = try JSON(parsing: try await answer(to: #"{\#(Self.list),"id":\#(id)}"#))
        #expect(answer["id"] == nil && answer["error"]["code"] == -32600)
    }

    @Test(arguments: ["\r", " ", "\t", ""])
    func `whitespace around a request is ignored`(blank: String) async throws {
        let answer = try await answer(to: #"\#(blank){\#(Self.list),"id":1}\#(blank)"#)
        #expect(answer == #"{"id":1,"jsonrpc":"2.0","result":[]}"#)
    }

    @Test(arguments: [
        "nonsense", "{", "}", "[", #"{"jsonrpc":"2.0","id":1,"method":"server.info""#, "{} {}", "[{},", "{'a':1}",
        #""x"#,
        "nul", "\u{0}", String(repeating: "[", count: 100_000), String(repeating: #"{"a":"#, count: 100_000),
        #"{"jsonrpc":"2.0","id":1,"method":"simulator.list","params":"#
            + String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000) + "}",
    ])
    func `a line that is not JSON is answered with -32700, and the connection continues`(line: String) async throws {
        try await withServer { server in
            let client = try server.client()
            let answer = try JSON(parsing: try await client.ask(line))
            #expect(answer["error"]["code"] == -32700)
            #expect(answer["id"] == nil)
            #expect(answer["error"]["message"].text?.hasPrefix("the line is not JSON") == true)
            #expect(try await client.call("simulator.list")["result"] == [])
        }
    }

    @Test(arguments: notUTF8)
    func `a line that is not UTF-8 is answered with -32700`(line: [UInt8]) async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(bytes: line + [UInt8(ascii: "\n")])
            let answer = try await client.json()
            #expect(answer["error"]["code"] == -32700 && answer["id"] == nil)
            #expect(try await client.call("simulator.list")["result"] == [])
        }
    }

    @Test(
        arguments: [
            ("1", "null"), ("null", "null"), (#""text""#, "null"), ("true", "null"), ("{}", "null"),
            (#"{"jsonrpc":"2.0"}"#, "null"), (#"{"method":7}"#, "null"),
            (#"{"method":"simulator.list"}"#, nil),
            (#"{"id":7}"#, "7"),
            (#"{"id":7,"method":"simulator.list"}"#, "7"),
            (#"{"jsonrpc":2.0,"id":7,"method":"simulator.list"}"#, "7"),
            (#"{"jsonrpc":"1.0","id":7,"method":"simulator.list"}"#, "7"),
            (#"{"jsonrpc":"2.0","id":7}"#, "7"),
            (#"{"jsonrpc":"2.0","id":7,"method":null}"#, "7"),
            (#"{"jsonrpc":"2.0","id":7,"method":["simulator.list"]}"#, "7"),
        ] as [(String, String?)])
    func `JSON that is not a request is answered with -32600, except a notification`(
        line: String, id: String?
    ) async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(line)
            if let id {
                let answer = try await client.line()
                #expect(try JSON(parsing: answer)["error"]["code"] == -32600)
                #expect(answer.contains(#""id":\#(id),"#))
            }
            #expect(try await client.call("simulator.list")["result"] == [])
        }
    }

    @Test(arguments: ["", "tea.make", "Server.info", "server.info ", "rpc.nothing", "session", "é"])
    func `an unknown method is answered with -32601`(method: String) async throws {
        let answer = try JSON(parsing: try await answer(to: #"{"jsonrpc":"2.0","id":1,"method":"\#(method)"}"#))
        #expect(answer["error"]["code"] == -32601 && answer["id"] == 1)
        #expect(answer["error"]["message"].text?.contains(#""\#(method)""#) == true)
    }

    @Test func `a request without an id is carried out and not answered`() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(#"{"jsonrpc":"2.0","method":"simulator.present","params":{"model":"ntag213"}}"#)
            await client.send(#"{"jsonrpc":"2.0","method":"tea.make"}"#)
            await client.send(#"{"jsonrpc":"2.0","method":"session.begin","params":{"kind":"tea"}}"#)
            #expect(try await client.call("simulator.list")["result"][0]["reader"] == "simulated-0")
        }
    }

    @Test func `an empty line is ignored`() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send("\n\r\n  \n")
            #expect(try await client.call("simulator.list")["result"] == [])
        }
    }
}

@Suite(.serialized, .timeLimit(.minutes(20)))
struct BatchTests {
    private static let list = #""jsonrpc":"2.0","method":"simulator.list""#

    @Test func `valid and invalid requests of a batch are answered in order`() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(
                #"[{\#(Self.list),"id":1},7,{\#(Self.list)},{"jsonrpc":"2.0","id":"x","method":"tea.make"},"#
                    + #"{"jsonrpc":"2.0","id":2,"method":"session.begin","params":{"kind":"ndef","timeout":"5"}},"#
                    + #"null,{\#(Self.list),"id":true},{\#(Self.list),"id":3}]"#)
            let answers = try await client.json()
            #expect(answers[0]["id"] == 1 && answers[0]["result"] == [])
            #expect(answers[1]["id"] == nil && answers[1]["error"]["code"] == -32600)
            #expect(answers[2]["id"] == "x" && answers[2]["error"]["code"] == -32601)
            #expect(answers[3]["id"] == 2 && answers[3]["error"]["code"] == -32602)
            #expect(answers[3]["error"]["data"]["path"] == "params.timeout")
            #expect(answers[4]["id"] == nil && answers[4]["error"]["code"] == -32600)
            #expect(answers[5]["id"] == nil && answers[5]["error"]["code"] == -32600)
            #expect(answers[6]["id"] == 3 && answers[6]["result"] == [])
            #expect(answers[7] == nil)
        }
    }

    @Test func `a batch of one is answered with an array of one`() async throws {
        try await withServer { server in
            let answer = try await server.client().ask(#"[{\#(Self.list),"id":1}]"#)
            #expect(answer == #"[{"id":1,"jsonrpc":"2.0","result":[]}]"#)
        }
    }

    @Test func `an empty batch is answered with one error, not with an array`() async throws {
        try await withServer { server in
            let answer = try JSON(parsing: try await server.client().ask("[]"))
            #expect(answer["error"]["code"] == -32600 && answer["id"] == nil)
        }
    }

    @Test func `a batch of notifications alone is not answered`() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send(#"[{\#(Self.list)},{"jsonrpc":"2.0","method":"tea.make"}]"#)
            #expect(try await client.ask(#"{\#(Self.list),"id":9}"#) == #"{"id":9,"jsonrpc":"2.0","result":[]}"#)
        }
    }

    @Test func `a truncated batch is not JSON, and none of its requests is carried out`() async throws {
        try await withServer { server in
            let client = try server.client()
            let answer = try JSON(
                parsing: try await client.ask(
                    #"[{"jsonrpc":"2.0","id":1,"method":"simulator.present","params":{"model":"ntag213"}},"#))
            #expect(answer["error"]["code"] == -32700)
            #expect(try await client.call("simulator.list")["result"] == [])
        }
    }

    @Test func `a session begun in a batch sends no notification before the answer`() async throws {
        try await withServer { server in
            let client = try server.client()
            let answer = try await client.ask(
                #"[{"jsonrpc":"2.0","id":1,"method":"session.begin","params":{"kind":"ndef"}},{\#(Self.list),"id":2}]"#)
            #expect(
                answer == #"[{"id":1,"jsonrpc":"2.0","result":{"session":"session-1"}},"#
                    + #"{"id":2,"jsonrpc":"2.0","result":[]}]"#)
            #expect(try await client.json()["method"] == "session.didBecomeActive")
        }
    }
}

/// Answers over the length limit of a line.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct LongAnswerTests {
    static let limit = 1_048_576

    @Test func `answers to a batch that no longer fit in the line are replaced by errors`() async throws {
        try await withServer { server in
            let client = try server.client()
            let requests = (0..<100).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"rpc.discover"}"# }
            await client.send("[\(requests.joined(separator: ","))]")
            let line = try await client.line()
            #expect(line.utf8.count <= Self.limit)
            let answers = try JSON(parsing: line)
            let first = try #require((0..<100).first { answers[$0]["error"] != nil })
            #expect(first > 3)
            for index in 0..<100 {
                #expect(answers[index]["id"] == .number(Double(index)))
                #expect(answers[index]["error"]["code"] == (index < first ? nil : 105))
            }
            #expect(answers[first]["error"]["data"]["detail"].text?.hasPrefix("carried out") == true)
            #expect(answers[99]["error"]["data"]["detail"].text?.hasPrefix("not carried out") == true)
            #expect(try await client.call("simulator.list")["result"] == [])
        }
    }

    @Test(arguments: [(100, nil), (101, -32600), (21_000, -32600)] as [(Int, Int?)])
    func `a batch has at most 100 requests`(count: Int, code: Int?) async throws {
        try await withServer { server in
            let client = try server.client()
            let request = #"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#
            await client.send("[\(Array(repeating: request, count: count).joined(separator: ","))]")
            let answer = try await client.json()
            #expect(answer["error"]["code"] == JSON(code))
            if code != nil { #expect(answer["error"]["message"].text?.contains("at most 100 requests") == true) }
            #expect(try await client.call("simulator.list")["result"] == [])
        }
    }

    @Test func `an answer that is too long because of its id is replaced by an error without the id`() async throws {
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
