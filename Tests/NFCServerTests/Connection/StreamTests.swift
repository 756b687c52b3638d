import Testing

@Suite(.serialized, .timeLimit(.minutes(20)))
struct StreamTests {
    private static let limit = 1_048_576
    private static let list = #""jsonrpc":"2.0","method":"simulator.list""#

    private func request(_ id: Int) -> String { #"{\#(Self.list),"id":\#(id)}"# }
    private func answer(_ id: Int) -> String { #"{"id":\#(id),"jsonrpc":"2.0","result":[]}"# }

    @Test func `ten thousand requests at once are answered in order`() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send((0..<10_000).map(request).joined(separator: "\n"))
            for id in 0..<10_000 { try #require(try await client.line() == answer(id)) }
        }
    }

    @Test(arguments: [1, 7, 30])
    func `a request may arrive in pieces`(size: Int) async throws {
        try await withServer { server in
            let client = try server.client()
            var rest = Array("\(request(1))\n\(request(2))\n".utf8)[...]
            while !rest.isEmpty {
                await client.send(bytes: Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            #expect(try await client.line() == answer(1))
            #expect(try await client.line() == answer(2))
        }
    }

    @Test func `a client that stops in the middle of a line delays no other client`() async throws {
        try await withServer { server in
            let (stalled, other) = (try server.client(), try server.client())
            let (first, rest) = (request(1).prefix(20), request(1).dropFirst(20))
            await stalled.send(bytes: Array(first.utf8))
            for id in 0..<10 { #expect(try await other.ask(request(id)) == answer(id)) }
            #expect(try await stalled.ask(String(rest)) == answer(1))
        }
    }

    @Test func `a line of one mebibyte is accepted`() async throws {
        try await withServer { server in
            let client = try server.client()
            let blanks = String(repeating: " ", count: Self.limit - request(1).utf8.count)
            #expect(try await client.ask(request(1) + blanks) == answer(1))
            await client.send(request(1) + blanks + " ")
            #expect(try await client.json()["error"]["code"] == -32600)
            #expect(await client.next() == nil)
        }
    }

    @Test func `a line over the limit is answered with an error and ends only its connection`() async throws {
        try await withServer { server in
            let (client, other) = (try server.client(), try server.client())
            #expect(try await client.ask(request(1)) == answer(1))
            await client.send(String(repeating: "x", count: 2 * Self.limit) + "\n" + request(2))
            let error = try await client.json()
            #expect(error["error"]["code"] == -32600 && error["id"] == nil)
            #expect(error["error"]["message"].text?.contains("1048576 bytes") == true)
            #expect(await client.next() == nil)
            #expect(try await other.ask(request(3)) == answer(3))
        }
    }

    @Test func `a line without an end is answered with an error and ends only its connection`() async throws {
        try await withServer { server in
            let (client, other) = (try server.client(), try server.client())
            let piece = [UInt8](repeating: UInt8(ascii: "["), count: 65_536)
            var pieces = 0
            while await client.send(bytes: piece) {
                pieces += 1
                if pieces % 64 == 1 { #expect(try await other.ask(request(pieces)) == answer(pieces)) }
            }
            #expect(pieces >= 16)
            #expect(try await client.json()["error"]["code"] == -32600)
            #expect(await client.next() == nil)
            #expect(try await other.ask(request(0)) == answer(0))
        }
    }

    @Test func `an unterminated line at the end of a connection is not carried out`() async throws {
        try await withServer { server in
            let (client, other) = (try server.client(), try server.client())
            _ = try await client.call("session.begin", #"{"kind":"ndef"}"#)
            _ = try await other.call("session.begin", #"{"kind":"ndef","whenBusy":"queue"}"#)
            await client.send(
                bytes: Array(#"{"jsonrpc":"2.0","method":"simulator.present","params":{"model":"ntag213"}}"#.utf8))
            client.disconnect()
            #expect(try await other.json()["method"] == "session.didBecomeActive")
            #expect(try await other.ask(request(1)) == answer(1))
        }
    }

    @Test func `a client that has shut down sending receives its answers before the connection ends`() async throws {
        try await withServer { server in
            for id in 0..<20 {
                let client = try server.client()
                await client.send(request(id))
                client.finishSending()
                #expect(await client.next() == answer(id))
                #expect(await client.next() == nil)
            }
        }
    }

    @Test func `many clients are served concurrently`() async throws {
        try await withServer { server in
            let clients = try (0..<100).map { _ in try server.client() }
            for (id, client) in clients.enumerated() { await client.send(request(id)) }
            for (id, client) in clients.enumerated().reversed() { #expect(try await client.line() == answer(id)) }
        }
    }
}

/// Unusual input from clients.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct UnusualInputTests {
    @Test(arguments: [
        ("9223372036854775808", "9223372036854775808"), ("-9223372036854775809", "-9223372036854775809"),
        ("18446744073709551616", "18446744073709551616"),
        ("123456789012345678901234567890", "123456789012345678901234567890"), ("1.0", "1"), ("-0", "0"), ("1e2", "100"),
        ("1.50", "1.5"), ("-1.5E-3", "-0.0015"),
    ])
    func `a numeric id is returned with its exact value`(id: String, answered: String) async throws {
        try await withServer { server in
            let client = try server.client()
            let request = #"{"jsonrpc":"2.0","method":"simulator.list","id":\#(id)}"#
            let answer = #"{"id":\#(answered),"jsonrpc":"2.0","result":[]}"#
            #expect(try await client.ask(request) == answer)
            #expect(try await client.ask("[7,\(request)]").hasSuffix(",\(answer)]"))
        }
    }

    @Test(
        arguments: [
            ("", 105, nil), ("0", -32602, "params.apdu"), ("00A40", -32602, "params.apdu"),
            ("00A4040G", -32602, "params.apdu"), ("00A404", 105, nil),
            (String(repeating: "00", count: 70_000), 105, nil),
            ("00A40400" + String(repeating: "00", count: 257), nil, nil),
            ("00a40000", nil, nil),
        ] as [(String, Int?, String?)])
    func `an APDU of any length is answered`(apdu: String, code: Int?, path: String?) async throws {
        try await withServer { server in
            let client = try await TagBench.connected(server, model: "type4")
            let answer = try await client.call("iso7816.sendCommand", #"{\#(TagBench.tag),"apdu":"\#(apdu)"}"#)
            #expect(answer["error"]["code"] == JSON(code))
            if let path { #expect(answer["error"]["data"]["path"] == .string(path)) }
            #expect(
                try await client.call("iso7816.sendCommand", #"{\#(TagBench.tag),"apdu":"00A40000"}"#)["error"] == nil)
        }
    }

    @Test func `a thousand clients connect and disconnect, with and without a request`() async throws {
        try await withServer { server in
            let request =
                #"{"jsonrpc":"2.0","id":1,"method":"session.begin","params":{"kind":"ndef","whenBusy":"queue"}}"#
            for number in 0..<1_000 {
                let client = try server.client(reads: false)
                if number % 3 > 0 { await client.send(bytes: Array((number % 3 == 1 ? request : request + "\n").utf8)) }
                client.disconnect()
            }
            // Until the daemon has noticed that they are gone, there may be too many connections.
            var client = try server.client()
            await client.send(request)
            while try await client.json()["error"]["code"] == 203 {
                client = try server.client()
                await client.send(request)
            }
            #expect(try await client.json()["method"] == "session.didBecomeActive")
        }
    }

    @Test(arguments: [
        ("session.connect", TagBench.tag), ("session.restartPolling", #""session":"session-1""#),
        ("tag.readNDEF", TagBench.tag), ("tag.cancelCommands", TagBench.tag),
        ("iso7816.sendCommand", #"\#(TagBench.tag),"apdu":"00A40000""#),
    ])
    func `a session that has ended or belongs to another client accepts no requests`(method: String, members: String)
        async throws
    {
        try await withServer { server in
            let (client, other) = (try await TagBench.connected(server, model: "type4"), try server.client())
            let parameters = "{\(members)}"
            #expect(try await other.call(method, parameters)["error"]["code"] == 103)
            await client.send(
                #"{"jsonrpc":"2.0","method":"session.invalidate","params":{"session":"session-1"}}"#)
            #expect(try await client.json()["method"] == "session.didInvalidate")
            #expect(try await client.call(method, parameters)["error"]["code"] == 103)
        }
    }
}
