import Foundation
import NFCProtocol
import Testing

/// A session that yields shares its card with other programs of a real pcscd between its commands.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `A card of a session that yields, with a real pcscd` {
    private static let begin =
        #"{"kind":"tag","yields":true,"iso7816SelectIdentifiers":["A0000006472F0001"],"readers":["virtual-pcd-0"]}"#
    /// Answered with the number of the selected application: 00 is FIDO.
    private static let selected = "transmit 00010000"
    /// SCARD_E_SHARING_VIOLATION.
    private static let busy = "8010000b"

    /// Runs a test with a security key, another program that is connected to it, and a session that has found it.
    private func withSecurityKey(_ body: (LineClient, OtherProgram, ChildProcess) async throws -> Void) async throws {
        guard try await Programs.found(["python3"]) else { return }
        try await withReaders { daemon, pcsc in
            let card = try await daemon.tapStrange("security-key")
            try await daemon.wait(for: "tagArrived")
            let other = try await pcsc.otherProgram()
            let client = try LineClient(path: daemon.socket)
            try await client.result("session.begin", Self.begin)
            try await client.notification("session.didDetectTags")
            try await body(client, other, card)
            await other.end()
            await card.end(SIGINT)
        }
    }

    private func send(_ client: LineClient, tag: Int = 1, _ more: String = "") async throws -> JSONValue {
        try await client.call(
            "iso7816.sendCommand", #"{"session":"session-1","tag":"tag-\#(tag)","apdu":"00010000"\#(more)}"#)
    }

    private func setYielding(_ yields: Bool, _ client: LineClient) async throws {
        try await client.result("session.setYielding", #"{"session":"session-1","yields":\#(yields)}"#)
    }

    @Test func `is free for other programs between commands, and is not while the session does not yield`()
        async throws
    {
        try await withSecurityKey { client, other, _ in
            #expect(try await send(client)["result"]?["data"] == "00")
            #expect(try await other.run(Self.selected) == "009000")
            try await setYielding(false, client)
            #expect(try await other.run(Self.selected) == Self.busy)
            #expect(try await send(client)["result"]?["data"] == "00")
            #expect(try await other.run(Self.selected) == Self.busy)
            try await setYielding(true, client)
            #expect(try await other.run(Self.selected) == "009000")
            #expect(try await send(client)["result"]?["data"] == "00")
            #expect(try await other.run("begin") == "0")
            #expect(try await other.run("end") == "0")
        }
    }

    @Test func `that another program uses takes commands again afterwards`() async throws {
        try await withSecurityKey { client, other, _ in
            #expect(try await other.run("begin") == "0")
            let refused = try await send(client, #","timeout":0.05"#)["error"]
            #expect(refused?["code"] == 203, "\(String(describing: refused))")
            #expect(try await other.run("end") == "0")
            #expect(try await send(client)["result"]?["data"] == "00")
        }
    }

    @Test func `that another program has reset takes no more commands until polling is restarted`() async throws {
        try await withSecurityKey { client, other, _ in
            #expect(try await other.run("reset") == "0")
            for _ in 0..<2 {
                let error = try await send(client)["error"]
                #expect(error?["code"] == 100)
                let detail = error.map { "\($0)" } ?? ""
                #expect(detail.contains("another program reset it"), "\(detail)")
            }
            // Nothing is selected since the reset.
            #expect(try await other.run(Self.selected) == "6985")
            try await client.result("session.restartPolling", #"{"session":"session-1"}"#)
            try await client.notification("session.didDetectTags")
            #expect(try await send(client, tag: 2)["result"]?["data"] == "00")
        }
    }

    @Test(arguments: [true, false])
    func `is not reset at the end of the session if it is a security key`(yields: Bool) async throws {
        try await withSecurityKey { client, other, card in
            try await setYielding(yields, client)
            #expect(try await send(client)["result"]?["data"] == "00")
            #expect(await card.output.next(containing: "select") != nil)
            try await client.result("session.invalidate", #"{"session":"session-1"}"#)
            // The next session has the card when the first has released it.
            try await client.result("session.begin", Self.begin)
            try await client.notification("session.didDetectTags")
            #expect(await card.output.next(containing: "select") != nil)
            // The other program would get an error after a reset.
            #expect(try await other.run(Self.selected) == "009000")
        }
    }
}
