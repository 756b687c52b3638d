import NFCProtocol
import Testing

@Suite struct ParametersTests {
    @Test(arguments: [
        (#"{"kind":"ndef"}"#, SessionBegin.Parameters(kind: .ndef)),
        (#"{"kind":"ndef","readers":null,"timeout":null}"#, SessionBegin.Parameters(kind: .ndef)),
        (#"{"kind":"ndef","later":{"a":[1]},"colour":["red"]}"#, SessionBegin.Parameters(kind: .ndef)),
        (
            #"{"kind":"ndef","detection":"messages","invalidateAfterFirstRead":true,"alertMessage":"Hold on","#
                + #""readers":["a","b"],"whenBusy":"queue","waitForReader":true,"timeout":2.5}"#,
            SessionBegin.Parameters(
                kind: .ndef, detection: .messages, invalidateAfterFirstRead: true, alertMessage: "Hold on",
                readers: ["a", "b"], whenBusy: .queue, waitForReader: true, timeout: 2.5)
        ),
    ])
    func `a session is asked for; what is not known is passed over`(
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
    func `a session is not asked for like this`(text: String) {
        #expect(throws: DecodingError.self) { try value(SessionBegin.Parameters.self, text) }
    }

    @Test func `parameters of the other methods pass over what is not known`() throws {
        #expect(try value(Empty.self, #"{"later":1}"#) == Empty())
        #expect(try value(#"{"session":"s","later":1}"#) == SessionRestartPolling.Parameters(session: "s"))
        #expect(
            try value(#"{"session":"s","message":"m","later":1}"#)
                == SessionSetAlertMessage.Parameters(session: "s", message: "m"))
        #expect(try value(#"{"session":"s","later":1}"#) == SessionInvalidate.Parameters(session: "s"))
        #expect(
            try value(#"{"session":"s","errorMessage":"e"}"#)
                == SessionInvalidate.Parameters(session: "s", errorMessage: "e"))
        #expect(try value(#"{"presentation":"p","later":1}"#) == SimulatorRemove.Parameters(presentation: "p"))
        #expect(
            try value(#"{"model":"ntag215","identifier":"04aabbccddeeff","ndef":"","later":1}"#)
                == SimulatorPresent.Parameters(
                    model: "ntag215", identifier: HexBytes([0x04, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF]),
                    ndef: HexBytes([UInt8]())))
    }

    @Test func `what was left out is not written`() throws {
        #expect(try json(SessionBegin.Parameters(kind: .ndef)) == #"{"kind":"ndef"}"#)
        #expect(try json(SessionInvalidate.Parameters(session: "s")) == #"{"session":"s"}"#)
        #expect(try json(SimulatorPresent.Parameters(model: "ntag213")) == #"{"model":"ntag213"}"#)
    }
}
