import NFCReaders
import NFCSessions
import NFCTags
import TestSupport
import Testing
import VirtualTags

/// Background reading over the socket.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct BackgroundSocketTests {
    /// https://example.com/a
    private static let uri: [UInt8] = [0xD1, 0x01, 0x0E, 0x55, 0x04] + Array("example.com/a".utf8)

    private static func tag(_ message: [UInt8]? = uri) throws -> any VirtualTag {
        try VirtualTagModel.named("ntag215").makeTag(
            identifier: [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6], ndefMessage: message)
    }

    @Test func `a subscriber receives the message of a tap`() async throws {
        try await withServer { server in
            let client = try server.client()
            #expect(
                try await client.call("background.subscribe", #"{"filter":{"uriHost":"EXAMPLE.com"}}"#)["result"]
                    == .object(["subscription": "background-1"]))
            _ = try server.simulated.present(try Self.tag(), on: nil)
            let notification = try await client.json()
            #expect(notification["method"] == "background.didReadTag")
            let tap = notification["params"]
            #expect(tap["subscription"] == "background-1")
            #expect(tap["reader"] == "simulated-0" && tap["readerName"] == "Simulated Reader 0")
            #expect(tap["tag"]["type"] == "miFare" && tap["tag"]["identifier"] == "04A1B2C3D4E5F6")
            #expect(tap["messages"][0]["records"][0]["decoded"]["uri"] == "https://example.com/a")
            #expect(tap["status"] == "readWrite" && tap["capacity"] == 492 && tap["error"] == nil)
        }
    }

    @Test func `with removals, a tag that leaves is reported with the identity of its tap`() async throws {
        try await withServer { server in
            let client = try server.client()
            for parameters in [#"{"removals":true}"#, #"{"removals":false}"#, "{}"] {
                _ = try await client.call("background.subscribe", parameters)
            }
            let presentation = try server.simulated.present(try Self.tag(), on: nil)
            let tap = try await client.json()["params"]
            for _ in 0..<2 { #expect(try await client.json()["method"] == "background.didReadTag") }
            server.simulated.remove(presentation)
            let notification = try await client.json()
            #expect(notification["method"] == "background.tagRemoved")
            let removal = notification["params"]
            for key in ["subscription", "reader", "readerName", "tag"] { #expect(removal[key] == tap[key], "\(key)") }
            #expect(removal["messages"] == nil && removal["subscription"] == "background-1")
            // One for the other subscriptions would come before the answer.
            #expect(try await client.call("server.info")["result"]["name"] == "nfcd")
        }
    }

    @Test func `rules that change silence removals`() async throws {
        let access = AccessPolicy.only(Self.taps)
        try await withServer(access: access) { server in
            let client = try server.client()
            _ = try await client.call("background.subscribe", #"{"removals":true}"#)
            let presentation = try server.simulated.present(try Self.tag(), on: "simulated-0")
            #expect(try await client.json()["method"] == "background.didReadTag")
            let background = Entitlements(capabilities: [.background, .monitor], readers: .all)
            access.replace(with: AccessRules(grants: [Grant(to: .everyone, background)], superusers: []))
            server.simulated.remove(presentation)
            // A removal would come before the answer.
            #expect(try await client.call("sessions.list")["method"] == nil)
        }
    }

    @Test func `an empty tag is reported without a filter, with the reason why there is no message`() async throws {
        try await withServer { server in
            let client = try server.client()
            _ = try await client.call("background.subscribe", #"{"filter":{"kind":"uri"}}"#)
            _ = try await client.call("background.subscribe")
            _ = try server.simulated.present(try Self.tag(nil), on: nil)
            let tap = try await client.json()["params"]
            #expect(tap["subscription"] == "background-2")
            #expect(tap["messages"] == [] && tap["error"]["code"] == 403)
        }
    }

    @Test func `a client receives nothing after it has unsubscribed`() async throws {
        try await withServer { server in
            let client = try server.client()
            for _ in 0..<2 { _ = try await client.call("background.subscribe") }
            #expect(
                try await client.call("background.unsubscribe", #"{"subscription":"background-1"}"#)["result"]
                    == .object([:]))
            _ = try server.simulated.present(try Self.tag(), on: nil)
            #expect(try await client.json()["params"]["subscription"] == "background-2")
            let again = try await client.call("background.unsubscribe", #"{"subscription":"background-1"}"#)["error"]
            #expect(again["code"] == -32602 && again["data"]["path"] == "params.subscription")
        }
    }

    @Test(arguments: ["uriPrefix", "uriHost", "mimeType", "externalType", "kind", "identifier", "reader"])
    func `a part of a filter has 1 to 1024 bytes`(part: String) async throws {
        try await withServer { server in
            let client = try server.client()
            for (length, isGood) in [(0, false), (2, true), (1024, true), (1026, false)] {
                let filter = #"{"filter":{"\#(part)":"\#(String(repeating: "0", count: length))"}}"#
                let error = try await client.call("background.subscribe", filter)["error"]
                #expect(error == (isGood ? .null : error), "\(length)")
                if !isGood {
                    #expect(error["code"] == -32602, "\(length)")
                    #expect(error["data"]["path"] == .string("params.filter.\(part)"))
                }
            }
        }
    }

    @Test func `a client may have 64 subscriptions, which end when it disconnects`() async throws {
        try await withServer { server in
            let (client, other) = (try server.client(), try server.client())
            for _ in 0..<64 { #expect(try await client.call("background.subscribe")["error"] == nil) }
            #expect(try await client.call("background.subscribe")["error"]["code"] == 203)
            func subscriptions() async throws -> Bool {
                let text = try await other.call("server.metrics")["result"]["text"].text ?? ""
                return text.contains("\nnfcd_background_subscriptions 64\n")
            }
            #expect(try await subscriptions())
            client.disconnect()
            while try await subscriptions() {}
        }
    }

    @Test func `100 subscribers each receive each of 50 taps once`() async throws {
        try await withServer { server in
            let clients = try (0..<100).map { _ in try server.client() }
            for client in clients { _ = try await client.call("background.subscribe") }
            for tap in 0..<50 {
                let message = [0xD1, 0x01, 0x05, 0x55, 0x04] + Array("a.b".utf8) + [UInt8(33 + tap)]
                let presentation = try server.simulated.present(try Self.tag(message), on: nil)
                for client in clients {
                    let notification = try await client.json()
                    let payload = notification["params"]["messages"][0]["records"][0]["payload"].text
                    #expect(payload == "04612E62" + String(33 + tap, radix: 16, uppercase: true))
                }
                server.simulated.remove(presentation)
                server.clock.advance(by: RestTimes().general)
            }
            // A tap that was sent twice would arrive before the answer.
            for client in clients { #expect(try await client.call("server.info")["result"]["name"] == "nfcd") }
        }
    }

    /// Whether nfcd has read a tag. The tap was sent before.
    private static func hasRead(_ client: RawClient) async throws -> Bool {
        let text = try #require(try await client.call("server.metrics")["result"]["text"].text)
        return text.split(separator: "\n").contains { $0.hasPrefix("nfcd_reads_total{") && $0.hasSuffix(" 1") }
    }

    private static let taps = Entitlements(
        capabilities: [.background, .read], readers: .some(["simulated-0"]))

    @Test func `a client receives the taps of granted readers only`() async throws {
        try await withServer(access: .only(Self.taps)) { server in
            let client = try server.client()
            _ = try await client.call("background.subscribe")
            _ = try server.simulated.present(try Self.tag(), on: "simulated-1")
            _ = try await client.call("readers.list")
            _ = try server.simulated.present(try Self.tag(), on: "simulated-0")
            #expect(try await client.json()["params"]["reader"] == "simulated-0")
        }
    }

    @Test(arguments: [
        ([Entitlements(capabilities: [.background], readers: .all)], #"capabilities = ["background", "read"]"#),
        (
            [
                Entitlements(capabilities: [.background], readers: .all),
                Entitlements(capabilities: [.read], readers: .all),
            ], #"capabilities = ["background", "read"]"#
        ),
        ([Entitlements(capabilities: [.background, .read])], #"readers = ["*"]"#),
    ])
    func `taps need both capabilities and a reader in one grant`(sentences: [Entitlements], key: String) async throws {
        let access = AccessPolicy.only()
        access.replace(with: AccessRules(grants: sentences.map { Grant(to: .everyone, $0) }, superusers: []))
        try await withServer(access: access) { server in
            let error = try await server.client().call("background.subscribe")["error"]
            #expect(error["code"] == 2)
            #expect(error["data"]["detail"].text?.contains("no [[grant]] of nfcd.toml gives \(key)") == true)
        }
    }

    @Test func `a subscription to a reader that is not granted is refused`() async throws {
        try await withServer(access: .only(Self.taps)) { server in
            let client = try server.client()
            let error = try await client.call("background.subscribe", #"{"filter":{"reader":"simulated-1"}}"#)["error"]
            #expect(error["code"] == 2)
            #expect(error["data"]["detail"].text?.contains(#"readers = ["simulated-1"]"#) == true)
            #expect(
                try await client.call("background.subscribe", #"{"filter":{"reader":"simulated-0"}}"#)["error"]
                    == .null)
        }
    }

    @Test func `rules that change silence a subscription`() async throws {
        let access = AccessPolicy.only(Self.taps)
        try await withServer(access: access) { server in
            let client = try server.client()
            _ = try await client.call("background.subscribe")
            let monitor = Entitlements(capabilities: [.monitor])
            access.replace(with: AccessRules(grants: [Grant(to: .everyone, monitor)], superusers: []))
            let refused = try server.simulated.present(try Self.tag(), on: "simulated-0")
            while try await !Self.hasRead(client) {}
            _ = server.simulated.remove(refused)
            while try await client.call("readers.list")["result"][0]["state"] != "empty" {}
            access.replace(with: AccessRules(grants: [Grant(to: .everyone, Self.taps)], superusers: []))
            let other: [UInt8] = [0x04, 1, 2, 3, 4, 5, 6]
            let tag = try VirtualTagModel.named("ntag215").makeTag(identifier: other, ndefMessage: Self.uri)
            _ = try server.simulated.present(tag, on: "simulated-0")
            #expect(try await client.json()["params"]["tag"]["identifier"] == "04010203040506")
        }
    }
}
