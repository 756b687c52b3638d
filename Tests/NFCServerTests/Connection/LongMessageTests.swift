import NDEF
import NFCClient
import NFCReaders
import Testing
import VirtualTags

/// Messages that would be too long for a line.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct LongMessageTests {
    private static let limit = 1_048_576

    /// A message of short URIs, 8 bytes each.
    private static func message(_ count: Int) throws -> NDEFMessage {
        NDEFMessage(records: try (0..<count).map { _ in try .uri("https://a.b") })
    }

    private static func present(_ message: NDEFMessage, _ server: TestServer) throws {
        let tag = try VirtualTagModel.named("type4-extended").makeTag(ndefMessage: try message.encoded())
        _ = try server.simulated.present(tag, on: nil)
    }

    private static func form(_ message: JSON) -> String {
        if message["encoded"] != nil { return "encoded" }
        return message["records"][0]["decoded"] == nil ? "raw" : "decoded"
    }

    @Test(arguments: [(1_000, "decoded"), (2_000, "raw"), (7_000, "encoded")])
    func `a message comes in a form that fits in a line, with all its records`(count: Int, form: String) async throws {
        let message = try Self.message(count)
        try await withServer { server in
            try Self.present(message, server)
            let client = try server.client()
            _ = try await client.call("session.begin", #"{"kind":"ndef"}"#)
            _ = try await client.json()
            let line = try await client.line()
            #expect(line.utf8.count <= Self.limit)
            #expect(Self.form(try JSON(parsing: line)["params"]["messages"][0]) == form)
            client.disconnect()

            try await NFCClient.withConnection(to: server.path) { client in
                let session = try await client.beginSession(.init(kind: .ndef, whenBusy: .queue))
                for await case .didDetectNDEFs(let detection) in session.events {
                    #expect(detection.messages == [message])
                    break
                }
            }
        }
    }

    @Test(arguments: [(1_000, "decoded"), (2_000, "raw"), (7_000, "encoded")])
    func `the answer to tag readNDEF fits in a line`(count: Int, form: String) async throws {
        let message = try Self.message(count)
        try await withServer { server in
            try Self.present(message, server)
            let client = try server.client()
            _ = try await client.call("session.begin", #"{"kind":"tag"}"#)
            for _ in 0..<2 { _ = try await client.json() }
            _ = try await client.call("session.connect", "{\(TagBench.tag)}")
            let answer = try await client.call("tag.readNDEF", "{\(TagBench.tag)}")["result"]
            #expect(Self.form(answer["message"]) == form)
        }
    }

    @Test func `a tap in the background fits in a line`() async throws {
        try await withServer { server in
            let client = try server.client()
            _ = try await client.call("background.subscribe")
            try Self.present(try Self.message(7_000), server)
            let line = try await client.line()
            #expect(line.utf8.count <= Self.limit)
            #expect(Self.form(try JSON(parsing: line)["params"]["messages"][0]) == "encoded")
        }
    }
}
