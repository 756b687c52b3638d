import NFCProtocol
import Testing

@Suite struct RPCErrorTests {
    @Test(arguments: [
        (RPCError.parseError("no JSON"), #"{"code":-32700,"message":"no JSON"}"#),
        (.invalidRequest("no request"), #"{"code":-32600,"message":"no request"}"#),
        (
            .methodNotFound("a.b"),
            #"{"code":-32601,"message":"unknown method \"a.b\"; server.info lists the methods"}"#
        ),
        (
            .invalidParameters("expected a number", path: "params.timeout"),
            #"{"code":-32602,"data":{"path":"params.timeout"},"message":"params.timeout: expected a number"}"#
        ),
        (.internalError("our fault"), #"{"code":-32603,"message":"our fault"}"#),
        (
            RPCError(
                code: 103, message: "Session invalidated",
                data: .init(domain: "NFCError", name: "SessionInvalidated", detail: "the session has ended")),
            #"{"code":103,"data":{"detail":"the session has ended","domain":"NFCError","name":"SessionInvalidated"},"#
                + #""message":"Session invalidated"}"#
        ),
        (
            RPCError(
                code: 102, message: "m",
                data: .init(response: HexBytes([0x01, 0x6A, 0x82]), statusWord: HexBytes([0x6A, 0x82]))),
            #"{"code":102,"data":{"response":"016A82","statusWord":"6A82"},"message":"m"}"#
        ),
    ])
    func `an error is encoded and decoded`(error: RPCError, text: String) throws {
        #expect(try json(error) == text)
        #expect(try value(RPCError.self, text) == error)
    }

    @Test func `unknown details are ignored`() throws {
        let text = #"{"code":102,"message":"m","data":{"domain":"NFCError","later":"6A82","more":[1]},"extra":{}}"#
        #expect(try value(RPCError.self, text) == RPCError(code: 102, message: "m", data: .init(domain: "NFCError")))
    }

    @Test(arguments: [
        (RPCError.internalError("our fault"), "our fault (error -32603)"),
        (RPCError(code: 203, message: "busy", data: .init(domain: "NFCError")), "busy (error 203)"),
        (RPCError(code: 203, message: "busy", data: .init(detail: "held by uid 0")), "busy: held by uid 0 (error 203)"),
    ])
    func `an error is described with message, cause and code`(error: RPCError, text: String) {
        #expect("\(error)" == text)
    }
}

@Suite struct ParametersTests {
    @Test(arguments: [
        (#"{"kind":"ndef"}"#, SessionBegin.Parameters(kind: .ndef)),
        (#"{"kind":"ndef","readers":null,"timeout":null}"#, SessionBegin.Parameters(kind: .ndef)),
        (
            #"{"kind":"ndef","detection":"messages","invalidateAfterFirstRead":true,"alertMessage":"Hold on","#
                + #""readers":["a","b"],"whenBusy":"queue","waitForReader":true,"timeout":2.5}"#,
            SessionBegin.Parameters(
                kind: .ndef, detection: .messages, invalidateAfterFirstRead: true, alertMessage: "Hold on",
                readers: ["a", "b"], whenBusy: .queue, waitForReader: true, timeout: 2.5)
        ),
    ])
    func `the parameters of a session are decoded`(
        text: String, parameters: SessionBegin.Parameters
    ) throws {
        #expect(try value(SessionBegin.Parameters.self, text) == parameters)
        #expect(try value(SessionBegin.Parameters.self, json(parameters)) == parameters)
    }

    @Test(arguments: [
        "{}", #"{"kind":null}"#, #"{"kind":"tea"}"#, #"{"kind":1}"#, #"{"kind":"ndef","whenBusy":"now"}"#,
        #"{"kind":"ndef","readers":"all"}"#, #"{"kind":"ndef","readers":["a",1]}"#, #"{"kind":"ndef","timeout":"5"}"#,
        #"{"kind":"ndef","waitForReader":1}"#, #"{"kind":"ndef","alertMessage":[]}"#, "[]", "null", "1",
    ])
    func `invalid parameters of a session are refused`(text: String) {
        #expect(throws: DecodingError.self) { try value(SessionBegin.Parameters.self, text) }
    }

    @Test func `the parameters of other methods are decoded`() throws {
        #expect(try value(Empty.self, "{}") == Empty())
        #expect(try value(#"{"session":"s"}"#) == SessionRestartPolling.Parameters(session: "s"))
        #expect(
            try value(#"{"session":"s","message":"m"}"#)
                == SessionSetAlertMessage.Parameters(session: "s", message: "m"))
        #expect(try value(#"{"session":"s"}"#) == SessionInvalidate.Parameters(session: "s"))
        #expect(
            try value(#"{"session":"s","errorMessage":"e"}"#)
                == SessionInvalidate.Parameters(session: "s", errorMessage: "e"))
        #expect(try value(#"{"presentation":"p"}"#) == SimulatorRemove.Parameters(presentation: "p"))
        #expect(
            try value(#"{"model":"ntag215","identifier":"04aabbccddeeff","ndef":""}"#)
                == SimulatorPresent.Parameters(
                    model: "ntag215", identifier: HexBytes([0x04, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF]),
                    ndef: HexBytes([UInt8]())))
    }

    @Test func `parameters without a value are not encoded`() throws {
        #expect(try json(SessionBegin.Parameters(kind: .ndef)) == #"{"kind":"ndef"}"#)
        #expect(try json(SessionInvalidate.Parameters(session: "s")) == #"{"session":"s"}"#)
        #expect(try json(SimulatorPresent.Parameters(model: "ntag213")) == #"{"model":"ntag213"}"#)
    }
}
