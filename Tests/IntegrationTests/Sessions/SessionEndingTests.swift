import Foundation
import NFCProtocol
import Testing

/// How sessions end, with a real pcscd.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `The end of a session with a real pcscd` {
    /// Begins a session and waits until it is active.
    private func begin(_ client: LineClient, _ parameters: String = #"{"kind":"ndef"}"#) async throws -> String {
        guard case .string(let session)? = try await client.result("session.begin", parameters)["session"] else {
            throw TestError("no session")
        }
        try await client.notification("session.didBecomeActive")
        return session
    }

    @Test func `an operator ends a session with 200 and a message`() async throws {
        try await withReaders { daemon, _ in
            let (client, operatorClient) = (try LineClient(path: daemon.socket), try LineClient(path: daemon.socket))
            let session = try await begin(client)
            try await operatorClient.result("sessions.cancel", #"{"session":"\#(session)","errorMessage":"closing"}"#)
            let end = try await client.notification("session.didInvalidate")
            #expect(end["code"] == 200 && end["detail"] == "closing" && end["session"] == .string(session))
            _ = try await begin(operatorClient)
        }
    }

    @Test func `disconnecting a client ends its session with 202 and releases the reader`() async throws {
        try await withReaders { daemon, _ in
            let other = try LineClient(path: daemon.socket)
            try await other.result("events.subscribe")
            let scan = try await daemon.startScan()
            await scan.end(SIGKILL)
            #expect(try await other.notification("session.ended")["code"] == 202)
            guard case .array(let readers) = try await other.result("readers.list") else {
                throw TestError("no readers")
            }
            #expect(readers.map { $0["state"] } == ["empty", "empty"])
            _ = try await begin(other)
        }
    }

    @Test func `stopping the daemon ends all sessions with 202, including queued ones`() async throws {
        try await withReaders { daemon, _ in
            let (holder, waiting) = (try LineClient(path: daemon.socket), try LineClient(path: daemon.socket))
            _ = try await begin(holder)
            try await waiting.result("session.begin", #"{"kind":"ndef","whenBusy":"queue"}"#)
            await daemon.process.end(SIGTERM)
            for client in [holder, waiting] {
                #expect(try await client.notification("session.didInvalidate")["code"] == 202)
            }
        }
    }

    @Test func `no notification follows the end of a session`() async throws {
        try await withReaders { daemon, _ in
            let client = try LineClient(path: daemon.socket)
            try await client.result("events.subscribe")
            let session = try await begin(client)
            try await client.result("session.invalidate", #"{"session":"\#(session)"}"#)
            #expect(try await client.notification("session.didInvalidate")["code"] == 200)
            let tag = try await daemon.tap("ntag213", "--text", "a", "--vpcd", `With a real pcscd`.vpcd)
            try await client.notification("reader.tagArrived")
            await tag.end(SIGINT)
            try await client.notification("reader.tagLeft")
            let again = try await client.call("session.restartPolling", #"{"session":"\#(session)"}"#)
            #expect(again["error"]?["code"] == 103)
            // The end is the last notification about the session.
            let ended = client.all.firstIndex { $0.contains("session.didInvalidate") }
            let reported = client.all[((ended ?? 0) + 1)...].filter { $0.contains(#""method":"session.did"#) }
            #expect(ended != nil && reported.isEmpty, "\(reported)")
        }
    }
}
