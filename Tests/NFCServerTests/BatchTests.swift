import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct BatchTests {
    private static let list = #""jsonrpc":"2.0","method":"simulator.list""#

    @Test func `each request of a batch is answered, good and bad, in its order`() async throws {
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

    @Test func `a batch that does not end is no JSON, and nothing of it is carried out`() async throws {
        try await withServer { server in
            let client = try server.client()
            let answer = try JSON(
                parsing: try await client.ask(
                    #"[{"jsonrpc":"2.0","id":1,"method":"simulator.present","params":{"model":"ntag213"}},"#))
            #expect(answer["error"]["code"] == -32700)
            #expect(try await client.call("simulator.list")["result"] == [])
        }
    }

    @Test func `a session begun in a batch tells nothing before the batch is answered`() async throws {
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
