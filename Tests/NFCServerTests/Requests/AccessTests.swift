import NFCProtocol
import NFCReaders
import NFCSessions
import NFCTags
import Testing
import VirtualTags

@testable import NFCServer
@testable import NFCSocketServer

/// Access rules over the socket.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `Access over the socket` {
    static let reader = Entitlements(
        formats: [.ndef], capabilities: [.read, .simulate], selectIdentifiers: .some([[0xA0, 0, 0, 3, 8]]),
        systemCodes: .some([0x12FC, 0x0003]), readers: .some(["simulated-0"]))
    /// The same, also for sessions of kind tag.
    static var tagReader: Entitlements {
        var entitlements = reader
        entitlements.formats.insert(.tag)
        return entitlements
    }
    static let begin = #"{"kind":"ndef","detection":"tags"}"#

    @Test func `server.info returns what the caller may do`() async throws {
        try await withServer(access: .only(Self.reader)) { server in
            let may = try await server.client().call("server.info")["result"]["entitlements"]
            #expect(may["formats"] == ["NDEF"])
            #expect(may["capabilities"] == ["read", "simulate"])
            #expect(may["iso7816SelectIdentifiers"] == ["A000000308"])
            #expect(may["feliCaSystemCodes"] == ["0003", "12FC"])
            #expect(may["readers"] == ["simulated-0"])
            #expect(may["grants"][0]["capabilities"] == ["read", "simulate"] && may["grants"][1] == .null)
        }
    }

    @Test func `server.info lists the grants beside their summary`() async throws {
        let other = Entitlements(formats: [.tag], capabilities: [.raw], readers: .some(["simulated-1"]))
        try await withServer(access: .only(Self.reader, other)) { server in
            let may = try await server.client().call("server.info")["result"]["entitlements"]
            #expect(may["capabilities"] == ["read", "raw", "simulate"])
            #expect(may["grants"][0]["readers"] == ["simulated-0"] && may["grants"][0]["formats"] == ["NDEF"])
            #expect(may["grants"][1]["readers"] == ["simulated-1"] && may["grants"][1]["capabilities"] == ["raw"])
        }
    }

    @Test func `server.info leaves out simulate without simulated readers`() async throws {
        try await withServer(simulator: false) { server in
            let may = try await server.client().call("server.info")["result"]["entitlements"]
            #expect(may["formats"] == ["NDEF", "TAG", "PACE"])
            #expect(
                may["capabilities"] == [
                    "read", "write", "lock", "format", "raw", "raw-unscreened", "background", "taps", "monitor",
                    "manage", "personalise", "personalise-permanently",
                ])
            for list in ["iso7816SelectIdentifiers", "feliCaSystemCodes", "readers"] { #expect(may[list] == ["*"]) }
        }
    }

    @Test(arguments: [
        ("tag.writeNDEF", #","message":{"records":[]}"#), ("tag.format", ""), ("tag.writeLock", ""),
        ("tag.updateRecord", #","record":0,"offset":0,"old":"00","new":"01""#),
        ("tag.setPassword", #","password":"01020304""#), ("iso7816.sendCommand", #","apdu":"00A40000""#),
        ("feliCa.sendCommand", #","packet":"0600""#),
    ])
    func `a refused command does not connect the card`(method: String, arguments: String) async throws {
        var entitlements = Self.tagReader
        (entitlements.readers, entitlements.selectIdentifiers, entitlements.systemCodes) = (.all, .all, .all)
        try await withServer(access: .only(entitlements)) { server in
            let client = try server.client()
            _ = try await client.call("session.begin", #"{"kind":"tag"}"#)
            _ = try await client.json()
            let tag = #""session":"session-1","tag":"tag-1""#
            _ = try server.simulated.present(try VirtualTagModel.named("type4").makeTag(ndefMessage: []), on: nil)
            #expect(try await client.json()["params"]["tags"][0]["type"] == "iso7816")
            #expect(try await client.call(method, "{\(tag)\(arguments)}")["error"]["code"] == 2)
            _ = try server.simulated.present(try VirtualTagModel.named("ntag213").makeTag(ndefMessage: []), on: nil)
            #expect(try await client.json()["params"]["tags"][0]["tag"] == "tag-2")
            // It was not connected while it was the only tag; now it is ambiguous which one is meant.
            #expect(try await client.call("tag.readNDEF", "{\(tag)}")["error"]["code"] == 104)
        }
    }

    @Test(arguments: [
        ("tag.writeNDEF", #","message":{"records":[]}"#, "write"), ("tag.format", "", "format"),
        ("tag.updateRecord", #","record":0,"offset":0,"old":"00","new":"01""#, "write"),
        ("tag.writeMemory", #","blocks":[]"#, "write"), ("tag.setPassword", #","password":"01020304""#, "lock"),
        ("tag.removePassword", "", "lock"),
        ("tag.configure", #","counter":"on""#, "lock"),
        ("tag.personalise", #","task":"setUp""#, "personalise"), ("tag.queryPersonalisation", "", "personalise"),
        ("tag.writeLock", "", "lock"), ("tag.authenticate", #","password":"00""#, "raw"),
        ("iso7816.sendCommand", #","apdu":"00A40000""#, "raw"), ("miFare.sendCommand", #","command":"3000""#, "raw"),
        ("miFare.sendISO7816Command", #","apdu":"00A40000""#, "raw"),
        ("feliCa.sendCommand", #","packet":"0600""#, "raw"),
        ("iso15693.sendRequest", #","requestFlags":2,"commandCode":43"#, "raw"),
        ("miFareClassic.readBlock", #","block":0"#, "raw"),
    ])
    func `a command that is not granted is refused, and the tag can still be read`(
        method: String, parameters: String, capability: String
    ) async throws {
        try await withServer(access: .only(Self.tagReader)) { server in
            let client = try await TagBench.connected(server, model: "ntag213")
            let error = try await client.call(method, "{\(TagBench.tag)\(parameters)}")["error"]
            #expect(error["code"] == 2)
            #expect(error["data"]["name"] == "SecurityViolation")
            #expect(
                error["data"]["detail"].text?.hasPrefix(
                    "this command is not granted to you: no [[grant]] of nfcd.toml gives capabilities = [\"\(capability)\"]. "
                )
                    == true
            )
            #expect(try await client.call("tag.readNDEF", "{\(TagBench.tag)}")["error"] == .null)
        }
    }

    @Test(arguments: [("simulator.present", #"{"model":"ntag213"}"#), ("simulator.list", "{}")])
    func `virtual tags need a grant`(method: String, parameters: String) async throws {
        try await withServer(access: .only(Entitlements(capabilities: [.read]))) { server in
            let client = try server.client()
            #expect(try await client.call(method, parameters)["error"]["code"] == 2)
        }
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let entitlements: Entitlements
        let parameters: String
        let key: String
        var testDescription: String { "\(parameters) without \(key)" }

        init(_ entitlements: Entitlements, _ parameters: String, _ key: String) {
            (self.entitlements, self.parameters, self.key) = (entitlements, parameters, key)
        }
    }

    @Test(arguments: [
        Refusal(Entitlements(formats: [.tag], capabilities: [.read], readers: .all), begin, #"formats = ["NDEF"]"#),
        Refusal(Entitlements(formats: [.ndef], readers: .all), #"{"kind":"ndef"}"#, #"capabilities = ["read"]"#),
        Refusal(Entitlements(formats: [.ndef], capabilities: [.read]), begin, #"readers = ["*"]"#),
        Refusal(reader, #"{"kind":"ndef","readers":["simulated-1"]}"#, #"readers = ["simulated-1"]"#),
        Refusal(
            reader, #"{"kind":"ndef","readers":["simulated-0","Simulated Reader 1"]}"#,
            #"readers = ["Simulated Reader 1"]"#),
        Refusal(reader, #"{"kind":"ndef","readers":["nowhere"],"waitForReader":true}"#, #"readers = ["nowhere"]"#),
    ])
    func `a session that is not granted ends with 2 and names the missing grant`(refusal: Refusal) async throws {
        try await withServer(access: .only(refusal.entitlements)) { server in
            let client = try server.client()
            #expect(try await client.call("session.begin", refusal.parameters)["result"]["session"] == "session-1")
            let end = try await client.json()
            #expect(end["method"] == "session.didInvalidate")
            #expect(end["params"]["session"] == "session-1" && end["params"]["code"] == 2)
            let detail = try #require(end["params"]["detail"].text)
            #expect(detail.contains("no [[grant]] of nfcd.toml gives \(refusal.key)"))
            let over = try await client.call("session.restartPolling", #"{"session":"session-1"}"#)["error"]["code"]
            #expect(over == 103)
        }
    }

    @Test func `a session without messages needs no capability to read`() async throws {
        try await withServer(access: .only(Entitlements(formats: [.ndef], readers: .all))) { server in
            let client = try server.client()
            _ = try await client.call("session.begin", Self.begin)
            #expect(try await client.json()["method"] == "session.didBecomeActive")
        }
    }

    @Test(arguments: ["simulated-0", "Simulated Reader 0"])
    func `a reader that is granted by name can be requested by id or name`(granted: String) async throws {
        let entitlements = Entitlements(formats: [.ndef], readers: .some([granted]))
        for name in ["simulated-0", "Simulated Reader 0"] {
            try await withServer(access: .only(entitlements)) { server in
                let client = try server.client()
                let begin = #"{"kind":"ndef","detection":"tags","readers":["\#(name)"]}"#
                _ = try await client.call("session.begin", begin)
                #expect(try await client.json()["method"] == "session.didBecomeActive")
            }
        }
    }

    @Test(arguments: [
        ("simulated-0", "tag.readNDEF", "", true), ("simulated-0", "miFare.sendCommand", #","command":"3000""#, false),
        ("simulated-1", "tag.readNDEF", "", false), ("simulated-1", "miFare.sendCommand", #","command":"3000""#, true),
    ])
    func `a capability is granted only on the readers of the same grant`(
        reader: String, method: String, parameters: String, isGranted: Bool
    ) async throws {
        let access = AccessPolicy.only(
            Entitlements(formats: [.tag], capabilities: [.read, .simulate], readers: .some(["simulated-0"])),
            Entitlements(formats: [.tag], capabilities: [.raw, .simulate], readers: .some(["simulated-1"])))
        try await withServer(model: .named("acr122u"), access: access) { server in
            let tag = try VirtualTagModel.named("ntag213").makeTag(ndefMessage: TagBench.url)
            let client = try await TagBench.connected(server, tag, on: reader)
            let error = try await client.call(method, "{\(TagBench.tag)\(parameters)}")["error"]
            #expect(error["code"] == (isGranted ? .null : 2))
            if !isGranted { #expect(error["data"]["detail"].text?.contains("readers = [\"\(reader)\"]") == true) }
        }
    }

    @Test func `a session without readers in its parameters holds only granted readers`() async throws {
        try await withServer(access: .only(Self.reader)) { server in
            let client = try server.client()
            _ = try await client.call("session.begin", Self.begin)
            #expect(try await client.json()["method"] == "session.didBecomeActive")
            let readers = try await client.call("readers.list")["result"]
            #expect(readers[0]["state"] == "inUse" && readers[1]["state"] == "empty")
        }
    }

    @Test func `changed rules apply to the next request`() async throws {
        let access = AccessPolicy.only(Self.tagReader)
        try await withServer(access: access) { server in
            let client = try await TagBench.connected(server, model: "ntag213")
            #expect(try await client.call("tag.format", "{\(TagBench.tag)}")["error"]["code"] == 2)
            access.replace(
                with: AccessRules(grants: [Grant(to: .everyone, Entitlements(capabilities: [.format], readers: .all))]))
            let answer = try await client.call("tag.format", "{\(TagBench.tag)}")
            #expect(answer["error"]["code"] != 2)
            access.replace(with: AccessRules(grants: [], superusers: []))
            #expect(try await client.call("tag.readNDEF", "{\(TagBench.tag)}")["error"]["code"] == 2)
        }
    }
}

@Suite struct `The requirements of methods` {
    @Test(arguments: [
        ("tag.readNDEF", Capability.read), ("tag.queryNDEFStatus", .read), ("tag.describe", .read),
        ("tag.dump", .read), ("tag.writeNDEF", .write), ("tag.format", .format), ("tag.writeLock", .lock),
        ("tag.writeMemory", .write), ("tag.setPassword", .lock), ("tag.removePassword", .lock),
        ("tag.configure", .lock), ("tag.updateRecord", .write),
        ("tag.authenticate", .raw), ("iso7816.sendCommand", .raw), ("miFare.sendCommand", .raw),
        ("miFare.sendISO7816Command", .raw), ("miFareClassic.authenticate", .raw), ("miFareClassic.readBlock", .raw),
        ("miFareClassic.writeBlock", .raw), ("miFareClassic.increment", .raw), ("miFareClassic.decrement", .raw),
        ("miFareClassic.restore", .raw), ("feliCa.sendCommand", .raw), ("iso15693.sendRequest", .raw),
        ("background.unsubscribe", .background), ("events.subscribe", .monitor),
        ("sessions.cancel", .manage),
        ("readers.identify", .manage),
        ("simulator.present", .simulate), ("simulator.remove", .simulate), ("simulator.list", .simulate),
    ])
    func `are a capability for what affects tags or other clients`(method: String, capability: Capability) {
        #expect(requirement(of: method) == .capability(capability))
    }

    @Test func `are nothing for what affects or shows only the caller's own sessions, readers and counts`() {
        let free = Interface.methods.filter { method in method.requirement == .nothing }.map { method in method.name }
        #expect(
            Set(free) == [
                "server.info", "readers.list", "rpc.discover", "$/cancelRequest", "tag.cancelCommands",
                "session.connect", "session.restartPolling", "session.setAlertMessage", "session.invalidate",
                "session.setYielding", "notices.show", "notices.hide", "sessions.list", "server.metrics",
            ])
        #expect(requirement(of: "session.begin") == .sessionFormat)
        #expect(requirement(of: "background.subscribe") == .capabilities([.background, .read]))
    }

    private func requirement(of name: String) -> Requirement? {
        Interface.methods.first { method in method.name == name }?.requirement
    }
}
