import FoundationEssentials
import NFCProtocol
import Testing

@Suite struct EnvelopeTests {
    @Test func `a request has version, id, method and parameters`() throws {
        let request = Request(
            id: .integer(1), method: SessionBegin.name,
            params: SessionBegin.Parameters(kind: .ndef, readers: ["simulated-0"], timeout: 1.5))
        #expect(
            try json(request)
                == #"{"id":1,"jsonrpc":"2.0","method":"session.begin","#
                + #""params":{"kind":"ndef","readers":["simulated-0"],"timeout":1.5}}"#)
    }

    @Test func `a request without parameters has an empty object`() throws {
        #expect(
            try json(Request(id: .string("a"), method: ServerInfo.name, params: Empty()))
                == #"{"id":"a","jsonrpc":"2.0","method":"server.info","params":{}}"#)
    }

    @Test func `a notification has no id`() throws {
        let message = NotificationMessage(
            method: SessionTagRemoved.name, params: SessionTagRemoved(session: "session-1", tag: "tag-1"))
        #expect(
            try json(message)
                == #"{"jsonrpc":"2.0","method":"session.tagRemoved","params":{"session":"session-1","tag":"tag-1"}}"#)
    }

    @Test(arguments: [
        (RequestID.integer(1), "1"), (.string("a"), #""a""#), (.decimal(0.5), "0.5"), (.null, "null"),
    ])
    func `an answer has the id of its request`(id: RequestID, text: String) throws {
        #expect(
            try line(Response.success(id, SessionBegin.Result(session: "session-1")))
                == #"{"id":\#(text),"jsonrpc":"2.0","result":{"session":"session-1"}}"#)
        #expect(
            try line(Response.failure(id, .parseError("no")))
                == #"{"error":{"code":-32700,"message":"no"},"id":\#(text),"jsonrpc":"2.0"}"#)
    }

    @Test(arguments: [
        (Empty() as any Encodable & Sendable, "{}"),
        ([Empty]() as any Encodable & Sendable, "[]"),
        ("text" as any Encodable & Sendable, #""text""#),
        (7 as any Encodable & Sendable, "7"),
        (HexBytes([0xAB]) as any Encodable & Sendable, #""AB""#),
    ])
    func `a result is any JSON value`(result: any Encodable & Sendable, text: String) throws {
        #expect(try line(Response.success(.integer(1), result)) == #"{"id":1,"jsonrpc":"2.0","result":\#(text)}"#)
    }

    @Test func `the answers to a batch are an array`() throws {
        #expect(
            try String(
                decoding: JSONLine.encode([
                    Response.success(.integer(1), Empty()), .failure(.null, .invalidRequest("no")),
                ]),
                as: UTF8.self)
                == #"[{"id":1,"jsonrpc":"2.0","result":{}},"#
                + #"{"error":{"code":-32600,"message":"no"},"id":null,"jsonrpc":"2.0"}]"# + "\n")
    }
}

@Suite struct JSONLineTests {
    @Test func `a value is one line with sorted keys`() throws {
        let line = try JSONLine.encode(["b": "https://a/b", "a": "two\nlines\r"])
        #expect(String(decoding: line, as: UTF8.self) == #"{"a":"two\nlines\r","b":"https://a/b"}"# + "\n")
        #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
    }

    @Test func `the limit of a line is one mebibyte`() {
        #expect(JSONLine.maximumLength == 1 << 20)
    }

    @Test(arguments: [" {} ", "{}\r", "\t{}"])
    func `whitespace around a value is ignored`(text: String) throws {
        #expect(try value(Empty.self, text) == Empty())
    }

    @Test(arguments: ["", " ", "{", "{}}", "{} {}", "{'a':1}", "{a:1}", "[1 2]", "nul", "\u{0}"])
    func `text that is not JSON is refused`(text: String) {
        #expect(throws: DecodingError.self) { try value([String: Int].self, text) }
        #expect(throws: DecodingError.self) { try value([Int].self, text) }
    }

    @Test func `the error has the path and the reason`() throws {
        let error = try #require(throws: DecodingError.self) {
            try value(SessionBegin.Parameters.self, #"{"kind":"ndef","readers":["a",2]}"#)
        }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue } == ["readers", "1"])
    }
}
