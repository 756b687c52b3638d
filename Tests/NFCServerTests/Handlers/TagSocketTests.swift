import Testing
import VirtualTags

/// Commands to tags, over the socket, against virtual tags on simulated readers.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct TagSocketTests {
    /// `https://a.b` and its JSON form.
    static let url = "D101045504612E62"
    static let urlMessage = #"{"records":[{"decoded":{"kind":"uri","uri":"https://a.b"}}]}"#
    static let tag = #""session":"session-1","tag":"tag-1""#

    /// A client that is connected to a virtual tag.
    private func connected(
        to server: TestServer, model: String = "ntag213", ndef: String? = url,
        session: String = #""kind":"ndef","detection":"tags""#
    ) async throws -> RawClient {
        let client = try server.client()
        let content = ndef.map { #","ndef":"\#($0)""# } ?? ""
        _ = try await client.call("simulator.present", #"{"model":"\#(model)"\#(content)}"#)
        _ = try await client.call("session.begin", "{\(session)}")
        #expect(try await client.json()["method"] == "session.didBecomeActive")
        let found = try await client.json()
        #expect(found["method"] == "session.didDetectTags")
        #expect(found["params"]["tags"][0]["tag"] == "tag-1")
        #expect(found["params"]["tags"][0]["type"] == "miFare")
        #expect(try await client.call("session.connect", "{\(Self.tag)}")["result"] == .object([:]))
        return client
    }

    @Test func `a tag is read, written, verified and erased`() async throws {
        try await withServer { server in
            let client = try await connected(to: server)
            let status = try await client.call("tag.queryNDEFStatus", "{\(Self.tag)}")["result"]
            #expect(status["status"] == "readWrite" && status["capacity"] == 137)
            let message = try await client.call("tag.readNDEF", "{\(Self.tag)}")["result"]["message"]
            #expect(message["records"][0]["decoded"]["uri"] == "https://a.b")

            let text = #"{"records":[{"decoded":{"kind":"text","text":"Hello"}}]}"#
            let write = #"{\#(Self.tag),"message":\#(text),"verify":true}"#
            #expect(try await client.call("tag.writeNDEF", write)["result"] == .object([:]))
            let written = try await client.call("tag.readNDEF", "{\(Self.tag)}")["result"]["message"]
            #expect(written["records"][0]["decoded"]["text"] == "Hello")

            let erase = #"{\#(Self.tag),"message":{"records":[]}}"#
            #expect(try await client.call("tag.writeNDEF", erase)["result"] == .object([:]))
            #expect(try await client.call("tag.readNDEF", "{\(Self.tag)}")["error"]["code"] == 403)
        }
    }

    /// A message with a record of other data in front of one with 12 bytes.
    private static let twoRecords =
        #"{"records":[{"decoded":{"kind":"text","text":"Hello"}},{"typeNameFormat":"unknown","payload":"A0A1A2A3A4A5A6A7A8A9AAAB"}]}"#

    @Test(arguments: [
        (#""offset":2,"old":"A2A3","new":"0102""#, "A0A10102A4A5A6A7A8A9AAAB"),
        (
            #""offset":0,"old":"A0A1A2A3A4A5A6A7A8A9AAAB","new":"000000000000000000000000","verify":true"#,
            "000000000000000000000000"
        ),
        (
            #""offset":0,"old":"A0A1A2A3A4A5A6A7A8A9AAAB","new":"B0A1A2A3A4A5A6A7A8A9AABB","stop":{"offset":0,"byte":"FF"}"#,
            "B0A1A2A3A4A5A6A7A8A9AABB"
        ),
        (#""offset":10,"old":"AAAB","new":"0102","steps":["00AB"]"#, "A0A1A2A3A4A5A6A7A8A90102"),
    ])
    func `bytes inside a record are changed`(change: String, payload: String) async throws {
        try await withServer { server in
            let client = try await connected(to: server)
            let write = try await client.call("tag.writeNDEF", #"{\#(Self.tag),"message":\#(Self.twoRecords)}"#)
            #expect(write["result"] == .object([:]))
            let answer = try await client.call("tag.updateRecord", #"{\#(Self.tag),"record":1,\#(change)}"#)
            #expect(answer["result"] == .object([:]))
            let records = try await client.call("tag.readNDEF", "{\(Self.tag)}")["result"]["message"]["records"]
            #expect(records[0]["decoded"]["text"] == "Hello")
            #expect(records[1]["payload"].text == payload)
        }
    }

    @Test(arguments: [
        #""record":1,"offset":2,"old":"A2A4","new":"0102""#, #""record":1,"offset":2,"old":"A2A3","new":"01""#,
        #""record":2,"offset":0,"old":"A0","new":"01""#, #""record":-1,"offset":0,"old":"A0","new":"01""#,
        #""record":1,"offset":-1,"old":"A0","new":"01""#, #""record":1,"offset":12,"old":"A0","new":"01""#,
        #""record":1,"offset":9223372036854775807,"old":"A0","new":"01""#,
        #""record":1,"offset":0,"old":"A0","new":"01","stop":{"offset":1,"byte":"FF"}"#,
        #""record":1,"offset":0,"old":"A0","new":"01","stop":{"offset":0,"byte":"FFFF"}"#,
        #""record":1,"offset":0,"old":"A0","new":"01","steps":["0102"]"#,
        #""record":1,"offset":0,"old":"A0","new":"01","stop":{"offset":0,"byte":"FF"},"steps":["02"]"#,
        #""record":1,"offset":0,"old":"","new":"""#,
    ])
    func `a change that does not fit the record writes nothing`(change: String) async throws {
        try await withServer { server in
            let client = try await connected(to: server)
            let write = try await client.call("tag.writeNDEF", #"{\#(Self.tag),"message":\#(Self.twoRecords)}"#)
            #expect(write["result"] == .object([:]))
            #expect(try await client.call("tag.updateRecord", "{\(Self.tag),\(change)}")["error"] != nil)
            let records = try await client.call("tag.readNDEF", "{\(Self.tag)}")["result"]["message"]["records"]
            #expect(records[1]["payload"] == "A0A1A2A3A4A5A6A7A8A9AAAB")
        }
    }

    @Test func `a tag in factory state is formatted`() async throws {
        try await withServer { server in
            let client = try await connected(to: server, model: "ultralight-ev1-11", ndef: nil)
            let before = try await client.call("tag.queryNDEFStatus", "{\(Self.tag)}")["result"]
            #expect(before["status"] == "notSupported")
            #expect(try await client.call("tag.format", "{\(Self.tag)}")["result"] == .object([:]))
            let after = try await client.call("tag.queryNDEFStatus", "{\(Self.tag)}")["result"]
            #expect(after["status"] == "readWrite" && after["capacity"] == 46)
        }
    }

    @Test func `a MIFARE Classic that refused a key is detected again and formatted`() async throws {
        try await withServer { server in
            let client = try await connected(to: server, model: "mifare-classic-1k", ndef: nil)
            let before = try await client.call("tag.queryNDEFStatus", "{\(Self.tag)}")["result"]
            #expect(before["status"] == "notSupported")
            #expect(try await client.call("tag.format", "{\(Self.tag)}")["result"] == .object([:]))
            let after = try await client.call("tag.queryNDEFStatus", "{\(Self.tag)}")["result"]
            #expect(after["status"] == "readWrite" && after["capacity"] == 716)
        }
    }

    @Test(arguments: VirtualReaderModel.all.map(\.name))
    func `each reader model has its profile and reads a tag`(name: String) async throws {
        let model = try #require(VirtualReaderModel.named(name))
        try await withServer(model: model) { server in
            let client = try await connected(to: server, model: "ntag216", ndef: Self.url)
            let reader = try await client.call("readers.list")["result"][0]
            #expect(reader["profile"].text == name)
            let read = try await client.call("tag.readNDEF", "{\(Self.tag)}")["result"]["message"]
            #expect(read["records"][0]["decoded"]["uri"] == "https://a.b")
        }
    }

    @Test func `a locked tag is not written`() async throws {
        try await withServer { server in
            let client = try await connected(to: server)
            #expect(try await client.call("tag.writeLock", "{\(Self.tag)}")["result"] == .object([:]))
            let status = try await client.call("tag.queryNDEFStatus", "{\(Self.tag)}")["result"]
            #expect(status["status"] == "readOnly")
            let error = try await client.call("tag.writeNDEF", #"{\#(Self.tag),"message":{"records":[]}}"#)["error"]
            #expect(error["code"] == 400 && error["data"]["name"] == "TagNotWritable")
        }
    }

    @Test func `a message that does not fit is refused before it is written`() async throws {
        try await withServer { server in
            let client = try await connected(to: server)
            let data = String(repeating: "00", count: 200)
            let message = #"{"records":[{"typeNameFormat":"unknown","payload":"\#(data)"}]}"#
            let error = try await client.call("tag.writeNDEF", #"{\#(Self.tag),"message":\#(message)}"#)["error"]
            #expect(error["code"] == 402 && error["data"]["domain"] == "NFCError")
            let kept = try await client.call("tag.readNDEF", "{\(Self.tag)}")["result"]["message"]
            #expect(kept["records"][0]["decoded"]["uri"] == "https://a.b")
        }
    }

    @Test func `raw commands are sent to the tag unchanged`() async throws {
        try await withServer { server in
            let client = try await connected(to: server, session: #""kind":"tag""#)
            let answer = try await client.call("iso7816.sendCommand", #"{\#(Self.tag),"apdu":"ffb0000404"}"#)["result"]
            #expect(answer["data"] == "0103A00C" && answer["sw1"] == 0x90 && answer["sw2"] == 0)
            let short = try await client.call("iso7816.sendCommand", #"{\#(Self.tag),"apdu":"FFCA"}"#)["error"]
            #expect(short["code"] == 105)
        }
    }

    @Test(arguments: [
        ("tag.readNDEF", #"{"session":"session-1","tag":"tag-9"}"#, 100),
        ("tag.readNDEF", #"{"session":"session-9","tag":"tag-1"}"#, 103),
        ("session.connect", #"{"session":"session-1","tag":"tag-9"}"#, 100),
        ("session.connect", #"{"session":"session-9","tag":"tag-1"}"#, 103),
        ("tag.readNDEF", #"{"session":"session-1"}"#, -32602),
        ("tag.writeNDEF", #"{"session":"session-1","tag":"tag-1"}"#, -32602),
        ("tag.writeNDEF", #"{"session":"session-1","tag":"tag-1","message":{"records":[{}]}}"#, -32602),
        ("iso7816.sendCommand", #"{"session":"session-1","tag":"tag-1","apdu":"0"}"#, -32602),
    ])
    func `a command that cannot be carried out has an error with the reason`(
        method: String, parameters: String, code: Int
    ) async throws {
        try await withServer { server in
            let client = try await connected(to: server)
            #expect(try await client.call(method, parameters)["error"]["code"] == .number(Double(code)))
        }
    }

    @Test func `commands fail before the tag is connected and after it has left`() async throws {
        try await withServer { server in
            let client = try server.client()
            _ = try await client.call("simulator.present", #"{"model":"ntag213","ndef":"\#(Self.url)"}"#)
            _ = try await client.call("session.begin", #"{"kind":"ndef","detection":"tags"}"#)
            for _ in 0..<2 { _ = try await client.json() }
            #expect(try await client.call("tag.readNDEF", "{\(Self.tag)}")["error"]["code"] == 104)
            _ = try await client.call("session.connect", "{\(Self.tag)}")
            _ = try await client.call("simulator.remove", #"{"presentation":"presentation-1"}"#)
            #expect(try await client.json()["method"] == "session.tagRemoved")
            #expect(try await client.call("tag.readNDEF", "{\(Self.tag)}")["error"]["code"] == 100)
        }
    }
}

/// The description, memory and password of a tag, over the socket.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct TagContentSocketTests {
    static let tag = TagBench.tag

    @Test func `a tag is described`() async throws {
        try await withServer(model: .named("acr122u")) { server in
            let client = try await TagBench.connected(server, model: "ntag215")
            let result = try await client.call("tag.describe", "{\(Self.tag)}")["result"]
            #expect(result["product"] == "NTAG215" && result["manufacturer"] == "NXP")
            #expect(result["memorySize"] == 540 && result["blockSize"] == 4 && result["lockState"] == "unlocked")
            #expect(
                result["fields"][1]["label"] == "Capability container" && result["fields"][1]["value"] == "E1103E00")
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

    @Test func `a password authenticates, and a wrong one and one of another length have different errors`()
        async throws
    {
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

    @Test func `a tag that is not connected cannot be described, dumped or authenticated to`() async throws {
        try await withServer { server in
            let client = try server.client()
            for (method, rest) in [
                ("tag.describe", ""), ("tag.dump", ""), ("tag.authenticate", #","password":"00""#),
                ("miFare.sendCommand", #","command":"60""#),
            ] {
                #expect(try await client.call(method, "{\(Self.tag)\(rest)}")["error"]["code"] == 103)
            }
        }
    }
}
