import NDEF
import NFCClient
import NFCProtocol
import Synchronization
import TestSupport
import Testing

/// `$/progress`.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ProgressTests {
    static let write =
        #""method":"tag.writeNDEF","params":{\#(TagBench.tag),"message":"#
        + #"{"records":[{"decoded":{"kind":"text","text":"Hello, this is more than one page"}}]}"#
    static let asking = #"{"jsonrpc":"2.0","id":"w",\#(write),"progress":true}}"#
    static let notAsking = #"{"jsonrpc":"2.0","id":"w",\#(write)}}"#

    private func progress(of line: String, clock: any Clock<Duration>) async throws -> [JSON] {
        var told: [JSON] = []
        try await withServer(progressClock: clock) { server in
            let client = try await TagBench.connected(server, model: "ntag213")
            await client.send(line)
            while case let next = try await client.json(), next["method"] == "$/progress" {
                told.append(next["params"])
            }
        }
        return told
    }

    @Test func `every step is told where there is time, all before the answer`() async throws {
        let told = try await progress(of: Self.asking, clock: LookedAtClock())
        try #require(told.count > 4)
        for (index, step) in told.enumerated() {
            #expect(step["id"] == "w" && step["done"] == .number(Double(index + 1)))
            #expect(step["total"] == .number(Double(told.count)))
        }
    }

    @Test func `steps that follow too fast are left out, but never the last`() async throws {
        let told = try await progress(of: Self.asking, clock: TestClock())
        #expect(told.count == 2 && told.first?["done"] == 1)
        #expect(told.last.map { $0["done"] == $0["total"] } == true)
    }

    @Test func `whoever does not ask is told nothing`() async throws {
        #expect(try await progress(of: Self.notAsking, clock: LookedAtClock()).isEmpty)
        let declining = Self.asking.replacing(#""progress":true"#, with: #""progress":false"#)
        #expect(try await progress(of: declining, clock: LookedAtClock()).isEmpty)
    }

    @Test func `of a batch, and of a request without an id, nothing is told`() async throws {
        try await withServer(progressClock: LookedAtClock()) { server in
            let client = try await TagBench.connected(server, model: "ntag213")
            await client.send("[\(Self.asking)]")
            #expect(try await client.json()[0]["result"] == .object([:]))
            await client.send(#"{"jsonrpc":"2.0",\#(Self.write),"progress":true}}"#)
            let read = try await client.call("tag.readNDEF", "{\(TagBench.tag)}")["result"]["message"]
            #expect(read["records"][0]["decoded"]["kind"] == "text")
        }
    }

    @Test func `a dump that was asked to tell its steps gives its answer behind them`() async throws {
        try await withServer(progressClock: LookedAtClock()) { server in
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

    @Test func `a client hears it in its closure, before the call returns`() async throws {
        try await withServer(progressClock: LookedAtClock()) { server in
            try await NFCClient.withConnection(to: server.path) { client in
                _ = try await client.call(SimulatorPresent.self, .init(model: "ntag213", ndef: HexBytes([UInt8]())))
                let session = try await client.call(SessionBegin.self, .init(kind: .ndef, detection: .tags)).session
                var events = client.events.makeAsyncIterator()
                while let event = await events.next() { if case .didDetectTags = event { break } }
                _ = try await client.call(SessionConnect.self, .init(session: session, tag: "tag-1"))
                let message = NDEFMessage(records: [try .uri("https://example.com/a/longer/one")])
                let parameters = TagWriteNDEF<NDEFMessage>.Parameters(session: session, tag: "tag-1", message: message)
                let steps = Steps()
                _ = try await client.call(TagWriteNDEF<NDEFMessage>.self, parameters) { steps.add($0, $1) }
                let all = steps.all
                #expect(all.count > 4 && all.map(\.0) == Array(1...all.count) && all.allSatisfy { $0.1 == all.count })
                // Nobody asked: nothing is told.
                _ = try await client.call(TagWriteNDEF<NDEFMessage>.self, parameters)
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
