import Foundation
import NFCProtocol
import Testing

/// The rules for sessions, tested over the real socket; ``SessionRule`` maps rules to tests.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `The rules for sessions with a real pcscd` {
    static let tag = #""session":"session-1","tag":"tag-1""#

    private func withDaemon(
        _ body: (DaemonUnderTest, LineClient) async throws -> Void
    ) async throws {
        let pcsc = try await PrivatePCSC()
        let daemon = try await DaemonUnderTest(pcsc)
        // After a query, the readers are known.
        _ = try await daemon.run("readers")
        try await body(daemon, try LineClient(path: daemon.socket))
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `only a listed application can be selected`() async throws {
        try await withDaemon { daemon, client in
            let card = try await daemon.tapStrange("login")
            try await daemon.wait(for: "tagArrived")
            let lists = #""iso7816SelectIdentifiers":["A0000006472F0001","A0000005272101"]"#
            client.send("session.begin", #"{"kind":"tag",\#(lists)}"#)
            let found = try await client.line(with: "session.didDetectTags")
            #expect(found.contains(#""initialSelectedAID":"A0000005272101""#))
            #expect(found.contains(#""type":"iso7816""#))
            let piv = #"{\#(Self.tag),"apdu":"00A4040005A000000308"}"#
            #expect(try await client.answer("iso7816.sendCommand", piv).contains(#""code":2,"#))
            // The selection is unchanged.
            let own = #"{\#(Self.tag),"apdu":"00010000"}"#
            #expect(try await client.answer("iso7816.sendCommand", own).contains(#""data":"00""#))
            await card.end(SIGINT)
            _ = try await client.line(with: "session.tagRemoved")
        }
    }

    @Test func `a tag accepts commands while it is present and connected, and its session is active`() async throws {
        try await withDaemon { daemon, client in
            let tag = try await daemon.tap("ntag213", "--text", "a", "--vpcd", "127.0.0.1:35963")
            client.send("session.begin", #"{"kind":"tag"}"#)
            #expect(try await client.line(with: "didDetectTags").contains(#""mifareFamily":"ultralight""#))
            let second = Self.tag.replacing("tag-1", with: "tag-2")
            #expect(try await client.answer("tag.readNDEF", "{\(Self.tag)}").contains(#""code":104"#))
            _ = try await client.answer("session.connect", "{\(Self.tag)}")
            #expect(try await client.answer("tag.readNDEF", "{\(Self.tag)}").contains(#""result""#))
            client.send("session.restartPolling", #"{"session":"session-1"}"#)
            #expect(try await client.line(with: "didDetectTags").contains(#""tag":"tag-2""#))
            #expect(try await client.answer("tag.readNDEF", "{\(Self.tag)}").contains(#""code":100"#))
            _ = try await client.answer("session.connect", "{\(second)}")
            try await daemon.takeAway(tag)
            _ = try await client.line(with: "session.tagRemoved")
            #expect(try await client.answer("tag.readNDEF", "{\(second)}").contains(#""code":100"#))
            client.send("session.invalidate", #"{"session":"session-1"}"#)
            #expect(try await client.line(with: "didInvalidate").contains(#""code":200"#))
            #expect(try await client.answer("tag.readNDEF", "{\(second)}").contains(#""code":103"#))
        }
    }

    @Test func `tags on two readers are reported in one array`() async throws {
        try await withDaemon { daemon, client in
            let left = try await daemon.tap("ntag213", "--vpcd", "127.0.0.1:35963")
            let right = try await daemon.tap("type4", "--vpcd", "127.0.0.1:35964")
            for _ in 0..<2 { try await daemon.wait(for: "tagArrived") }
            client.send("session.begin", #"{"kind":"tag"}"#)
            let found = try await client.line(with: "didDetectTags")
            #expect(found.contains(#""type":"miFare""#) && found.contains(#""type":"iso7816""#))
            await left.end(SIGINT)
            await right.end(SIGINT)
        }
    }

    @Test func `queued sessions become active in order, or end with 203 after the time limit`() async throws {
        try await withDaemon { daemon, holder in
            holder.send("session.begin", #"{"kind":"ndef"}"#)
            _ = try await holder.line(with: "didBecomeActive")
            let (hasty, first, second) = (
                try LineClient(path: daemon.socket), try LineClient(path: daemon.socket),
                try LineClient(path: daemon.socket)
            )
            _ = try await first.answer("session.begin", #"{"kind":"tag","whenBusy":"queue"}"#)
            _ = try await hasty.answer("session.begin", #"{"kind":"tag","whenBusy":"queue","queueTimeout":0.1}"#)
            _ = try await second.answer("session.begin", #"{"kind":"ndef","whenBusy":"queue"}"#)
            #expect(try await hasty.line(with: "didInvalidate").contains(#""code":203"#))
            holder.send("session.invalidate", #"{"session":"session-1"}"#)
            _ = try await first.line(with: "didBecomeActive")
            #expect(!second.all.contains { $0.contains("didBecomeActive") })
            first.send("session.invalidate", #"{"session":"session-2"}"#)
            _ = try await second.line(with: "didBecomeActive")
        }
    }

    @Test func `a session with invalidateAfterFirstRead ends with the first message`() async throws {
        try await withDaemon { daemon, client in
            client.send("session.begin", #"{"kind":"ndef","invalidateAfterFirstRead":true}"#)
            let tag = try await daemon.tap("ntag215", "--text", "a", "--vpcd", "127.0.0.1:35963")
            _ = try await client.line(with: "didDetectNDEFs")
            #expect(try await client.line(with: "didInvalidate").contains(#""code":204"#))
            await tag.end(SIGINT)
        }
    }

    @Test func `a session without any possible reader ends with 1`() async throws {
        try await withDaemon { _, client in
            client.send("session.begin", #"{"kind":"ndef","readers":["nowhere"]}"#)
            #expect(try await client.line(with: "didInvalidate").contains(#""code":1,"#))
            client.send("session.begin", #"{"kind":"tag","pollingOption":["iso18092"]}"#)
            let end = try await client.line(with: "didInvalidate")
            #expect(end.contains(#""code":1,"#) && end.contains("no reader of the session supports iso18092"))
        }
    }

    @Test func `a rejected write does not change the tag`() async throws {
        try await withDaemon { daemon, client in
            let tag = try await daemon.tap("ntag213", "--vpcd", "127.0.0.1:35963")
            client.send("session.begin", #"{"kind":"ndef","detection":"tags"}"#)
            _ = try await client.line(with: "didDetectTags")
            _ = try await client.answer("session.connect", "{\(Self.tag)}")
            #expect(try await client.answer("tag.readNDEF", "{\(Self.tag)}").contains(#""code":403"#))
            let record = #"{"typeNameFormat":"unknown","payload":"\#(String(repeating: "00", count: 200))"}"#
            let long = #"{\#(Self.tag),"message":{"records":[\#(record)]}}"#
            #expect(try await client.answer("tag.writeNDEF", long).contains(#""code":402"#))
            _ = try await client.answer("tag.writeLock", "{\(Self.tag)}")
            let empty = #"{\#(Self.tag),"message":{"records":[]}}"#
            #expect(try await client.answer("tag.writeNDEF", empty).contains(#""code":400"#))
            await tag.end(SIGINT)
        }
    }
}

/// Sessions that begin without a reader or without a PC/SC service.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `A session without a reader` {
    private static let waiting = #"{"kind":"ndef","waitForReader":true}"#

    @Test func `without a reader a session ends with 1, and a waiting session gets a new reader`() async throws {
        let pcsc = try await PrivatePCSC(hasReaders: false)
        let daemon = try await DaemonUnderTest(pcsc)
        let (hasty, patient) = (try LineClient(path: daemon.socket), try LineClient(path: daemon.socket))
        #expect(try await hasty.result("readers.list") == [])
        try await hasty.result("session.begin", #"{"kind":"ndef"}"#)
        #expect(try await hasty.notification("session.didInvalidate")["code"] == 1)
        try await patient.result("session.begin", Self.waiting)
        await pcsc.kill()
        try await pcsc.start()
        try await patient.notification("session.didBecomeActive")
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `without the service a session ends with 6, and a waiting session gets a new reader`() async throws {
        try await withReaders { daemon, pcsc in
            let (hasty, patient) = (try LineClient(path: daemon.socket), try LineClient(path: daemon.socket))
            await pcsc.kill()
            try await daemon.wait(for: "serviceUnavailable")
            try await hasty.result("session.begin", #"{"kind":"ndef"}"#)
            #expect(try await hasty.notification("session.didInvalidate")["code"] == 6)
            try await patient.result("session.begin", Self.waiting)
            try await pcsc.start()
            try await patient.notification("session.didBecomeActive")
        }
    }
}

/// Missing permissions, with a real pcscd.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `Missing permissions with a real pcscd` {
    private static let tagReader = """
        [[grant]]
        user = "nobody"
        formats = ["TAG"]
        capabilities = ["read"]
        iso7816-select-identifiers = ["A0000006472F0001", "A0000005272101"]
        readers = ["*"]

        """

    /// A daemon that grants few permissions to the user nobody, and a client of that user.
    private func withStranger(_ body: (DaemonUnderTest, PlainClient) async throws -> Void) async throws {
        try await withReaders(configuration: Self.tagReader) { daemon, _ in
            for path in [daemon.scratch.path, daemon.socket] { chmod(path, 0o777) }
            try await body(daemon, PlainClient(socket: daemon.socket, user: 65_534, groups: [65_534]))
        }
    }

    private static func request(_ method: String, _ parameters: String, id: Int = 1) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#
    }

    @Test(Access.others) func `a session with a format that is not granted ends with 2`() async throws {
        try await withStranger { _, stranger in
            let lines = try await stranger.converse(Self.request("session.begin", #"{"kind":"ndef"}"#), "didInvalidate")
            #expect(lines.last?.contains(#""code":2,"#) == true)
            #expect(lines.last?.contains(#"formats = [\"NDEF\"]"#) == true)
        }
    }

    @Test(Access.others) func `a session with an application that is not granted ends with 2`() async throws {
        try await withStranger { _, stranger in
            let begin = Self.request("session.begin", #"{"kind":"tag","iso7816SelectIdentifiers":["A000000308"]}"#)
            let lines = try await stranger.converse(begin, "didInvalidate")
            #expect(lines.last?.contains(#""code":2,"#) == true)
            #expect(lines.last?.contains(#"iso7816-select-identifiers = [\"A000000308\"]"#) == true)
        }
    }

    @Test(Access.others) func `a command without the required capability fails with 2`() async throws {
        try await withStranger { daemon, stranger in
            let card = try await daemon.tapStrange("login")
            let tag = `The rules for sessions with a real pcscd`.tag
            let lines = try await stranger.converse(
                Self.request("session.begin", #"{"kind":"tag"}"#), "didDetectTags",
                Self.request("iso7816.sendCommand", #"{\#(tag),"apdu":"00010000"}"#, id: 2), #""id":2,"#,
                Self.request("tag.describe", "{\(tag)}", id: 3), #""id":3,"#)
            #expect(lines.first?.contains(#""initialSelectedAID":"A0000005272101""#) == true, "\(lines)")
            #expect(lines.dropFirst().first?.contains(#""code":2,"#) == true)
            #expect(lines.dropFirst().first?.contains(#"capabilities = [\"raw\"]"#) == true)
            // Granted commands still work.
            #expect(lines.last?.contains(#""result""#) == true)
            await card.end(SIGINT)
        }
    }
}
