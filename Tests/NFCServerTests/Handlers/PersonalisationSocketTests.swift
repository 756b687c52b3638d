import NFCSessions
import NFCTags
import NFCTypes
import TestSupport
import Testing
import VirtualTags

/// Setting up tags over the socket.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `Setting up tags over the socket` {
    private static func grant(_ capabilities: Set<Capability>) -> Entitlements {
        Entitlements(
            formats: [.tag], capabilities: capabilities, selectIdentifiers: .all, systemCodes: .all, readers: .all)
    }

    private static let setUp = #","task":"setUp""#

    @Test func `a request has everything, and so has the answer`() async throws {
        let personaliser = ScriptedPersonaliser(counter: 7)
        try await withServer(personaliser: personaliser) { server in
            let client = try await TagBench.connected(server, model: "type4")
            let result = try await client.call(
                "tag.personalise",
                "{\(TagBench.tag)\(Self.setUp)"
                    + #","profile":"web","dryRun":false,"permanent":["randomIdentifier","tamper"],"overwriteMessage":true,"#
                    + #""requireSignature":true,"identifier":"04A1B2C3D4E5F6","credential":"C0DE","keepCardKey":true,"forgetRecord":true}"#
            )[
                "result"]
            #expect(
                result
                    == .object([
                        "identifier": "04A1B2C3D4E5F6", "profile": "web", "steps": ["one", "two"],
                        "signature": "genuine", "keyVersions": [1, 2], "counter": 7, "credential": "C0DE",
                        "remarks": [], "dryRun": false,
                    ]))
            var request = PersonalisationRequest(.setUp, profile: "web")
            request.permanent = [.randomIdentifier, .tamper]
            (request.overwritesMessage, request.requiresSignature) = (true, true)
            request.identifier = ScriptedPersonaliser.identifier
            (request.credential, request.keepsCardKey) = ([0xC0, 0xDE], true)
            request.forgetsRecord = true
            #expect(personaliser.requests == [request])
        }
    }

    @Test func `a request with nothing but its task loses nothing`() async throws {
        let personaliser = ScriptedPersonaliser()
        try await withServer(personaliser: personaliser) { server in
            let client = try await TagBench.connected(server, model: "type4")
            for task in PersonalisationTask.allCases {
                let answer = try await client.call(
                    "tag.personalise", "{\(TagBench.tag),\"task\":\"\(task.rawValue)\"}")
                #expect(answer["result"]["profile"] == "door" && answer["result"]["counter"] == .null)
            }
            #expect(personaliser.requests == PersonalisationTask.allCases.map { PersonalisationRequest($0) })
        }
    }

    @Test func `progress is reported`() async throws {
        try await withServer(personaliser: ScriptedPersonaliser(), progressClock: AdvancingClock()) { server in
            let client = try await TagBench.connected(server, model: "type4")
            await client.send(
                #"{"jsonrpc":"2.0","id":"s","method":"tag.personalise","params":{\#(TagBench.tag)\#(Self.setUp),"progress":true}}"#
            )
            for done in [0, 2] {
                let step = try await client.json()
                #expect(step["method"] == "$/progress" && step["params"]["id"] == "s")
                #expect(step["params"]["done"] == .number(Double(done)) && step["params"]["total"] == 2)
            }
            #expect(try await client.json()["result"]["steps"] == ["one", "two"])
        }
    }

    @Test func `the state of a tag is returned`() async throws {
        try await withServer(personaliser: ScriptedPersonaliser()) { server in
            let client = try await TagBench.connected(server, model: "type4")
            let result = try await client.call("tag.queryPersonalisation", "{\(TagBench.tag),\"profile\":\"web\"}")
            #expect(
                result["result"]
                    == .object([
                        "identifier": "04A1B2C3D4E5F6", "profile": "web", "state": "interrupted",
                        "interrupted": "rotate", "signature": "missing", "keyVersions": [1, 2],
                        "currentKeyVersions": [2, 2], "remarks": [],
                    ]))
        }
    }

    @Test(
        arguments: [
            ([.read, .raw], "", "capabilities = [\"personalise\"]"),
            ([.read, .raw, .write, .lock, .rawUnscreened], "", "capabilities = [\"personalise\"]"),
            ([.read, .personalisePermanently], "", "capabilities = [\"personalise\"]"),
            (
                [.read, .personalise], #","permanent":["tamper"]"#,
                "capabilities = [\"personalise\", \"personalise-permanently\"]"
            ),
            ([.read, .personalise], "", nil), ([.read, .personalise], #","permanent":[]"#, nil),
            ([.read, .personalise, .personalisePermanently], #","permanent":["tamper"]"#, nil),
        ] as [(Set<Capability>, String, String?)])
    func `a client needs its grants in one sentence`(
        capabilities: Set<Capability>, parameters: String, missing: String?
    ) async throws {
        let personaliser = ScriptedPersonaliser()
        // A sentence for another reader adds nothing.
        var other = Self.grant([.personalise, .personalisePermanently])
        other.readers = .some(["elsewhere"])
        try await withServer(access: .only(Self.grant(capabilities), other), personaliser: personaliser) { server in
            let client = try await TagBench.connected(server, model: "type4")
            let answer = try await client.call("tag.personalise", "{\(TagBench.tag)\(Self.setUp)\(parameters)}")
            #expect(personaliser.requests.count == (missing == nil ? 1 : 0))
            #expect((answer["error"] == .null) == (missing == nil))
            guard let missing else { return }
            #expect(answer["error"]["code"] == 2)
            #expect(answer["error"]["data"]["detail"].text?.contains(missing) == true, "\(answer)")
        }
    }

    @Test(arguments: [("tag.personalise", setUp), ("tag.queryPersonalisation", "")])
    func `the default grant does not allow it`(method: String, parameters: String) async throws {
        try await withServer(
            access: .only(Grant.byDefault.entitlements), personaliser: ScriptedPersonaliser()
        ) { server in
            let client = try await TagBench.connected(server, model: "type4")
            let may = try await client.call("server.info")["result"]["entitlements"]["capabilities"]
            #expect(may == ["read", "write", "format", "raw", "background", "simulate"])
            #expect(try await client.call(method, "{\(TagBench.tag)\(parameters)}")["error"]["code"] == 2)
        }
    }

    @Test(arguments: [("tag.personalise", setUp), ("tag.queryPersonalisation", "")])
    func `an nfcd without profiles says what to configure`(method: String, parameters: String) async throws {
        try await withServer { server in
            let client = try await TagBench.connected(server, model: "type4")
            let error = try await client.call(method, "{\(TagBench.tag)\(parameters)}")["error"]
            #expect(error["code"] == 1)
            #expect(error["data"]["detail"].text?.contains("keys.toml") == true)
        }
    }

    @Test func `a failure keeps its code and its words`() async throws {
        let failure = TagError(.tagConnectionLost, "The tag is unfinished. Put it back.")
        try await withServer(personaliser: ScriptedPersonaliser(failure: failure)) { server in
            let client = try await TagBench.connected(server, model: "type4")
            let error = try await client.call("tag.personalise", "{\(TagBench.tag)\(Self.setUp)}")["error"]
            #expect(error["code"] == 100 && error["data"]["detail"] == "The tag is unfinished. Put it back.")
        }
    }

    @Test(arguments: [
        (#","task":"erase""#, "params.task"), ("", "params.task"),
        (#","task":"setUp","permanent":["lock"]"#, "params.permanent[0]"),
        (#","task":"setUp","key":"00""#, "params.key"),
    ])
    func `an invalid request is refused`(parameters: String, path: String) async throws {
        try await withServer(personaliser: ScriptedPersonaliser()) { server in
            let client = try await TagBench.connected(server, model: "type4")
            let error = try await client.call("tag.personalise", "{\(TagBench.tag)\(parameters)}")["error"]
            #expect(error["code"] == -32602 && error["data"]["path"] == .string(path), "\(error)")
        }
    }
}
