import Testing

@Suite(.serialized, .timeLimit(.minutes(20)))
struct VirtualTagSocketTests {
    @Test func `when a client disconnects, its session ends and its virtual tags are removed`() async throws {
        try await withServer { server in
            let (leaving, staying) = (try server.client(), try server.client())
            _ = try await leaving.call("session.begin", #"{"kind":"ndef","readers":["simulated-0"]}"#)
            _ = try await leaving.line()
            for reader in ["simulated-0", "simulated-1"] {
                await leaving.send(
                    #"{"jsonrpc":"2.0","method":"simulator.present","#
                        + #""params":{"model":"ntag213","ndef":"","reader":"\#(reader)"}}"#)
            }
            #expect(try await leaving.json()["method"] == "session.didDetectNDEFs")
            _ = try await leaving.call("simulator.list")

            // The second client waits for the first reader, from which a session and a tag have to be removed.
            _ = try await staying.call("session.begin", #"{"kind":"ndef","readers":["simulated-1"]}"#)
            #expect(try await staying.json()["method"] == "session.didBecomeActive")
            #expect(try await staying.json()["params"]["tag"] == "tag-1")
            _ = try await staying.call(
                "session.begin", #"{"kind":"ndef","readers":["simulated-0"],"whenBusy":"queue"}"#)

            leaving.disconnect()
            var methods: [String] = []
            for _ in 0..<2 { methods.append(try await staying.json()["method"].text ?? "") }
            #expect(methods.sorted() == ["session.didBecomeActive", "session.tagRemoved"])
            #expect(try await staying.call("simulator.list")["result"] == [])
        }
    }

    @Test func `a virtual tag is listed until its client removes it`() async throws {
        try await withServer { server in
            let (owner, other) = (try server.client(), try server.client())
            _ = try await owner.call("simulator.present", #"{"model":"NTAG216","reader":"Simulated Reader 1"}"#)
            #expect(
                try await other.ask(#"{"jsonrpc":"2.0","id":1,"method":"simulator.list"}"#)
                    == #"{"id":1,"jsonrpc":"2.0","result":[{"presentation":"presentation-1","reader":"simulated-1"}]}"#)
            let presentation = #"{"presentation":"presentation-1"}"#
            #expect(try await other.call("simulator.remove", presentation)["error"]["code"] == -32602)
            #expect(try await owner.call("simulator.remove", presentation)["error"] == nil)
            #expect(try await owner.call("simulator.remove", presentation)["error"]["code"] == -32602)
            #expect(try await other.call("simulator.list")["result"] == [])
        }
    }

    @Test func `a dump file in text or hexadecimal is a virtual tag`() async throws {
        try await withServer { server in
            let client = try server.client()
            let files = #"{\"E103\":\"000F20003B00340406E10400200000\",\"E104\":\"0000\"}"#
            let json = #"{\"FileType\":\"nfcd type4\",\"Card\":{\"UID\":\"04112233445581\"},\"files\":\#(files)}"#
            let text = try await client.call("simulator.present", #"{"dump":"\#(json)"}"#)
            #expect(text["result"]["identifier"] == "04112233445581")
            let pages = "041122BF33445580A2480000E1100600" + String(repeating: "00", count: 48)
            let raw = try await client.call("simulator.present", #"{"dump":"\#(pages)"}"#)
            #expect(raw["result"]["identifier"] == "04112233445580")
            let broken = try await client.call("simulator.present", #"{"dump":"{\"FileType\":\"mfu\"}"}"#)
            #expect(broken["error"]["message"] == "params.dump: blocks: the field is missing")
        }
    }

    @Test func `a reader holds one virtual tag at a time`() async throws {
        try await withServer { server in
            let client = try server.client()
            let tag = #"{"model":"ntag213"}"#
            #expect(try await client.call("simulator.present", tag)["result"]["reader"] == "simulated-0")
            #expect(try await client.call("simulator.present", tag)["result"]["reader"] == "simulated-1")
            let third = try await client.call("simulator.present", tag)
            #expect(third["error"]["data"]["path"] == "params.reader")
            let same = try await client.call("simulator.present", #"{"model":"ntag213","reader":"simulated-1"}"#)
            #expect(same["error"]["message"] == "params.reader: simulated-1 already has a virtual tag; remove it first")
        }
    }

    @Test(arguments: [
        ("simulator.list", "{}"), ("simulator.present", #"{"model":"ntag213"}"#),
        ("simulator.remove", #"{"presentation":"presentation-1"}"#),
    ])
    func `without simulated readers simulator methods are refused`(method: String, parameters: String) async throws {
        try await withServer(simulator: false) { server in
            let client = try server.client()
            let error = try await client.call(method, parameters)["error"]
            #expect(error["code"] == 1 && error["data"]["domain"] == "NFCError")
            #expect(error["data"]["detail"].text?.contains("--simulator") == true)
        }
    }
}
