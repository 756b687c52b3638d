import Foundation
import NFCProtocol
import Testing

/// The errors that clients receive for tags that misbehave, with a real pcscd.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `Tag errors with a real pcscd` {
    static let tag = `The rules for sessions with a real pcscd`.tag
    /// `Hello`, as a text record in English.
    static let hello = "02656E48656C6C6F"

    /// Runs a test with a session that is connected to a misbehaving card.
    private func withCard(_ kind: String, _ body: (LineClient) async throws -> Void) async throws {
        try await withReaders { daemon, _ in
            let card = try await daemon.tapStrange(kind)
            try await daemon.wait(for: "tagArrived")
            let client = try LineClient(path: daemon.socket)
            try await client.result("session.begin", #"{"kind":"ndef","detection":"tags"}"#)
            try await client.notification("session.didDetectTags")
            try await client.result("session.connect", "{\(Self.tag)}")
            try await body(client)
            await card.end(SIGINT)
        }
    }

    @Test func `an invalid answer is reported as 102, with the answer`() async throws {
        try await withCard("no-memory") { client in
            let error = try await client.call("tag.readNDEF", "{\(Self.tag)}")["error"]
            #expect(error?["code"] == 102)
            #expect(error?["data"]?["response"] == "6581")
            #expect(error?["data"]?["statusWord"] == "6581")
        }
    }

    @Test func `a failed write is reported as 401, and the tag has the old message`() async throws {
        try await withCard("deaf-write") { client in
            let record = #"{"decoded":{"kind":"text","text":"Changed"}}"#
            let message = #"{\#(Self.tag),"message":{"records":[\#(record)]},"verify":true}"#
            let error = try await client.call("tag.writeNDEF", message)["error"]
            #expect(error?["code"] == 401)
            let read = try await client.result("tag.readNDEF", "{\(Self.tag)}")
            guard case .array(let records)? = read["message"]?["records"] else { throw TestError("\(read)") }
            #expect(records.map { $0["payload"] } == [.string(Self.hello)])
        }
    }
}

/// A tag that is present but does not answer.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `A tag that stops answering` {
    @Test func `is never written to again`() async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        let tag = try await daemon.tapStrange("mute-write")
        try await daemon.wait(for: "tagArrived")
        let written = try await daemon.run("write", "--text", "Changed")
        #expect(written.status != 0)
        // Probing the reader may reset the tag; no command follows the write.
        #expect(tag.output.all.drop { $0 != "write" } == ["write"])
        await tag.end(SIGINT)
        await daemon.process.end()
        await pcsc.end()
    }
}
