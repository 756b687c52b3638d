import Foundation
import NFCProtocol

/// A way through every method, against an nfcd on simulated readers, each step with what has to come of it.
struct Walk {
    /// `https://a.b`.
    static let url = "D101045504612E62"
    /// What a session begins with that sends commands as they are.
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

    /// Takes the tag away and ends the session.
    private func leave(_ session: String, _ presented: JSONValue) async throws {
        guard case .string(let name)? = presented["presentation"] else { throw TestError("no presentation") }
        try await client.result("simulator.remove", #"{"presentation":"\#(name)"}"#)
        try await client.notification("session.tagRemoved")
        try await client.result("session.invalidate", #"{\#(session),"errorMessage":"Done"}"#)
        try await client.notification("session.didInvalidate")
    }

    /// Calls methods of a connected tag, each of which has to succeed; then takes the tag away.
    func tag(_ presentation: String, _ steps: [(method: String, parameters: String)]) async throws {
        let (tag, session, presented) = try await connected(presentation)
        for (method, parameters) in steps {
            try await client.result(method, "{\(tag)\(parameters.isEmpty ? "" : ",")\(parameters)}")
        }
        try await leave(session, presented)
    }

    /// What there is without a tag.
    func server() async throws {
        for method in ["rpc.discover", "server.info", "readers.list", "simulator.list"] {
            try await client.result(method)
        }
    }

    /// A session that is given messages, one of a tag without any among them.
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
        try await client.result("session.invalidate", #"{"session":"\#(name)"}"#)
        try await client.notification("session.didInvalidate")
    }

    /// Looking on, taps that no session holds, and sessions of others.
    func operators() async throws {
        try await client.result("events.subscribe")
        let filter = #"{"filter":{"uriPrefix":"https://","reader":"simulated-0"}}"#
        let subscription = try await client.result("background.subscribe", filter)["subscription"]
        guard case .string(let subscription)? = subscription else { throw TestError("no subscription") }
        let presented = try await client.result(
            "simulator.present", #"{"model":"ntag213","ndef":"\#(Self.url)","reader":"simulated-0"}"#)
        try await client.notification("reader.tagArrived")
        try await client.notification("background.didReadTag")
        guard case .string(let tag)? = presented["presentation"] else { throw TestError("no presentation") }
        try await client.result("simulator.remove", #"{"presentation":"\#(tag)"}"#)
        try await client.notification("reader.tagLeft")
        try await client.result("background.unsubscribe", #"{"subscription":"\#(subscription)"}"#)
        let session = try await client.result("session.begin", #"{"kind":"ndef"}"#)["session"]
        guard case .string(let session)? = session else { throw TestError("no session") }
        try await client.notification("session.began")
        try await client.result("sessions.list")
        try await client.result("sessions.cancel", #"{"session":"\#(session)","errorMessage":"Closing"}"#)
        try await client.notification("session.ended")
        try await client.result("server.metrics")
        try await client.result("$/cancelRequest", #"{"id":12345}"#)
    }

    /// Lines that are refused, and a batch; each is answered.
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
    /// Tags on a reader that lets commands of Type A, Topaz and FeliCa pass.
    func passThrough() async throws {
        try await tag(
            #"{"model":"ntag215","ndef":"\#(Self.url)","reader":"simulated-0"}"#,
            [
                ("tag.queryNDEFStatus", ""), ("tag.readNDEF", ""), ("tag.describe", ""),
                ("tag.dump", #""progress":true"#), ("tag.authenticate", #""password":"FFFFFFFF""#),
                ("miFare.sendCommand", #""command":"60""#), ("miFare.sendISO7816Command", #""apdu":"FFCA000000""#),
                ("tag.writeNDEF", #""message":{"records":[\#(Self.records)]},"verify":true"#), ("tag.readNDEF", ""),
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

    /// Tags on a reader that lets requests of ISO/IEC 15693 pass.
    func vicinity() async throws {
        try await tag(
            #"{"model":"slix2","ndef":"\#(Self.url)"}"#,
            [
                ("iso15693.sendRequest", #""requestFlags":2,"commandCode":32,"data":"00""#), ("tag.describe", ""),
                ("tag.dump", ""), ("tag.readNDEF", ""),
            ])
    }
}
