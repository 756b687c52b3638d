import NFCServer
import NFCSocketServer
import Testing

/// Requests of a client while one of its commands communicates with a tag.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct ConcurrencyTests {
    @Test func `a running command delays only commands to the same tag`() async throws {
        try await withServer { server in
            let (client, card) = try await TagBench.blocked(server)
            for number in UInt8(1)...3 { await TagBench.send(number, as: "\(number)", to: client) }
            await card.entered()
            #expect(
                try await client.ask(#"{"jsonrpc":"2.0","id":9,"method":"simulator.remove","params":{}}"#)
                    .contains(#""id":9"#))
            #expect(card.sent.count == 1)
            card.release()
            for number in 1...3 { #expect(try await client.json()["id"] == .number(Double(number))) }
            #expect(card.sent == [[0, 0xA4, 0, 0, 1], [0, 0xA4, 0, 0, 2], [0, 0xA4, 0, 0, 3]])
        }
    }

    @Test func `commands of one client reach a tag in their order`() async throws {
        try await withServer { server in
            let (client, card) = try await TagBench.blocked(server)
            for number in UInt8(0)..<200 { await TagBench.send(number, as: "\(number)", to: client) }
            card.release()
            for number in 0..<200 { try #require(try await client.json()["id"] == .number(Double(number))) }
            #expect(card.sent.map { $0[4] } == Array(0..<200))
        }
    }

    @Test func `waiting commands get 103 before didInvalidate when a session ends during a command`() async throws {
        try await withServer { server in
            let (client, card) = try await TagBench.blocked(server)
            for number in UInt8(1)...3 { await TagBench.send(number, as: "\(number)", to: client) }
            await card.entered()
            await client.send(
                #"{"jsonrpc":"2.0","id":9,"method":"session.invalidate","params":{"session":"session-1"}}"#)
            for id in [2.0, 3] {
                let answer = try await client.json()
                #expect(answer["id"] == .number(id) && answer["error"]["code"] == 103)
            }
            #expect(try await client.json()["method"] == "session.didInvalidate")
            #expect(try await client.json()["id"] == 9)
            #expect(try await client.call("simulator.list")["error"] == nil)
            await TagBench.send(4, as: "4", to: client)
            #expect(try await client.json()["error"]["code"] == 103)
            card.release()
            let last = try await client.json()
            #expect(last["id"] == 1 && last["result"]["sw1"] != nil)
            #expect(card.sent.count == 1)
        }
    }

    @Test
    func `when a client disconnects, its running command ends, its waiting ones are dropped and the tag is released`()
        async throws
    {
        try await withServer(readers: 1) { server in
            let (client, card) = try await TagBench.blocked(server)
            let next = try server.client()
            for number in UInt8(1)...3 { await TagBench.send(number, as: "\(number)", to: client) }
            await card.entered()
            _ = try await next.call("session.begin", #"{"kind":"ndef","detection":"tags","whenBusy":"queue"}"#)
            client.disconnect()
            #expect(try await next.json()["method"] == "session.didBecomeActive")
            card.release()
            #expect(try await next.json()["method"] == "session.didDetectTags")
            #expect(card.sent.count { $0.count == 5 && $0[1] == 0xA4 && $0[4] < 4 } == 1)
        }
    }

    @Test func `a client that has shut down sending receives the answer of its pending command`() async throws {
        try await withServer { server in
            let (client, card) = try await TagBench.blocked(server)
            for number in UInt8(1)...3 { await TagBench.send(number, as: "\(number)", to: client) }
            client.finishSending()
            await card.entered()
            card.release()
            for number in 1...3 { #expect(try await client.json()["id"] == .number(Double(number))) }
            #expect(await client.next() == nil)
        }
    }

    @Test func `a batch is answered as a whole when its commands have ended`() async throws {
        try await withServer { server in
            let (client, card) = try await TagBench.blocked(server)
            let command =
                #""jsonrpc":"2.0","method":"iso7816.sendCommand","params":{\#(TagBench.tag),"apdu":"00A40000"}"#
            await client.send(
                #"[{"id":1,\#(command)},{"id":2,"jsonrpc":"2.0","method":"simulator.list"},{"id":3,\#(command)}]"#)
            await card.entered()
            #expect(try await client.call("simulator.list")["error"] == nil)
            card.release()
            let answers = try await client.json()
            for (index, id) in [1.0, 2, 3].enumerated() { #expect(answers[index]["id"] == .number(id)) }
        }
    }

    @Test
    func `at most a thousand requests wait for a tag, further ones wait in the socket, and each is answered once`()
        async throws
    {
        try await withServer { server in
            let (client, card) = try await TagBench.blocked(server)
            let count = 1_500
            let line = #""jsonrpc":"2.0","method":"iso7816.sendCommand","params":{\#(TagBench.tag),"apdu":"00A40000"}}"#
            async let sent = client.send((0..<count).map { #"{"id":\#($0),\#(line)"# }.joined(separator: "\n"))
            await card.entered()
            card.release()
            _ = await sent
            for id in 0..<count { try #require(try await client.json()["id"] == .number(Double(id))) }
            #expect(card.sent.count == count)
        }
    }
}
