import NFCProtocol
import Testing

@Suite struct RPCErrorTests {
    @Test(arguments: [
        (RPCError.parseError("no JSON"), #"{"code":-32700,"message":"no JSON"}"#),
        (.invalidRequest("no request"), #"{"code":-32600,"message":"no request"}"#),
        (
            .methodNotFound("a.b"),
            #"{"code":-32601,"message":"there is no method \"a.b\"; server.info works"}"#
        ),
        (
            .invalidParameters("expected a number", path: "params.timeout"),
            #"{"code":-32602,"data":{"path":"params.timeout"},"message":"params.timeout: expected a number"}"#
        ),
        (.internalError("our fault"), #"{"code":-32603,"message":"our fault"}"#),
        (
            RPCError(
                code: 103, message: "Session invalidated",
                data: .init(domain: "NFCError", name: "SessionInvalidated", detail: "it is over")),
            #"{"code":103,"data":{"detail":"it is over","domain":"NFCError","name":"SessionInvalidated"},"#
                + #""message":"Session invalidated"}"#
        ),
        (
            RPCError(
                code: 102, message: "m",
                data: .init(response: HexBytes([0x01, 0x6A, 0x82]), statusWord: HexBytes([0x6A, 0x82]))),
            #"{"code":102,"data":{"response":"016A82","statusWord":"6A82"},"message":"m"}"#
        ),
    ])
    func `an error is written and read back`(error: RPCError, text: String) throws {
        #expect(try json(error) == text)
        #expect(try value(RPCError.self, text) == error)
    }

    @Test func `details of a later daemon are passed over`() throws {
        let text = #"{"code":102,"message":"m","data":{"domain":"NFCError","later":"6A82","more":[1]},"extra":{}}"#
        #expect(try value(RPCError.self, text) == RPCError(code: 102, message: "m", data: .init(domain: "NFCError")))
    }

    @Test(arguments: [
        (RPCError.internalError("our fault"), "our fault (error -32603)"),
        (RPCError(code: 203, message: "busy", data: .init(domain: "NFCError")), "busy (error 203)"),
        (RPCError(code: 203, message: "busy", data: .init(detail: "held by uid 0")), "busy: held by uid 0 (error 203)"),
    ])
    func `an error reads as a sentence`(error: RPCError, text: String) {
        #expect("\(error)" == text)
    }
}
