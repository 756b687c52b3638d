import Testing
import VirtualTags

/// Commands that go to a tag as they are, over the socket.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RawSocketTests {
    static let tag = TagBench.tag

    @Test func `frames go to a Type 2 tag`() async throws {
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

    @Test func `packets go to a FeliCa card`() async throws {
        try await withServer(model: .named("acr122u")) { server in
            let client = try await TagBench.connected(server, model: "felica-lite-s")
            let answer = try await client.call("feliCa.sendCommand", #"{\#(Self.tag),"packet":"00FFFF0100"}"#)
            #expect(answer["result"]["data"].text?.hasPrefix("01") == true)
            let other = try await client.call("miFare.sendISO7816Command", #"{\#(Self.tag),"apdu":"FFCA000000"}"#)
            #expect(other["error"]["code"] == 1)
        }
    }

    @Test func `requests go to an ISO 15693 tag`() async throws {
        try await withServer(model: .named("identiv")) { server in
            let client = try await TagBench.connected(server, model: "slix2")
            let request = #"{\#(Self.tag),"requestFlags":2,"commandCode":32,"data":"00"}"#
            let answer = try await client.call("iso15693.sendRequest", request)["result"]
            #expect(answer["responseFlag"] == 0 && answer["data"].text?.hasPrefix("E1") == true)
            let bad = #"{\#(Self.tag),"requestFlags":256,"commandCode":32}"#
            #expect(try await client.call("iso15693.sendRequest", bad)["error"]["code"] == -32602)
        }
    }

    @Test func `blocks of a MIFARE Classic are opened, read and written`() async throws {
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
