import NDEF
import NFCClient
import NFCProtocol
import Synchronization
import Testing
import TestSupport

@Suite(.serialized, .timeLimit(.minutes(20)))
struct CancelTests {
    private func cancelled(_ answer: JSON, _ id: JSON) -> Bool {
        answer["id"] == id && answer["error"]["code"] == -32800 && answer["error"]["message"] == "request cancelled"
    }

    @Test(arguments: [("2", 2 as JSON), (#""two""#, "two")])
    func `a waiting command can be cancelled, a running one cannot`(id: String, answered: JSON) async throws {
        try await withServer { server in
            let (client, card) = try await TagBench.blocked(server)
            await TagBench.send(1, as: "1", to: client)
            await TagBench.send(2, as: id, to: client)
            await TagBench.send(3, as: "3", to: client)
            await card.entered()
            let cancel = #"{"jsonrpc":"2.0","method":"$/cancelRequest","params""#
            await client.send(#"\#(cancel):{"id":\#(id)}}"#)
            #expect(cancelled(try await client.json(), answered))
            for other in ["1", "7", "null", #""1""#, id] { await client.send(#"\#(cancel):{"id":\#(other)}}"#) }
            let asked = try await client.call("$/cancelRequest", #"{"id":99}"#)
            #expect(asked["result"] == .object([:]))
            card.release()
            #expect(try await client.json()["id"] == 1)
            #expect(try await client.json()["id"] == 3)
            #expect(card.sent.map { $0[4] } == [1, 3])
        }
    }

    @Test func `an id is compared by its value, not by the digits of the number`() async throws {
        try await withServer { server in
            let (client, card) = try await TagBench.blocked(server)
            await TagBench.send(1, as: "1", to: client)
            await card.entered()
            let huge = "123456789012345678901234567890"
            await TagBench.send(2, as: huge, to: client)
            await client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(huge)}}"#)
            #expect(
                try await client.line()
                    == #"{"error":{"code":-32800,"message":"request cancelled"},"id":\#(huge),"jsonrpc":"2.0"}"#)
            card.release()
            #expect(try await client.json()["id"] == 1)
        }
    }

    @Test func `a client cannot cancel requests of another client`() async throws {
        try await withServer { server in
            let (client, card) = try await TagBench.blocked(server)
            for id in ["1", "2"] { await TagBench.send(1, as: id, to: client) }
            await card.entered()
            let other = try server.client()
            _ = try await other.call("$/cancelRequest", #"{"id":2}"#)
            #expect(try await other.call("tag.cancelCommands", "{\(TagBench.tag)}")["error"]["code"] == 103)
            card.release()
            for id in [1.0, 2] {
                let answer = try await client.json()
                #expect(answer["id"] == .number(id) && answer["error"] == nil)
            }
        }
    }

    @Test func `all waiting commands of a tag are cancelled`() async throws {
        try await withServer { server in
            let (client, card) = try await TagBench.blocked(server)
            for id in 1...5 { await TagBench.send(UInt8(id), as: "\(id)", to: client) }
            await card.entered()
            await client.send(
                #"{"jsonrpc":"2.0","id":9,"method":"tag.cancelCommands","params":{\#(TagBench.tag)}}"#)
            for id in 2...5 { #expect(cancelled(try await client.json(), .number(Double(id)))) }
            #expect(try await client.line() == #"{"id":9,"jsonrpc":"2.0","result":{"cancelled":4}}"#)
            card.release()
            #expect(try await client.json()["id"] == 1)
            await TagBench.send(6, as: "6", to: client)
            #expect(try await client.json()["id"] == 6)
            #expect(try await client.call("tag.cancelCommands", "{\(TagBench.tag)}")["result"]["cancelled"] == 0)
        }
    }

    @Test(
        arguments: [
            ("0", -32602), ("-1", -32602), ("60.5", -32602), (#""1""#, -32602), ("60", nil), ("0.001", nil),
            ("null", nil),
        ] as [(String, Int?)])
    func `a time limit is more than 0 and at most 60 seconds`(timeout: String, code: Int?) async throws {
        try await withServer { server in
            let client = try await TagBench.connected(server, model: "type4")
            await TagBench.send(1, as: "1", to: client, #","timeout":\#(timeout)"#)
            let answer = try await client.json()
            #expect(answer["error"]["code"] == JSON(code))
            if code != nil { #expect(answer["error"]["data"]["path"] == "params.timeout") }
        }
    }

    @Test func `a command over its time limit gets 102, the ones after it 100, and the reader works again`()
        async throws
    {
        try await withServer { server in
            let (client, card) = try await TagBench.blocked(server)
            await TagBench.send(1, as: "1", to: client, #","timeout":0.5"#)
            await TagBench.send(2, as: "2", to: client)
            await card.entered()
            await server.readerClock.sleeping(for: .milliseconds(500))
            server.readerClock.advance(by: .milliseconds(500))
            let answers = [try await client.json(), try await client.json()]
            let late = answers.first { $0["id"] == 1 }?["error"]
            #expect(late?["code"] == 102 && late?["data"]["detail"] == "the command timed out after 0.5 s")
            #expect(answers.first { $0["id"] == 2 }?["error"]["code"] == 100)
            await TagBench.send(3, as: "3", to: client)
            #expect(try await client.json()["error"]["code"] == 100)
            // The reader may still answer in its own time.
            #expect(try await client.call("readers.list")["result"][0]["state"] == "inUse")
            card.release()
            // A tag that stays is detected again after half a second.
            server.clock.advance(by: .milliseconds(500))
            await client.send(
                #"{"jsonrpc":"2.0","method":"session.restartPolling","params":{"session":"session-1"}}"#)
            #expect(try await client.json()["params"]["tags"][0]["tag"] == "tag-2")
        }
    }
}

/// `$/progress`.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct ProgressTests {
    static let write =
        #""method":"tag.writeNDEF","params":{\#(TagBench.tag),"message":"#
        + #"{"records":[{"decoded":{"kind":"text","text":"Hello, this is more than one page"}}]}"#
    static let withProgress = #"{"jsonrpc":"2.0","id":"w",\#(write),"progress":true}}"#
    static let withoutProgress = #"{"jsonrpc":"2.0","id":"w",\#(write)}}"#

    private func progress(of line: String, clock: any Clock<Duration>) async throws -> [JSON] {
        var reports: [JSON] = []
        try await withServer(progressClock: clock) { server in
            let client = try await TagBench.connected(server, model: "ntag213")
            await client.send(line)
            while case let next = try await client.json(), next["method"] == "$/progress" {
                reports.append(next["params"])
            }
        }
        return reports
    }

    @Test func `every step is reported before the answer if time passes between steps`() async throws {
        let reports = try await progress(of: Self.withProgress, clock: AdvancingClock())
        try #require(reports.count > 4)
        for (index, step) in reports.enumerated() {
            #expect(step["id"] == "w" && step["done"] == .number(Double(index + 1)))
            #expect(step["total"] == .number(Double(reports.count)))
        }
    }

    @Test func `steps in quick succession are left out, but never the last`() async throws {
        let reports = try await progress(of: Self.withProgress, clock: TestClock())
        #expect(reports.count == 2 && reports.first?["done"] == 1)
        #expect(reports.last.map { $0["done"] == $0["total"] } == true)
    }

    @Test func `no progress is reported unless the client asks for it`() async throws {
        #expect(try await progress(of: Self.withoutProgress, clock: AdvancingClock()).isEmpty)
        let declining = Self.withProgress.replacing(#""progress":true"#, with: #""progress":false"#)
        #expect(try await progress(of: declining, clock: AdvancingClock()).isEmpty)
    }

    @Test func `a batch and a request without an id report no progress`() async throws {
        try await withServer(progressClock: AdvancingClock()) { server in
            let client = try await TagBench.connected(server, model: "ntag213")
            await client.send("[\(Self.withProgress)]")
            #expect(try await client.json()[0]["result"] == .object([:]))
            await client.send(#"{"jsonrpc":"2.0",\#(Self.write),"progress":true}}"#)
            let read = try await client.call("tag.readNDEF", "{\(TagBench.tag)}")["result"]["message"]
            #expect(read["records"][0]["decoded"]["kind"] == "text")
        }
    }

    @Test func `a dump reports its steps before its answer`() async throws {
        try await withServer(progressClock: AdvancingClock()) { server in
            let client = try await TagBench.connected(server, model: "ntag213")
            await client.send(
                #"{"jsonrpc":"2.0","id":"d","method":"tag.dump","params":{\#(TagBench.tag),"progress":true}}"#)
            var next = try await client.json()
            while next["method"] == "$/progress" {
                #expect(next["params"]["id"] == "d")
                next = try await client.json()
            }
            #expect(next["id"] == "d" && next["result"]["sections"][0]["blocks"][44]["number"] == 44)
        }
    }

    @Test func `NFCClient calls the progress closure before the call returns`() async throws {
        try await withServer(progressClock: AdvancingClock()) { server in
            try await NFCClient.withConnection(to: server.path) { client in
                _ = try await client.call(SimulatorPresent.self, .init(model: "ntag213", ndef: HexBytes([UInt8]())))
                let session = try await client.beginSession(.init(kind: .ndef, detection: .tags))
                let tag = try #require(try await session.nextTags().first)
                try await tag.connect()
                let message = NDEFMessage(records: [try .uri("https://example.com/a/longer/one")])
                let steps = Steps()
                try await tag.writeNDEF(message) { steps.add($0, $1) }
                let all = steps.all
                #expect(all.count > 4 && all.map(\.0) == Array(1...all.count) && all.allSatisfy { $0.1 == all.count })
                // Without a handler there is no progress.
                try await tag.writeNDEF(message)
                #expect(steps.all.count == all.count)
            }
        }
    }
}

private final class Steps: Sendable {
    private let steps = Mutex<[(Int, Int)]>([])

    var all: [(Int, Int)] { steps.withLock { $0 } }

    func add(_ done: Int, _ total: Int) {
        steps.withLock { $0.append((done, total)) }
    }
}
