import NFCReaders
import Testing
import TestSupport
import VirtualTags

/// Sessions of kind tag, over the socket.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct TagKindSocketTests {
    static let tag = TagBench.tag
    static let lists = #""iso7816SelectIdentifiers":["a0000006472f0001","A0000005272101"]"#

    /// A client whose session has detected the tag.
    private func begun(
        _ server: TestServer, _ tag: any VirtualTag, _ parameters: String = ""
    ) async throws -> (client: RawClient, found: JSON) {
        _ = try server.simulated.present(tag, on: nil)
        let client = try server.client()
        _ = try await client.call("session.begin", #"{"kind":"tag"\#(parameters)}"#)
        #expect(try await client.json()["method"] == "session.didBecomeActive")
        let found = try await client.json()
        #expect(found["method"] == "session.didDetectTags")
        return (client, found["params"]["tags"][0])
    }

    @Test func `the first listed application is selected, and others are refused`() async throws {
        try await withServer { server in
            let (client, found) = try await begun(
                server, LoginCard([LoginCard.piv, LoginCard.oath]), ",\(Self.lists)")
            #expect(found["type"] == "iso7816" && found["initialSelectedAID"] == "A0000005272101")
            #expect(found["historicalBytes"] == "5975" && found["mifareFamily"] == .null)
            func send(_ apdu: String) async throws -> JSON {
                try await client.call("iso7816.sendCommand", #"{\#(Self.tag),"apdu":"\#(apdu)"}"#)
            }
            // Without session.connect: it is the only tag, and of type iso7816.
            #expect(try await send("00010000")["result"]["data"] == "01")
            let refused = try await send("00A4040005A000000308")["error"]
            #expect(refused["code"] == 2 && refused["data"]["name"] == "SecurityViolation")
            #expect(
                refused["data"]["detail"]
                    == "application A000000308 is not one of the session's iso7816SelectIdentifiers")
            // It did not reach the card.
            #expect(try await send("00010000")["result"]["data"] == "01")
            let absent = try await send("00A4040008A0000006472F0001")["result"]
            #expect(absent["sw1"] == 0x6A && absent["sw2"] == 0x82)
            #expect(try await send("00A4040007A0000005272101")["result"]["sw1"] == 0x90)

            let restart = #"{"session":"session-1","iso7816SelectIdentifiers":["A000000308"]}"#
            // A tag that stays is detected again after half a second.
            server.clock.advance(by: .milliseconds(500))
            #expect(try await client.call("session.restartPolling", restart)["error"] == nil)
            #expect(try await client.json()["params"]["tags"][0]["initialSelectedAID"] == "A000000308")
            #expect(try await send("00010000")["error"]["code"] == 100)
        }
    }

    @Test func `without a list no application is selected`() async throws {
        try await withServer { server in
            let (client, found) = try await begun(server, LoginCard([LoginCard.piv]))
            #expect(found["initialSelectedAID"] == .null)
            let select = #"{\#(Self.tag),"apdu":"00A4040005A000000308"}"#
            #expect(try await client.call("iso7816.sendCommand", select)["result"]["sw1"] == 0x90)
        }
    }

    @Test func `a DESFire card without a listed application is a MIFARE tag`() async throws {
        try await withServer { server in
            let tag = try VirtualTagModel.named("desfire-ev1").makeTag(ndefMessage: nil)
            let (client, found) = try await begun(server, tag, ",\(Self.lists)")
            #expect(found["type"] == "miFare" && found["mifareFamily"] == "desfire")
            #expect(found["historicalBytes"] == "80")
            // It takes the commands of its type: the first frame of GET_VERSION, with more to come.
            _ = try await client.call("session.connect", "{\(Self.tag)}")
            let version = try await client.call("miFare.sendCommand", #"{\#(Self.tag),"command":"60"}"#)
            #expect(version["result"]["data"].text?.hasPrefix("AF0401") == true)
        }
    }

    @Test func `without a list a card is delivered as on an iPhone, where that is asked for`() async throws {
        for (selection, type) in [("", "iso7816"), (#","defaultSelection":true"#, "miFare")] {
            try await withServer { server in
                let tag = try VirtualTagModel.named("desfire-ev1").makeTag(ndefMessage: nil)
                let (_, found) = try await begun(server, tag, selection)
                #expect(found["type"].text == type)
            }
        }
        try await withServer { server in
            let tag = try VirtualTagModel.named("type4").makeTag(ndefMessage: nil)
            let (_, found) = try await begun(server, tag, #","defaultSelection":true"#)
            #expect(found["initialSelectedAID"] == "D2760000850101")
        }
    }

    @Test func `a FeliCa card has its IDm and the system that answered, and is polled for no other`() async throws {
        try await withServer(model: .named("acr122u")) { server in
            let tag = try VirtualTagModel.named("felica-lite-s").makeTag(ndefMessage: TagBench.url)
            let (client, found) = try await begun(server, tag, #","feliCaSystemCodes":["0003","12fc"]"#)
            #expect(found["type"] == "feliCa" && found["currentSystemCode"] == "12FC")
            #expect(found["currentIDm"] == found["identifier"])
            _ = try await client.call("session.connect", "{\(Self.tag)}")
            for (packet, code) in [("0012FC0100", nil), ("00FFFF0100", 2.0), ("0088B40000", 2)] {
                let answer = try await client.call("feliCa.sendCommand", #"{\#(Self.tag),"packet":"\#(packet)"}"#)
                #expect(answer["error"]["code"] == code.map { .number($0) } ?? .null)
            }
        }
    }

    @Test(arguments: [
        ("iso7816.sendCommand", #""apdu":"00B0000010""#), ("miFare.sendCommand", #""command":"60""#),
        ("miFare.sendISO7816Command", #""apdu":"00B0000010""#), ("feliCa.sendCommand", #""packet":"0600""#),
        ("iso15693.sendRequest", #""requestFlags":2,"commandCode":32"#),
        ("miFareClassic.readBlock", #""block":4"#),
    ])
    func `raw commands are refused in a session of kind ndef`(method: String, rest: String) async throws {
        try await withServer { server in
            let client = try server.client()
            _ = try await client.call("simulator.present", #"{"model":"ntag213"}"#)
            _ = try await client.call("session.begin", #"{"kind":"ndef","detection":"tags"}"#)
            for _ in 0..<2 { _ = try await client.json() }
            _ = try await client.call("session.connect", "{\(Self.tag)}")
            let error = try await client.call(method, "{\(Self.tag),\(rest)}")["error"]
            #expect(error["code"] == 1)
            #expect(
                error["data"]["detail"]
                    == "raw commands are not supported in a session of kind ndef; begin one of kind tag")
            #expect(try await client.call("tag.queryNDEFStatus", "{\(Self.tag)}")["error"] == nil)
        }
    }

    @Test func `NDEF works in a session of kind tag`() async throws {
        try await withServer { server in
            let client = try await TagBench.connected(server, model: "ntag213")
            let read = try await client.call("tag.readNDEF", "{\(Self.tag)}")["result"]["message"]
            #expect(read["records"][0]["decoded"]["uri"] == "https://a.b")
        }
    }

    @Test func `tags on two readers are reported in one array`() async throws {
        try await withServer { server in
            for model in ["ntag213", "type4"] {
                _ = try server.simulated.present(try VirtualTagModel.named(model).makeTag(ndefMessage: nil), on: nil)
            }
            let client = try server.client()
            _ = try await client.call("session.begin", #"{"kind":"tag"}"#)
            _ = try await client.json()
            let tags = try await client.json()["params"]["tags"]
            #expect(tags[0]["type"] == "miFare" && tags[0]["mifareFamily"] == "ultralight")
            #expect(tags[1]["type"] == "iso7816" && tags[1]["reader"] == "simulated-1")
            // Without session.connect it is ambiguous which tag is meant.
            let tag = tags[1]["tag"].text ?? ""
            let command = #"{"session":"session-1","tag":"\#(tag)","apdu":"00A4000C"}"#
            #expect(try await client.call("iso7816.sendCommand", command)["error"]["code"] == 104)
        }
    }

    @Test func `a technology that no reader has ends the session with 1`() async throws {
        try await withServer(model: .named("acr122u")) { server in
            let client = try server.client()
            _ = try await client.call("session.begin", #"{"kind":"tag","pollingOption":["iso15693"]}"#)
            let end = try await client.json()["params"]
            #expect(end["code"] == 1)
            #expect(end["detail"].text?.hasPrefix("no reader of the session supports iso15693; ") == true)
        }
    }

    @Test func `a session ends with 203 at the time limit for waiting`() async throws {
        try await withServer { server in
            let (holder, client) = (try server.client(), try server.client())
            _ = try await holder.call("session.begin", #"{"kind":"ndef"}"#)
            _ = try await client.call("session.begin", #"{"kind":"tag","whenBusy":"queue","queueTimeout":2.5}"#)
            await server.clock.sleeping(for: .seconds(2.5))
            server.clock.advance(by: .seconds(2.5))
            #expect(try await client.json()["params"]["code"] == 203)
        }
    }
}

/// Raw commands over the socket.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct RawSocketTests {
    static let tag = TagBench.tag

    @Test func `frames are sent to a Type 2 tag`() async throws {
        try await withServer(model: .named("acr122u")) { server in
            let client = try await TagBench.connected(server, model: "ntag215")
            let version = try await client.call("miFare.sendCommand", #"{\#(Self.tag),"command":"60"}"#)
            #expect(version["result"]["data"] == "0004040201001103")
            let iso = try await client.call("miFare.sendISO7816Command", #"{\#(Self.tag),"apdu":"FFCA000000"}"#)
            #expect(iso["result"]["sw1"] == 0x90)
            let other = try await client.call("feliCa.sendCommand", #"{\#(Self.tag),"packet":"0600"}"#)["error"]
            #expect(
                other["code"] == 1 && other["data"]["detail"].text?.contains("NFC Forum Type 2, type miFare") == true)
        }
    }

    @Test func `packets are sent to a FeliCa card`() async throws {
        try await withServer(model: .named("acr122u")) { server in
            let client = try await TagBench.connected(server, model: "felica-lite-s")
            let answer = try await client.call("feliCa.sendCommand", #"{\#(Self.tag),"packet":"00FFFF0100"}"#)
            #expect(answer["result"]["data"].text?.hasPrefix("01") == true)
            let other = try await client.call("miFare.sendISO7816Command", #"{\#(Self.tag),"apdu":"FFCA000000"}"#)
            #expect(other["error"]["code"] == 1)
        }
    }

    @Test func `requests are sent to an ISO 15693 tag`() async throws {
        try await withServer(model: .named("identiv")) { server in
            let client = try await TagBench.connected(server, model: "slix2")
            let request = #"{\#(Self.tag),"requestFlags":2,"commandCode":32,"data":"00"}"#
            let answer = try await client.call("iso15693.sendRequest", request)["result"]
            #expect(answer["responseFlag"] == 0 && answer["data"].text?.hasPrefix("E1") == true)
            let bad = #"{\#(Self.tag),"requestFlags":256,"commandCode":32}"#
            #expect(try await client.call("iso15693.sendRequest", bad)["error"]["code"] == -32602)
        }
    }

    @Test func `blocks of a MIFARE Classic are authenticated, read and written`() async throws {
        try await withServer(model: .named("acr122u")) { server in
            let client = try await TagBench.connected(server, model: "mifare-classic-1k", message: nil)
            let open = #"{\#(Self.tag),"block":4,"keyType":"a","key":"FFFFFFFFFFFF"}"#
            #expect(try await client.call("miFareClassic.authenticate", open)["result"] == .object([:]))
            let value = #"{\#(Self.tag),"block":4,"data":"05000000FAFFFFFF0500000004FB04FB"}"#
            #expect(try await client.call("miFareClassic.writeBlock", value)["result"] == .object([:]))
            let amount = #"{\#(Self.tag),"block":4,"amount":2}"#
            #expect(try await client.call("miFareClassic.increment", amount)["result"] == .object([:]))
            #expect(try await client.call("miFareClassic.decrement", amount)["result"] == .object([:]))
            let copy = #"{\#(Self.tag),"block":4,"destination":6}"#
            #expect(try await client.call("miFareClassic.restore", copy)["result"] == .object([:]))
            let read = try await client.call("miFareClassic.readBlock", #"{\#(Self.tag),"block":6}"#)["result"]
            #expect(read["data"] == "05000000FAFFFFFF0500000004FB04FB")
            let trailer = #"{\#(Self.tag),"block":7,"data":"FFFFFFFFFFFFFF078069FFFFFFFFFFFF"}"#
            #expect(try await client.call("miFareClassic.writeBlock", trailer)["error"]["code"] == 2)
            let keyType = #"{\#(Self.tag),"block":4,"keyType":"c","key":"FFFFFFFFFFFF"}"#
            let wrong = try await client.call("miFareClassic.authenticate", keyType)["error"]
            #expect(wrong["data"]["path"] == "params.keyType")
        }
    }
}
