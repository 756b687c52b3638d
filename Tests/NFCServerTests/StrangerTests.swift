import Testing

/// What strangers send over the socket.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct StrangerTests {
    @Test(arguments: [
        "9223372036854775808", "-9223372036854775809", "18446744073709551616", "123456789012345678901234567890", "1.0",
        "-0", "1e2", "1.50", "-1.5E-3",
    ])
    func `a number comes back as it was written`(id: String) async throws {
        try await withServer { server in
            let client = try server.client()
            let request = #"{"jsonrpc":"2.0","method":"simulator.list","id":\#(id)}"#
            let answer = #"{"id":\#(id),"jsonrpc":"2.0","result":[]}"#
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
    func `an APDU of any length and kind is answered`(apdu: String, code: Int?, path: String?) async throws {
        try await withServer { server in
            let client = try await TagBench.connected(server, model: "type4")
            let answer = try await client.call("iso7816.sendCommand", #"{\#(TagBench.tag),"apdu":"\#(apdu)"}"#)
            #expect(answer["error"]["code"] == JSON(code))
            if let path { #expect(answer["error"]["data"]["path"] == .string(path)) }
            #expect(
                try await client.call("iso7816.sendCommand", #"{\#(TagBench.tag),"apdu":"00A40000"}"#)["error"] == nil)
        }
    }

    @Test func `a thousand clients come and go, with and without a word`() async throws {
        try await withServer { server in
            let request =
                #"{"jsonrpc":"2.0","id":1,"method":"session.begin","params":{"kind":"ndef","whenBusy":"queue"}}"#
            for number in 0..<1_000 {
                let client = try server.client(reads: false)
                if number % 3 > 0 { await client.send(bytes: Array((number % 3 == 1 ? request : request + "\n").utf8)) }
                client.disconnect()
            }
            let client = try server.client()
            _ = try await client.call("session.begin", #"{"kind":"ndef","whenBusy":"queue"}"#)
            #expect(try await client.json()["method"] == "session.didBecomeActive")
        }
    }

    @Test(arguments: [
        "session.connect", "session.restartPolling", "tag.readNDEF", "tag.cancelCommands", "iso7816.sendCommand",
    ])
    func `a session that is over, or another's, takes nothing`(method: String) async throws {
        try await withServer { server in
            let (client, other) = (try await TagBench.connected(server, model: "type4"), try server.client())
            let parameters = #"{\#(TagBench.tag),"apdu":"00A40000"}"#
            #expect(try await other.call(method, parameters)["error"]["code"] == 103)
            await client.send(
                #"{"jsonrpc":"2.0","method":"session.invalidate","params":{"session":"session-1"}}"#)
            #expect(try await client.json()["method"] == "session.didInvalidate")
            #expect(try await client.call(method, parameters)["error"]["code"] == 103)
        }
    }
}
