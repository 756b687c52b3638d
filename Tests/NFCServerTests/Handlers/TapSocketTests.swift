import Glibc
import NFCReaders
import NFCSessions
import NFCTags
import NFCTypes
import TapJournal
import TestSupport
import Testing
import VirtualTags

/// The journal of taps over the socket.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct TapSocketTests {
    /// https://example.com/a
    private static let uri: [UInt8] = [0xD1, 0x01, 0x0E, 0x55, 0x04] + Array("example.com/a".utf8)
    private let store = MemoryTapStore()

    private func tap(_ server: TestServer, on reader: String = "simulated-0") throws -> SimulatedDriver.Presentation {
        let tag = try VirtualTagModel.named("ntag215").makeTag(
            identifier: [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6], ndefMessage: Self.uri)
        return try server.simulated.present(tag, on: reader)
    }

    private func add(_ count: Int, on reader: String = "simulated-0", message: [UInt8]? = uri) async throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<count {
            _ = try await store.append(
                TapRecord(
                    id: TapID(milliseconds: 0, using: &generator), time: TapClock.ofTests.now(), reader: reader,
                    readerName: reader, type: .miFare, identifier: [4], message: message))
        }
    }

    @Test func `a subscriber receives a tap after it was stored, with everything about it`() async throws {
        try await withServer(journal: store) { server in
            let client = try server.client()
            let place = try await client.call("taps.subscribe", #"{"consumer":"clock"}"#)["result"]
            #expect(place["subscription"] == "taps-1" && place["epoch"] == "epoch-1")
            #expect(place["after"] == 0 && place["newest"] == 0)
            store.hold()
            _ = try tap(server)
            await store.reached()
            #expect(try await client.call("server.info")["result"]["journal"] == "ready")
            store.release()
            let notification = try await client.json()
            #expect(notification["method"] == "taps.didRecord" && notification["params"]["subscription"] == "taps-1")
            let tap = notification["params"]["tap"]
            #expect(tap["sequence"] == 1 && tap["readerSequence"] == 1 && tap["epoch"] == "epoch-1")
            #expect(tap["time"] == "2023-11-14T22:13:20.123Z" && tap["clock"] == "synchronised")
            #expect(tap["bootID"] == "boot" && tap["bootTime"] == 9 && tap["id"].text?.count == 36)
            #expect(tap["reader"] == "simulated-0" && tap["readerName"] == "Simulated Reader 0")
            #expect(tap["tag"]["type"] == "miFare" && tap["tag"]["identifier"] == "04A1B2C3D4E5F6")
            #expect(tap["message"]["records"][0]["decoded"]["uri"] == "https://example.com/a")
            #expect(tap["status"] == "readWrite" && tap["capacity"] == 492 && tap["error"] == nil)

            let answer = try await client.call("taps.acknowledge", #"{"subscription":"taps-1","sequence":1}"#)["result"]
            #expect(answer == .object(["epoch": "epoch-1", "acknowledged": 1]))
            let status = try await client.call("taps.status")["result"]
            #expect(status["state"] == "ready" && status["taps"] == 1 && status["newest"] == 1)
            #expect(status["identifiers"] == "plain")
            #expect(status["consumers"][0]["name"] == "clock" && status["consumers"][0]["backlog"] == 0)
            #expect(status["consumers"][0]["uid"] == .number(Double(geteuid())))
        }
    }

    @Test func `without a journal the methods name the key to set`() async throws {
        try await withServer { server in
            let client = try server.client()
            for (method, parameters) in [
                ("taps.subscribe", "{}"), ("taps.unsubscribe", #"{"subscription":"x"}"#), ("taps.list", "{}"),
                ("taps.acknowledge", #"{"consumer":"x"}"#), ("taps.removeConsumer", #"{"consumer":"x"}"#),
                ("taps.prune", #"{"through":1}"#),
            ] {
                let error = try await client.call(method, parameters)["error"]
                #expect(error["code"] == 1, "\(method)")
                #expect(error["data"]["detail"].text?.contains("set enabled = true in [journal]") == true, "\(method)")
            }
            let status = try await client.call("taps.status")["result"]
            #expect(status["state"] == "disabled" && status["identifiers"] == nil)
            #expect(try await client.call("server.info")["result"]["journal"] == "disabled")
        }
    }

    @Test(arguments: [
        ("taps.list", #"{"limit":0}"#, "params.limit"), ("taps.list", #"{"limit":1001}"#, "params.limit"),
        ("taps.list", #"{"after":-1}"#, "params.after"), ("taps.subscribe", #"{"after":"newest"}"#, "params.after"),
        ("taps.subscribe", #"{"after":-1}"#, "params.after"),
        ("taps.subscribe", #"{"consumer":""}"#, "params.consumer"),
        ("taps.subscribe", #"{"consumer":"a\u0007"}"#, "params.consumer"),
        ("taps.acknowledge", "{}", "params"), ("taps.acknowledge", #"{"consumer":"a","subscription":"b"}"#, "params"),
        ("taps.acknowledge", #"{"consumer":"a","sequence":-1}"#, "params.sequence"),
        ("taps.acknowledge", #"{"consumer":"a","sequence":9}"#, "params.sequence"),
        ("taps.acknowledge", #"{"subscription":"taps-9"}"#, "params.subscription"),
        ("taps.unsubscribe", #"{"subscription":"taps-9"}"#, "params.subscription"),
        ("taps.removeConsumer", #"{"consumer":"none"}"#, "params.consumer"),
        ("taps.prune", #"{"through":-1}"#, "params.through"),
    ])
    func `an invalid parameter is named`(method: String, parameters: String, path: String) async throws {
        try await withServer(journal: store) { server in
            let error = try await server.client().call(method, parameters)["error"]
            #expect(error["code"] == -32602 && error["data"]["path"] == .string(path), "\(error)")
        }
    }

    @Test func `the name of a consumer has at most 128 bytes`() async throws {
        try await withServer(journal: store) { server in
            let client = try server.client()
            for (length, isGood) in [(128, true), (129, false)] {
                let name = String(repeating: "a", count: length)
                let answer = try await client.call("taps.acknowledge", #"{"consumer":"\#(name)"}"#)
                #expect((answer["error"] == nil) == isGood)
            }
        }
    }

    @Test func `a page has as many taps as fit into a line`() async throws {
        try await add(1_000)
        try await add(1, message: Self.uri.dropLast(14) + [])
        try await withServer(journal: store) { server in
            let client = try server.client()
            var (after, total) = (0, 0)
            var page = JSON.null
            repeat {
                let line = try await client.ask(
                    #"{"jsonrpc":"2.0","id":1,"method":"taps.list","params":{"after":\#(after),"limit":1000}}"#)
                #expect(line.utf8.count <= 1_048_576)
                page = try JSON(parsing: line)["result"]
                guard case .array(let taps) = page["taps"], case .number(let last)? = taps.last?["sequence"] else {
                    break
                }
                total += taps.count
                after = Int(last)
            } while page["hasMore"] == true
            #expect(total == 1_001 && after == 1_001)
        }
    }

    @Test func `long messages come in a shorter form, in pages that fit`() async throws {
        for _ in 0..<6 {
            let payload = [UInt8](repeating: 0xAB, count: 60_000)
            let message: [UInt8] = [0xC2, 0x03, 0, 0, 0xEA, 0x60] + Array("a/b".utf8) + payload
            try await add(1, message: message)
        }
        try await withServer(journal: store) { server in
            let client = try server.client()
            let page = try await client.call("taps.list", "{}")["result"]
            guard case .array(let taps) = page["taps"] else { throw UnixSocket.Failure(step: "no page") }
            #expect(taps.count >= 1 && taps.count < 6 && page["hasMore"] == true)
            #expect(taps[0]["message"] != nil && taps[0]["error"] == nil)
        }
    }

    @Test func `the newest come first on request, and those of some readers alone`() async throws {
        try await add(3)
        try await add(2, on: "simulated-1")
        try await withServer(journal: store) { server in
            let client = try server.client()
            func numbers(_ parameters: String) async throws -> [Double] {
                let page = try await client.call("taps.list", parameters)["result"]["taps"]
                guard case .array(let taps) = page else { return [] }
                return taps.compactMap { if case .number(let number) = $0["sequence"] { number } else { nil } }
            }
            #expect(try await numbers(#"{"newestFirst":true,"limit":2}"#) == [5, 4])
            #expect(try await numbers(#"{"newestFirst":true,"after":4}"#) == [3, 2, 1])
            #expect(try await numbers(#"{"readers":["simulated-1"]}"#) == [4, 5])
        }
    }

    @Test func `a client gets the taps of the readers that it was granted`() async throws {
        try await add(1)
        try await add(1, on: "simulated-1")
        let grant = Entitlements(formats: [], capabilities: [.taps], readers: .some(["simulated-1"]))
        try await withServer(access: .only(grant), journal: store) { server in
            let client = try server.client()
            let list = try await client.call("taps.list")["result"]["taps"]
            #expect(list[0]["reader"] == "simulated-1" && list[1] == nil)
            let refusal = try await client.call("taps.list", #"{"readers":["simulated-0"]}"#)["error"]
            #expect(refusal["code"] == 2 && refusal["data"]["detail"].text?.contains("simulated-0") == true)
            _ = try await client.call("taps.subscribe", #"{"after":0}"#)
            #expect(try await client.json()["params"]["tap"]["sequence"] == 2)
            _ = try tap(server)
            _ = try tap(server, on: "simulated-1")
            #expect(try await client.json()["params"]["tap"]["reader"] == "simulated-1")
            #expect(try await client.call("taps.prune", #"{"through":1}"#)["error"]["code"] == 2)
        }
    }

    @Test func `without the capability, nothing is listed or sent`() async throws {
        let grant = Entitlements(formats: [], capabilities: [.read, .background], readers: .all)
        try await withServer(access: .only(grant), journal: store) { server in
            let client = try server.client()
            for method in ["taps.list", "taps.subscribe", "taps.status"] {
                let error = try await client.call(method)["error"]
                #expect(error["code"] == 2 && error["data"]["detail"].text?.contains("\"taps\"") == true)
            }
        }
    }

    @Test func `a consumer of another user is refused without manage`() async throws {
        _ = try await store.acknowledge("theirs", owner: geteuid() + 1, through: nil, mayTakeOver: false)
        let grant = Entitlements(formats: [], capabilities: [.taps], readers: .all)
        try await withServer(access: .only(grant), journal: store) { server in
            let client = try server.client()
            for (method, parameters) in [
                ("taps.subscribe", #"{"consumer":"theirs"}"#), ("taps.acknowledge", #"{"consumer":"theirs"}"#),
                ("taps.removeConsumer", #"{"consumer":"theirs"}"#),
            ] {
                #expect(try await client.call(method, parameters)["error"]["code"] == 2, "\(method)")
            }
        }
        try await withServer(journal: store) { server in
            let client = try server.client()
            #expect(try await client.call("taps.removeConsumer", #"{"consumer":"theirs"}"#)["result"] == .object([:]))
        }
    }

    @Test func `two clients may receive for one consumer`() async throws {
        try await withServer(journal: store) { server in
            let (first, second) = (try server.client(), try server.client())
            for client in [first, second] { _ = try await client.call("taps.subscribe", #"{"consumer":"clock"}"#) }
            let presentation = try tap(server)
            #expect(try await first.json()["params"]["tap"]["sequence"] == 1)
            #expect(try await second.json()["params"]["tap"]["sequence"] == 1)
            let place = try await second.call("taps.acknowledge", #"{"subscription":"taps-2","sequence":1}"#)
            #expect(place["result"]["acknowledged"] == 1)
            first.disconnect()
            server.simulated.remove(presentation)
            let third = try server.client()
            #expect(try await third.call("taps.subscribe", #"{"consumer":"clock"}"#)["result"]["after"] == 1)
        }
    }

    @Test func `a tap that is not stored is a failed one in the background, and not in the journal`() async throws {
        try await withServer(journal: store) { server in
            let (watcher, client) = (try server.client(), try server.client())
            _ = try await watcher.call("background.subscribe")
            store.fail(.full("it has 5 taps of at most 5; raise max-taps in [journal]"))
            _ = try tap(server)
            let tap = try await watcher.json()["params"]
            #expect(tap["messages"] == [] && tap["error"]["code"] == 203)
            #expect(tap["error"]["detail"].text?.contains("raise max-taps") == true)
            #expect(try await client.call("server.info")["result"]["journal"] == "full")
            #expect(try await client.call("taps.acknowledge", #"{"consumer":"a"}"#)["result"]["acknowledged"] == 0)
        }
    }

    @Test func `a client that acknowledges nothing delays neither taps nor other clients`() async throws {
        try await add(150)
        try await withServer(journal: store) { server in
            let (hostile, client) = (try server.client(reads: false), try server.client())
            for number in 1...20 {
                await hostile.send(
                    #"{"jsonrpc":"2.0","id":\#(number),"method":"taps.subscribe","params":{"after":0}}"#)
            }
            _ = try await client.call("taps.subscribe")
            for tapped in 1...10 {
                let presentation = try tap(server)
                #expect(try await client.json()["params"]["tap"]["sequence"] == .number(Double(150 + tapped)))
                server.simulated.remove(presentation)
                server.clock.advance(by: .seconds(1))
            }
            hostile.disconnect()
        }
    }
}
