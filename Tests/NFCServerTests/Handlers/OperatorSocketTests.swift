import Glibc
import NDEF
import NFCReaders
import NFCSessions
import Testing
import TestSupport
import VirtualTags

@testable import NFCProtocol
@testable import NFCServer
@testable import NFCSocketServer

/// Monitoring and managing over the socket.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct OperatorSocketTests {
    @Test func `a client that subscribes to events is notified of sessions and tags`() async throws {
        try await withServer { server in
            let (watcher, client) = (try server.client(), try server.client())
            #expect(try await watcher.call("events.subscribe")["result"] == .object([:]))
            _ = try await client.call("session.begin", #"{"kind":"ndef","readers":["simulated-1"]}"#)
            #expect(
                try await watcher.line()
                    == #"{"jsonrpc":"2.0","method":"session.began","params":{"client":{"pid":\#(getpid()),"uid":\#(getuid())},"#
                    + #""kind":"ndef","readers":["simulated-1"],"session":"session-1"}}"#)
            let tag = try VirtualTagModel.named("ntag213").makeTag()
            let presentation = try server.simulated.present(tag, on: nil)
            #expect(
                try await watcher.line()
                    == #"{"jsonrpc":"2.0","method":"reader.tagArrived","params":{"reader":"simulated-0"}}"#)
            server.simulated.remove(presentation)
            #expect(
                try await watcher.line()
                    == #"{"jsonrpc":"2.0","method":"reader.tagLeft","params":{"reader":"simulated-0"}}"#)
            await client.send(
                #"{"jsonrpc":"2.0","id":2,"method":"session.invalidate","params":{"session":"session-1"}}"#)
            #expect(
                try await watcher.line()
                    == #"{"jsonrpc":"2.0","method":"session.ended","params":{"code":200,"name":"UserCanceled","#
                    + #""session":"session-1"}}"#)
        }
    }

    @Test func `a user without monitor sees the own sessions and the metrics, and no events`() async throws {
        let member = Entitlements(formats: [.ndef], capabilities: [.read], readers: .all)
        try await withServer(access: .only(member)) { server in
            let client = try server.client()
            _ = try await client.call("session.begin", #"{"kind":"ndef"}"#)
            _ = try await client.json()
            #expect(try await client.call("sessions.list")["result"][0]["session"] == "session-1")
            #expect(try await client.call("server.metrics")["result"]["text"].text?.isEmpty == false)
            #expect(try await client.call("events.subscribe")["error"]["code"] == 2)
        }
    }

    @Test func `an operator lists sessions and ends one`() async throws {
        try await withServer { server in
            let (desk, client) = (try server.client(), try server.client())
            #expect(try await desk.call("sessions.list")["result"] == [])
            #expect(try await desk.call("sessions.list", #"{"offset":-1}"#)["error"]["data"]["path"] == "params.offset")
            _ = try await client.call("session.begin", #"{"kind":"ndef","alertMessage":"Hold it here"}"#)
            _ = try await client.json()
            server.clock.advance(by: .seconds(10))
            let session = try await desk.call("sessions.list")["result"][0]
            #expect(session["session"] == "session-1" && session["state"] == "active" && session["kind"] == "ndef")
            #expect(session["client"]["pid"] == .number(Double(getpid())))
            #expect(session["readers"] == ["simulated-0", "simulated-1"])
            #expect(session["alertMessage"] == "Hold it here" && session["remaining"] == 50)
            let since = try #require(session["since"].text)
            #expect(since.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(since)")

            let parameters = #"{"session":"session-1","errorMessage":"enough"}"#
            #expect(try await desk.call("sessions.cancel", parameters)["result"] == .object([:]))
            let end = try await client.json()
            #expect(end["method"] == "session.didInvalidate")
            #expect(end["params"]["code"] == 200 && end["params"]["detail"] == "enough")
            #expect(try await desk.call("sessions.cancel", parameters)["error"]["code"] == 103)
        }
    }

    @Test func `a reader without light or sound shows nothing`() async throws {
        try await withServer { server in
            let desk = try server.client()
            #expect(try await desk.call("readers.identify")["result"]["readers"] == [])
            let wrong = try await desk.call("readers.identify", #"{"reader":"none"}"#)
            #expect(wrong["error"]["data"]["path"] == "params.reader")
        }
    }

    @Test func `more sessions than fit into a line are listed in parts`() async throws {
        try await withServer { server in
            let (text, count) = (String(repeating: #"\u0001"#, count: 1_024), 180)
            let holder = try server.client()
            _ = try await holder.call("session.begin", #"{"kind":"ndef"}"#)
            let clients = try (0..<count / 15).map { _ in try server.client() }
            for client in clients {
                for _ in 0..<15 {
                    await client.send(
                        #"{"jsonrpc":"2.0","method":"session.begin","params":{"kind":"ndef","whenBusy":"queue","#
                            + #""alertMessage":"\#(text)"}}"#)
                }
                // Answered behind the sessions of the client.
                _ = try await client.call("server.info")
            }
            let desk = try server.client()
            var names: Set<String> = []
            var sizes: [Int] = []
            repeat {
                let page = try await desk.call("sessions.list", #"{"offset":\#(names.count)}"#)["result"]
                guard case .array(let sessions) = page else {
                    Issue.record("\(page)")
                    return
                }
                sizes.append(sessions.count)
                names.formUnion(sessions.compactMap { $0["session"].text })
            } while sizes.last != 0
            #expect(names.count == count + 1 && sizes.count > 2, "\(sizes)")
        }
    }

    @Test func `metrics count the clients`() async throws {
        try await withServer { server in
            let clients = try (0..<3).map { _ in try server.client() }
            for client in clients { _ = try await client.call("server.info") }
            let text = try #require(try await clients[0].call("server.metrics")["result"]["text"].text)
            #expect(text.contains("\nnfcd_clients 3\n"))
            #expect(text.contains("nfcd_build_info{version=\"0.1.0\"} 1\n"))
        }
    }

    @Test func `metrics report the queued bytes of a client that does not read`() async throws {
        try await withServer { server in
            let (deaf, client) = (try server.client(reads: false), try server.client())
            // More than the kernel buffers for a socket, and less than the limit for disconnecting a client.
            for _ in 0..<20 { await deaf.send(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#) }
            var waiting = 0
            while waiting == 0 {
                let text = try #require(try await client.call("server.metrics")["result"]["text"].text)
                let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("nfcd_outbound_bytes ") })
                waiting = try #require(Int(line.drop { $0 != " " }.dropFirst()))
            }
            #expect(waiting <= 4 * 1024 * 1024)
        }
    }
}

/// What a grant of `monitor` on some readers shows.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct MonitorGrantTests {
    @Test func `the events of a reader go to clients that may monitor it`() async throws {
        let access = AccessPolicy.only(Entitlements(capabilities: [.monitor], readers: .some(["simulated-1"])))
        try await withServer(access: access) { server in
            let client = try server.client()
            _ = try await client.call("events.subscribe")
            for reader in ["simulated-0", "simulated-1"] {
                _ = try server.simulated.present(try VirtualTagModel.named("ntag213").makeTag(), on: reader)
                _ = try await server.client().call("readers.list")
            }
            #expect(try await client.json()["params"]["reader"] == "simulated-1")
            access.replace(with: AccessRules(grants: [], superusers: []))
            for presentation in server.simulated.presentations { server.simulated.remove(presentation) }
            _ = try await server.client().call("readers.list")
            // The answer is the next line.
            #expect(try await client.call("readers.list")["error"] == .null)
        }
    }
}

/// The interface as a document, over the socket.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct DiscoverTests {
    @Test func `every declared method has a handler, and every handler a declaration`() {
        let coordinator = SessionCoordinator(driver: SimulatedDriver(readers: 0), logger: .silent)
        let server = RequestServer(
            coordinator: coordinator, access: AccessPolicy(), simulator: nil, schedule: LoopSchedule(), logger: .silent)
        #expect(Set(Interface.methods.map { method in method.name }) == server.methodNames)
    }

    @Test func `rpc discover returns an OpenRPC document`() async throws {
        try await withServer { server in
            let client = try server.client()
            let document = try await client.call("rpc.discover")["result"]
            #expect(document["openrpc"] == "1.3.2" && document["info"]["title"] == "nfcd")
            #expect(document["components"]["errors"]["SessionTimeout"]["code"] == 201)
            #expect(document["components"]["errors"]["ZeroLengthMessage"]["message"].text != nil)
        }
    }
}
