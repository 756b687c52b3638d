import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct CancelTests {
    private func cancelled(_ answer: JSON, _ id: JSON) -> Bool {
        answer["id"] == id && answer["error"]["code"] == -32800 && answer["error"]["message"] == "request cancelled"
    }

    @Test(arguments: [("2", 2 as JSON), (#""two""#, "two")])
    func `a command that waits is taken back, one that runs is not`(id: String, answered: JSON) async throws {
        try await withServer { server in
            let (client, card) = try await TagBench.stuck(server)
            await TagBench.send(1, as: "1", to: client)
            await TagBench.send(2, as: id, to: client)
            await TagBench.send(3, as: "3", to: client)
            await card.entered()
            let cancel = #"{"jsonrpc":"2.0","method":"$/cancelRequest","params""#
            await client.send(#"\#(cancel):{"id":\#(id)}}"#)
            #expect(cancelled(try await client.json(), answered))
            for other in ["1", "7", "null", #""1""#, id] { await client.send(#"\#(cancel):{"id":\#(other)}}"#) }
            let asked = try await client.call("$/cancelRequest", #"{"id":99}"#)
            #expect(asked["result"] == .object([:]))
            card.release()
            #expect(try await client.json()["id"] == 1)
            #expect(try await client.json()["id"] == 3)
            #expect(card.sent.map { $0[4] } == [1, 3])
        }
    }

    @Test func `a number is the same however it is written`() async throws {
        try await withServer { server in
            let (client, card) = try await TagBench.stuck(server)
            await TagBench.send(1, as: "1", to: client)
            await card.entered()
            let huge = "123456789012345678901234567890"
            await TagBench.send(2, as: huge, to: client)
            await client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(huge)}}"#)
            #expect(
                try await client.line()
                    == #"{"error":{"code":-32800,"message":"request cancelled"},"id":\#(huge),"jsonrpc":"2.0"}"#)
            card.release()
            #expect(try await client.json()["id"] == 1)
        }
    }

    @Test func `nobody takes back what another has asked for`() async throws {
        try await withServer { server in
            let (client, card) = try await TagBench.stuck(server)
            for id in ["1", "2"] { await TagBench.send(1, as: id, to: client) }
            await card.entered()
            let other = try server.client()
            _ = try await other.call("$/cancelRequest", #"{"id":2}"#)
            #expect(try await other.call("tag.cancelCommands", "{\(TagBench.tag)}")["error"]["code"] == 103)
            card.release()
            for id in [1.0, 2] {
                let answer = try await client.json()
                #expect(answer["id"] == .number(id) && answer["error"] == nil)
            }
        }
    }

    @Test func `all commands of a tag that wait are taken back`() async throws {
        try await withServer { server in
            let (client, card) = try await TagBench.stuck(server)
            for id in 1...5 { await TagBench.send(UInt8(id), as: "\(id)", to: client) }
            await card.entered()
            await client.send(
                #"{"jsonrpc":"2.0","id":9,"method":"tag.cancelCommands","params":{\#(TagBench.tag)}}"#)
            for id in 2...5 { #expect(cancelled(try await client.json(), .number(Double(id)))) }
            #expect(try await client.line() == #"{"id":9,"jsonrpc":"2.0","result":{"cancelled":4}}"#)
            card.release()
            #expect(try await client.json()["id"] == 1)
            await TagBench.send(6, as: "6", to: client)
            #expect(try await client.json()["id"] == 6)
            #expect(try await client.call("tag.cancelCommands", "{\(TagBench.tag)}")["result"]["cancelled"] == 0)
        }
    }

    @Test(
        arguments: [
            ("0", -32602), ("-1", -32602), ("60.5", -32602), (#""1""#, -32602), ("60", nil), ("0.001", nil),
            ("null", nil),
        ] as [(String, Int?)])
    func `a time limit is more than 0 and at most 60 seconds`(timeout: String, code: Int?) async throws {
        try await withServer { server in
            let client = try await TagBench.connected(server, model: "type4")
            await TagBench.send(1, as: "1", to: client, #","timeout":\#(timeout)"#)
            let answer = try await client.json()
            #expect(answer["error"]["code"] == JSON(code))
            if code != nil { #expect(answer["error"]["data"]["path"] == "params.timeout") }
        }
    }

    @Test func `a command that takes too long gets 102, those behind it 100, and the reader is usable again`()
        async throws
    {
        try await withServer { server in
            let (client, card) = try await TagBench.stuck(server)
            await TagBench.send(1, as: "1", to: client, #","timeout":0.5"#)
            await TagBench.send(2, as: "2", to: client)
            await card.entered()
            await server.readerClock.sleeping(for: .milliseconds(500))
            server.readerClock.advance(by: .milliseconds(500))
            let answers = [try await client.json(), try await client.json()]
            let late = answers.first { $0["id"] == 1 }?["error"]
            #expect(late?["code"] == 102 && late?["data"]["detail"] == "timed out after 0.5 s")
            #expect(answers.first { $0["id"] == 2 }?["error"]["code"] == 100)
            await TagBench.send(3, as: "3", to: client)
            #expect(try await client.json()["error"]["code"] == 100)
            #expect(try await client.call("readers.list")["result"][0]["state"] == "failed")
            card.release()
            var state: JSON = "failed"
            while state == "failed" { state = try await client.call("readers.list")["result"][0]["state"] }
            await client.send(
                #"{"jsonrpc":"2.0","method":"session.restartPolling","params":{"session":"session-1"}}"#)
            #expect(try await client.json()["params"]["tags"][0]["tag"] == "tag-2")
        }
    }
}
