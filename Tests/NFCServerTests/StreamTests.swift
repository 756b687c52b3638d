import NFCServer
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct StreamTests {
    private static let limit = 1_048_576
    private static let list = #""jsonrpc":"2.0","method":"simulator.list""#

    private func request(_ id: Int) -> String { #"{\#(Self.list),"id":\#(id)}"# }
    private func answer(_ id: Int) -> String { #"{"id":\#(id),"jsonrpc":"2.0","result":[]}"# }

    @Test func `ten thousand requests at once are answered in their order`() async throws {
        try await withServer { server in
            let client = try server.client()
            await client.send((0..<10_000).map(request).joined(separator: "\n"))
            for id in 0..<10_000 { try #require(try await client.line() == answer(id)) }
        }
    }

    @Test(arguments: [1, 7, 30])
    func `a request may come in pieces`(size: Int) async throws {
        try await withServer { server in
            let client = try server.client()
            var rest = Array("\(request(1))\n\(request(2))\n".utf8)[...]
            while !rest.isEmpty {
                await client.send(bytes: Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            #expect(try await client.line() == answer(1))
            #expect(try await client.line() == answer(2))
        }
    }

    @Test func `a client that stops in the middle of a line holds nobody up`() async throws {
        try await withServer { server in
            let (stalled, other) = (try server.client(), try server.client())
            let (first, rest) = (request(1).prefix(20), request(1).dropFirst(20))
            await stalled.send(bytes: Array(first.utf8))
            for id in 0..<10 { #expect(try await other.ask(request(id)) == answer(id)) }
            #expect(try await stalled.ask(String(rest)) == answer(1))
        }
    }

    @Test func `a line may have a mebibyte`() async throws {
        try await withServer { server in
            let client = try server.client()
            let blanks = String(repeating: " ", count: Self.limit - request(1).utf8.count)
            #expect(try await client.ask(request(1) + blanks) == answer(1))
            await client.send(request(1) + blanks + " ")
            #expect(try await client.json()["error"]["code"] == -32600)
            #expect(await client.next() == nil)
        }
    }

    @Test func `a line over the limit gets an error, then the connection ends; others go on`() async throws {
        try await withServer { server in
            let (client, other) = (try server.client(), try server.client())
            #expect(try await client.ask(request(1)) == answer(1))
            await client.send(String(repeating: "x", count: 2 * Self.limit) + "\n" + request(2))
            let error = try await client.json()
            #expect(error["error"]["code"] == -32600 && error["id"] == nil)
            #expect(error["error"]["message"].text?.contains("1048576 bytes") == true)
            #expect(await client.next() == nil)
            #expect(try await other.ask(request(3)) == answer(3))
        }
    }

    @Test func `a line that never ends gets an error, then the connection ends; others go on`() async throws {
        try await withServer { server in
            let (client, other) = (try server.client(), try server.client())
            let piece = [UInt8](repeating: UInt8(ascii: "["), count: 65_536)
            var pieces = 0
            while await client.send(bytes: piece) {
                pieces += 1
                if pieces % 64 == 1 { #expect(try await other.ask(request(pieces)) == answer(pieces)) }
            }
            #expect(pieces >= 16)
            #expect(try await client.json()["error"]["code"] == -32600)
            #expect(await client.next() == nil)
            #expect(try await other.ask(request(0)) == answer(0))
        }
    }

    @Test func `a client that never reads is cut off and loses its session; others go on`() async throws {
        try await withServer(limits: .init(outboundBytes: 65_536)) { server in
            let (client, other) = (try server.client(reads: false), try server.client())
            await client.send(
                #"{"jsonrpc":"2.0","id":0,"method":"session.begin","params":{"kind":"ndef","whenBusy":"queue"}}"#)
            var states: JSON = nil
            while states != "inUse" { states = try await other.call("readers.list")["result"][0]["state"] }
            _ = try await other.call("session.begin", #"{"kind":"ndef","whenBusy":"queue"}"#)

            let many = Array(String(repeating: "\(request(1))\n", count: 1000).utf8)
            var batches = 0
            while await client.send(bytes: many) { batches += 1 }
            #expect(try await other.json()["method"] == "session.didBecomeActive")

            client.startReading()
            var lines = 0
            while let line = await client.next() {
                #expect(lines < 2 || line == answer(1))
                lines += 1
            }
            #expect(lines < (batches + 1) * 1000)
            #expect(try await other.ask(request(2)) == answer(2))
        }
    }

    @Test func `half a line at the end of a connection is not carried out`() async throws {
        try await withServer { server in
            let (client, other) = (try server.client(), try server.client())
            _ = try await client.call("session.begin", #"{"kind":"ndef"}"#)
            _ = try await other.call("session.begin", #"{"kind":"ndef","whenBusy":"queue"}"#)
            await client.send(
                bytes: Array(#"{"jsonrpc":"2.0","method":"simulator.present","params":{"model":"ntag213"}}"#.utf8))
            client.disconnect()
            #expect(try await other.json()["method"] == "session.didBecomeActive")
            #expect(try await other.ask(request(1)) == answer(1))
        }
    }

    @Test func `who has asked and says no more is answered, then the connection ends`() async throws {
        try await withServer { server in
            for id in 0..<20 {
                let client = try server.client()
                await client.send(request(id))
                client.finishSending()
                #expect(await client.next() == answer(id))
                #expect(await client.next() == nil)
            }
        }
    }

    @Test func `many clients are served side by side`() async throws {
        try await withServer { server in
            let clients = try (0..<100).map { _ in try server.client() }
            for (id, client) in clients.enumerated() { await client.send(request(id)) }
            for (id, client) in clients.enumerated().reversed() { #expect(try await client.line() == answer(id)) }
        }
    }
}
