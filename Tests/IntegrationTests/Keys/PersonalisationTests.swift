import Foundation
import NFCProtocol
import Testing

/// Setting up tags through nfcd, with its key file, its journal and its records.
@Suite(.timeLimit(.minutes(20))) struct `Tags that nfcd sets up` {
    private static let values = [
        "8C1F5E02B7A94D36F0E1D2C3B4A59687", "9D205F13C8BA5E47A1F2E3D4C5B6A798",
        "AE316A24D9CB6F58B2A3F4E5D6C7B8A9",
    ]
    private static let keys = """
        [[key]]
        name = "master"
        value = "\(values[0])"

        [[key]]
        name = "meta"
        value = "\(values[2])"

        [[key]]
        name = "web"
        value = "\(values[1])"

        [[profile]]
        name = "shop"
        tag = "ntag424"
        method = "sun"
        master-key = "master"
        meta-key = "meta"
        file-key = "web"
        url = "https://ex.am/?p={picc}&c={mac}"

        """
    private static let identifier = "04958CAA5C5E80"

    private let nfcd: JournalUnderTest
    private let scratch: Scratch

    init() async throws {
        scratch = try Scratch()
        let file = try scratch.file("keys.toml", Self.keys)
        chmod(file, 0o600)
        nfcd = try await JournalUnderTest(simulatedReaders: 1, settings: "\n[keys]\nfile = \"\(file)\"\n")
    }

    private var recordFile: String { "\(nfcd.scratch.path)/setups/\(Self.identifier).json" }

    /// A client with a virtual tag, whose session is connected to it.
    private func connected(_ more: String = "") async throws -> LineClient {
        let client = try LineClient(path: nfcd.socket)
        try await client.result(
            "simulator.present", #"{"model":"ntag424","identifier":"\#(Self.identifier)"\#(more)}"#)
        try await begin(client, 1)
        return client
    }

    /// Begins a session of kind tag, the client's first or a later one.
    private func begin(_ client: LineClient, _ number: Int) async throws {
        try await client.result("session.begin", #"{"kind":"tag"}"#)
        try await client.notification("session.didDetectTags")
        try await client.result("session.connect", Self.parameters(number))
    }

    private static func parameters(_ session: Int = 1, _ more: String = "") -> String {
        #"{"session":"session-\#(session)","tag":"tag-1"\#(more)}"#
    }

    private func state(_ client: LineClient) async throws -> JSONValue? {
        try await client.result("tag.queryPersonalisation", Self.parameters())["state"]
    }

    /// Ends the session, reads the tag in another one, and returns the proof.
    private func proof(_ client: LineClient, ending number: Int = 1) async throws -> JSONValue? {
        try await client.result("session.invalidate", #"{"session":"session-\#(number)"}"#)
        try await client.result("session.begin", #"{"kind":"ndef"}"#)
        let proof = try await client.notification("session.didDetectNDEFs")["proof"]
        try await client.result("session.invalidate", #"{"session":"session-\#(number + 1)"}"#)
        return proof
    }

    /// No key is in a log, on the socket or in a record.
    private func expectNoKey(_ client: LineClient) throws {
        let record = try String(contentsOfFile: recordFile, encoding: .utf8)
        for text in client.all + nfcd.process.errors.all + [record] {
            for value in Self.values { #expect(!text.uppercased().contains(value.prefix(8)), "\(text)") }
        }
    }

    @Test func `prove themselves at their next tap, and the message that nfcd read is spent`() async throws {
        let client = try await connected()
        #expect(try await state(client) == "delivered")
        let result = try await client.result("tag.personalise", Self.parameters(1, #","task":"setUp""#))
        #expect(result["profile"] == "shop" && result["identifier"] == .string(Self.identifier))
        #expect(result["keyVersions"] == [1, 1, 1, 1, 1] && result["counter"] == 1 && result["dryRun"] == false)
        #expect(try await state(client) == "current")
        // The session continues.
        #expect(try await client.result("tag.readNDEF", Self.parameters())["message"] != nil)
        let proof = try await proof(client)
        #expect(proof?["status"] == "proven" && proof?["previousCounter"] == 1 && proof?["counter"] == 3)
        try expectNoKey(client)
        #expect(try String(contentsOfFile: recordFile, encoding: .utf8).contains(#""isDone":true"#))
        let log = nfcd.process.errors.all.filter { $0.contains("setting it up by profile shop: done") }
        #expect(log.count == 1)
    }

    @Test func `are not changed by a dry run`() async throws {
        let client = try await connected()
        let result = try await client.result(
            "tag.personalise", Self.parameters(1, #","task":"setUp","dryRun":true"#))
        guard case .array(let steps)? = result["steps"] else { return #expect(Bool(false), "\(result)") }
        #expect(steps.contains("change key 0 to version 1") && result["dryRun"] == true)
        #expect(try await state(client) == "delivered")
        #expect(!FileManager.default.fileExists(atPath: recordFile))
    }

    @Test func `get other keys after a reset, or say up to which counter they are refused`()
        async throws
    {
        let client = try await connected()
        try await client.result("tag.personalise", Self.parameters(1, #","task":"setUp""#))
        #expect(try await proof(client)?["counter"] == 2)
        try await begin(client, 3)
        try await client.result("tag.personalise", Self.parameters(3, #","task":"reset""#))
        let refusal = try await client.call("tag.personalise", Self.parameters(3, #","task":"setUp""#))
        #expect("\(refusal)".contains("nfcctl keys rotate web"), "\(refusal)")
        // Only without its record.
        try FileManager.default.removeItem(atPath: recordFile)
        let result = try await client.result("tag.personalise", Self.parameters(3, #","task":"setUp""#))
        #expect(result["counter"] == 1 && result["refusedThrough"] == 2)
        let proof = try await proof(client, ending: 3)
        #expect(proof?["status"] == "replayed" && proof?["counter"] == 2)
    }

    @Test func `forget other keys of their UID on request`() async throws {
        let client = try await connected()
        try await client.result("tag.personalise", Self.parameters(1, #","task":"setUp""#))
        try await nfcd.restart()
        let blank = try await connected()
        #expect(try await state(blank) == "foreign")
        let forgetting = #","task":"reset","forgetRecord":true"#
        try await blank.result("tag.personalise", Self.parameters(1, forgetting))
        #expect(try await state(blank) == "delivered")
    }

    @Test func `that left, and nfcd that was killed, are finished by their record`() async throws {
        let torn = try await connected(#","removedAtCommand":40"#)
        let answer = try await torn.call("tag.personalise", Self.parameters(1, #","task":"setUp""#))
        #expect(answer["error"]?["code"] == 100, "\(answer)")
        guard case .string(let detail)? = answer["error"]?["data"]?["detail"] else {
            return #expect(Bool(false), "\(answer)")
        }
        #expect(detail.hasSuffix("The tag is unfinished. Put it back and run `nfcctl secure resume`."), "\(detail)")
        try expectNoKey(torn)
        try await nfcd.restart()
        let client = try await connected()
        // This tag is new, and the other one has keys by now.
        #expect(try await state(client) == "foreign")
        for task in ["resume", "setUp", "reset"] {
            let refusal = try await client.call("tag.personalise", Self.parameters(1, #","task":"\#(task)""#))
            #expect(refusal["error"]?["code"] == 1 && "\(refusal)".contains("secure reset --forget"), "\(refusal)")
        }
        // A record of an earlier nfcd does not know how far the tag came.
        let record = try String(contentsOfFile: recordFile, encoding: .utf8)
        try record.replacing(/,"possible":\[[0-9,]*\]/, with: "").write(
            toFile: recordFile, atomically: true, encoding: .utf8)
        #expect(try await state(client) == "interrupted")
        let result = try await client.result("tag.personalise", Self.parameters(1, #","task":"resume""#))
        #expect(result["keyVersions"] == [1, 1, 1, 1, 1])
        #expect(try await proof(client)?["status"] == "proven")
    }

    @Test func `with a broken record are not touched`() async throws {
        let client = try await connected()
        try FileManager.default.createDirectory(
            atPath: "\(nfcd.scratch.path)/setups", withIntermediateDirectories: true)
        try Data("{".utf8).write(to: URL(filePath: recordFile))
        let answer = try await client.call("tag.personalise", Self.parameters(1, #","task":"setUp""#))
        #expect(answer["error"]?["code"] == 203, "\(answer)")
        #expect("\(answer)".contains("04958CAA5C5E80.json is broken"))
        try FileManager.default.removeItem(atPath: recordFile)
        #expect(try await state(client) == "delivered")
    }
}
