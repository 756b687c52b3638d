import NFCReaders
import NFCSessions
import NFCTags
import NFCTypes
import TapJournal
import TestSupport
import Testing
import VirtualTags

/// Proofs over the socket, and who receives the taps without one.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `Proofs over the socket` {
    private static let uri: [UInt8] = [0xD1, 0x01, 0x0E, 0x55, 0x04] + Array("example.com/a".utf8)

    private let store = MemoryTapStore()

    /// Everything about proven taps, and nothing else.
    private static var provenOnly: Entitlements {
        var grant = Entitlements(formats: [.ndef], capabilities: [.read, .background, .taps], readers: .all)
        grant.requiresProof = true
        return grant
    }

    /// Holds a tag to a reader until the tap is stored, and takes it away.
    private func tap(_ server: TestServer, _ client: RawClient) async throws {
        let before = store.taps.count
        let tag = try VirtualTagModel.named("ntag215").makeTag(
            identifier: [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6], ndefMessage: Self.uri)
        let presentation = try server.simulated.present(tag, on: "simulated-0")
        while store.taps.count == before { await Task.yield() }
        server.simulated.remove(presentation)
        server.clock.advance(by: .seconds(10))
    }

    @Test func `a proof is in every form of a tap`() async throws {
        try await withServer(journal: store, prover: ScriptedProver([.sun(5), .sun(6)])) { server in
            let (watcher, client, session) = (try server.client(), try server.client(), try server.client())
            _ = try await watcher.call("background.subscribe")
            _ = try await client.call("taps.subscribe")
            try await tap(server, client)
            let background = try await watcher.json()["params"]["proof"]
            let recorded = try await client.json()["params"]["tap"]["proof"]
            let listed = try await client.call("taps.list")["result"]["taps"][0]["proof"]
            for proof in [background, recorded, listed] {
                #expect(
                    proof
                        == .object([
                            "status": "proven", "method": "sun", "profile": "door", "key": "front", "keyVersion": 1,
                            "identifier": "04A1B2C3D4E5F6", "counter": 5, "scope": "thisMachine",
                        ]))
            }
            _ = try await session.call("session.begin", #"{"kind":"ndef"}"#)
            #expect(try await session.json()["method"] == "session.didBecomeActive")
            let tag = try VirtualTagModel.named("ntag215").makeTag(ndefMessage: Self.uri)
            _ = try server.simulated.present(tag, on: "simulated-0")
            let detected = try await session.json()
            #expect(detected["method"] == "session.didDetectNDEFs")
            #expect(detected["params"]["proof"]["counter"] == 6)
            #expect(detected["params"]["proof"]["previousCounter"] == 5)
        }
    }

    @Test func `a tap without a profile has no proof`() async throws {
        try await withServer(journal: store, prover: ScriptedProver([])) { server in
            let client = try server.client()
            try await tap(server, client)
            let tap = try await client.call("taps.list")["result"]["taps"][0]
            #expect(tap["sequence"] == 1 && tap["proof"] == .null)
        }
    }

    @Test(arguments: ["background.subscribe", "taps.subscribe"])
    func `a requirement that is not known is refused`(method: String) async throws {
        try await withServer(journal: store) { server in
            let error = try await server.client().call(method, #"{"require":"weak"}"#)["error"]
            #expect(error["code"] == -32602 && error["data"]["path"] == "params.require")
        }
    }

    @Test func `subscriptions that require a proof receive proven taps alone`() async throws {
        let attempts: [ProofAttempt?] = [.sun(5), nil, .sun(5), .mutual(.failed), .mutual()]
        try await withServer(journal: store, prover: ScriptedProver(attempts)) { server in
            let (watcher, client) = (try server.client(), try server.client())
            _ = try await watcher.call("background.subscribe", #"{"require":"proven","removals":true}"#)
            _ = try await client.call("taps.subscribe", #"{"require":"proven","consumer":"door"}"#)
            for _ in attempts { try await tap(server, client) }
            #expect(try await client.json()["params"]["tap"]["sequence"] == 1)
            #expect(try await client.json()["params"]["tap"]["sequence"] == 5)
            for method in ["didReadTag", "tagRemoved", "didReadTag", "tagRemoved"] {
                #expect(try await watcher.json()["method"] == .string("background.\(method)"))
            }
        }
    }

    @Test func `a grant that requires a proof gives proven taps alone`() async throws {
        let attempts: [ProofAttempt?] = [.mutual(.failed), nil, .mutual(), .mutual(.weak), .mutual()]
        try await withServer(
            access: .only(Self.provenOnly), journal: store, prover: ScriptedProver(attempts)
        ) { server in
            let (watcher, client) = (try server.client(), try server.client())
            _ = try await watcher.call("background.subscribe", #"{"removals":true}"#)
            _ = try await client.call("taps.subscribe", #"{"consumer":"door"}"#)
            for _ in attempts { try await tap(server, client) }
            #expect(try await client.json()["params"]["tap"]["sequence"] == 3)
            #expect(try await client.json()["params"]["tap"]["sequence"] == 5)
            for method in ["didReadTag", "tagRemoved", "didReadTag", "tagRemoved"] {
                #expect(try await watcher.json()["method"] == .string("background.\(method)"))
            }
            let list = try await client.call("taps.list", #"{"limit":1}"#)["result"]
            #expect(list["taps"][0]["sequence"] == 3 && list["taps"][1] == .null && list["hasMore"] == true)
            let rest = try await client.call("taps.list", #"{"after":3}"#)["result"]
            #expect(rest["taps"][0]["sequence"] == 5 && rest["hasMore"] == false)
        }
    }

    @Test func `what a grant keeps from a consumer is not kept in the journal for it`() async throws {
        try await withServer(
            access: .only(Self.provenOnly), journal: store, prover: ScriptedProver([.mutual(.failed), nil])
        ) { server in
            let client = try server.client()
            _ = try await client.call("taps.subscribe", #"{"consumer":"door"}"#)
            for _ in 0..<2 { try await tap(server, client) }
            while await store.status().consumers.first?.acknowledged != 2 { await Task.yield() }
        }
    }

    @Test func `a session by a grant that requires a proof detects proven tags alone, and commands none`() async throws
    {
        let prover = ScriptedProver([.mutual(.failed), .mutual()])
        try await withServer(access: .only(Self.provenOnly), journal: store, prover: prover) { server in
            let client = try server.client()
            _ = try await client.call("session.begin", #"{"kind":"ndef"}"#)
            #expect(try await client.json()["method"] == "session.didBecomeActive")
            let tag = try VirtualTagModel.named("ntag215").makeTag(ndefMessage: Self.uri)
            let presentation = try server.simulated.present(tag, on: "simulated-0")
            while prover.asked == 0 { await Task.yield() }
            server.simulated.remove(presentation)
            server.clock.advance(by: .seconds(10))
            _ = try server.simulated.present(tag, on: "simulated-0")
            var next = try await client.json()
            // A tag that left has a name and nothing else.
            if next["method"] == "session.tagRemoved" { next = try await client.json() }
            #expect(next["method"] == "session.didDetectNDEFs" && next["params"]["proof"]["status"] == "proven")
            guard case .string(let name) = next["params"]["tag"] else { return #expect(Bool(false), "no name") }
            _ = try await client.call("session.connect", #"{"session":"session-1","tag":"\#(name)"}"#)
            for method in ["tag.readNDEF", "tag.queryNDEFStatus", "tag.writeLock", "tag.describe"] {
                let answer = try await client.call(method, #"{"session":"session-1","tag":"\#(name)"}"#)
                // Messages are all that such a session is given: its tags take no commands.
                #expect(answer["error"]["code"] == 2 || answer["error"]["code"] == 100, "\(method)")
            }
        }
    }

    @Test(arguments: [
        #"{"kind":"ndef","detection":"tags"}"#, #"{"kind":"tag"}"#,
    ])
    func `a session that does not read is not granted with a proof`(parameters: String) async throws {
        try await withServer(access: .only(Self.provenOnly)) { server in
            let client = try server.client()
            _ = try await client.call("session.begin", parameters)
            let end = try await client.json()
            #expect(end["method"] == "session.didInvalidate" && end["params"]["code"] == 2)
        }
    }
}
