import Testing
import VirtualTags

/// What a tag is and holds, over the socket.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TagContentSocketTests {
    static let tag = TagBench.tag

    @Test func `a tag is described`() async throws {
        try await withServer(model: .named("acr122u")) { server in
            let client = try await TagBench.connected(server, model: "ntag215")
            let result = try await client.call("tag.describe", "{\(Self.tag)}")["result"]
            #expect(result["product"] == "NTAG215" && result["manufacturer"] == "NXP")
            #expect(result["memorySize"] == 540 && result["blockSize"] == 4 && result["lockState"] == "unlocked")
            #expect(
                result["fields"][0]["label"] == "Capability container" && result["fields"][0]["value"] == "E1103E00")
        }
    }

    @Test func `a tag is dumped, and a page that cannot be read is null`() async throws {
        try await withServer(model: .named("acr122u")) { server in
            let client = try await TagBench.connected(server, try TagBench.lockedTag())
            await client.send(#"{"jsonrpc":"2.0","id":7,"method":"tag.dump","params":{\#(Self.tag)}}"#)
            let line = try await client.line()
            #expect(line.contains(#"{"bytes":null,"number":4}"#))
            let result = try JSON(parsing: line)["result"]
            #expect(result["layout"] == "type2" && result["blockSize"] == 4 && result["product"] == "NTAG213")
            let blocks = result["sections"][0]["blocks"]
            #expect(blocks[2]["number"] == 2 && blocks[2]["meaning"] == "static lock")
            #expect(blocks[3]["bytes"] == "E1101200" && blocks[4]["bytes"] == .null && blocks[44]["number"] == 44)
            _ = try await client.call("tag.authenticate", #"{\#(Self.tag),"password":"01020304"}"#)
            let open = try await client.call("tag.dump", "{\(Self.tag)}")["result"]["sections"][0]["blocks"]
            #expect(open[4]["bytes"] == "0103A00C")
        }
    }

    @Test func `a password opens a tag, a wrong one and one of another length are told apart`() async throws {
        try await withServer(model: .named("acr122u")) { server in
            let client = try await TagBench.connected(server, try TagBench.lockedTag())
            #expect(try await client.call("tag.readNDEF", "{\(Self.tag)}")["error"]["code"] == 102)
            for (password, code) in [("09080706", 102), ("0102", 1), ("", 1), ("0", -32602)] as [(String, Int)] {
                let answer = try await client.call("tag.authenticate", #"{\#(Self.tag),"password":"\#(password)"}"#)
                #expect(answer["error"]["code"] == .number(Double(code)))
            }
            let opened = try await client.call("tag.authenticate", #"{\#(Self.tag),"password":"01020304"}"#)
            #expect(opened["result"]["acknowledge"] == "A1A2")
            let message = try await client.call("tag.readNDEF", "{\(Self.tag)}")["result"]["message"]
            #expect(message["records"][0]["decoded"]["uri"] == "https://a.b")
        }
    }

    @Test func `a tag that was not connected to tells nothing`() async throws {
        try await withServer { server in
            let client = try server.client()
            for method in ["tag.describe", "tag.dump", "tag.authenticate", "miFare.sendCommand"] {
                let parameters = #"{\#(Self.tag),"password":"00","command":"60"}"#
                #expect(try await client.call(method, parameters)["error"]["code"] == 103)
            }
        }
    }
}
