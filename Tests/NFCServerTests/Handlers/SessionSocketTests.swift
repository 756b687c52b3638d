import Glibc
import Testing
import TestSupport

@Suite(.serialized, .timeLimit(.minutes(20)))
struct SessionSocketTests {
    private static let tag = #"{"model":"ntag215","identifier":"04A1B2C3D4E5F6","ndef":"\#(uri)"}"#
    /// https://example.com/a
    private static let uri = "D1010E55046578616D706C652E636F6D2F61"

    @Test func `server info returns the version and limits`() async throws {
        try await withServer { server in
            let info = try await server.client().call("server.info")["result"]
            #expect(info["name"] == "nfcd" && info["protocolVersion"] == 1)
            #expect(info["readingAvailable"] == true)
            #expect(info["limits"]["lineLength"] == 1_048_576)
            #expect(info["limits"]["sessionTimeout"] == 60 && info["limits"]["sessionsPerClient"] == 16)
            #expect(info["entitlements"]["formats"] == ["NDEF", "TAG", "PACE"])
            #expect(
                info["entitlements"]["capabilities"] == [
                    "read", "write", "lock", "format", "raw", "raw-unscreened", "background", "taps", "monitor",
                    "manage", "simulate", "personalise", "personalise-permanently",
                ])
        }
    }

    @Test func `readers are listed with their state`() async throws {
        try await withServer { server in
            let client = try server.client()
            func states() async throws -> [JSON] {
                let readers = try await client.call("readers.list")["result"]
                return [readers[0]["state"], readers[1]["state"]]
            }
            #expect(
                try await client.ask(#"{"jsonrpc":"2.0","id":0,"method":"readers.list"}"#)
                    == #"{"id":0,"jsonrpc":"2.0","result":["#
                    + #"{"name":"Simulated Reader 0","profile":"generic","reader":"simulated-0","state":"empty","#
                    + #""technologies":["iso14443","iso15693","iso18092"]},"#
                    + #"{"name":"Simulated Reader 1","profile":"generic","reader":"simulated-1","state":"empty","#
                    + #""technologies":["iso14443","iso15693","iso18092"]}]}"#)
            _ = try await client.call("simulator.present", Self.tag)
            #expect(try await states() == ["present", "empty"])
            _ = try await client.call("session.begin", #"{"kind":"ndef","readers":["Simulated Reader 1"]}"#)
            #expect(try await client.json()["method"] == "session.didBecomeActive")
            #expect(try await states() == ["present", "inUse"])
        }
    }

    @Test func `a session is named before it becomes active, and reports a tag and its removal`() async throws {
        try await withServer { server in
            let (client, hand) = (try server.client(), try server.client())
            #expect(
                try await client.ask(#"{"jsonrpc":"2.0","id":"b","method":"session.begin","params":{"kind":"ndef"}}"#)
                    == #"{"id":"b","jsonrpc":"2.0","result":{"session":"session-1"}}"#)
            #expect(
                try await client.line()
                    == #"{"jsonrpc":"2.0","method":"session.didBecomeActive","params":{"session":"session-1"}}"#)

            let presented = try await hand.call("simulator.present", Self.tag)["result"]
            #expect(presented["reader"] == "simulated-0" && presented["identifier"] == "04A1B2C3D4E5F6")
            let detected = try await client.json()
            #expect(detected["method"] == "session.didDetectNDEFs")
            let tag = detected["params"]
            #expect(tag["session"] == "session-1" && tag["tag"] == "tag-1")
            #expect(tag["reader"] == "simulated-0" && tag["readerName"] == "Simulated Reader 0")
            #expect(tag["type"] == "miFare" && tag["identifier"] == "04A1B2C3D4E5F6" && tag["error"] == nil)
            let record = tag["messages"][0]["records"][0]
            #expect(record["payload"] == "046578616D706C652E636F6D2F61" && record["type"] == "55")
            #expect(record["decoded"]["kind"] == "uri" && record["decoded"]["uri"] == "https://example.com/a")

            let presentation = try #require(presented["presentation"].text)
            _ = try await hand.call("simulator.remove", #"{"presentation":"\#(presentation)"}"#)
            #expect(
                try await client.line()
                    == #"{"jsonrpc":"2.0","method":"session.tagRemoved","#
                    + #""params":{"session":"session-1","tag":"tag-1"}}"#)
        }
    }

    @Test(arguments: [(nil, 1), ("", 403)] as [(String?, Int)])
    func `a tag without a message is reported with the reason`(ndef: String?, code: Int) async throws {
        try await withServer { server in
            let client = try server.client()
            _ = try await client.call("session.begin", #"{"kind":"ndef"}"#)
            _ = try await client.line()
            let content = ndef.map { #","ndef":"\#($0)""# } ?? ""
            await client.send(
                #"{"jsonrpc":"2.0","method":"simulator.present","params":{"model":"mf0ul11"\#(content)}}"#)
            let tag = try await client.json()["params"]
            #expect(tag["messages"] == [] && tag["error"]["code"] == .number(Double(code)))
        }
    }

    @Test func `a second client receives the process that holds the readers, as reported by the kernel`() async throws {
        try await withServer { server in
            let (first, second) = (try server.client(), try server.client())
            _ = try await first.call("session.begin", #"{"kind":"ndef"}"#)
            _ = try await first.line()
            _ = try await second.call("session.begin", #"{"kind":"ndef","whenBusy":"fail"}"#)
            #expect(
                try await second.line()
                    == #"{"jsonrpc":"2.0","method":"session.didInvalidate","params":{"code":203,"#
                    + #""detail":"held by uid \#(getuid()), pid \#(getpid())","#
                    + #""message":"System resource unavailable","name":"SystemIsBusy","session":"session-2"}}"#)
        }
    }

    @Test func `sessions on different readers are active at the same time`() async throws {
        try await withServer { server in
            let (first, second) = (try server.client(), try server.client())
            _ = try await first.call("session.begin", #"{"kind":"ndef","readers":["simulated-0"]}"#)
            #expect(try await first.json()["method"] == "session.didBecomeActive")
            _ = try await second.call("session.begin", #"{"kind":"ndef","readers":["simulated-1"]}"#)
            #expect(try await second.json()["method"] == "session.didBecomeActive")
            _ = try await first.call("simulator.present", #"{"model":"ntag213","ndef":"","reader":"simulated-1"}"#)
            #expect(try await second.json()["params"]["reader"] == "simulated-1")
        }
    }

    @Test func `queued sessions become active in order`() async throws {
        try await withServer { server in
            let clients = [try server.client(), try server.client(), try server.client()]
            for client in clients {
                _ = try await client.call("session.begin", #"{"kind":"ndef","whenBusy":"queue"}"#)
            }
            for (number, client) in clients.enumerated() {
                #expect(try await client.json()["method"] == "session.didBecomeActive")
                let session = "session-\(number + 1)"
                await client.send(
                    #"{"jsonrpc":"2.0","id":0,"method":"session.invalidate","params":{"session":"\#(session)"}}"#)
                let lines = [try await client.json(), try await client.json()]
                #expect(lines.contains { $0["id"] == 0 && $0["error"] == nil })
                #expect(lines.contains { $0["method"] == "session.didInvalidate" && $0["params"]["code"] == 200 })
            }
        }
    }

    @Test func `a session that its client ends reports 200 and the given message`() async throws {
        try await withServer { server in
            let client = try server.client()
            _ = try await client.call("session.begin", #"{"kind":"ndef"}"#)
            _ = try await client.line()
            await client.send(
                #"{"jsonrpc":"2.0","method":"session.invalidate","#
                    + #""params":{"session":"session-1","errorMessage":"Not \"your\" tag"}}"#)
            #expect(
                try await client.line()
                    == #"{"jsonrpc":"2.0","method":"session.didInvalidate","params":{"code":200,"#
                    + #""detail":"Not \"your\" tag","message":"Session invalidated by user","#
                    + #""name":"UserCanceled","session":"session-1"}}"#)
            let again = try await client.call("session.invalidate", #"{"session":"session-1"}"#)
            #expect(again["error"]["code"] == 103)
        }
    }

    @Test func `a tag in the field is detected again when polling restarts`() async throws {
        try await withServer { server in
            let client = try server.client()
            _ = try await client.call("simulator.present", Self.tag)
            _ = try await client.call("session.begin", #"{"kind":"ndef"}"#)
            _ = try await client.line()
            #expect(try await client.json()["params"]["tag"] == "tag-1")
            // A tag that stays is detected again after half a second.
            server.clock.advance(by: .milliseconds(500))
            #expect(try await client.call("session.restartPolling", #"{"session":"session-1"}"#)["error"] == nil)
            #expect(try await client.json()["params"]["tag"] == "tag-2")
        }
    }

    @Test func `the alert message of a session can be changed`() async throws {
        try await withServer { server in
            let client = try server.client()
            _ = try await client.call("session.begin", #"{"kind":"ndef","alertMessage":"Hold"}"#)
            _ = try await client.line()
            await client.send(
                #"{"jsonrpc":"2.0","id":5,"method":"session.setAlertMessage","#
                    + #""params":{"session":"session-1","message":"Done"}}"#)
            #expect(try await client.line() == #"{"id":5,"jsonrpc":"2.0","result":{}}"#)
        }
    }

    @Test func `the first message ends a session with invalidateAfterFirstRead`() async throws {
        try await withServer { server in
            let client = try server.client()
            _ = try await client.call("simulator.present", Self.tag)
            _ = try await client.call("session.begin", #"{"kind":"ndef","invalidateAfterFirstRead":true}"#)
            _ = try await client.line()
            #expect(try await client.json()["method"] == "session.didDetectNDEFs")
            #expect(try await client.json()["params"]["code"] == 204)
        }
    }

    @Test(arguments: [("", 60.0), (#","timeout":2.5"#, 2.5), (#","timeout":86400"#, 60)])
    func `a session ends with 201 at its time limit`(timeout: String, seconds: Double) async throws {
        try await withServer { server in
            let client = try server.client()
            _ = try await client.call("session.begin", #"{"kind":"ndef"\#(timeout)}"#)
            _ = try await client.line()
            await server.clock.sleeping(for: .seconds(seconds))
            server.clock.advance(by: .seconds(seconds))
            #expect(try await client.json()["params"]["code"] == 201)
        }
    }

    @Test(arguments: [
        ("session.restartPolling", ""), ("session.setAlertMessage", #","message":"m""#), ("session.invalidate", ""),
    ])
    func `a client cannot use the session of another client`(method: String, rest: String) async throws {
        try await withServer { server in
            let (owner, other) = (try server.client(), try server.client())
            _ = try await owner.call("session.begin", #"{"kind":"ndef"}"#)
            _ = try await owner.line()
            for session in ["session-1", "session-99", ""] {
                let answer = try await other.call(method, #"{"session":"\#(session)"\#(rest)}"#)
                #expect(answer["error"]["code"] == 103)
                #expect(answer["error"]["message"] == "Session invalidated")
                #expect(answer["error"]["data"]["domain"] == "NFCError")
                #expect(answer["error"]["data"]["name"] == "SessionInvalidated")
                #expect(
                    answer["error"]["data"]["detail"]
                        == .string("session \(session) does not exist or has ended; begin a new one"))
            }
            #expect(try await owner.call("readers.list")["result"][0]["state"] == "inUse")
        }
    }

    @Test func `the number of sessions of a client is limited`() async throws {
        try await withServer { server in
            let client = try server.client()
            for _ in 0..<16 {
                _ = try await client.call("session.begin", #"{"kind":"ndef","readers":["x"],"waitForReader":true}"#)
            }
            let answer = try await client.call("session.begin", #"{"kind":"ndef"}"#)
            #expect(answer["error"]["code"] == 203 && answer["error"]["data"]["domain"] == "NFCError")
            #expect(try await server.client().call("session.begin", #"{"kind":"ndef"}"#)["error"] == nil)
        }
    }

    @Test func `an unknown reader ends a session with 1`() async throws {
        try await withServer { server in
            let client = try server.client()
            _ = try await client.call("session.begin", #"{"kind":"ndef","readers":["nowhere"]}"#)
            let end = try await client.json()["params"]
            #expect(end["code"] == 1)
            #expect(end["detail"] == "no reader is named nowhere; available readers: simulated-0, simulated-1")
        }
    }
}
