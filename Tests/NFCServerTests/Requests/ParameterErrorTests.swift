import Testing

@Suite(.serialized, .timeLimit(.minutes(20)))
struct ParameterErrorTests {
    @Test(
        arguments: [
            ("session.begin", nil, "params.kind"),
            ("session.begin", "{}", "params.kind"),
            ("session.begin", #"{"kind":null}"#, "params.kind"),
            ("session.begin", #"{"kind":1}"#, "params.kind"),
            ("session.begin", #"{"kind":"tea"}"#, "params.kind"),
            ("session.begin", #"{"kind":"ndef","detection":"smell"}"#, "params.detection"),
            ("session.begin", #"{"kind":"ndef","whenBusy":"now"}"#, "params.whenBusy"),
            ("session.begin", #"{"kind":"ndef","invalidateAfterFirstRead":1}"#, "params.invalidateAfterFirstRead"),
            ("session.begin", #"{"kind":"ndef","waitForReader":"true"}"#, "params.waitForReader"),
            ("session.begin", #"{"kind":"ndef","alertMessage":{}}"#, "params.alertMessage"),
            ("session.begin", #"{"kind":"ndef","readers":"simulated-0"}"#, "params.readers"),
            ("session.begin", #"{"kind":"ndef","readers":["simulated-0",2]}"#, "params.readers[1]"),
            ("session.begin", #"{"kind":"ndef","readers":[null]}"#, "params.readers[0]"),
            ("session.begin", #"{"kind":"ndef","timeout":"5"}"#, "params.timeout"),
            ("session.begin", #"{"kind":"ndef","timeout":0}"#, "params.timeout"),
            ("session.begin", #"{"kind":"ndef","timeout":-1}"#, "params.timeout"),
            ("session.begin", #"{"kind":"ndef","timeout":86400.5}"#, "params.timeout"),
            ("session.begin", #"{"kind":"ndef","timeout":1e300}"#, "params.timeout"),
            ("session.begin", #"{"kind":"ndef","timeout":1e999}"#, "params"),
            ("session.begin", #"{"kind":"ndef","pollingOption":"iso14443"}"#, "params.pollingOption"),
            ("session.begin", #"{"kind":"ndef","pollingOption":["iso14443","uhf"]}"#, "params.pollingOption[1]"),
            ("session.begin", #"{"kind":"tag","pollingOption":[]}"#, "params.pollingOption"),
            ("session.begin", #"{"kind":"ndef","pollingOption":["pace"]}"#, "params.pollingOption[0]"),
            ("session.begin", #"{"kind":"tag","detection":"tags"}"#, "params.detection"),
            (
                "session.begin", #"{"kind":"tag","iso7816SelectIdentifiers":["A000000308","A0000003"]}"#,
                "params.iso7816SelectIdentifiers[1]"
            ),
            (
                "session.begin", #"{"kind":"tag","iso7816SelectIdentifiers":["A00000030800001000010000000000000000"]}"#,
                "params.iso7816SelectIdentifiers[0]"
            ),
            (
                "session.begin", #"{"kind":"tag","iso7816SelectIdentifiers":["A"]}"#,
                "params.iso7816SelectIdentifiers[0]"
            ),
            (
                "session.begin", #"{"kind":"ndef","iso7816SelectIdentifiers":["A000000308"]}"#,
                "params.iso7816SelectIdentifiers"
            ),
            ("session.begin", #"{"kind":"tag","feliCaSystemCodes":["12FC","FFFF"]}"#, "params.feliCaSystemCodes[1]"),
            ("session.begin", #"{"kind":"tag","feliCaSystemCodes":["12FF"]}"#, "params.feliCaSystemCodes[0]"),
            ("session.begin", #"{"kind":"tag","feliCaSystemCodes":["12"]}"#, "params.feliCaSystemCodes[0]"),
            ("session.begin", #"{"kind":"ndef","feliCaSystemCodes":["12FC"]}"#, "params.feliCaSystemCodes"),
            ("session.begin", #"{"kind":"ndef","queueTimeout":0}"#, "params.queueTimeout"),
            ("session.restartPolling", #"{"session":"s","pollingOption":[]}"#, "params.pollingOption"),
            (
                "session.restartPolling", #"{"session":"s","feliCaSystemCodes":["FF00"]}"#,
                "params.feliCaSystemCodes[0]"
            ),
            ("session.begin", #"{"kind":"ndef","timout":5}"#, "params.timout"),
            ("session.begin", #"{"kind":"ndef","timout":[{"ä":1.5}]}"#, "params.timout"),
            ("background.subscribe", #"{"filter":{"uriPrfix":"https:"}}"#, "params.filter.uriPrfix"),
            ("tag.readNDEF", #"{"session":"s","tag":"t","later":1}"#, "params.later"),
            ("simulator.list", #"{"later":1}"#, "params.later"),
            ("session.begin", "[]", "params"),
            ("session.begin", "null", "params"),
            ("session.begin", "7", "params"),
            ("session.invalidate", "{}", "params.session"),
            ("session.invalidate", #"{"session":1}"#, "params.session"),
            ("session.invalidate", #"{"session":"s","errorMessage":1}"#, "params.errorMessage"),
            ("session.restartPolling", nil, "params.session"),
            ("session.setAlertMessage", #"{"session":"s"}"#, "params.message"),
            ("simulator.present", "{}", "params.model"),
            ("simulator.present", #"{"model":"teapot"}"#, "params.model"),
            ("simulator.present", #"{"model":"ntag213","reader":"simulated-9"}"#, "params.reader"),
            ("simulator.present", #"{"model":"ntag213","identifier":"04"}"#, "params.identifier"),
            ("simulator.present", #"{"model":"ntag213","identifier":"0"}"#, "params.identifier"),
            ("simulator.present", #"{"model":"ntag213","ndef":"zz"}"#, "params.ndef"),
            (
                "simulator.present", #"{"model":"ntag213","ndef":"\#(String(repeating: "00", count: 1000))"}"#,
                "params.ndef"
            ),
            ("simulator.present", #"{"model":"ntag213","dump":"{}"}"#, "params.dump"),
            ("simulator.present", #"{"dump":"{}","identifier":"04"}"#, "params.identifier"),
            ("simulator.present", #"{"dump":"{}","ndef":""}"#, "params.ndef"),
            ("simulator.present", #"{"dump":"{}"}"#, "params.dump"),
            ("simulator.present", #"{"dump":"00FF"}"#, "params.dump"),
            ("simulator.present", #"{"dump":7}"#, "params.dump"),
            ("simulator.remove", #"{"presentation":"presentation-9"}"#, "params.presentation"),
        ] as [(String, String?, String)])
    func `the error names the path of an invalid parameter`(method: String, parameters: String?, path: String)
        async throws
    {
        try await withServer { server in
            let client = try server.client()
            let params = parameters.map { #","params":\#($0)"# } ?? ""
            await client.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)"\#(params)}"#)
            let answer = try await client.json()
            #expect(answer["id"] == 1 && answer["error"]["code"] == -32602)
            #expect(answer["error"]["data"]["path"] == .string(path))
            #expect(answer["error"]["message"].text?.hasPrefix("\(path): ") == true)
            #expect(try await client.call("simulator.list")["result"] == [])
        }
    }

    @Test(arguments: [
        (#"{"kind":"ndef","timeout":"5"}"#, "params.timeout: expected a number"),
        (#"{"kind":1}"#, "params.kind: expected text"),
        (#"{"kind":null}"#, "params.kind: expected text, not null"),
        (#"{"kind":"tea"}"#, #"params.kind: expected one of "ndef", "tag""#),
        (#"{"kind":"ndef","whenBusy":"now"}"#, #"params.whenBusy: expected one of "fail", "queue""#),
        ("{}", "params.kind: required, but missing"),
        (#"{"kind":"ndef","readers":"all"}"#, "params.readers: expected an array"),
        (#"{"kind":"ndef","waitForReader":1}"#, "params.waitForReader: expected true or false"),
        (#"{"kind":"ndef","timout":5}"#, #"params.timout: unknown parameter "timout"; did you mean "timeout"?"#),
        ("[]", "params: expected an object"),
        ("null", "params: expected an object, not null"),
    ])
    func `the message describes the error of a parameter`(parameters: String, message: String) async throws {
        try await withServer { server in
            let answer = try await server.client().call("session.begin", parameters)
            #expect(answer["error"]["message"] == .string(message))
        }
    }

    @Test func `unknown members of a request are ignored`() async throws {
        try await withServer { server in
            let answer = try await server.client().ask(
                #"{"later":[{}],"jsonrpc":"2.0","id":1,"method":"simulator.list","params":{}}"#)
            #expect(answer == #"{"id":1,"jsonrpc":"2.0","result":[]}"#)
        }
    }
}
