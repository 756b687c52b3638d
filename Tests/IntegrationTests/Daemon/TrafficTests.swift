import Foundation
import NFCProtocol
import Testing
import TestSupport

/// The answer of `rpc.discover`, checked with an independent JSON Schema validator, and real traffic checked against it.
@Suite(.timeLimit(.minutes(20)))
struct `The described interface` {
    /// The exit code of `Scripts/checks/check-protocol` if jsonschema is neither installed nor available.
    private static let unavailable: Int32 = 77
    private static let root = `The README`.root

    /// Runs the script on a document and lines; returns nil if it cannot run.
    private func check(_ options: [String], _ document: JSONValue, _ lines: String) async throws -> Finished? {
        guard try await Programs.found(["python3"]) else { return nil }
        let scratch = try Scratch()
        let described = try scratch.file("document.json", Array(try JSONLine.encode(document)))
        let recorded = try scratch.file("lines.jsonl", lines)
        let script = Self.root.appending(path: "Scripts/checks/check-protocol").path
        let finished = try await run(["python3", script] + options + [described, recorded])
        if finished.status == Self.unavailable { print("skipped: \(finished.errors.joined(separator: " "))") }
        return finished.status == Self.unavailable ? nil : finished
    }

    private func document() async throws -> JSONValue {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let document = try await LineClient(path: daemon.socket).result("rpc.discover")
        await daemon.process.end()
        return document
    }

    /// The notifications that simulated readers never cause.
    private static let hardwareOnly = [
        "reader.attached", "reader.detached", "reader.failed", "reader.recovered", "session.tagFailed",
    ]

    private static let keys = """
        [[key]]
        name = "master"
        value = "8C1F5E02B7A94D36F0E1D2C3B4A59687"

        [[key]]
        name = "door"
        value = "9D205F13C8BA5E47A1F2E3D4C5B6A798"

        [[profile]]
        name = "door"
        tag = "ntag424"
        method = "mutual"
        master-key = "master"
        tag-key = "door"

        """

    /// Uses a part of the interface, and returns the recorded traffic.
    private func record(model: String, _ steps: (Walk) async throws -> Void) async throws -> String {
        let folder = try Scratch()
        let keys = try folder.file("keys.toml", Self.keys)
        chmod(keys, 0o600)
        let journal =
            "[journal]\nenabled = true\npath = \"\(folder.path)/taps.db\"\n[keys]\nfile = \"\(keys)\"\n"
        let daemon = try await DaemonUnderTest(
            simulatedReaders: 2, model: model, configuration: try folder.file("nfcd.toml", journal))
        let proxy = try RecordingProxy(socket: "\(daemon.scratch.path)/proxy.sock", daemon: daemon.socket)
        try await steps(Walk(client: try LineClient(path: proxy.socket)))
        try await walkCommands(proxy.socket)
        await daemon.process.end()
        return proxy.record.text
    }

    /// Runs the nfcctl commands for tags.
    private func walkCommands(_ socket: String) async throws {
        let tag = try ChildProcess(
            [Programs.nfcctl, "virtual-tag", "ntag215", "--uri", "https://example.com"],
            environment: ["NFCD_SOCKET": socket])
        guard await tag.output.next() != nil else { throw TestError("no tag: \(tag.errors.all)") }
        let commands = [
            "readers", "scan --count 1", "read", "write --text Hello --verify", "info", "dump", "apdu FFCA000000",
            "erase",
        ]
        for command in commands {
            let arguments = command.split(separator: " ").map(String.init)
            let finished = try await run([Programs.nfcctl] + arguments, environment: ["NFCD_SOCKET": socket])
            #expect(finished.status == 0, "\(command): \(finished.errors)")
        }
        await tag.end(SIGINT)
    }

