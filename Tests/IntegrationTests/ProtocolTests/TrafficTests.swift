import Foundation
import NFCProtocol
import TestSupport
import Testing

/// What `rpc.discover` says, checked by a JSON Schema validator that others wrote, and real traffic against it.
@Suite(.timeLimit(.minutes(3)))
struct `The described interface` {
    /// Ends `Scripts/check-protocol` where there is no jsonschema, and no network to get it.
    private static let unavailable: Int32 = 77
    private static let root = `The README`.root

    /// Runs the script on a document and lines; nil where it cannot run.
    private func check(_ options: [String], _ document: JSONValue, _ lines: String) async throws -> Finished? {
        guard try await Programs.found(["python3"]) else { return nil }
        let scratch = try Scratch()
        let described = try scratch.file("document.json", Array(try JSONLine.encode(document)))
        let recorded = try scratch.file("lines.jsonl", lines)
        let script = Self.root.appending(path: "Scripts/check-protocol").path
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

    /// What simulated readers never tell.
    private static let hardwareOnly = [
        "reader.attached", "reader.detached", "reader.failed", "reader.recovered", "session.tagFailed",
    ]

    /// Walks through a part of the interface, and gives what passed.
    private func record(model: String, _ steps: (Walk) async throws -> Void) async throws -> String {
        let daemon = try await DaemonUnderTest(simulatedReaders: 2, model: model)
        let proxy = try RecordingProxy(socket: "\(daemon.scratch.path)/proxy.sock", daemon: daemon.socket)
        try await steps(Walk(client: try LineClient(path: proxy.socket)))
        try await walkCommands(proxy.socket)
        await daemon.process.end()
        return proxy.record.text
    }

    /// Has nfcctl do what it can with a tag.
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
            let words = command.split(separator: " ").map(String.init)
            let finished = try await run([Programs.nfcctl] + words, environment: ["NFCD_SOCKET": socket])
            #expect(finished.status == 0, "\(command): \(finished.errors)")
        }
        await tag.end(SIGINT)
    }

    @Test func `describes every line of a walk through all methods, and of nfcctl's`() async throws {
        let document = try await document()
        var traffic = try await record(model: "acr122u") { walk in
            try await walk.server()
            try await walk.operators()
            try await walk.refusals()
            try await walk.messages()
            try await walk.passThrough()
            try await walk.classic()
        }
        // Connections are counted by each proxy; a model of its own gets numbers of its own.
        traffic += try await record(model: "identiv") { try await $0.vicinity() }
            .replacing(#""connection":"#, with: #""connection":10"#)
        guard
            let finished = try await check(
                ["--every"] + Self.hardwareOnly.flatMap { ["--but", $0] }, document, traffic)
        else { return }
        #expect(finished.status == 0, "\(finished.output.joined(separator: "\n"))")
    }

    /// A change of a line of real traffic, each of which the check has to see.
    @Test(arguments: [
        (#""protocolVersion":1"#, #""protocolVersion":"1""#), (#""readingAvailable":true,"#, ""),
        (#"{\"id\":1,"#, #"{\"id\":{},"#), (#"\"method\":\"server.info\""#, #"\"method\":\"no.such\""#),
    ])
    func `does not describe a line that was changed`(old: String, new: String) async throws {
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

    @Test func `is what Docs protocol md says, tables and exchange`() async throws {
        guard try await Programs.found(["python3"]) else { return }
        let script = Self.root.appending(path: "Scripts/protocol-tables").path
        let finished = try await run(["python3", script, "--check", "--nfcd", Programs.nfcd])
        #expect(finished.status == 0, "\((finished.output + finished.errors).joined(separator: "\n"))")
    }
}
