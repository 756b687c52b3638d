import Foundation
import Testing

/// What is not granted to a caller, on a real pcscd.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct `What is not granted on a real pcscd` {
    private static let tagReader = """
        [[grant]]
        user = "nobody"
        formats = ["TAG"]
        capabilities = ["read"]
        iso7816-select-identifiers = ["A0000006472F0001", "A0000005272101"]
        readers = ["*"]

        """

    /// A daemon that grants nobody little, and nobody.
    private func withStranger(_ body: (DaemonUnderTest, PlainClient) async throws -> Void) async throws {
        try await withReaders(configuration: Self.tagReader) { daemon, _ in
            for path in [daemon.scratch.path, daemon.socket] { chmod(path, 0o777) }
            try await body(daemon, PlainClient(socket: daemon.socket, user: 65_534, groups: [65_534]))
        }
    }

    private static func request(_ method: String, _ parameters: String, id: Int = 1) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#
    }

    @Test(Access.others) func `a format that is not granted ends the session with 2`() async throws {
        try await withStranger { _, stranger in
            let lines = try await stranger.converse(Self.request("session.begin", #"{"kind":"ndef"}"#), "didInvalidate")
            #expect(lines.last?.contains(#""code":2,"#) == true)
            #expect(lines.last?.contains(#"formats = [\"NDEF\"]"#) == true)
        }
    }

    @Test(Access.others) func `an application that is not granted ends the session with 2`() async throws {
        try await withStranger { _, stranger in
            let begin = Self.request("session.begin", #"{"kind":"tag","iso7816SelectIdentifiers":["A000000308"]}"#)
            let lines = try await stranger.converse(begin, "didInvalidate")
            #expect(lines.last?.contains(#""code":2,"#) == true)
            #expect(lines.last?.contains(#"iso7816-select-identifiers = [\"A000000308\"]"#) == true)
        }
    }

    @Test(Access.others) func `a capability that is not granted refuses the command with 2`() async throws {
        try await withStranger { daemon, stranger in
            let card = try await daemon.tapStrange("login")
            let tag = `The rules of a session on a real pcscd`.tag
            let lines = try await stranger.converse(
                Self.request("session.begin", #"{"kind":"tag"}"#), "didDetectTags",
                Self.request("iso7816.sendCommand", #"{\#(tag),"apdu":"00010000"}"#, id: 2), #""id":2,"#,
                Self.request("tag.describe", "{\(tag)}", id: 3), #""id":3,"#)
            #expect(lines.first?.contains(#""initialSelectedAID":"A0000005272101""#) == true, "\(lines)")
            #expect(lines.dropFirst().first?.contains(#""code":2,"#) == true)
            #expect(lines.dropFirst().first?.contains(#"capabilities = [\"raw\"]"#) == true)
            // What is granted still works.
            #expect(lines.last?.contains(#""result""#) == true)
            await card.end(SIGINT)
        }
    }
}