    @Test func `describes the traffic of all methods, and of nfcctl`() async throws {
        let document = try await document()
        var traffic = try await record(model: "acr122u") { walk in
            try await walk.server()
            try await walk.operators()
            try await walk.taps()
            try await walk.refusals()
            try await walk.messages()
            try await walk.ignored()
            try await walk.passThrough()
            try await walk.classic()
            try await walk.personalisation()
        }
        // Each proxy numbers its connections; every reader model gets its own range of numbers.
        traffic += try await record(model: "identiv") { try await $0.vicinity() }
            .replacing(#""connection":"#, with: #""connection":10"#)
        guard
            let finished = try await check(
                ["--every"] + Self.hardwareOnly.flatMap { ["--but", $0] }, document, traffic)
        else { return }
        #expect(finished.status == 0, "\(finished.output.joined(separator: "\n"))")
    }

    /// Changes of real traffic that the check has to detect.
    @Test(arguments: [
        (#""protocolVersion":1"#, #""protocolVersion":"1""#), (#""readingAvailable":true,"#, ""),
        (#"{\"id\":1,"#, #"{\"id\":{},"#), (#"\"method\":\"server.info\""#, #"\"method\":\"no.such\""#),
    ])
    func `does not describe a changed line`(old: String, new: String) async throws {
        let old = old.contains("\\") ? old : old.replacing("\"", with: "\\\"")
        let new = new.contains("\\") ? new : new.replacing("\"", with: "\\\"")
        let document = try await document()
        let traffic = try await record(model: "generic") { try await $0.client.result("server.info") }
        #expect(traffic.contains(old))
        guard let finished = try await check([], document, traffic.replacing(old, with: new)) else { return }
        #expect(finished.status == 1 && !finished.output.isEmpty)
    }

    @Test func `describes a message of every kind of record`() async throws {
        let text = try String(contentsOf: Self.root.appending(path: "Docs/ndef.md"), encoding: .utf8)
        let examples = text.components(separatedBy: "```json\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
            .filter { $0.contains("\"kind\"") }
        #expect(examples.count > 20)
        let messages = examples.map {
            #"{"records":[{"decoded":\#($0.replacing("\n", with: " "))}]}"# + "\n"
        }.joined()
        let encoded = try await run([Programs.nfcctl, "ndef", "encode", "--json-lines"], input: messages)
        let hex = try encoded.output.map { line -> String in
            guard case .string(let hex)? = try JSONLine.decode(JSONValue.self, from: Data(line.utf8))["hex"] else {
                throw TestError(line)
            }
            return hex
        }
        let decoded = try await run(
            [Programs.nfcctl, "ndef", "decode", "--json", "--stdin-lines"],
            input: hex.map { "\($0)\n" }.joined())
        #expect(decoded.output.count == examples.count)
        let lines = messages + decoded.output.map { "\($0)\n" }.joined()
        guard let finished = try await check(["--definition", "NDEFMessage"], try await document(), lines) else {
            return
        }
        #expect(finished.status == 0, "\(finished.output.joined(separator: "\n"))")
    }

    @Test func `the files that are made of the declarations are current`() async throws {
        guard try await Programs.found(["python3"]) else { return }
        let script = Self.root.appending(path: "Scripts/generate").path
        let finished = try await run(["python3", script, "--check", "--swift"])
        #expect(finished.status == 0, "\(finished.errors.joined(separator: "\n"))")
    }

    @Test func `matches the tables and the example in Docs protocol md`() async throws {
        guard try await Programs.found(["python3"]) else { return }
        let script = Self.root.appending(path: "Scripts/protocol-tables").path
        let finished = try await run(["python3", script, "--check", "--nfcd", Programs.nfcd])
        #expect(finished.status == 0, "\((finished.output + finished.errors).joined(separator: "\n"))")
    }
}

/// Calls every method of an nfcd with simulated readers, and checks the results.
struct Walk {
    /// `https://a.b`.
    static let url = "D101045504612E62"
    /// The parameters of a session for raw commands.
    static let commandSession = #"{"kind":"tag","alertMessage":"Walking"}"#

    let client: LineClient

    /// A session whose tag is connected, as members of parameters.
    private func connected(_ presentation: String) async throws -> (tag: String, session: String, presented: JSONValue)
    {
        let presented = try await client.result("simulator.present", presentation)
        let session = try await client.result("session.begin", Self.commandSession)["session"]
        try await client.notification("session.didBecomeActive")
        guard case .string(let session)? = session, case .string(let tag)? = try await nextTag() else {
            throw TestError("no session, or no tag")
        }
        let parameters = #""session":"\#(session)","tag":"\#(tag)""#
        try await client.result("session.connect", "{\(parameters)}")
        return (parameters, #""session":"\#(session)""#, presented)
    }

    private func nextTag() async throws -> JSONValue? {
        guard case .array(let tags)? = try await client.notification("session.didDetectTags")["tags"] else {
            return nil
        }
        return tags.first?["tag"]
    }

    /// Removes the tag and ends the session.
    private func leave(_ session: String, _ presented: JSONValue) async throws {
        guard case .string(let name)? = presented["presentation"] else { throw TestError("no presentation") }
        try await client.result("simulator.remove", #"{"presentation":"\#(name)"}"#)
        try await client.notification("session.tagRemoved")
        try await client.result("session.invalidate", #"{\#(session),"errorMessage":"Done"}"#)
        try await client.notification("session.didInvalidate")
    }

    /// Calls methods of a connected tag, which have to succeed, and removes the tag.
    func tag(_ presentation: String, _ steps: [(method: String, parameters: String)]) async throws {
        let (tag, session, presented) = try await connected(presentation)
        for (method, parameters) in steps {
            try await client.result(method, "{\(tag)\(parameters.isEmpty ? "" : ",")\(parameters)}")
        }
        try await leave(session, presented)
    }

    /// The methods that require no tag.
    func server() async throws {
        for method in ["rpc.discover", "server.info", "readers.list", "simulator.list"] {
            try await client.result(method)
        }
        for connected in [false, true] {
            try await client.result("simulator.plug", #"{"reader":"simulated-0","connected":\#(connected)}"#)
        }
    }

    /// A session that receives messages, including the error for a tag without a message.
    func messages() async throws {
        let session = try await client.result("session.begin", #"{"kind":"ndef","timeout":30,"readers":null}"#)
        guard case .string(let name)? = session["session"] else { throw TestError("no session") }
        for content in [#","ndef":"\#(Self.url)""#, ""] {
            let presented = try await client.result("simulator.present", #"{"model":"ntag213"\#(content)}"#)
            try await client.notification("session.didDetectNDEFs")
            try await client.result("simulator.list")
            guard case .string(let tag)? = presented["presentation"] else { throw TestError("no presentation") }
            try await client.result("simulator.remove", #"{"presentation":"\#(tag)"}"#)
            try await client.notification("session.tagRemoved")
        }
        try await client.result("session.setAlertMessage", #"{"session":"\#(name)","message":"Hold it still"}"#)
        try await client.result("session.restartPolling", #"{"session":"\#(name)"}"#)
        try await client.result("session.setYielding", #"{"session":"\#(name)","yields":false}"#)
        try await client.result("session.invalidate", #"{"session":"\#(name)"}"#)
        try await client.notification("session.didInvalidate")
    }

    /// A session that yields and does not look for the tag that comes.
    func ignored() async throws {
        let application = #""iso7816SelectIdentifiers":["A0000006472F0001"]"#
        let session = try await client.result("session.begin", #"{"kind":"tag","yields":true,\#(application)}"#)
        guard case .string(let name)? = session["session"] else { throw TestError("no session") }
        let presented = try await client.result("simulator.present", #"{"model":"type4"}"#)
        try await client.notification("session.tagIgnored")
        guard case .string(let tag)? = presented["presentation"] else { throw TestError("no presentation") }
        try await client.result("simulator.remove", #"{"presentation":"\#(tag)"}"#)
        try await client.result("session.invalidate", #"{"session":"\#(name)"}"#)
        try await client.notification("session.didInvalidate")
    }

    /// Events, background taps, and sessions of other clients.
    func operators() async throws {
        try await client.result("events.subscribe")
        let notice = try await client.result("notices.show", #"{"text":"Hold your security key to the reader"}"#)[
            "notice"]
        try await client.notification("notice.shown")
        guard case .string(let notice)? = notice else { throw TestError("no notice") }
        try await client.result("notices.hide", #"{"notice":"\#(notice)"}"#)
        try await client.notification("notice.hidden")
        let filter = #"{"filter":{"uriPrefix":"https://","reader":"simulated-0"},"removals":true}"#
        let subscription = try await client.result("background.subscribe", filter)["subscription"]
        guard case .string(let subscription)? = subscription else { throw TestError("no subscription") }
        let presented = try await client.result(
            "simulator.present", #"{"model":"ntag213","ndef":"\#(Self.url)","reader":"simulated-0"}"#)
        try await client.notification("reader.tagArrived")
        try await client.notification("background.didReadTag")
        guard case .string(let tag)? = presented["presentation"] else { throw TestError("no presentation") }
        try await client.result("simulator.remove", #"{"presentation":"\#(tag)"}"#)
        try await client.notification("reader.tagLeft")
        try await client.notification("background.tagRemoved")
        try await client.result("background.unsubscribe", #"{"subscription":"\#(subscription)"}"#)
        let session = try await client.result("session.begin", #"{"kind":"ndef"}"#)["session"]
        guard case .string(let session)? = session else { throw TestError("no session") }
        try await client.notification("session.began")
        try await client.result("sessions.list")
        try await client.result("sessions.cancel", #"{"session":"\#(session)","errorMessage":"Closing"}"#)
        try await client.notification("session.ended")
        try await client.result("readers.identify", #"{"reader":"simulated-0"}"#)
        try await client.result("server.metrics")
        let recording = try await client.result("recording.start", #"{"reader":"simulated-0"}"#)["recording"]
        guard case .string(let recording)? = recording else { throw TestError("no recording") }
        try await client.notification("recording.didRecord")
        try await client.result("recording.stop", #"{"recording":"\#(recording)"}"#)
        try await client.result("$/cancelRequest", #"{"id":12345}"#)
    }

    /// The journal: a tap on its way to a consumer.
    func taps() async throws {
        let subscription = try await client.result("taps.subscribe", #"{"consumer":"walk","after":"new"}"#)[
            "subscription"]
        guard case .string(let subscription)? = subscription else { throw TestError("no subscription") }
        let presented = try await client.result(
            "simulator.present", #"{"model":"ntag213","ndef":"\#(Self.url)","reader":"simulated-1"}"#)
        guard case .integer(let sequence)? = try await client.notification("taps.didRecord")["tap"]?["sequence"],
            case .string(let tag)? = presented["presentation"]
        else { throw TestError("no tap") }
        try await client.result("simulator.remove", #"{"presentation":"\#(tag)"}"#)
        try await client.result("taps.list", #"{"after":0,"limit":10,"readers":["simulated-1"]}"#)
        try await client.result(
            "taps.acknowledge", #"{"subscription":"\#(subscription)","sequence":\#(sequence)}"#)
        try await client.result("taps.status")
        try await client.result("taps.prune", #"{"through":\#(sequence)}"#)
        try await client.result("taps.unsubscribe", #"{"subscription":"\#(subscription)"}"#)
        try await client.result("taps.removeConsumer", #"{"consumer":"walk"}"#)
    }

    /// Invalid lines and a batch; each is answered.
    func refusals() async throws {
        let lines = [
            "{", "[]", "1", #"{"jsonrpc":"2.0","id":"a","method":"no.such"}"#, #"{"id":1.5,"method":"server.info"}"#,
            #"{"jsonrpc":"2.0","id":"b","method":"session.begin","params":{"kind":"x"}}"#,
            #"{"jsonrpc":"2.0","id":null,"method":"session.begin","params":[]}"#,
            #"{"jsonrpc":"2.0","id":"c","method":"session.invalidate","params":{"session":"session-999"}}"#,
            #"{"jsonrpc":"2.0","id":"d","method":"simulator.present","params":{"model":"no-such"}}"#,
            #"{"jsonrpc":"2.0","id":"e","method":"tag.readNDEF","params":{"session":"s","tag":"t"}}"#,
        ]
        for line in lines {
            client.send(line)
            _ = try await client.next { $0["error"] != nil }
        }
        client.send(
            #"[{"jsonrpc":"2.0","id":1000,"method":"server.info"},{"jsonrpc":"2.0","id":1001,"method":"no.such"}]"#)
        _ = try await client.next { if case .array = $0 { true } else { false } }
    }
}

extension Walk {
    /// Tags on a reader that supports raw commands of Type A, Topaz and FeliCa.
    func passThrough() async throws {
        try await tag(
            #"{"model":"ntag215","ndef":"\#(Self.url)","reader":"simulated-0"}"#,
            [
                ("tag.queryNDEFStatus", ""), ("tag.readNDEF", ""), ("tag.describe", ""),
                ("tag.dump", #""progress":true"#), ("tag.authenticate", #""password":"FFFFFFFF""#),
                ("miFare.sendCommand", #""command":"60""#), ("miFare.sendISO7816Command", #""apdu":"FFCA000000""#),
                ("tag.writeNDEF", #""message":{"records":[\#(Self.records)]},"verify":true"#), ("tag.readNDEF", ""),
                ("tag.updateRecord", Self.update),
                ("tag.configure", #""counter":"on","mirror":"uid","mirrorPage":40"#),
                ("tag.writeMemory", #""blocks":[{"number":4,"bytes":"0300FE00"}]"#),
                ("tag.setPassword", #""password":"01020304","attempts":7"#), ("tag.removePassword", ""),
                ("tag.writeLock", ""), ("tag.queryNDEFStatus", ""),
            ])
        try await tag(
            #"{"model":"felica-lite-s"}"#, [("feliCa.sendCommand", #""packet":"00FFFF0100""#), ("tag.dump", "")])
        try await tag(
            #"{"model":"type4","ndef":"\#(Self.url)"}"#,
            [
                ("iso7816.sendCommand", #""apdu":"00A4040007D276000085010100","timeout":5"#), ("tag.describe", ""),
                ("tag.dump", ""),
                ("tag.cancelCommands", ""),
            ])
    }

    private static let records =
        #"{"decoded":{"kind":"text","text":"Hallo"}},"#
        + #"{"typeNameFormat":"nfcExternal","type":"612E623A63","payload":"00"},{"decoded":{"kind":"uri","uri":"tel:1"}}"#

    private static let update = #""record":1,"offset":0,"old":"00","new":"5A","verify":true"#

    /// A tag that gets the keys of a profile.
    func personalisation() async throws {
        try await tag(
            #"{"model":"ntag424"}"#,
            [
                ("tag.queryPersonalisation", ""), ("tag.personalise", #""task":"setUp","dryRun":true"#),
                ("tag.personalise", #""task":"setUp","progress":true"#), ("tag.queryPersonalisation", ""),
            ])
    }

    /// Cards with sectors and keys.
    func classic() async throws {
        try await tag(
            #"{"model":"mifare-classic-1k"}"#,
            [
                ("miFareClassic.authenticate", #""block":4,"keyType":"a","key":"ffffffffffff""#),
                ("miFareClassic.writeBlock", #""block":4,"data":"05000000FAFFFFFF0500000004FB04FB""#),
                ("miFareClassic.increment", #""block":4,"amount":2"#),
                ("miFareClassic.decrement", #""block":4,"amount":2"#),
                ("miFareClassic.restore", #""block":4,"destination":6"#),
                ("miFareClassic.readBlock", #""block":6"#), ("tag.dump", #""progress":true"#),
            ])
        try await tag(#"{"model":"mifare-classic-1k"}"#, [("tag.format", ""), ("tag.describe", "")])
    }

    /// Tags on a reader that supports ISO/IEC 15693 requests.
    func vicinity() async throws {
        try await tag(
            #"{"model":"slix2","ndef":"\#(Self.url)"}"#,
            [
                ("iso15693.sendRequest", #""requestFlags":2,"commandCode":32,"data":"00""#), ("tag.describe", ""),
                ("tag.dump", ""), ("tag.readNDEF", ""),
            ])
    }
}
